/* SPDX-License-Identifier: MIT */
/* Chooses the variant for the processor, and brings transforms into the form that it takes: arrays
 * that overlap are told apart by a copy of the input, half precisions are computed as floats. */
#include "engine.h"

#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
enum extension { BASE, AVX2, AVX512 };

/* The extension of the processor, or the lesser one that CUPIPE_CPU names. */
static enum extension find_extension(void)
{
    const char *most = secure_getenv("CUPIPE_CPU");

    __builtin_cpu_init();
    if (most && strcmp(most, "plain") == 0)
        return BASE;
    if ((!most || strcmp(most, "avx2") != 0) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return AVX512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? AVX2 : BASE;
}

/* A vector of 16 floats takes its lanes from 16 neighbouring rows. If these lie a multiple of 4096
 * bytes apart, they share a set of the first cache, which has fewer ways, and 8 lanes are several
 * times faster. */
static bool rows_share_cache_set(const struct fft_transform *transform, const ptrdiff_t *stride,
                                 size_t bytes)
{
    size_t nearest = 0;

    for (int i = 0; i < transform->dimensions - 1; i++) {
        size_t step = (size_t)(stride[i] < 0 ? -stride[i] : stride[i]) * bytes;

        if (transform->shape[i] > 1 && (!nearest || step < nearest))
            nearest = step;
    }
    return nearest && nearest % 4096 == 0;
}

static fft_variant *choose_variant(const struct fft_transform *transform)
{
    static int found; /* an extension and 1; every thread finds the same */
    int extension = __atomic_load_n(&found, __ATOMIC_RELAXED) - 1;

    if (extension < 0) {
        extension = (int)find_extension();
        __atomic_store_n(&found, extension + 1, __ATOMIC_RELAXED);
    }
    if (extension == AVX512 && transform->precision == FFT_FLOAT &&
        (rows_share_cache_set(transform, transform->in_stride, fft_in_bytes(transform)) ||
         rows_share_cache_set(transform, transform->out_stride, fft_out_bytes(transform))))
        extension = AVX2;
    return extension == AVX512 ? fft_run_avx512 : extension == AVX2 ? fft_run_avx2 : fft_run_base;
}
#else
static fft_variant *choose_variant(const struct fft_transform *transform)
{
    (void)transform;
    return fft_run_base;
}
#endif

static bool run_variant(const struct fft_transform *transform, bool may_spoil)
{
    return choose_variant(transform)(transform, may_spoil);
}

static bool spans_overlap(const struct fft_transform *transform)
{
    struct fft_span in = fft_in_span(transform), out = fft_out_span(transform);
    uintptr_t in_at = (uintptr_t)transform->in, out_at = (uintptr_t)transform->out;

    return in_at - in.before < out_at + out.after && out_at - out.before < in_at + in.after;
}

/* True if each row of the input lies where its row of the output lies. */
static bool same_layout(const struct fft_transform *transform)
{
    int last = transform->dimensions - 1;
    bool real = transform->kind != FFT_COMPLEX;

    if (transform->in != transform->out)
        return false;
    for (int i = 0; i <= last; i++) {
        ptrdiff_t in = transform->in_stride[i], out = transform->out_stride[i];

        if (transform->shape[i] == 1)
            continue;
        if (!real       ? in != out
            : i == last ? in != 1 || out != 1
                        : (transform->kind == FFT_REAL_TO_COMPLEX ? in != 2 * out : out != 2 * in))
            return false;
    }
    return true;
}

/* Replaces the strides by those of a dense array of these lengths. Returns the number of elements.
 */
static size_t make_dense(const struct fft_transform *transform, ptrdiff_t *stride,
                         size_t (*length)(const struct fft_transform *, int))
{
    size_t count = 1;

    for (int i = transform->dimensions - 1; i >= 0; i--) {
        stride[i] = (ptrdiff_t)count;
        if (__builtin_mul_overflow(count, length(transform, i), &count))
            return SIZE_MAX / 64;
    }
    return count;
}

static bool run_on_copy(const struct fft_transform *transform)
{
    struct fft_transform changed = *transform;
    size_t bytes = fft_in_bytes(transform);
    size_t count = make_dense(transform, changed.in_stride, fft_in_length);
    void *copy = malloc(count * bytes);
    bool done;

    if (!copy)
        return false;
    fft_copy_elements(&(struct fft_copy){transform, fft_in_length, copy, changed.in_stride,
                                         transform->in, transform->in_stride, bytes, fft_same_row});
    changed.in = copy;
    done = run_variant(&changed, true);
    free(copy);
    return done;
}

/* Half precision: to dense arrays of floats, through the transform, and back. */
static bool run_half(const struct fft_transform *transform)
{
    struct fft_transform changed = *transform;
    bool bfloat = transform->precision == FFT_BFLOAT16;
    size_t in_components = fft_in_bytes(transform) / 2;
    size_t out_components = fft_out_bytes(transform) / 2;
    size_t in_count = make_dense(transform, changed.in_stride, fft_in_length);
    size_t out_count = make_dense(transform, changed.out_stride, fft_out_length);
    float *in = malloc(in_count * in_components * sizeof(*in));
    float *out = malloc(out_count * out_components * sizeof(*out));
    bool done = false;

    if (in && out) {
        changed.precision = FFT_FLOAT;
        changed.in = in;
        changed.out = out;
        fft_copy_elements(&(struct fft_copy){transform, fft_in_length, in, changed.in_stride,
                                             transform->in, transform->in_stride, in_components,
                                             bfloat ? fft_widen_bfloat_row : fft_widen_half_row});
        done = run_variant(&changed, true);
    }
    if (done)
        fft_copy_elements(&(struct fft_copy){transform, fft_out_length, transform->out,
                                             transform->out_stride, out, changed.out_stride,
                                             out_components,
                                             bfloat ? fft_narrow_bfloat_row : fft_narrow_half_row});
    free(out);
    free(in);
    return done;
}

bool fft_engine_run(const struct fft_transform *transform)
{
    if (transform->precision == FFT_HALF || transform->precision == FFT_BFLOAT16)
        return run_half(transform);
    if (!spans_overlap(transform))
        return run_variant(transform, false);
    return same_layout(transform) ? run_variant(transform, true) : run_on_copy(transform);
}
