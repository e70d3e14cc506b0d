/* SPDX-License-Identifier: MIT
 *
 * Stands before tl_compile (LD_PRELOAD) and keeps the text of every kernel that compiles, as a file
 * in the folder that RECORD_TTIR names. Equal texts are one file. That is all that is done there:
 * kernels are compiled for the interpreter, whatever the device, and launches do nothing.
 */
#define _GNU_SOURCE
#include <tl/c/tl.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef tl_status compile_function(tl_device *, const char *, size_t, const char *,
                                   const tl_compile_options *, tl_kernel **);

tl_status tl_compile(tl_device *device, const char *text, size_t length, const char *entry,
                     const tl_compile_options *options, tl_kernel **kernel) {
  compile_function *next = (compile_function *)dlsym(RTLD_NEXT, "tl_compile");
  const char *folder = getenv("RECORD_TTIR");
  tl_device *interpreter = NULL;
  if (folder && tl_device_open("interpreter", &interpreter) == TL_OK)
    device = interpreter;
  const tl_status status = next(device, text, length, entry, options, kernel);
  if (status != TL_OK || !folder)
    return status;
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < length; ++i)
    hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  char path[4096];
  snprintf(path, sizeof path, "%s/%016" PRIx64 ".ttir", folder, hash);
  FILE *file = fopen(path, "wb");
  if (file) {
    fwrite(text, 1, length, file);
    fclose(file);
  }
  return status;
}

typedef tl_status launch_function(tl_kernel *, tl_stream *, uint32_t, uint32_t, uint32_t,
                                  void *const *, size_t);

tl_status tl_launch(tl_kernel *kernel, tl_stream *stream, uint32_t x, uint32_t y, uint32_t z,
                    void *const *arguments, size_t count) {
  if (getenv("RECORD_TTIR"))
    return TL_OK;
  launch_function *next = (launch_function *)dlsym(RTLD_NEXT, "tl_launch");
  return next(kernel, stream, x, y, z, arguments, count);
}
