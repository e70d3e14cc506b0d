# SPDX-License-Identifier: MIT
"""Every test is in a suite that tests/run or tests/nightly runs, and the nightly ones have all emulated GPUs."""
import re

from project import Report, files, text

report = Report()
run = re.search(r"^suites=\((.*?)\)", text("tests/run"), re.M)[1].split()
used = {suite: str(path) for path in files({".build"}) for suite in re.findall(r"suite: '([\w ]+)'", text(path))}
for suite, path in used.items():
    report.check(suite in [*run, "nightly"], f"{path}: neither tests/run nor tests/nightly runs the suite '{suite}'")
for suite in run:
    report.check(suite in used, f"tests/run: no test is in the suite '{suite}'")

known = set(re.findall(r'"simt:(\w+)"', text("backend/targets/simt/OpenTarget.cpp")))
listed = set(re.findall(r"'((?:sm_|gfx)\w+)'", re.search(r"^emulated_gpus = (.*?)^endif",
                                                         text("tests/meson.build"), re.M | re.S)[1]))
report.check(known and known == listed, f"tests/meson.build: emulated_gpus are {sorted(listed)} and not {sorted(known)}")
report.check("tests/nightly" in text("CONTRIBUTING.md"), "CONTRIBUTING.md: tests/nightly is not named")
report.finish()
