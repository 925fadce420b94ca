/* SPDX-License-Identifier: MIT */
/* All ways to describe a plan end in dimensions with strides. */
#include "plan.h"

#include "object.h"
#include "submit.h"

#include <cufftw.h>
#include <limits.h>

enum { MAX_RANK = 3, MAX_BATCH_RANK = FFT_MAX_DIMENSIONS - MAX_RANK };

struct plan {
    struct lib_object base;
    struct fft_transform transform;
    int runs; /* 0: the plan does nothing */
};

static const struct lib_object_type plan_type = {.bytes = sizeof(struct plan)};

/* True if the array's extent can be counted in bytes. */
static int countable(const struct fft_transform *transform)
{
    long double elements = 1;

    for (int i = 0; i < transform->dimensions; i++) {
        long double in = (long double)transform->in_stride[i];
        long double out = (long double)transform->out_stride[i];

        elements *= (long double)transform->shape[i];
        if ((in < 0 ? -in : in) * (long double)transform->shape[i] > 0x1p55L ||
            (out < 0 ? -out : out) * (long double)transform->shape[i] > 0x1p55L)
            return 0;
    }
    return elements < 0x1p55L;
}

static void *make(const struct fftw_request *request, int rank, const struct fftw_dimension *dims,
                  int batch_rank, const struct fftw_dimension *batch_dims)
{
    struct fft_transform transform = {.kind = request->kind,
                                      .precision = request->precision,
                                      .forward = request->sign == FFTW_FORWARD,
                                      .dimensions = batch_rank + rank,
                                      .transformed = rank,
                                      .in = request->in,
                                      .out = request->out};
    struct plan *plan;

    for (int i = 0; i < batch_rank + rank; i++) {
        const struct fftw_dimension *dimension =
            i < batch_rank ? &batch_dims[i] : &dims[i - batch_rank];

        if (dimension->n < 1)
            return NULL;
        transform.shape[i] = (size_t)dimension->n;
        transform.in_stride[i] = dimension->is;
        transform.out_stride[i] = dimension->os;
    }
    if (!countable(&transform))
        return NULL;
    plan = lib_object_create(&plan_type);
    if (!plan)
        return NULL;
    plan->transform = transform;
    plan->runs = request->kind != FFT_COMPLEX || request->sign == FFTW_FORWARD ||
                 request->sign == FFTW_BACKWARD;
    return plan;
}

/* The physical length of the last dimension of a dense array. */
static ptrdiff_t last_length(const struct fftw_request *request, ptrdiff_t n, int output)
{
    int complex_side =
        output ? request->kind != FFT_COMPLEX_TO_REAL : request->kind != FFT_REAL_TO_COMPLEX;

    if (request->kind == FFT_COMPLEX)
        return n;
    if (complex_side)
        return n / 2 + 1;
    return request->in == request->out ? 2 * (n / 2 + 1) : n;
}

void *fftw_make_many(const struct fftw_request *request, int rank, const int *n, int batch,
                     const struct fftw_layout *in, const struct fftw_layout *out)
{
    struct fftw_dimension dims[MAX_RANK];
    const struct fftw_dimension batches = {batch, in->distance, out->distance};
    ptrdiff_t is = in->stride, os = out->stride;

    if (rank < 1 || rank > MAX_RANK || !n)
        return NULL;
    for (int i = rank - 1; i >= 0; i--) {
        int last = i == rank - 1;

        dims[i] = (struct fftw_dimension){n[i], is, os};
        is *= in->embed ? in->embed[i] : last ? last_length(request, n[i], 0) : n[i];
        os *= out->embed ? out->embed[i] : last ? last_length(request, n[i], 1) : n[i];
    }
    return make(request, rank, dims, 1, &batches);
}

void *fftw_make_dense(const struct fftw_request *request, int rank, const int *n)
{
    const struct fftw_layout dense = {.stride = 1};

    return fftw_make_many(request, rank, n, 1, &dense, &dense);
}

static int read_dimensions(struct fftw_dimension *to, int count, int most, const void *from,
                           int wide)
{
    if (count < 0 || count > most || (count && !from))
        return 0;
    for (int i = 0; i < count; i++) {
        const fftw_iodim *narrow = from;
        const fftw_iodim64 *wider = from;

        to[i] = wide ? (struct fftw_dimension){wider[i].n, wider[i].is, wider[i].os}
                     : (struct fftw_dimension){narrow[i].n, narrow[i].is, narrow[i].os};
    }
    return 1;
}

void *fftw_make_guru(const struct fftw_request *request, int rank, const void *dims, int batch_rank,
                     const void *batch_dims, int wide)
{
    struct fftw_dimension read[MAX_RANK], batches[MAX_BATCH_RANK];

    if (rank < 1 || !read_dimensions(read, rank, MAX_RANK, dims, wide) ||
        !read_dimensions(batches, batch_rank, MAX_BATCH_RANK, batch_dims, wide))
        return NULL;
    return make(request, rank, read, batch_rank, batches);
}

void fftw_run(const char *name, void *handle, const void *in, void *out)
{
    struct plan *plan = handle;
    struct fft_transform transform;

    if (!lib_object_is(plan, &plan_type) || !plan->runs)
        return;
    transform = plan->transform;
    if (in || out) {
        transform.in = in;
        transform.out = out;
    }
    if (transform.in && transform.out)
        fft_submit_and_wait(name, &transform);
}

void fftw_release(void *plan)
{
    lib_object_destroy(plan, &plan_type);
}

void fftw_describe(void *handle)
{
    const struct plan *plan = handle;
    int first;

    if (!lib_object_is(plan, &plan_type))
        return;
    first = plan->transform.dimensions - plan->transform.transformed;
    printf("cufftw plan of");
    for (int i = first; i < plan->transform.dimensions; i++)
        printf("%s%zu", i == first ? " " : " x ", plan->transform.shape[i]);
    printf(" elements\n");
}
