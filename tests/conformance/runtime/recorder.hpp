/* SPDX-License-Identifier: MIT */
/*
 * The recorder of the runtime API: all that a file of groups needs. The CHECK macros, helpers for
 * set-up and data, and the kernels, on top of the harness.
 */
#ifndef RUNTIME_RECORDER_HPP
#define RUNTIME_RECORDER_HPP

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <initializer_list>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>

#include "../harness.h"
#include "../pattern.h"

/* What an output holds before the call: an output that still holds it was not written. */
#define UNTOUCHED ((void *)0x5e475e475e47ull)
#define GARBAGE_ADDRESS ((void *)0xdeadbeef000ull)
/* A result that no runtime gives: the case was left out. */
#define RESULT_SKIPPED ((cudaError_t)-2)

/* Formatted text. Braces evaluate from left to right with every compiler: the parts of a line are
 * asked in the order in which they are written. */
struct Text {
    char chars[2600];
    template <class... Parts> Text(const char *format_text, Parts... parts)
    {
        snprintf(chars, sizeof chars, format_text, parts...);
    }
    Text(const char *text)
    {
        snprintf(chars, sizeof chars, "%s", text);
    }
};
#define FORMAT(...) format("%s", Text{__VA_ARGS__}.chars)

/*
 * Cases. CHECK and its like clear the thread's last error first; then they record the call's
 * answer, and what cudaGetLastError says next where it is not the answer itself. A group sets
 * keep_last_error to ask for the last error itself. CHECK_THEN runs statements between the call and
 * the text; RECORD prints facts that are no single call's result.
 */
#define CHECK_THEN(name, call, after, ...)                                                         \
    __extension__({                                                                                \
        cudaError_t result_ = RESULT_SKIPPED;                                                      \
        if (case_start(name)) {                                                                    \
            result_ = (call);                                                                      \
            last_error_read();                                                                     \
            after;                                                                                 \
            case_answer(result_, Text{" " __VA_ARGS__}.chars);                                     \
        }                                                                                          \
        result_;                                                                                   \
    })
#define CHECK(name, call, ...) CHECK_THEN(name, call, (void)0, __VA_ARGS__)
#define RECORD(name, ...)                                                                          \
    do {                                                                                           \
        if (case_start(name))                                                                      \
            case_info("%s", Text{__VA_ARGS__}.chars);                                              \
    } while (0)
/* As case_begin(); blanks and colons of the name become underscores. */
int case_start(const char *name);
void case_answer(cudaError_t result, const char *text);
extern int keep_last_error;
void last_error_read(void);
const char *error_name(cudaError_t error);
/* A result of the driver API by number, without CUDA_ERROR_. */
const char *driver_result_name(int result);

/* A group of one call that may well bring the process down. */
#define RISKY(order, id, expression)                                                               \
    static cudaError_t risky_##id(void)                                                            \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    GROUP(order, risky_##id, "risky/" #id)                                                         \
    {                                                                                              \
        use_runtime();                                                                             \
        keep_after_sticky = 1;                                                                     \
        CHECK("call", risky_##id());                                                               \
        CHECK("sync-after", cudaDeviceSynchronize());                                              \
    }

/* Set-up: initialises the runtime; ends the group with a line when that fails. */
void use_runtime(void);

/* Allocation of each kind of memory; what fails gives 0, or pages with a setup_note. */
void *device_alloc(size_t size);
void *pinned_alloc(size_t size);
void *managed_alloc(size_t size);
void *page_alloc(size_t size);
cudaStream_t stream_new(unsigned flags);
cudaEvent_t event_new(unsigned flags);

/* A pattern of pattern.h in device memory. */
void device_fill(void *ptr, size_t size, unsigned seed);
const char *device_check(const void *ptr, size_t size, unsigned seed);
const char *device_checksum(const void *ptr, size_t size);

/* Synchronises and returns the error's name. */
const char *sync_stream(cudaStream_t stream);
const char *sync_device(void);

/* What became of an output that held UNTOUCHED: kept, null or set. */
const char *out_state(const void *value);
/* An address as text that is the same in every run: relative to another. */
const char *relative(const void *value, const void *reference);
/* cudaPointerGetAttributes as text. */
const char *pointer_text(const void *ptr);

/* Holds a stream back with a host function, until released or for limit_ms (400 when 0). */
struct blocker {
    volatile int released, done;
    int limit_ms;
};
cudaError_t stream_block(cudaStream_t stream, struct blocker *blocker);
void stream_unblock(struct blocker *blocker);

/* Takes what the process writes to descriptor 1 or 2, from the first call to the second. */
void output_capture(int descriptor);
const char *output_captured(int descriptor);

/* A function of the driver by name, from libcuda.so.1. */
void *driver_function(const char *name);
#define DRIVER(function) ((decltype(&function))driver_function(#function))

/* The same buffer in every kind of memory there is. */
enum {
    KIND_DEVICE,
    KIND_PINNED,
    KIND_REGISTERED,
    KIND_PAGEABLE,
    KIND_MANAGED,
    KIND_POOL,
    KIND_COUNT
};
struct memory {
    const char *name;
    int host_readable;
    void *ptr;
};
void memory_kinds_create(struct memory *kinds, size_t size);
void memory_fill(const struct memory *memory, size_t size, unsigned seed);
void memory_read(const struct memory *memory, void *out, size_t size);

/* Parameters. */
extern const char *const copy_kind_names[6];
cudaChannelFormatDesc channel(int x, int y, int z, int w, int kind);
cudaExtent extent(size_t width, size_t height, size_t depth);
cudaPos position(size_t x, size_t y, size_t z);
cudaPitchedPtr pitched(void *ptr, size_t pitch, size_t width, size_t height);

/* Kernels (kernels.cu), launched through their host stubs. Their names stand in recorded lines. */
struct big_argument {
    int v[64];
};
#ifndef __CUDACC__
extern "C" {
void k_empty(void);
void k_fill(int *p, int n, int v);
void k_add(int *p, int n, int v);
void k_sum(const unsigned char *p, size_t n, unsigned *out);
void k_shape(unsigned long long *out);
void k_dyn(int *out, int n);
void k_static(int *out);
void k_bounds128(int *out);
void k_bounds64x4(int *out);
void k_fault_null(void);
void k_fault_far(int *p);
void k_misalign(char *p);
void k_trap(void);
void k_assert(int v);
void k_stack(int *p, int d);
void k_printf(int a);
void k_malloc(int *out, int n, size_t sz);
void k_sym(int *out);
void k_spin(volatile int *flag, long long max);
void k_many(char a, short b, int c, long long d, float e, double f, void *g);
void k_big(struct big_argument a, int *out);
void k_coop(int *out);
void k_local(int *out, int n);
void k_oob(int *p, size_t i);
void k_fnptr(int *out, int which);
void k_none_params(void);
void k_exit_early(int *p, int n);
void k_illegal_shared(int *out, int off);
void k_atomics(int *p);
void k_cluster2(int *out);
void k_cluster_any(int *out);
void k_mangled_arg(int *p);
void k_tex1d(cudaTextureObject_t t, float *o, int n, float lo, float st);
void k_tex2d(cudaTextureObject_t t, float *o, int n, float lo, float st);
void k_tex3d(cudaTextureObject_t t, float *o, int n, float lo, float st);
void k_tex1dl(cudaTextureObject_t t, float *o, int n, float lo, float st, int l);
void k_tex2dl(cudaTextureObject_t t, float *o, int n, float lo, float st, int l);
void k_texcube(cudaTextureObject_t t, float *o, int n);
void k_texlod(cudaTextureObject_t t, float *o, int n, float lo, float st, float lod);
void k_texfetch(cudaTextureObject_t t, int *o, int n);
void k_tex2du(cudaTextureObject_t t, unsigned *o, int n);
void k_tex2d4(cudaTextureObject_t t, float4 *o, int n, float lo, float st);
void k_texgather(cudaTextureObject_t t, float4 *o, int n);
void k_surf1d(cudaSurfaceObject_t s, int n, int mode);
void k_surf2d(cudaSurfaceObject_t s, int w, int h, int mode, int bm);
void k_surf3d(cudaSurfaceObject_t s, int w, int h, int d);
void k_surf2dl(cudaSurfaceObject_t s, int w, int h, int l);
void k_cond(cudaGraphConditionalHandle h, int *p, int lim);
}
#endif

/* Variables of kernels.cu by SYMBOL_: what the runtime takes for them, their names. */
enum {
    SYMBOL_INT,       /* int dev_i */
    SYMBOL_CONST,     /* int const_i[64] */
    SYMBOL_CHARS,     /* char dev_c[1000] */
    SYMBOL_MANAGED,   /* managed man_i[256] */
    SYMBOL_DOUBLE,    /* double dev_d */
    SYMBOL_BIG_CONST, /* 60000 bytes of constants */
    SYMBOL_BIG,       /* 1 MB of zeros */
    SYMBOL_VOLATILE,
    SYMBOL_COUNT
};
const void *symbol(int index);
extern const char *const symbol_names[SYMBOL_COUNT];
int *managed_symbol_host(void);
/* Instances of a kernel template. */
const void *template_kernel(int index);

/* Launches with <<<>>>, and one through cudaLaunchKernel. */
void launch_fill(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, int *p, int n, int v);
void launch_fill_per_thread(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, int *p,
                            int n, int v);
void launch_empty(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
void launch_lambda(int *p, int n, int k);
void launch_template(int index, int *p, int n);
int launch_kernel(const void *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                  void **arguments);
#define ARGS(...) const_cast<void **>(std::initializer_list<void *>{__VA_ARGS__}.begin())

#endif
