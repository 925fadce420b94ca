/* SPDX-License-Identifier: MIT */
/* cuBLAS: which types a product takes, values of the three levels and of batches, products without
 * a depth, and wrong arguments. */
#include "recorder.h"

#include <cublas_v2.h>
#include <stdlib.h>
#include <string.h>

static cublasHandle_t handle;

static void create(void)
{
    cublasStatus_t status = cublasCreate(&handle);

    answer_status(status);
}

static const int computes[] = {
    CUBLAS_COMPUTE_16F,           CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_32F,
    CUBLAS_COMPUTE_32F_PEDANTIC,  CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF,
    CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F,          CUBLAS_COMPUTE_64F_PEDANTIC,
    CUBLAS_COMPUTE_32I,           CUBLAS_COMPUTE_32I_PEDANTIC,
};
enum { COMPUTES = sizeof(computes) / sizeof(*computes) };

/* A digit for each way to compute. */
static void ask_types(void)
{
    enum { TYPES = 30, N = 16, BYTES = N * N * 16 };

    create();
    for (int in = 0; in < TYPES; in++)
        for (int out = 0; out < TYPES; out++) {
            void *a, *c;

            if (!question("blas/types/%d/%d", in, out))
                continue;
            a = device_zeros(BYTES);
            c = device_zeros(BYTES);
            answer(" ");
            for (int i = 0; i < COMPUTES; i++) {
                static const double ones[2] = {0};

                answer("%x", cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, ones, a,
                                          (cudaDataType)in, N, a, (cudaDataType)in, N, ones, c,
                                          (cudaDataType)out, N, (cublasComputeType_t)computes[i],
                                          CUBLAS_GEMM_DEFAULT));
            }
            answer_device();
        }
}

/* One name for each form of a function: CALL(gemm) is cublasSgemm, with the type's letter. */
#define CONCATENATE(letter, name) cublas##letter##name
#define LEVELS(letter, element, is_double, is_complex)                                             \
    static void ask_level1_##letter(int round)                                                     \
    {                                                                                              \
        int n = 1 + random_below(40), step = random_below(2) ? 1 : -2, width = 1 + is_complex;     \
        size_t count = (size_t)(2 * n * width);                                                    \
        element *x = device_numbers(is_double, count), *y = device_numbers(is_double, count);      \
        element alpha[1];                                                                          \
        int index = -1;                                                                            \
                                                                                                   \
        memset(alpha, 0, sizeof(alpha));                                                           \
        set_number(alpha, is_double, random_number(2));                                            \
        answer_status(CONCATENATE(letter, axpy)(handle, n, alpha, x, step, y, 1));                 \
        answer_status(CONCATENATE(letter, scal)(handle, n, alpha, x, 2));                          \
        answer_status(CONCATENATE(letter, swap)(handle, n / 2, x, 1, y, -1));                      \
        answer_status(cublasI##letter##_amax(handle, n, x, 1, &index));                            \
        answer(" %d", index);                                                                      \
        answer_array(is_double, x, count);                                                         \
        answer_array(is_double, y, count);                                                         \
        (void)round;                                                                               \
    }                                                                                              \
    static void ask_level2_##letter(int round)                                                     \
    {                                                                                              \
        int m = 1 + random_below(14), n = 1 + random_below(14), lda = m + random_below(3);         \
        int width = 1 + is_complex, op = random_below(2 + is_complex);                             \
        size_t count = (size_t)((lda > n ? lda : n) * (m + n) * width);                            \
        element *a = device_numbers(is_double, count), *x = device_numbers(is_double, 100),        \
                *y = device_numbers(is_double, 100), factors[2];                                   \
                                                                                                   \
        memset(factors, 0, sizeof(factors));                                                       \
        set_number(&factors[0], is_double, random_number(2));                                      \
        set_number(&factors[1], is_double, round % 3 ? random_number(1) : 0);                      \
        answer_status(CONCATENATE(letter, gemv)(handle, (cublasOperation_t)op, m, n, &factors[0],  \
                                                a, lda, x, 2, &factors[1], y, -1));                \
        answer_array(is_double, y, 100);                                                           \
        answer_status(CONCATENATE(letter, trmv)(handle, CUBLAS_FILL_MODE_UPPER,                    \
                                                (cublasOperation_t)op, CUBLAS_DIAG_UNIT, m, a,     \
                                                lda, x, 1));                                       \
        answer_array(is_double, x, 100);                                                           \
    }                                                                                              \
    static void ask_level3_##letter(int round)                                                     \
    {                                                                                              \
        int m = 1 + random_below(20), n = 1 + random_below(20), k = random_below(20);              \
        int ta = random_below(2 + is_complex), tb = random_below(2 + is_complex), ld = 24;         \
        size_t count = (size_t)(ld * ld * (1 + is_complex));                                       \
        element *a = device_numbers(is_double, count), *b = device_numbers(is_double, count),      \
                *c = device_numbers(is_double, count), factors[2];                                 \
                                                                                                   \
        memset(factors, 0, sizeof(factors));                                                       \
        set_number(&factors[0], is_double, random_number(2));                                      \
        set_number(&factors[1], is_double, round % 3 ? random_number(1) : 0);                      \
        answer_status(CONCATENATE(letter, gemm)(handle, (cublasOperation_t)ta,                     \
                                                (cublasOperation_t)tb, m, n, k, &factors[0], a,    \
                                                ld, b, ld, &factors[1], c, ld));                   \
        answer_array(is_double, c, count);                                                         \
        answer_status(CONCATENATE(letter, symm)(handle, (cublasSideMode_t)(round & 1),             \
                                                (cublasFillMode_t)(round >> 1 & 1), m, n,          \
                                                &factors[0], a, ld, b, ld, &factors[1], c, ld));   \
        answer_array(is_double, c, count);                                                         \
        answer_status(CONCATENATE(letter, trmm)(                                                   \
            handle, (cublasSideMode_t)(round & 1), (cublasFillMode_t)(round >> 1 & 1),             \
            (cublasOperation_t)ta, (cublasDiagType_t)(round & 1), m, n, &factors[0], a, ld, b, ld, \
            c, ld));                                                                               \
        answer_array(is_double, c, count);                                                         \
    }

static void set_number(void *element, bool is_double, double value)
{
    float single = (float)value;

    memcpy(element, is_double ? (const void *)&value : &single, is_double ? 8 : 4);
}

#define cublasIS_amax cublasIsamax
#define cublasID_amax cublasIdamax
#define cublasIC_amax cublasIcamax
#define cublasIZ_amax cublasIzamax

LEVELS(S, float, false, 0)
LEVELS(D, double, true, 0)
LEVELS(C, cuComplex, false, 1)
LEVELS(Z, cuDoubleComplex, true, 1)

static void ask_levels(void)
{
    static const struct {
        const char *name;
        void (*ask)(int round);
    } all[] = {
        {"1/S", ask_level1_S}, {"1/D", ask_level1_D}, {"1/C", ask_level1_C}, {"1/Z", ask_level1_Z},
        {"2/S", ask_level2_S}, {"2/D", ask_level2_D}, {"2/C", ask_level2_C}, {"2/Z", ask_level2_Z},
        {"3/S", ask_level3_S}, {"3/D", ask_level3_D}, {"3/C", ask_level3_C}, {"3/Z", ask_level3_Z},
    };

    create();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (int round = 0; round < 12; round++) {
            if (!question("blas/levels/%s/%d", all[i].name, round))
                continue;
            all[i].ask(round);
            answer_device();
        }
}

static const struct typed {
    const char *name;
    cudaDataType in, out;
    cublasComputeType_t compute;
    int in_bytes, out_bytes;
} typed[] = {
    {"f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 4},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4, 4},
    {"f64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 8},
    {"f16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2, 2},
    {"f16f32", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2, 4},
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2, 2},
    {"s8s32", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1, 4},
    {"s8f32", CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1, 4},
    {"c32", CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, 8, 8},
    {"c64", CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, 16, 16},
    {"c8", CUDA_C_8I, CUDA_C_32F, CUBLAS_COMPUTE_32F, 2, 8},
};
enum { TYPED = sizeof(typed) / sizeof(*typed), BATCH = 2, SIDE = 32 };

static void *device_pointers(char *first, size_t distance)
{
    void *pointers[BATCH];

    for (int i = 0; i < BATCH; i++)
        pointers[i] = first + (size_t)i * distance;
    return device_copy(pointers, sizeof(pointers));
}

/* The statuses of products with k from 0 on, a digit each, for three forms and all operations. */
static void ask_depths(void)
{
    static const int shapes[][2] = {{1, 1}, {4, 4}, {20, 16}, {24, 20}, {11, 17}};

    create();
    for (int t = 0; t < TYPED; t++)
        for (int ops = 0; ops < 9; ops++)
            for (int s = 0; s < 5; s++) {
                const struct typed *type = &typed[t];
                cublasOperation_t ta = (cublasOperation_t)(ops / 3),
                                  tb = (cublasOperation_t)(ops % 3);
                size_t in = (size_t)(SIDE * SIDE * type->in_bytes);
                size_t out = (size_t)(SIDE * SIDE * type->out_bytes);
                const double zeros[2] = {0};
                char *a, *c;
                void *as, *cs;

                if (!question("blas/depths/%s/%c%c/%dx%d", type->name, "NTC"[ta], "NTC"[tb],
                              shapes[s][0], shapes[s][1]))
                    continue;
                a = device_zeros(in * BATCH);
                c = device_zeros(out * BATCH);
                as = device_pointers(a, in);
                cs = device_pointers(c, out);
                answer(" ");
                for (int k = 0; k <= 8; k += 4)
                    answer("%x%x%x ",
                           cublasGemmEx(handle, ta, tb, shapes[s][0], shapes[s][1], k, zeros, a,
                                        type->in, SIDE, a, type->in, SIDE, zeros, c, type->out,
                                        SIDE, type->compute, CUBLAS_GEMM_DEFAULT),
                           cublasGemmStridedBatchedEx(handle, ta, tb, shapes[s][0], shapes[s][1], k,
                                                      zeros, a, type->in, SIDE, SIDE * SIDE, a,
                                                      type->in, SIDE, SIDE * SIDE, zeros, c,
                                                      type->out, SIDE, SIDE * SIDE, BATCH,
                                                      type->compute, CUBLAS_GEMM_DEFAULT),
                           cublasGemmBatchedEx(handle, ta, tb, shapes[s][0], shapes[s][1], k, zeros,
                                               (const void *const *)as, type->in, SIDE,
                                               (const void *const *)as, type->in, SIDE, zeros,
                                               (void *const *)cs, type->out, SIDE, BATCH,
                                               type->compute, CUBLAS_GEMM_DEFAULT));
                answer_device();
            }
}

/* Bytes of s8, complex too, have exact products. */
static void ask_integers(void)
{
    create();
    for (int is_complex = 0; is_complex < 2; is_complex++)
        for (int i = 0; i < 20; i++) {
            int m, n, k, ld = 32, ops[2];
            static int8_t bytes[2 * 32 * 32];
            const float one[2] = {1, is_complex ? 0.5f : 0}, zero[2] = {0, 0};
            void *a, *c;

            if (!question("blas/integers/%s/%d", is_complex ? "complex" : "real", i))
                continue;
            m = 4 * (1 + random_below(8));
            n = 4 * (1 + random_below(8));
            k = 4 * (1 + random_below(8));
            for (int o = 0; o < 2; o++)
                ops[o] = random_below(2 + is_complex);
            for (size_t b = 0; b < sizeof(bytes); b++)
                bytes[b] = (int8_t)random_below(256);
            a = device_copy(bytes, sizeof(bytes));
            c = device_zeros(2 * 32 * 32 * 4);
            answer_status(cublasGemmEx(handle, (cublasOperation_t)ops[0], (cublasOperation_t)ops[1],
                                       m, n, k, one, a, is_complex ? CUDA_C_8I : CUDA_R_8I, ld, a,
                                       is_complex ? CUDA_C_8I : CUDA_R_8I, ld, zero, c,
                                       is_complex ? CUDA_C_32F : CUDA_R_32F, ld, CUBLAS_COMPUTE_32F,
                                       CUBLAS_GEMM_DEFAULT));
            answer_device();
            answer_array(false, c, (size_t)(32 * 32 * (1 + is_complex)));
        }
}

/* Each integer of a product in turn is wrong. */
static void ask_wrong(void)
{
    static const int values[] = {-1, 0, 3, 1 << 30};

    create();
    for (int argument = 0; argument < 8; argument++)
        for (int v = 0; v < 4; v++) {
            int i[8] = {0, 0, 4, 4, 4, 4, 4, 4};
            float *a, one = 1;

            if (argument < 5 && values[v] > 3)
                continue; /* a valid product of that size would run */
            if (!question("blas/wrong/%d/%d", argument, values[v]))
                continue;
            a = device_zeros(4096);
            i[argument] = values[v];
            if (argument >= 5 && values[v] > 4)
                i[2] = i[3] = i[4] = 0;
            answer_status(cublasSgemm(handle, (cublasOperation_t)i[0], (cublasOperation_t)i[1],
                                      i[2], i[3], i[4], &one, a, i[5], a, i[6], &one, a, i[7]));
            answer_status(cublasSgemv(handle, (cublasOperation_t)i[0], i[2], i[3], &one, a, i[5], a,
                                      i[6], &one, a, i[7]));
            answer_status(cublasSsyrk(handle, (cublasFillMode_t)i[0], (cublasOperation_t)i[1], i[3],
                                      i[4], &one, a, i[5], &one, a, i[7]));
            answer_status(cublasStrsm(handle, (cublasSideMode_t)i[0], (cublasFillMode_t)i[1],
                                      CUBLAS_OP_N, CUBLAS_DIAG_UNIT, i[2], i[3], &one, a, i[5], a,
                                      i[6]));
            answer_status(cublasSgeam(handle, (cublasOperation_t)i[0], (cublasOperation_t)i[1],
                                      i[2], i[3], &one, a, i[5], &one, a, i[6], a + 512, i[7]));
            answer_device();
        }
}

const struct group blas_groups[] = {
    {"blas/types", ask_types},       {"blas/levels", ask_levels}, {"blas/depths", ask_depths},
    {"blas/integers", ask_integers}, {"blas/wrong", ask_wrong},   {NULL, NULL},
};
