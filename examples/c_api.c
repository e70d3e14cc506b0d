/* SPDX-License-Identifier: MIT
 *
 * The vector add in C11, by the C API: the kernel is TTIR text, which any front end may have
 * written.
 *
 *     c_api [--device D]
 */
#include <tl/c/tl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// [kernel]
static const char add[] =
    "tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {\n"
    "  %program = tt.get_program_id x : i32\n"
    "  %block = arith.constant 256 : i32\n"
    "  %first = arith.muli %program, %block : i32\n"
    "  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>\n"
    "  %firsts = tt.splat %first : i32 -> tensor<256xi32>\n"
    "  %offsets = arith.addi %firsts, %range : tensor<256xi32>\n"
    "  %ns = tt.splat %n : i32 -> tensor<256xi32>\n"
    "  %mask = arith.cmpi slt, %offsets, %ns : tensor<256xi32>\n"
    "  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n"
    "  %xp = tt.addptr %xs, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n"
    "  %a = tt.load %xp, %mask : tensor<256x!tt.ptr<f32>>\n"
    "  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n"
    "  %yp = tt.addptr %ys, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n"
    "  %b = tt.load %yp, %mask : tensor<256x!tt.ptr<f32>>\n"
    "  %sum = arith.addf %a, %b : tensor<256xf32>\n"
    "  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n"
    "  %op = tt.addptr %outs, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n"
    "  tt.store %op, %sum, %mask : tensor<256x!tt.ptr<f32>>\n"
    "  tt.return\n"
    "}\n";
// [kernel]

// [check]
static void check(tl_status status) {
  if (status == TL_OK)
    return;
  const tl_diagnostic *d = tl_last_diagnostic(); // of the last call that failed in this thread
  fprintf(stderr, "error: %s\n", d->message);
  if (d->line != 0)
    fprintf(stderr, "note: line %u, column %u of the TTIR\n", (unsigned)d->line,
            (unsigned)d->column);
  if (*d->help)
    fprintf(stderr, "help: %s\n", d->help);
  exit(1);
}
// [check]

enum { n = 1000 };
static float x[n], y[n], sums[n];

int main(int count, char **words) {
  const char *name = count == 3 && strcmp(words[1], "--device") == 0 ? words[2] : "cpu";
  for (int i = 0; i < n; ++i) {
    x[i] = (float)i;
    y[i] = (float)(2 * i);
  }

  // [run]
  tl_device *device;
  tl_stream *stream;
  tl_kernel *kernel;
  check(tl_device_open(name, &device)); // "cpu", "interpreter", "cuda:0"
  check(tl_stream_default(device, &stream));
  tl_compile_options options = {.size = sizeof options, .num_warps = 4};
  check(tl_compile(device, add, strlen(add), "add", &options, &kernel));

  void *memory[3];
  for (int i = 0; i < 3; ++i)
    check(tl_allocate(device, sizeof x, &memory[i]));
  check(tl_copy_to_device(stream, memory[0], x, sizeof x));
  check(tl_copy_to_device(stream, memory[1], y, sizeof y));

  int32_t elements = n;
  void *arguments[] = {&memory[0], &memory[1], &memory[2], &elements}; // addresses of the values
  check(tl_launch(kernel, stream, (n + 255) / 256, 1, 1, arguments, 4));
  check(tl_copy_from_device(stream, sums, memory[2], sizeof sums)); // waits for the kernel
  // [run]

  for (int i = 0; i < 3; ++i)
    check(tl_free(device, memory[i]));
  for (int i = 0; i < n; ++i)
    if (sums[i] != (float)(3 * i)) {
      printf("element %d is %g, expected %d\n", i, (double)sums[i], 3 * i);
      return 1;
    }
  printf("the sums are right on %s\n", tl_device_name(device));
  return 0;
}
