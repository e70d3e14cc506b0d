# SPDX-License-Identifier: MIT
"""Installs tl into an empty folder and builds a foreign project against the copy, by pkg-config, CMake and
Meson, and a C program; walks the links of the installed pages.
Usage: install.py BUILD_FOLDER PREFIX COMPILER..."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests/install/project"
sys.path.insert(0, str(ROOT / "tests/meta"))
from pages import links  # noqa: E402

build, prefix, *compiler = sys.argv[1:]
passed = failed = skipped = 0


def command(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, text=True, capture_output=True, **more).stdout


def case(name, needs, build_it, says="the answer is right"):
    """One way to build a program, which then runs and says so."""
    global passed, failed, skipped
    if not shutil.which(needs):
        skipped += 1
        print(f"[SKIP] {name}: {needs} was not found")
        return
    try:
        program = build_it()
        out = command(program, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
        if says not in out:
            raise RuntimeError(f"printed {out!r}")
        passed += 1
    except (subprocess.CalledProcessError, OSError, RuntimeError) as error:
        failed += 1
        print(f"FAIL {name}: {error}")
        print(getattr(error, "stdout", ""), getattr(error, "stderr", ""))


def check(name, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    if problem:
        print(f"FAIL {name}: {problem}")


with tempfile.TemporaryDirectory(prefix="tl-install-") as folder:
    where = Path(folder)
    command("meson", "install", "-C", build, "--no-rebuild", "--destdir", where)
    libraries = next(where.rglob("libtl.so")).parent
    copy = where / prefix.lstrip("/")

    found = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": folder}

    def by_pkg_config(standard, source, program, compile):
        flags = command("pkg-config", "--cflags", "--libs", "tl", env=found).split()
        command(*compile, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", where / program,
                *flags)
        return where / program

    def by_cmake():
        command("cmake", "-G", "Ninja", "-S", PROJECT, "-B", where / "cmake", f"-DCMAKE_PREFIX_PATH={copy}",
                f"-DCMAKE_CXX_COMPILER={compiler[-1]}")
        command("cmake", "--build", where / "cmake")
        return where / "cmake/program"

    def by_meson():
        command("meson", "setup", where / "meson", PROJECT, env={**found, "CXX": " ".join(compiler)})
        command("ninja", "-C", where / "meson")
        return where / "meson/program"

    def as_subproject():
        """Only configured: the compiler takes minutes to build."""
        project = where / "with_subproject"
        shutil.copytree(PROJECT, project)
        (project / "subprojects").mkdir()
        (project / "subprojects/tl").symlink_to(ROOT)
        command("meson", "setup", project / "build", project, "--wrap-mode=forcefallback", "--force-fallback-for=tl",
                env={**os.environ, "CXX": " ".join(compiler)})
        targets = command("ninja", "-C", project / "build", "-t", "query", "program")
        return "" if "libtl.so" in targets else f"the program is not linked with the subproject's library:\n{targets}"

    case("found by pkg-config", "pkg-config",
         lambda: by_pkg_config("c++20", PROJECT / "main.cpp", "by_pkg_config", compiler))
    case("found by CMake", "cmake", by_cmake)
    case("found by Meson", "pkg-config", by_meson)
    documents = copy / "share/doc/tl"
    case("the installed C program", "pkg-config",
         lambda: by_pkg_config("c11", documents / "examples/c_api.c", "c_api",
                               [re.sub(r"clang\+\+|g\+\+", lambda m: {"clang++": "clang", "g++": "gcc"}[m[0]], compiler[-1])]), "the sums are right on cpu")
    try:
        check("as a subproject", as_subproject())
    except subprocess.CalledProcessError as error:
        check("as a subproject", error.stdout[-2000:] + error.stderr)

    for source in sorted(documents.rglob("*.[ch]pp")):
        missing = [name for name in re.findall(r'^#include "(.*)"', source.read_text(encoding="utf-8"), re.M)
                   if not (source.parent / name).exists()]
        check(f"what the installed {source.relative_to(documents)} includes", missing and f"there is no {missing}")
    pages = sorted(documents.rglob("*.md"))
    check("pages are installed", len(pages) < 20 and f"only {pages}")
    check("the licence is installed", not (documents / "LICENSE").exists() and "no LICENSE")
    for page in pages:
        dead = [problem for _, problem in links(page) if problem]
        check(f"links of the installed {page.relative_to(documents)}", ", ".join(dead))
    foreign = [path for path in (documents / "docs").rglob("*") if path.is_file() and path.suffix not in (".md", ".svg")]
    check("only pages and images are among the installed pages", foreign)

print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(int(failed > 0))
