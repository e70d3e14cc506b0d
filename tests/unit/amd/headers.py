# SPDX-License-Identifier: MIT
"""hip_headers.cpp compiles: our declarations of HIP are those of HIP's headers. Skips where those are not
installed: Debian has them in libamdhip64-dev, with which 80 MB of ROCm come.

    headers.py COMPILER INCLUDE_FOLDER…"""
import os
import pathlib
import shutil
import subprocess
import sys

compiler, *includes = sys.argv[1:]
folders = [os.environ.get("ROCM_PATH", "") + "/include", "/opt/rocm/include", "/usr/include"]
found = next((folder for folder in folders if os.path.exists(f"{folder}/hip/hip_runtime_api.h")), None)
if not found or not shutil.which(compiler):
    print("[SKIP] " + (f"there is no {compiler}" if found else "HIP's headers are not installed"))
    sys.exit(77)
here = pathlib.Path(__file__).parent
result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-D__HIP_PLATFORM_AMD__",
                         "-D__HIP_DISABLE_CPP_FUNCTIONS__", *[f"-I{folder}" for folder in includes],
                         "-isystem", found, str(here / "hip_headers.cpp")])
print(f"HIP's headers in {found}: " + ("as declared" if result.returncode == 0 else "not as declared"))
sys.exit(result.returncode)
