# SPDX-License-Identifier: MIT
"""Where the packages of tests/python_packages.txt cannot be installed, a test that needs them is skipped
with the reason, which names no address, and the next test does not try again."""
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from project import ROOT, Report

report = Report()
with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, PIP_NO_INDEX="1", PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS="")
    command = [sys.executable, ROOT / "tests/python_packages.py", Path(folder) / "python", "-c", "print('ran')"]
    for attempt in ("first", "second"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.stdout == "ran\n":  # another python3 of this machine has them
            continue
        report.check(done.returncode == 77 and done.stdout.startswith("[SKIP] triton cannot be installed: ")
                     and "://" not in done.stdout, f"the {attempt} attempt: {done.stdout}{done.stderr}")
    report.check((Path(folder) / "python.failed").exists() and spent < 3, f"the second attempt took {spent:.1f} s of the processor")
report.finish()
