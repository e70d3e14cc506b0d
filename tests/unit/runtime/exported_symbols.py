#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libtl exports the functions that tl.h declares, all of them and nothing else.

    exported_symbols.py LIBRARY HEADER
"""
import re
import subprocess
import sys


def main(library, header):
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    declared = set(re.findall(r"TL_API\s[^;(]*?\b(tl_\w+)\s*\(", text))
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    wrong = [f"declared in tl.h but not exported: {name}" for name in sorted(declared - exported)]
    wrong += [f"exported but not declared in tl.h: {name}" for name in sorted(exported - declared)]
    print("\n".join(wrong))
    print(f"{len(declared & exported)} passed, {len(wrong)} failed")
    return int(bool(wrong) or not declared)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
