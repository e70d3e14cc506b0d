# SPDX-License-Identifier: MIT
"""Installs tl into an empty folder and builds a foreign project against the copy, by pkg-config and
by CMake.  Usage: install.py BUILD_FOLDER PREFIX COMPILER..."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent / "project"
build, prefix, *compiler = sys.argv[1:]
passed = failed = skipped = 0


def command(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, text=True, capture_output=True, **more).stdout


def case(name, needs, build_it):
    global passed, failed, skipped
    if not shutil.which(needs):
        skipped += 1
        print(f"[SKIP] {name}: {needs} was not found")
        return
    try:
        program = build_it()
        out = command(program, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
        if "the answer is right" not in out:
            raise RuntimeError(f"printed {out!r}")
        passed += 1
    except (subprocess.CalledProcessError, RuntimeError) as error:
        failed += 1
        print(f"FAIL {name}: {error}")
        print(getattr(error, "stdout", ""), getattr(error, "stderr", ""))


with tempfile.TemporaryDirectory(prefix="tl-install-") as folder:
    where = Path(folder)
    command("meson", "install", "-C", build, "--no-rebuild", "--destdir", where)
    libraries = next(where.rglob("libtl.so")).parent
    copy = where / prefix.lstrip("/")

    def by_pkg_config():
        env = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
               "PKG_CONFIG_SYSROOT_DIR": folder}
        flags = command("pkg-config", "--cflags", "--libs", "tl", env=env).split()
        command(*compiler, "-std=c++20", PROJECT / "main.cpp", "-o", where / "by_pkg_config", *flags)
        return where / "by_pkg_config"

    def by_cmake():
        command("cmake", "-G", "Ninja", "-S", PROJECT, "-B", where / "cmake", f"-DCMAKE_PREFIX_PATH={copy}",
                f"-DCMAKE_CXX_COMPILER={compiler[-1]}")
        command("cmake", "--build", where / "cmake")
        return where / "cmake/program"

    case("found by pkg-config", "pkg-config", by_pkg_config)
    case("found by CMake", "cmake", by_cmake)

print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(int(failed > 0))
