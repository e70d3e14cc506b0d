# SPDX-License-Identifier: MIT
# Configuration of every FileCheck test; tests/lit/meson.build passes the three parameters.
import lit.formats

config.name = "tl"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".test"]
config.test_exec_root = lit_config.params["output"]
tools = [lit_config.params["tools"], lit_config.params["llvm"]]
config.environment["PATH"] = ":".join(tools + [config.environment["PATH"]])
