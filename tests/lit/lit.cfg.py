# SPDX-License-Identifier: MIT
# Configuration of every FileCheck test; tests/lit/meson.build passes the three parameters.
import os
import sys

import lit.formats

config.name = "tl"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".test"]
config.test_exec_root = lit_config.params["output"]
tools = [lit_config.params["tools"], lit_config.params["llvm"]]
config.environment["PATH"] = ":".join(tools + [config.environment["PATH"]])
# tlc makes one kernel at a time; this makes all of a file's.
config.substitutions.append(("%each_kernel", sys.executable + " " +
                             os.path.join(os.path.dirname(__file__), "each_kernel.py")))
