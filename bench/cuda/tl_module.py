# SPDX-License-Identifier: MIT
"""The compiled module of tl kernels (module.hpp) as Python objects. Needs neither torch nor numpy."""
import ctypes
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Failed(Exception):
    """What the module reported."""


def find(name):
    """A built file: in the clone's build folder, or in a bundle beside the scripts, in lib or bin."""
    folders = ["../../build/bench", "../../build/backend", ".", "..", "../../lib", "../../bin"]
    for folder in folders:
        path = HERE / folder / name
        if path.exists():
            return path.resolve()
    return None


class Prepared:
    """A tl kernel with its arguments: call it to launch."""

    def __init__(self, module, number, keep):
        self.run, self.number, self.keep = module.library.tlb_run, number, keep
        self.module = module
        self.name = module.library.tlb_prepared_name(number).decode()

    def __call__(self):
        if self.run(self.number) < 0:
            self.module.fail()

    def text(self, stage):
        return self.module.library.tlb_prepared_text(self.number, stage.encode()).decode()

    def describe(self):
        registers, spills, shared, threads = (
            self.module.library.tlb_prepared_property(self.number, i) for i in range(4))
        spilled = f", {spills} bytes spilled" if spills > 0 else ""
        return f"{threads} threads, {registers} registers, {shared} bytes shared{spilled}"


class Module:
    def __init__(self, device, stream, multiprocessors):
        path = find("libtl_bench_cuda.so")
        if not path:
            raise Failed("libtl_bench_cuda.so was not found; bench/run builds it")
        backend = find("libtl.so.0")
        if backend:  # so that the module finds it wherever the two were moved to
            ctypes.CDLL(str(backend), mode=ctypes.RTLD_GLOBAL)
        self.library = library = ctypes.CDLL(str(path))
        numbers = ctypes.POINTER(ctypes.c_int64)
        doubles = ctypes.POINTER(ctypes.c_double)
        text, integer = ctypes.c_char_p, ctypes.c_int
        for name, result, arguments in [
                ("tlb_open", integer, [text, ctypes.c_void_p, integer]),
                ("tlb_error", text, []),
                ("tlb_device_description", text, []),
                ("tlb_configurations", text, [text, numbers, integer]),
                ("tlb_prepare", integer, [text, text, numbers, integer]),
                ("tlb_run", integer, [integer]),
                ("tlb_prepared_name", text, [integer]),
                ("tlb_prepared_property", ctypes.c_int64, [integer, integer]),
                ("tlb_prepared_text", text, [integer, text]),
                ("tlb_forget", None, []),
                ("tlb_launch_cost", integer, [integer, doubles]),
                ("tlb_compile_cost", integer, [text, doubles])]:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self.check(library.tlb_open(device.encode(), stream, multiprocessors))

    def fail(self):
        raise Failed(self.library.tlb_error().decode())

    def check(self, result):
        if result < 0:
            self.fail()
        return result

    @staticmethod
    def values(arguments):
        """Tensors become addresses, numbers stay."""
        numbers = [a if isinstance(a, int) else a.data_ptr() for a in arguments]
        return (ctypes.c_int64 * len(numbers))(*numbers), len(numbers)

    def description(self):
        return self.library.tlb_device_description().decode()

    def prepare(self, kernel, arguments, configuration=""):
        """Compiles and launches once; the result launches again."""
        number = self.check(self.library.tlb_prepare(kernel.encode(), configuration.encode(),
                                                     *self.values(arguments)))
        return Prepared(self, number, arguments)

    def configurations(self, kernel, arguments):
        names = self.library.tlb_configurations(kernel.encode(), *self.values(arguments))
        return names.decode().split("\n")[:-1]

    def forget(self):
        self.library.tlb_forget()

    def launch_cost(self, launches):
        """Microseconds of cuLaunchKernel alone, tl_launch, kernel[grid](...)."""
        result = (ctypes.c_double * 3)()
        self.check(self.library.tlb_launch_cost(launches, result))
        return list(result)

    def compile_cost(self, kernel):
        """Milliseconds from the lambda to the end of the first run, no cache knowing it."""
        result = (ctypes.c_double * 1)()
        self.check(self.library.tlb_compile_cost(kernel.encode(), result))
        return result[0]
