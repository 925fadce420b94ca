/* SPDX-License-Identifier: MIT */
/* Products by cublasLtMatmul beside oneDNN (bf16, s8) and OpenBLAS (f32, and f16 as its bound)
 * called directly, in one process, square, best of several runs taken in turn:
 *
 *     cc cublaslt.c -I... -lcublasLt -lcudart -ldnnl -lopenblas -o cublaslt && ./cublaslt
 *
 * Matrices are columns; A is transposed, so that both read k along memory. oneDNN has rows, and
 * computes the transposed product. */
#include "turns.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <dnnl.h>
#include <string.h>

void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *,
            const float *, const int *, const float *, const int *, const float *, float *,
            const int *);

struct kind {
    const char *name;
    cudaDataType_t type, out, scale;
    cublasComputeType_t compute;
    size_t bytes, out_bytes;
    dnnl_data_type_t dnnl_type, dnnl_out;
};

static const struct kind kinds[] = {
    {"f32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 4, dnnl_f32, dnnl_f32},
    {"f16", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2, 2, dnnl_f32, dnnl_f32},
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2, 2, dnnl_bf16, dnnl_bf16},
    {"s8", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1, 4, dnnl_s8, dnnl_s32},
};

static cublasLtHandle_t handle;
static dnnl_engine_t engine;
static dnnl_stream_t stream;

struct ours {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t in, out;
    void *a, *b, *d;
    int integer;
};

static void ours_init(struct ours *ours, const struct kind *kind, int n)
{
    size_t elements = (size_t)n * (size_t)n;
    int transposed = CUBLAS_OP_T;

    ours->integer = kind->scale == CUDA_R_32I;
    bench_must(cublasLtMatmulDescCreate(&ours->desc, kind->compute, kind->scale), "description");
    cublasLtMatmulDescSetAttribute(ours->desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                   sizeof(transposed));
    cublasLtMatrixLayoutCreate(&ours->in, kind->type, (uint64_t)n, (uint64_t)n, n);
    cublasLtMatrixLayoutCreate(&ours->out, kind->out, (uint64_t)n, (uint64_t)n, n);
    bench_must(cudaMalloc(&ours->a, elements * kind->bytes), "memory");
    bench_must(cudaMalloc(&ours->b, elements * kind->bytes), "memory");
    bench_must(cudaMalloc(&ours->d, elements * kind->out_bytes), "memory");
    cudaMemset(ours->a, 0, elements * kind->bytes);
    cudaMemset(ours->b, 0, elements * kind->bytes);
    cudaMemset(ours->d, 0, elements * kind->out_bytes);
}

static void ours_run(void *argument)
{
    struct ours *ours = argument;
    const float one = 1, zero = 0;
    const int whole = 1, none = 0;
    const void *alpha = ours->integer ? (const void *)&whole : &one;
    const void *beta = ours->integer ? (const void *)&none : &zero;

    bench_must(cublasLtMatmul(handle, ours->desc, alpha, ours->a, ours->in, ours->b, ours->in, beta,
                              ours->d, ours->out, ours->d, ours->out, NULL, NULL, 0, NULL),
               "cublasLtMatmul");
    bench_must(cudaDeviceSynchronize(), "synchronize");
}

static void ours_finish(struct ours *ours)
{
    cudaFree(ours->a);
    cudaFree(ours->b);
    cudaFree(ours->d);
    cublasLtMatrixLayoutDestroy(ours->in);
    cublasLtMatrixLayoutDestroy(ours->out);
    cublasLtMatmulDescDestroy(ours->desc);
}

/* What is measured beside: oneDNN's primitive, or sgemm. */
struct theirs {
    dnnl_primitive_t primitive;
    dnnl_memory_t memories[3];
    void *a, *b, *d;
    int n;
};

static void *fresh(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

    memset(memory, 0, bytes);
    return memory;
}

#if DNNL_VERSION_MAJOR == 2
static void dnnl_prepare(struct theirs *theirs, const struct kind *kind)
{
    dnnl_dims_t dims = {theirs->n, theirs->n}, along = {theirs->n, 1}, across = {1, theirs->n};
    dnnl_memory_desc_t source, weights, result;
    dnnl_primitive_desc_t description;
    dnnl_matmul_desc_t matmul;

    dnnl_memory_desc_init_by_strides(&source, 2, dims, kind->dnnl_type, along);
    dnnl_memory_desc_init_by_strides(&weights, 2, dims, kind->dnnl_type, across);
    dnnl_memory_desc_init_by_strides(&result, 2, dims, kind->dnnl_out, along);
    bench_must(dnnl_matmul_desc_init(&matmul, &source, &weights, NULL, &result), "oneDNN");
    bench_must(dnnl_primitive_desc_create(&description, &matmul, NULL, engine, NULL), "oneDNN");
    bench_must(dnnl_primitive_create(&theirs->primitive, description), "oneDNN");
    dnnl_memory_create(&theirs->memories[0], &source, engine, theirs->b);
    dnnl_memory_create(&theirs->memories[1], &weights, engine, theirs->a);
    dnnl_memory_create(&theirs->memories[2], &result, engine, theirs->d);
    dnnl_primitive_desc_destroy(description);
}
#else
static void dnnl_prepare(struct theirs *theirs, const struct kind *kind)
{
    dnnl_dims_t dims = {theirs->n, theirs->n}, along = {theirs->n, 1}, across = {1, theirs->n};
    dnnl_memory_desc_t source, weights, result;
    dnnl_primitive_desc_t description;

    dnnl_memory_desc_create_with_strides(&source, 2, dims, kind->dnnl_type, along);
    dnnl_memory_desc_create_with_strides(&weights, 2, dims, kind->dnnl_type, across);
    dnnl_memory_desc_create_with_strides(&result, 2, dims, kind->dnnl_out, along);
    bench_must(dnnl_matmul_primitive_desc_create(&description, engine, source, weights, NULL,
                                                 result, NULL),
               "oneDNN");
    bench_must(dnnl_primitive_create(&theirs->primitive, description), "oneDNN");
    dnnl_memory_create(&theirs->memories[0], source, engine, theirs->b);
    dnnl_memory_create(&theirs->memories[1], weights, engine, theirs->a);
    dnnl_memory_create(&theirs->memories[2], result, engine, theirs->d);
    dnnl_primitive_desc_destroy(description);
}
#endif

static void theirs_init(struct theirs *theirs, const struct kind *kind, int n)
{
    size_t elements = (size_t)n * (size_t)n;

    *theirs = (struct theirs){.n = n};
    theirs->a = fresh(elements * (kind->dnnl_type == dnnl_f32 ? 4 : kind->bytes));
    theirs->b = fresh(elements * (kind->dnnl_type == dnnl_f32 ? 4 : kind->bytes));
    theirs->d = fresh(elements * 4);
    if (kind->dnnl_type != dnnl_f32)
        dnnl_prepare(theirs, kind);
}

static void theirs_run(void *argument)
{
    struct theirs *theirs = argument;
    const float one = 1, zero = 0;
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, theirs->memories[0]},
                                   {DNNL_ARG_WEIGHTS, theirs->memories[1]},
                                   {DNNL_ARG_DST, theirs->memories[2]}};
    int n = theirs->n;

    if (!theirs->primitive) {
        sgemm_("T", "N", &n, &n, &n, &one, theirs->a, &n, theirs->b, &n, &zero, theirs->d, &n);
        return;
    }
    bench_must(dnnl_primitive_execute(theirs->primitive, stream, 3, arguments), "oneDNN");
    dnnl_stream_wait(stream);
}

static void theirs_finish(struct theirs *theirs)
{
    for (int i = 0; i < 3 && theirs->primitive; i++)
        dnnl_memory_destroy(theirs->memories[i]);
    if (theirs->primitive)
        dnnl_primitive_destroy(theirs->primitive);
    free(theirs->a);
    free(theirs->b);
    free(theirs->d);
}

static void measure(const struct kind *kind, int n)
{
    struct ours ours;
    struct theirs theirs;
    struct bench_side first = {.run = ours_run, .argument = &ours};
    struct bench_side second = {.run = theirs_run, .argument = &theirs};

    ours_init(&ours, kind, n);
    theirs_init(&theirs, kind, n);
    bench_turns(&first, &second, 0.5);
    printf("%-5s %5d  cublasLt %10.1f us  %s %10.1f us  ratio %.2f  %.0f Gop/s\n", kind->name, n,
           first.best_us, theirs.primitive ? "oneDNN  " : "OpenBLAS", second.best_us,
           first.best_us / second.best_us, 2.0 * n * n * n / first.best_us / 1e3);
    ours_finish(&ours);
    theirs_finish(&theirs);
}

int main(int count, char **names)
{
    static const int sizes[] = {64, 128, 256, 512, 1024, 2048, 4096};

    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_must(cublasLtCreate(&handle), "cublasLtCreate");
    bench_must(dnnl_engine_create(&engine, dnnl_cpu, 0), "oneDNN");
    bench_must(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "oneDNN");
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
            if (count < 2 || strcmp(names[1], kinds[k].name) == 0)
                measure(&kinds[k], sizes[i]);
    return 0;
}
