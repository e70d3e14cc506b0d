# SPDX-License-Identifier: MIT
"""Code that a page shows is taken from a file which a test builds (`<!-- code: FILE -->`, see
docs/update_code.py), and commands name files and options of the project that exist."""
import re

from project import ROOT, Report, files, text

BLOCK = re.compile(r"^(?:<!-- code: (\S+)(?: \[\w+\])? -->\n)?```(\w+)\n(.*?)^```$", re.S | re.M)
CODE_OF_A_TEST = {"c", "cpp", "cmake", "meson", "python", "mlir"}
# Written by docs/reference/generate: the examples of headers and records have tests of their own,
# tests/headers/examples.py and tests/unit/dialect/examples.py.
GENERATED = {path for path in files({".md"}, "docs/reference")}
PLACES = {str(path).split("/")[0] for path in files() if "/" in str(path)}
OPTIONS = re.findall(r"^option\('(\w+)'", text("meson_options.txt"), re.M)

builds = [text(path) for path in files({".build"})]
scripts = [text(path) for path in files({".py"}, "tests")]
sources = [text(path) for path in files({".cpp", ".hpp", ".c"}) if not str(path).startswith("backend/")]


def is_built(file):
    """Whether a test names the file: meson as a source, a script as a project, or a source that includes it."""
    name = file.rsplit("/", 1)[-1]
    if name in ("CMakeLists.txt", "meson.build"):
        return any(file.rsplit("/", 1)[0] in script for script in scripts)
    including = re.compile(rf'#include [<"](?:[\w./]*/)?{re.escape(name)}[>"]')
    return any(f"'{name}'" in build or f"/{name}'" in build or f"'{name[:-4]}'" in build for build in builds) or any(
        f'"{name}"' in script or f"/{name}" in script for script in scripts) or any(
        including.search(source) for source in sources)


report = Report()
for page in files({".md"}):
    if page in GENERATED:
        continue
    for file, language, content in BLOCK.findall(text(page)):
        if language in CODE_OF_A_TEST:
            first = content.split("\n")[0]
            report.check(file, f"{page}: a block of {language} comes from no tested file: {first}")
            report.check(not file or is_built(file), f"{page}: no test builds {file}")
        if language == "sh":
            for word in re.findall(r"(?<![\w/.$~@])(\.?\w[\w.-]*/[\w./*-]+)", re.sub(r"#.*", "", content)):
                if word.split("/")[0] in PLACES and "*" not in word and not word.startswith("build"):
                    report.check((ROOT / word).exists() or list(ROOT.glob(word + ".cpp")),
                                 f"{page}: there is no {word}")
            for option in re.findall(r" -D(\w+)=", content):
                report.check(option in OPTIONS or option.startswith(("b_", "build")),
                             f"{page}: there is no option {option}")
report.finish()
