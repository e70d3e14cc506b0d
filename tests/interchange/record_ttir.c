/* SPDX-License-Identifier: MIT
 *
 * Stands before tl_compile (LD_PRELOAD) and keeps the text of every kernel that compiles, as a file
 * in the folder that RECORD_TTIR names. Equal texts are one file.
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
  const tl_status status = next(device, text, length, entry, options, kernel);
  const char *folder = getenv("RECORD_TTIR");
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
