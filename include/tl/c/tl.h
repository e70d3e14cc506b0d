/* SPDX-License-Identifier: MIT
 *
 * The C API: the only way from the header-only front end (or any other program) into libtl.
 * Devices, memory, streams, compilation of TTIR text, launching, errors and the module cache.
 * The C++ face of it is include/tl/{device,buffer,stream,launch}.hpp.
 *
 * Every function may be called from any thread at any time, with one exception: an object must not
 * be destroyed while another thread uses it. Any time includes constructors and destructors of
 * statics and of thread_locals, and handlers of exit: libtl ends with the process, and dlclose does
 * not unload it. Nothing here throws or ends the process.
 *
 * A process may fork while its threads are inside of libtl. fork waits until they are at a point
 * where nothing is half done, and the child goes on with the CPU and the interpreter: with the
 * memory, the kernels and the handles that there were, without what other threads were compiling.
 * After 10 seconds it waits no longer; in such a child every function that returns a status is
 * TL_RUNTIME_ERROR, but for tl_launch on the CPU. So is everything that is asked of a GPU there, if
 * the parent had found its driver.
 *
 * Handles (tl_device, tl_stream, tl_event, tl_kernel) are names, not addresses. A null handle, one
 * that was destroyed, one of another kind and a number that never was one are distinguished and
 * refused with TL_INVALID_ARGUMENT. So is null where a function writes a result. A function that
 * fails writes null or zero there. Functions that return a string or a number and no status give
 * "", null, 0 or -1 for a bad handle, as their comments say, and leave a diagnostic.
 *
 * libtl obeys the environment variables TL_DEVICE, TL_NUM_THREADS, TL_PRINT_IR, TL_TIME_PASSES,
 * TL_REMARKS, TL_CPU_FEATURES, TL_CHECK, TL_BANK_CONFLICTS, TL_INTERPRETER_STEPS,
 * TL_REPRODUCER_DIR, TL_PTXAS, TL_LIBCUDA, TL_LIBHIP and TL_TMA; `tlc help environment` prints
 * their values. One that means nothing is TL_INVALID_ARGUMENT from the first function that opens a
 * device.
 */
#ifndef TL_C_TL_H
#define TL_C_TL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

/* ---- Status and diagnostics ------------------------------------------------------------------ */

/** What a call came to. Everything but TL_OK leaves a diagnostic in this thread. */
typedef enum tl_status {
  TL_OK = 0,
  TL_INVALID_ARGUMENT = 1, /**< the caller's arguments are wrong; nothing was done */
  TL_COMPILE_ERROR = 2,    /**< the TTIR is wrong, or cannot be compiled for the target */
  TL_RUNTIME_ERROR = 3,    /**< launch, memory or driver failed, or a checked access was wrong */
  TL_OUT_OF_RESOURCES = 4, /**< `required` exceeds `limit` in the diagnostic */
  TL_UNSUPPORTED = 5,      /**< legal, but not offered by this device or target */
  TL_INTERNAL_ERROR = 6    /**< a broken invariant of libtl; please report it */
} tl_status;

/** One error. Strings are never null; an unknown file is "" and an unknown line 0. */
typedef struct tl_diagnostic {
  tl_status status;
  const char *message; /**< one sentence, lower case, no full stop */
  const char *help;    /**< how to fix it, or "" */
  const char *file;    /**< the user's source file (or the TTIR file), or "" */
  uint32_t line;       /**< 1-based, 0 if unknown */
  uint32_t column;     /**< 1-based, 0 if unknown */
  const char *kernel;  /**< name of the kernel concerned, or "" */
  const char *device;  /**< name of the device or target concerned, or "" */
  uint64_t required;   /**< for TL_OUT_OF_RESOURCES, else 0 */
  uint64_t limit;      /**< for TL_OUT_OF_RESOURCES, else 0 */
} tl_diagnostic;

/** The diagnostic of the last call of this thread that failed; valid until the next failing call
 *  of this thread. A call that succeeds leaves it alone. Null if none has failed. */
TL_API const tl_diagnostic *tl_last_diagnostic(void);

/** Version of libtl as "major.minor.patch". */
TL_API const char *tl_version(void);

/* ---- Devices --------------------------------------------------------------------------------- */

/** A place where kernels run: "cpu", "interpreter", "cuda:0". Devices live as long
 *  as the process and are shared by all threads. */
typedef struct tl_device tl_device;

/** Number of devices of this machine. Index 0 is always "cpu", 1 always "interpreter". None of
 *  them is opened by asking. */
TL_API size_t tl_device_count(void);

/** The device with the index, opened at the first call; TL_INVALID_ARGUMENT past the last. */
TL_API tl_status tl_device_at(size_t index, tl_device **device);

/** The device with the name, opened at the first call; TL_INVALID_ARGUMENT naming those that exist,
 *  or the reason why a GPU is missing. */
TL_API tl_status tl_device_open(const char *name, tl_device **device);

/** The device named by the environment variable TL_DEVICE, else the first GPU, else "cpu". The
 *  variable is read at each call. */
TL_API tl_status tl_device_best(tl_device **device);

/** Name as taken by tl_device_open. Valid as long as the process; "" for a bad handle, as with the
 *  two functions that follow. */
TL_API const char *tl_device_name(const tl_device *device);

/** What it is, human-readable: processor or GPU name, threads, features. */
TL_API const char *tl_device_description(const tl_device *device);

/** Name of the code generation target of this device: "cpu", "interpreter", "sm_90a". */
TL_API const char *tl_device_target(const tl_device *device);

/** A line for each thing that is missing on this machine ("cuda: libcuda.so.1 was not found"),
 *  or null past the last. */
TL_API const char *tl_missing(size_t index);

/* ---- Memory ---------------------------------------------------------------------------------- */

/** Allocates device memory, at least 64-byte aligned. Zero bytes give a null pointer. The contents
 *  are not defined. TL_OUT_OF_RESOURCES if there is not so much. */
TL_API tl_status tl_allocate(tl_device *device, uint64_t bytes, void **pointer);

/** Frees memory of tl_allocate after the work queued so far. Null is allowed. A pointer that is not
 *  the start of a live allocation of this device is TL_INVALID_ARGUMENT. */
TL_API tl_status tl_free(tl_device *device, void *pointer);

/** Allocates memory of the host that the device can copy from and to by itself (page-locked, on a
 *  GPU), for the queued copies below. Zero bytes give a null pointer. Kernels of a GPU can read
 *  and write it, too. */
TL_API tl_status tl_allocate_host(tl_device *device, uint64_t bytes, void **pointer);

/** Frees memory of tl_allocate_host. Null is allowed. What is not the start of a live allocation of
 *  this device's is TL_INVALID_ARGUMENT. No queued copy may still use it. */
TL_API tl_status tl_free_host(tl_device *device, void *pointer);

typedef struct tl_stream tl_stream;

/** tl_allocate in the order of a stream: only work queued in it later may use the memory, or work
 *  that waits for that. Nothing waits for the host, and memory freed in order is used again. */
TL_API tl_status tl_allocate_in_order(tl_stream *stream, uint64_t bytes, void **pointer);

/** tl_free in the order of a stream, without waiting: for memory of tl_allocate and of
 *  tl_allocate_in_order that no other stream's work still uses. */
TL_API tl_status tl_free_in_order(tl_stream *stream, void *pointer);

/** Copies host memory to the device in stream order, and returns when the host memory may be used
 *  again. A range that begins in an allocation of the device must end in it; null is refused
 *  unless `bytes` is 0. The same holds for the three functions that follow. */
TL_API tl_status tl_copy_to_device(tl_stream *stream, void *device_dst, const void *host_src,
                                   uint64_t bytes);

/** Copies device memory to the host in stream order, and returns when the bytes have arrived. */
TL_API tl_status tl_copy_from_device(tl_stream *stream, void *host_dst, const void *device_src,
                                     uint64_t bytes);

/** tl_copy_to_device without waiting: the host memory must stay as it is until the stream has been
 *  waited for. Only memory of tl_allocate_host (or otherwise page-locked) is copied while the host
 *  goes on; other memory may make the call wait. */
TL_API tl_status tl_queue_copy_to_device(tl_stream *stream, void *device_dst, const void *host_src,
                                         uint64_t bytes);

/** tl_copy_from_device without waiting: the bytes are there when the stream has been waited for. */
TL_API tl_status tl_queue_copy_from_device(tl_stream *stream, void *host_dst,
                                           const void *device_src, uint64_t bytes);

/** Copies from another device: after what was queued in this stream and in the default stream of
 *  `source`, whose later work waits for the copy. Two GPUs copy directly where they can; any other
 *  two devices through the host, and the call waits. */
TL_API tl_status tl_copy_across(tl_stream *stream, void *dst, tl_device *source, const void *src,
                                uint64_t bytes);

/** Copies within the memory of the device, in stream order. The ranges may overlap. */
TL_API tl_status tl_copy_on_device(tl_stream *stream, void *dst, const void *src, uint64_t bytes);

/** Fills `bytes` bytes with a byte value, in stream order. */
TL_API tl_status tl_fill(tl_stream *stream, void *device_dst, uint8_t value, uint64_t bytes);

/* ---- Streams and events ---------------------------------------------------------------------- */

/** The device's default stream, always the same. It is never destroyed. */
TL_API tl_status tl_stream_default(tl_device *device, tl_stream **stream);

/** A new stream, to be destroyed with tl_stream_destroy (which waits for its work). */
TL_API tl_status tl_stream_create(tl_device *device, tl_stream **stream);

/** Wraps a stream that the caller owns (a CUstream, hipStream_t); TL_UNSUPPORTED on cpu and
 *  interpreter, which have none. Destroying the wrapper leaves the native stream alone. */
TL_API tl_status tl_stream_wrap(tl_device *device, void *native, tl_stream **stream);

/** Waits for the stream's work and destroys the stream, also when that work has failed, which is
 *  then reported. The default stream is refused. */
TL_API tl_status tl_stream_destroy(tl_stream *stream);

/** Waits for all work of the stream and reports the first failure since the last wait. */
TL_API tl_status tl_stream_synchronize(tl_stream *stream);

/** The device the stream belongs to, or null for a bad handle. */
TL_API tl_device *tl_stream_device(const tl_stream *stream);

/** A point in the work of a stream, for waiting and for measuring time. */
typedef struct tl_event tl_event;

/** A new event, not yet recorded. */
TL_API tl_status tl_event_create(tl_device *device, tl_event **event);

TL_API tl_status tl_event_destroy(tl_event *event);

/** Marks the present end of the stream's work; an earlier mark is forgotten. Event and stream are
 *  of one device. */
TL_API tl_status tl_event_record(tl_event *event, tl_stream *stream);

/** Waits on the host until the marked work is done; at once if the event was never recorded. */
TL_API tl_status tl_event_synchronize(tl_event *event);

/** Makes later work of the stream wait for the marked work; does nothing if the event was never
 *  recorded. */
TL_API tl_status tl_stream_wait(tl_stream *stream, tl_event *event);

/** Milliseconds from `start` to `end`. Waits for both; TL_INVALID_ARGUMENT if one was never
 *  recorded. */
TL_API tl_status tl_event_elapsed(tl_event *start, tl_event *end, double *milliseconds);

/* ---- Compilation ----------------------------------------------------------------------------- */

/** Options of one compilation; zero in a field means its default. Set `size` to
 *  sizeof(tl_compile_options) so that later versions can add fields. */
typedef struct tl_compile_options {
  size_t size;
  int32_t num_warps;  /**< power of two, 1..32; default 4; ignored on cpu and interpreter */
  int32_t num_stages; /**< 1..64; default 3; of loops of products on GPUs */
  int32_t
      num_ctas; /**< power of two, 1..16; default 1; blocks of a program that multiplies (sm_90a) */
  int32_t max_registers;     /**< 1..256; default: the compiler's choice */
  int32_t disable_fp_fusion; /**< 1: never contract a*b+c into an fma */
  int32_t debug; /**< 1: device_assert is live, and the interpreter refuses offsets that wrapped */
  int32_t deterministic; /**< 1: the same bits in every run, with any num_warps, or an error */
  int32_t reserved;      /**< 0; later versions have an option here */
} tl_compile_options;

/** A compiled kernel. */
typedef struct tl_kernel tl_kernel;

/** Compiles the kernel `entry` (null: the only public tt.func) of a TTIR module for the device and
 *  loads it. The result comes from the module cache when the same content (text apart from source
 *  locations, device, entry, options) was compiled before; concurrent calls with one content
 *  compile once. Kernels are owned by the cache and stay valid until tl_cache_clear. `text` need
 *  not be terminated; `options` may be null. An error in the text is TL_COMPILE_ERROR with its
 *  location; a bug of the compiler is TL_INTERNAL_ERROR with the path of a reproducer in `help`. */
TL_API tl_status tl_compile(tl_device *device, const char *text, size_t length, const char *entry,
                            const tl_compile_options *options, tl_kernel **kernel);

/** Compiles for a target that need not be present ("cpu", "sm_90a"): the stages can be read, the
 *  kernel cannot be launched. Uncached; free it with tl_kernel_destroy. An unknown target is
 *  TL_INVALID_ARGUMENT naming those that exist. */
TL_API tl_status tl_compile_for(const char *target, const char *text, size_t length,
                                const char *entry, const tl_compile_options *options,
                                tl_kernel **kernel);

/** Frees a kernel of tl_compile_for. Null is allowed; a kernel of tl_compile is the cache's and is
 *  left alone, with a diagnostic. */
TL_API void tl_kernel_destroy(tl_kernel *kernel);

/** Name of the function in the TTIR; "" for a bad handle. Strings and data of a kernel live as long
 *  as the kernel. */
TL_API const char *tl_kernel_name(const tl_kernel *kernel);

/** Number of parameters in the TTIR; 0 for a bad handle. What the code of a GPU takes beyond them
 *  tl_launch makes; tl_kernel_hidden describes it. */
TL_API size_t tl_kernel_parameter_count(const tl_kernel *kernel);

/** TTIR type of a parameter ("!tt.ptr<f32>", "i32", "f16"); null past the last. */
TL_API const char *tl_kernel_parameter_type(const tl_kernel *kernel, size_t index);

/** Names of the stages of the compilation in order: "ttir", then of the target ("llir", "asm",
 *  "obj"; "ttgir", "ptx", "cubin"). Null past the last. */
TL_API const char *tl_kernel_stage_name(const tl_kernel *kernel, size_t index);

/** The bytes of a stage, followed by a zero that `size` does not count. `size` may be null. Texts
 *  that are expensive are made at the first call. */
TL_API tl_status tl_kernel_stage(const tl_kernel *kernel, const char *stage, const char **data,
                                 size_t *size);

/** Milliseconds spent in each step of the compilation ("parse", "passes", "codegen", "load");
 *  null past the last. */
TL_API const char *tl_kernel_time(const tl_kernel *kernel, size_t index, double *milliseconds);

typedef enum tl_kernel_property {
  TL_KERNEL_REGISTERS = 0,
  TL_KERNEL_SPILLS = 1,       /**< bytes */
  TL_KERNEL_SHARED_BYTES = 2, /**< shared memory, or scratch per thread on the CPU */
  TL_KERNEL_THREADS = 3       /**< threads per program */
} tl_kernel_property;

/** A property of the compiled code; -1 for a bad handle or property. */
TL_API int64_t tl_kernel_get(const tl_kernel *kernel, tl_kernel_property property);

/* ---- Launching by hand ----------------------------------------------------------------------- */

/* What a program needs that loads the stage "cubin" or "ptx" by itself and launches it with
 * cuLaunchKernel: the symbol, and what the kernel takes after the parameters of its text. A
 * program is a block of TL_KERNEL_THREADS threads along x, with TL_KERNEL_SHARED_BYTES of dynamic
 * shared memory; more than 48 KiB of it must be allowed before
 * (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES). */

/** The symbol of the kernel in "cubin" and "ptx", which is not always its name; "" for a bad handle
 *  and where there is none. */
TL_API const char *tl_kernel_symbol(const tl_kernel *kernel);

/** What a hidden parameter is. */
typedef enum tl_hidden_kind {
  /** A pointer to a counter of 4 bytes in the GPU's memory. It is zero before the first launch, and
   *  each launch leaves it ready for the next, but for one whose assertion has failed. Launches
   *  that may run at the same time need one each. The launch must be a cooperative one. */
  TL_HIDDEN_GRID_BARRIER = 0,
  /** A pointer to a tl_failure_record in memory that the GPU can write, all zeros before the
   *  launch. When the kernel has ended, tl_kernel_failure says what stands in it. */
  TL_HIDDEN_FAILURE_RECORD = 1,
  /** A pointer to `bytes` bytes of the GPU's memory for each program of the grid, at a multiple of
   *  128, with any contents. No other launch may use it at the same time. */
  TL_HIDDEN_WORKSPACE = 2,
  /** 128 bytes by value: the CUtensorMap that cuTensorMapEncodeTiled makes of `map`. */
  TL_HIDDEN_TENSOR_MAP = 3
} tl_hidden_kind;

/** A number that is known at the launch: a constant times the values of integer parameters. They
 *  are extended to 64 bits and multiplied, and the lowest `bits` bits are the number, extended in
 *  the same way. */
typedef struct tl_launch_number {
  int64_t constant;
  uint32_t factors;       /**< how many parameters: 0..4 */
  uint32_t parameters[4]; /**< their indices; one may be there several times */
  uint32_t bits;          /**< 8..64 */
  uint32_t is_unsigned;   /**< 1: extended by zeros; 0: by the sign */
} tl_launch_number;

/** The arguments of cuTensorMapEncodeTiled, axes from the last (of neighbouring elements) to the
 *  first. The others are: element strides of 1, no interleaving; the promotion to L2 is free. */
typedef struct tl_tensor_map {
  uint32_t base;          /**< the parameter that points to the tensor */
  uint32_t rank;          /**< 1..5 */
  uint32_t data_type;     /**< a CUtensorMapDataType */
  uint32_t element_bytes; /**< by which strides are to be multiplied */
  /** Elements along each axis. A number below 1 stands for 1. */
  tl_launch_number extents[5];
  /** From an element to the next along the axes 1 to rank - 1, in elements. Where the extent is 1,
   *  any stride does; the driver takes multiples of 16 bytes. */
  tl_launch_number strides[4];
  uint32_t box[5];     /**< elements that are copied at once */
  uint32_t nan_filled; /**< 1: CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA */
  uint32_t swizzle;    /**< a CUtensorMapSwizzle */
  /** 1: the kernel loads by pointers as it was written. Any multiple of 16 stands for a null base,
   *  which means that it does not. The code is good for arguments with which each extent is at
   *  least 1, each stride from 0 to 2^40 bytes and a multiple of 16, and each integer from 0 to
   *  2^30; for others compile with TL_TMA=0, as a launch by libtl does by itself. */
  uint32_t may_be_null;
} tl_tensor_map;

/** A parameter that the launch makes. Set `struct_size` to sizeof(tl_hidden_parameter) before the
 *  call, so that later versions can add fields. */
typedef struct tl_hidden_parameter {
  size_t struct_size;
  tl_hidden_kind kind;
  uint32_t size;      /**< bytes of the parameter: 8 of a pointer, 128 of a tensor map */
  uint32_t alignment; /**< 8 or 64 */
  uint64_t bytes;     /**< of what it points to; of a workspace, for each program of the grid */
  tl_tensor_map map;  /**< of TL_HIDDEN_TENSOR_MAP; else zeros */
} tl_hidden_parameter;

/** Number of parameters that follow those of the text; 0 on cpu and interpreter, and for a bad
 *  handle. Descriptors, tl::device_assert, checked operations and tl::grid_barrier make them. */
TL_API size_t tl_kernel_hidden_count(const tl_kernel *kernel);

/** The hidden parameter with the index. The first one follows the last parameter of the text.
 *  TL_INVALID_ARGUMENT past the last. */
TL_API tl_status tl_kernel_hidden(const tl_kernel *kernel, size_t index,
                                  tl_hidden_parameter *parameter);

/** What a failed assertion leaves: the first program that fails writes it. */
typedef struct tl_failure_record {
  uint32_t taken;      /**< not 0: an assertion has failed */
  uint32_t site;       /**< which one of the kernel's */
  uint32_t program[3]; /**< in which program */
  uint32_t element;    /**< of the condition, row by row; all ones for a scalar */
} tl_failure_record;

/** TL_OK for a record that nothing has failed in; else TL_RUNTIME_ERROR with the diagnostic that
 *  tl_stream_synchronize would leave. */
TL_API tl_status tl_kernel_failure(const tl_kernel *kernel, const tl_failure_record *record);

/* ---- Launch ---------------------------------------------------------------------------------- */

/** Runs grid_x * grid_y * grid_z programs. `arguments[i]` points to the value of parameter i: a
 *  device pointer (8 bytes), an integer or a float of the parameter's width (i1 is one byte, f16
 *  and bf16 two). An extent of zero launches nothing and succeeds. On cpu and interpreter the call
 *  returns when the programs have run. TL_INVALID_ARGUMENT: another number of arguments than
 *  parameters, a null address in `arguments`, a stream of another device than the kernel's, a
 *  kernel of tl_compile_for, or more than 2^40 programs. What the pointers point to is not
 *  checked, except by the interpreter. */
TL_API tl_status tl_launch(tl_kernel *kernel, tl_stream *stream, uint32_t grid_x, uint32_t grid_y,
                           uint32_t grid_z, void *const *arguments, size_t argument_count);

/* ---- Module cache ---------------------------------------------------------------------------- */

typedef struct tl_cache_statistics {
  uint64_t entries; /**< kernels that tl_compile would return at once */
  uint64_t hits;    /**< calls of tl_compile that found their kernel or waited for it */
  uint64_t misses;  /**< compilations begun */
} tl_cache_statistics;

/** The state of the module cache of this process. */
TL_API void tl_cache_get_statistics(tl_cache_statistics *statistics);

/** Drops every cached kernel. Their handles are refused from then on; no launch of them may be
 *  under way. For tests. */
TL_API void tl_cache_clear(void);

/* ---- Layouts --------------------------------------------------------------------------------- */

/** A diagram of a layout of GPU code: which thread and register hold which element, or which offset
 *  and bank of shared memory. `layout` is an attribute, #ttg.layout<...> or #ttg.shared<...>, or a
 *  tensor or !ttg.memdesc type that has one. `format` is "svg" or "text". `element_bits`, a power
 *  of two up to 64, is the size of an element where `layout` is an attribute; 0 means 32. The
 *  diagram ends in a zero that `size`, which may be null, does not count; it is valid until the
 *  next call of this function in this thread. TL_INVALID_ARGUMENT with line and column in the text
 *  for an error in it, and for more than 65536 elements or 2^20 registers in all threads. */
TL_API tl_status tl_layout_picture(const char *layout, const char *format, uint32_t element_bits,
                                   const char **diagram, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
