/* SPDX-License-Identifier: MIT */
/* Leading dimensions and increments above 2^31: each function gives what it gives with short ones.
 * The operands share an allocation of two columns; only pages with elements are touched. */
#include "matrices.h"

enum { ROWS = 4, COLUMNS = 2, OPERANDS = 3, SHORT_STEP = 64, PLACE = 16 };
static const int64_t LONG_STEP = (1ll << 31) + 48;

struct operands {
    enum type type;
    CUdeviceptr memory;
    int64_t step;
    void *a, *b, *c;
};

static void *place(const struct operands *operands, int index, int64_t column)
{
    int64_t at = PLACE * index + column * operands->step;

    return (void *)(uintptr_t)(operands->memory + (size_t)at * bytes_of(operands->type));
}

static struct operands operands_new(enum type type, int64_t step)
{
    struct operands operands = {.type = type, .step = step};
    size_t count = (size_t)step * (COLUMNS - 1) + PLACE * OPERANDS;

    if (cuMemAlloc(&operands.memory, count * bytes_of(type)) != CUDA_SUCCESS)
        skip("the device has too little memory");
    operands.a = place(&operands, 0, 0);
    operands.b = place(&operands, 1, 0);
    operands.c = place(&operands, 2, 0);
    return operands;
}

static void fill(const struct operands *operands)
{
    for (int i = 0; i < OPERANDS; i++)
        for (int64_t j = 0; j < COLUMNS; j++) {
            char column[ROWS * 16];

            for (size_t k = 0; k < ROWS; k++)
                pack(operands->type, column, k,
                     (double)(1 + i + 2 * j + (int)k) / 4 + (double)(j - (int)k) / 8 * I);
            check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)place(operands, i, j), column,
                                       ROWS * bytes_of(operands->type)));
        }
}

static double complex result(const struct operands *operands, int index, int64_t column, size_t row)
{
    char bytes[ROWS * 16];

    check_success(cuMemcpyDtoH(bytes, (CUdeviceptr)(uintptr_t)place(operands, index, column),
                               ROWS * bytes_of(operands->type)));
    return unpack(operands->type, bytes, row);
}

static void check_same(const struct operands *expected, const struct operands *found)
{
    check_success(cuCtxSynchronize());
    for (int i = 0; i < OPERANDS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            for (size_t k = 0; k < ROWS; k++)
                check(cabs(result(expected, i, j, k) - result(found, i, j, k)) <=
                      64 * epsilon_of(expected->type));
}

typedef cublasStatus_t call(cublasHandle_t handle, const struct operands *o, bool flag);

static const float one[2] = {1.5f, 0.25f}, other[2] = {0.5f, -0.75f};

#define OP (flag ? CUBLAS_OP_C : CUBLAS_OP_N)
#define REAL_OP (flag ? CUBLAS_OP_T : CUBLAS_OP_N)
#define UPLO (flag ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER)
#define SIDE (flag ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT)
#define DIAG (flag ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT)
#define CALL(name, ...)                                                                            \
    static cublasStatus_t name(cublasHandle_t h, const struct operands *o, bool flag)              \
    {                                                                                              \
        (void)flag;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

CALL(sgemm, cublasSgemm_64(h, REAL_OP, REAL_OP, 2, 2, 2, one, o->a, o->step, o->b, o->step, other,
                           o->c, o->step))
CALL(sgemm_long, cublasSgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 2, one, o->a, o->step, o->b,
                                o->step, other, o->c, o->step))
CALL(sgemm_ex, cublasGemmEx_64(h, REAL_OP, REAL_OP, 2, 2, 2, one, o->a, CUDA_R_32F, o->step, o->b,
                               CUDA_R_32F, o->step, other, o->c, CUDA_R_32F, o->step,
                               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT))
CALL(ssymm, cublasSsymm_64(h, SIDE, UPLO, flag ? 4 : 2, 2, one, o->a, o->step, o->b, o->step, other,
                           o->c, o->step))
CALL(ssyrk,
     cublasSsyrk_64(h, UPLO, REAL_OP, 2, flag ? 4 : 2, one, o->a, o->step, other, o->c, o->step))
CALL(ssyr2k, cublasSsyr2k_64(h, UPLO, REAL_OP, 2, flag ? 4 : 2, one, o->a, o->step, o->b, o->step,
                             other, o->c, o->step))
CALL(ssyrkx, cublasSsyrkx_64(h, UPLO, REAL_OP, 2, flag ? 4 : 2, one, o->a, o->step, o->b, o->step,
                             other, o->c, o->step))
CALL(strmm, cublasStrmm_64(h, SIDE, UPLO, REAL_OP, DIAG, flag ? 4 : 2, 2, one, o->a, o->step, o->b,
                           o->step, o->c, o->step))
CALL(strmm_in_place, cublasStrmm_64(h, SIDE, UPLO, REAL_OP, DIAG, flag ? 4 : 2, 2, one, o->a,
                                    o->step, o->b, o->step, o->b, o->step))
CALL(strsm, cublasStrsm_64(h, SIDE, UPLO, REAL_OP, DIAG, flag ? 4 : 2, 2, one, o->a, o->step, o->b,
                           o->step))
CALL(sgeam, cublasSgeam_64(h, CUBLAS_OP_N, REAL_OP, 2, 2, one, o->a, o->step, other, o->b, o->step,
                           o->c, o->step))
CALL(sdgmm, cublasSdgmm_64(h, SIDE, 2, 2, o->a, o->step, o->b, o->step, o->c, o->step))
CALL(sgemv, cublasSgemv_64(h, REAL_OP, 2, 2, one, o->a, o->step, o->b, flag ? -o->step : o->step,
                           other, o->c, o->step))
CALL(sgemv_short, cublasSgemv_64(h, REAL_OP, 4, 2, one, o->a, o->step, o->b, 1, other, o->c, 1))
CALL(sgbmv, cublasSgbmv_64(h, REAL_OP, 2, 2, 1, flag, one, o->a, o->step, o->b, o->step, other,
                           o->c, flag ? -o->step : o->step))
CALL(sger,
     cublasSger_64(h, 2, 2, one, o->b, flag ? -o->step : o->step, o->c, o->step, o->a, o->step))
CALL(ssymv, cublasSsymv_64(h, UPLO, 2, one, o->a, o->step, o->b, flag ? -o->step : o->step, other,
                           o->c, o->step))
CALL(ssbmv, cublasSsbmv_64(h, UPLO, 2, 1, one, o->a, o->step, o->b, o->step, other, o->c, o->step))
CALL(sspmv, cublasSspmv_64(h, UPLO, 2, one, o->a, o->b, o->step, other, o->c, -o->step))
CALL(ssyr, cublasSsyr_64(h, UPLO, 2, one, o->b, flag ? -o->step : o->step, o->a, o->step))
CALL(ssyr2,
     cublasSsyr2_64(h, UPLO, 2, one, o->b, flag ? -o->step : o->step, o->c, o->step, o->a, o->step))
CALL(ssyr2_of_one, cublasSsyr2_64(h, UPLO, 2, one, o->b, o->step, o->b, o->step, o->a, o->step))
CALL(sspr, cublasSspr_64(h, UPLO, 2, one, o->b, o->step, o->a))
CALL(sspr2, cublasSspr2_64(h, UPLO, 2, one, o->b, o->step, o->c, o->step, o->a))
CALL(strmv, cublasStrmv_64(h, UPLO, REAL_OP, DIAG, 2, o->a, o->step, o->b, -o->step))
CALL(strsv, cublasStrsv_64(h, UPLO, REAL_OP, DIAG, 2, o->a, o->step, o->b, o->step))
CALL(stbmv, cublasStbmv_64(h, UPLO, REAL_OP, DIAG, 2, 1, o->a, o->step, o->b, o->step))
CALL(stbsv, cublasStbsv_64(h, UPLO, REAL_OP, DIAG, 2, 1, o->a, o->step, o->b, o->step))
CALL(stpmv, cublasStpmv_64(h, UPLO, REAL_OP, DIAG, 2, o->a, o->b, o->step))
CALL(stpsv, cublasStpsv_64(h, UPLO, REAL_OP, DIAG, 2, o->a, o->b, o->step))
CALL(sswap, cublasSswap_64(h, 2, o->a, o->step, o->b, flag ? -o->step : o->step))
CALL(saxpy, cublasSaxpy_64(h, 2, one, o->a, o->step, o->b, flag ? -o->step : o->step))

CALL(cgemm, cublasCgemm_64(h, OP, OP, 2, 2, 2, (const void *)one, o->a, o->step, o->b, o->step,
                           (const void *)other, o->c, o->step))
CALL(cherk, cublasCherk_64(h, UPLO, OP, 2, flag ? 4 : 2, one, o->a, o->step, other, o->c, o->step))
CALL(cher2k, cublasCher2k_64(h, UPLO, OP, 2, flag ? 4 : 2, (const void *)one, o->a, o->step, o->b,
                             o->step, other, o->c, o->step))
CALL(cherkx, cublasCherkx_64(h, UPLO, OP, 2, flag ? 4 : 2, (const void *)one, o->a, o->step, o->b,
                             o->step, other, o->c, o->step))
CALL(chemm, cublasChemm_64(h, SIDE, UPLO, flag ? 4 : 2, 2, (const void *)one, o->a, o->step, o->b,
                           o->step, (const void *)other, o->c, o->step))
CALL(chemv, cublasChemv_64(h, UPLO, 2, (const void *)one, o->a, o->step, o->b, o->step,
                           (const void *)other, o->c, o->step))
CALL(cher2,
     cublasCher2_64(h, UPLO, 2, (const void *)one, o->b, o->step, o->c, o->step, o->a, o->step))
CALL(csyr2,
     cublasCsyr2_64(h, UPLO, 2, (const void *)one, o->b, o->step, o->c, o->step, o->a, o->step))
CALL(ctrsm, cublasCtrsm_64(h, SIDE, UPLO, OP, DIAG, flag ? 4 : 2, 2, (const void *)one, o->a,
                           o->step, o->b, o->step))

static void try_calls(enum type type, call *const *calls, size_t count)
{
    struct operands expected, found;
    cublasHandle_t handle;

    with_context();
    handle = new_handle();
    expected = operands_new(type, SHORT_STEP);
    found = operands_new(type, LONG_STEP);
    for (size_t i = 0; i < 2 * count; i++) {
        fill(&expected);
        fill(&found);
        check_blas(calls[i / 2](handle, &expected, i % 2));
        check_blas(calls[i / 2](handle, &found, i % 2));
        check_same(&expected, &found);
    }
}

TEST(steps_above_31_bits)
{
    static call *const calls[] = {
        sgemm,          sgemm_long, sgemm_ex, ssymm, ssyrk, ssyr2k,       ssyrkx, strmm,
        strmm_in_place, strsm,      sgeam,    sdgmm, sgemv, sgemv_short,  sgbmv,  sger,
        ssymv,          ssbmv,      sspmv,    ssyr,  ssyr2, ssyr2_of_one, sspr,   sspr2,
        strmv,          strsv,      stbmv,    stbsv, stpmv, stpsv,        sswap,  saxpy};

    try_calls(S, calls, sizeof(calls) / sizeof(*calls));
}

TEST(complex_steps_above_31_bits)
{
    static call *const calls[] = {cgemm, cherk, cher2k, cherkx, chemm, chemv, cher2, csyr2, ctrsm};

    try_calls(C, calls, sizeof(calls) / sizeof(*calls));
}
