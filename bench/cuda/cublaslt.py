# SPDX-License-Identifier: MIT
"""C = A B by cuBLASLt, by its C functions: the heuristic's first few algorithms, of which the fastest
counts. Matrices are torch tensors with strides; nothing else of torch takes part."""
import ctypes
import glob
import os
import sys

import torch

# cudaDataType_t and cublasComputeType_t
TYPES = {torch.float32: 0, torch.float16: 2, torch.int8: 3, torch.int32: 10, torch.bfloat16: 14,
         torch.float8_e4m3fn: 28, torch.float8_e5m2: 29}
COMPUTE_F32, COMPUTE_TF32, COMPUTE_I32 = 68, 77, 72
TRANSA, TRANSB, A_SCALE, B_SCALE, FAST_SUM = 3, 4, 17, 18, 25  # cublasLtMatmulDescAttributes_t
WORKSPACE = 1                                                   # cublasLtMatmulPreferenceAttributes_t


class Found(ctypes.Structure):
    _fields_ = [("algo", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t),
                ("state", ctypes.c_int), ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def library():
    """The cuBLASLt that torch uses, else the system's; None without one."""
    places = [p for folder in sys.path for p in
              glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcublasLt.so.*"))]
    places += [os.path.join(os.path.dirname(torch.__file__), "lib", "libcublasLt.so.13"),
               "libcublasLt.so.13", "libcublasLt.so.12"]
    for place in places:
        try:
            found = ctypes.CDLL(place)
            found.cublasLtGetVersion.restype = ctypes.c_size_t
            return found
        except OSError:
            continue
    return None


class CublasLt:
    def __init__(self, workspace=64 << 20):
        self.lib = library()
        self.handle = ctypes.c_void_p()
        if self.lib is None:
            raise OSError("cuBLASLt was not found")
        self.check(self.lib.cublasLtCreate(ctypes.byref(self.handle)))
        self.workspace = torch.empty(workspace, dtype=torch.uint8, device="cuda")
        self.ones = torch.ones(2, dtype=torch.float32, device="cuda")

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError(f"cuBLASLt failed with status {status}")

    def version(self):
        return self.lib.cublasLtGetVersion()

    def layout(self, matrix):
        """Column-major as the library sees it: the transposed of what torch calls rows. Returns the
        layout of the transposed matrix, and whether that is transposed in memory."""
        rows, columns = matrix.shape
        made = ctypes.c_void_p()
        plain = matrix.stride(1) == 1
        if plain:
            extents = columns, rows, max(matrix.stride(0), columns)
        else:
            extents = rows, columns, max(matrix.stride(1), rows)
        self.check(self.lib.cublasLtMatrixLayoutCreate(
            ctypes.byref(made), TYPES[matrix.dtype], ctypes.c_uint64(extents[0]),
            ctypes.c_uint64(extents[1]), ctypes.c_int64(extents[2])))
        return made, 0 if plain else 1

    def ways(self, a, b, c, tf32=False, most=4):
        """(name, work) for the library's suggestions: C^T = B^T A^T in its order."""
        lib = self.lib
        whole = a.dtype == torch.int8
        compute = COMPUTE_I32 if whole else COMPUTE_TF32 if tf32 else COMPUTE_F32
        description, preference = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(lib.cublasLtMatmulDescCreate(ctypes.byref(description), compute,
                                                10 if whole else 0))
        first, first_turned = self.layout(b)
        second, second_turned = self.layout(a)
        result, _ = self.layout(c)

        def attribute(number, value):
            self.check(lib.cublasLtMatmulDescSetAttribute(description, number, ctypes.byref(value),
                                                          ctypes.c_size_t(ctypes.sizeof(value))))

        attribute(TRANSA, ctypes.c_int32(first_turned))
        attribute(TRANSB, ctypes.c_int32(second_turned))
        if a.dtype.itemsize == 1 and not whole:
            attribute(A_SCALE, ctypes.c_void_p(self.ones.data_ptr()))
            attribute(B_SCALE, ctypes.c_void_p(self.ones.data_ptr() + 4))
            attribute(FAST_SUM, ctypes.c_int8(1))
        self.check(lib.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
        size = ctypes.c_size_t(self.workspace.numel())
        self.check(lib.cublasLtMatmulPreferenceSetAttribute(
            preference, WORKSPACE, ctypes.byref(size), ctypes.c_size_t(8)))
        found, count = (Found * most)(), ctypes.c_int()
        status = lib.cublasLtMatmulAlgoGetHeuristic(
            self.handle, description, first, second, result, result, preference, most, found,
            ctypes.byref(count))
        if status != 0 or count.value == 0:
            return []
        one = (ctypes.c_int32 if whole else ctypes.c_float)(1)
        zero = (ctypes.c_int32 if whole else ctypes.c_float)(0)

        def way(index):
            algo = found[index]

            def work():
                self.check(lib.cublasLtMatmul(
                    self.handle, description, ctypes.byref(one), ctypes.c_void_p(b.data_ptr()),
                    first, ctypes.c_void_p(a.data_ptr()), second, ctypes.byref(zero),
                    ctypes.c_void_p(c.data_ptr()), result, ctypes.c_void_p(c.data_ptr()), result,
                    ctypes.byref(algo.algo), ctypes.c_void_p(self.workspace.data_ptr()),
                    ctypes.c_size_t(self.workspace.numel()),
                    ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)))

            return f"lt{index}", work

        return [way(i) for i in range(count.value) if found[i].state == 0]
