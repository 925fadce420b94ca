/* SPDX-License-Identifier: MIT */
/* cuBLASLt: which types, epilogues and scales there are, and the values of some. */
#include "recorder.h"

#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

static cublasLtHandle_t handle;

/* A product of A, transposed, and B; all matrices are dense. */
struct asked {
    int m, n, k;
    cublasComputeType_t compute;
    cudaDataType scale, in, other, out; /* other: B's */
    cublasLtEpilogue_t epilogue;
    int a_scale, b_scale; /* cublasLtMatmulMatrixScale_t */
    double beta;
};

struct memory {
    void *a, *b, *c, *a_scales, *b_scales, *bias, *aux;
};

enum { MASK_LINE = 128, BYTES = 1 << 20 };

static void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                const void *value, size_t bytes)
{
    cublasLtMatmulDescSetAttribute(desc, attribute, value, bytes);
}

static cublasLtMatmulDesc_t describe(const struct asked *asked, const struct memory *memory)
{
    const int transposed = CUBLAS_OP_T;
    const int64_t aux_ld = (asked->m + MASK_LINE - 1) / MASK_LINE * MASK_LINE;
    cublasLtMatmulDesc_t desc;

    cublasLtMatmulDescCreate(&desc, asked->compute, asked->scale);
    set(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed));
    set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &asked->epilogue, sizeof(asked->epilogue));
    if (memory->a_scales) {
        set(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &memory->a_scales, sizeof(void *));
        set(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &memory->b_scales, sizeof(void *));
        set(desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &asked->a_scale, sizeof(int));
        set(desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &asked->b_scale, sizeof(int));
    }
    if (asked->epilogue & (4 | 16 | 256 | 512))
        set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &memory->bias, sizeof(void *));
    if (asked->epilogue & 128) {
        set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &memory->aux, sizeof(void *));
        set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof(aux_ld));
    }
    return desc;
}

/* The status of the search and of the product. */
static cublasStatus_t multiply(const struct asked *asked, const struct memory *memory,
                               cublasStatus_t *searched)
{
    const bool is_double = asked->scale == CUDA_R_64F || asked->scale == CUDA_C_64F;
    const double one[2] = {1, 0}, beta[2] = {asked->beta, 0};
    const float single[2] = {1, 0}, single_beta[2] = {(float)asked->beta, 0};
    cublasLtMatmulDesc_t desc = describe(asked, memory);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    cublasLtMatrixLayout_t a, b, c;
    cublasStatus_t status;
    int count = 0;

    cublasLtMatrixLayoutCreate(&a, asked->in, (uint64_t)asked->k, (uint64_t)asked->m, asked->k);
    cublasLtMatrixLayoutCreate(&b, asked->other, (uint64_t)asked->k, (uint64_t)asked->n, asked->k);
    cublasLtMatrixLayoutCreate(&c, asked->out, (uint64_t)asked->m, (uint64_t)asked->n, asked->m);
    cublasLtMatmulPreferenceCreate(&preference);
    *searched =
        cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, c, preference, 1, &found, &count);
    status = cublasLtMatmul(handle, desc, is_double ? (const void *)one : single, memory->a, a,
                            memory->b, b, is_double ? (const void *)beta : single_beta, memory->c,
                            c, memory->c, c, NULL, NULL, 0, NULL);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(c);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatmulDescDestroy(desc);
    return status;
}

static struct memory zeroed_memory(bool scales)
{
    struct memory memory = {.a = device_zeros(BYTES),
                            .b = device_zeros(BYTES),
                            .c = device_zeros(BYTES),
                            .bias = device_zeros(BYTES),
                            .aux = device_zeros(BYTES)};

    if (scales) {
        memory.a_scales = device_zeros(BYTES);
        memory.b_scales = device_zeros(BYTES);
    }
    return memory;
}

static void answer_both(const struct asked *asked, const struct memory *memory)
{
    cublasStatus_t searched, status = multiply(asked, memory, &searched);

    answer(" %d/%d", searched, status);
    answer_device();
}

static const struct {
    const char *name;
    cublasComputeType_t compute;
    cudaDataType scale, in, other, out;
} types[] = {
    {"f32", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {"tf32", CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {"f64", CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {"f64-fixed", (cublasComputeType_t)79, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {"c64-fixed", (cublasComputeType_t)79, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {"c32", CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
    {"f16", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
    {"f16f32", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
    {"bf16", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF},
    {"s8s32", CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32I},
    {"s8", CUBLAS_COMPUTE_32I, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I},
    {"e4m3", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16BF},
    {"e4m3f32", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_32F},
    {"e5m2e4m3", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_16BF},
    {"e5m2", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E5M2, CUDA_R_8F_E5M2, CUDA_R_16BF},
};
enum { TYPES = sizeof(types) / sizeof(*types), E4M3 = 11, E4M3_F32 = 12 };

static struct asked of_type(int type)
{
    return (struct asked){.m = 256,
                          .n = 128,
                          .k = 256,
                          .compute = types[type].compute,
                          .scale = types[type].scale,
                          .in = types[type].in,
                          .other = types[type].other,
                          .out = types[type].out,
                          .epilogue = CUBLASLT_EPILOGUE_DEFAULT};
}

static void ask_epilogues(void)
{
    static const int epilogues[] = {1,  2,   4,  6,   130, 134, 136, 152,
                                    32, 160, 36, 164, 192, 208, 256, 512};

    cublasLtCreate(&handle);
    for (int type = 0; type < TYPES; type++)
        for (size_t i = 0; i < sizeof(epilogues) / sizeof(*epilogues); i++) {
            struct asked asked = of_type(type);
            struct memory memory;

            if (!question("lt/epilogues/%s/%d", types[type].name, epilogues[i]))
                continue;
            memory = zeroed_memory(false);
            asked.epilogue = (cublasLtEpilogue_t)epilogues[i];
            answer_both(&asked, &memory);
        }
}

static void ask_scale_modes(void)
{
    cublasLtCreate(&handle);
    for (int type = E4M3; type <= E4M3_F32; type++)
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) {
                struct asked asked = of_type(type);
                struct memory memory;

                if (a == 3 && b == 5)
                    continue; /* NVIDIA's ends the process */
                if (!question("lt/scales/%s/%d/%d", types[type].name, a, b))
                    continue;
                memory = zeroed_memory(true);
                asked.a_scale = a;
                asked.b_scale = b;
                answer_both(&asked, &memory);
            }
}

/* Ones in fp8, and scales that differ: the sums tell which scale belongs to which element. */
static void ask_scale_values(void)
{
    enum { E4M3_ONE = 0x38, SCALES = 4096 };
    static const int modes[][2] = {{0, 0}, {3, 3}, {4, 4}, {4, 5}, {5, 4}};
    static const int shapes[][3] = {{256, 128, 256}, {320, 272, 384}, {192, 144, 640}};
    static unsigned char ones[BYTES];
    static float scales[SCALES];

    cublasLtCreate(&handle);
    memset(ones, E4M3_ONE, sizeof(ones));
    for (size_t mode = 0; mode < sizeof(modes) / sizeof(*modes); mode++)
        for (int s = 0; s < 3; s++) {
            struct asked asked = of_type(E4M3_F32);
            struct memory memory;
            cublasStatus_t searched, status;

            if (!question("lt/scaled/%d/%d/%d", modes[mode][0], modes[mode][1], s))
                continue;
            for (int i = 0; i < SCALES; i++)
                scales[i] = (float)(1 + random_below(64)) / 16;
            memory = zeroed_memory(false);
            memory.a = device_copy(ones, sizeof(ones));
            memory.b = device_copy(ones, sizeof(ones));
            memory.a_scales = device_copy(scales, sizeof(scales));
            memory.b_scales = device_copy(scales + 7, sizeof(scales) - 28);
            asked.m = shapes[s][0];
            asked.n = shapes[s][1];
            asked.k = shapes[s][2];
            asked.a_scale = modes[mode][0];
            asked.b_scale = modes[mode][1];
            status = multiply(&asked, &memory, &searched);
            answer_status(status);
            answer_device();
            if (status == CUBLAS_STATUS_SUCCESS)
                answer_array(false, memory.c, (size_t)(asked.m * asked.n));
        }
}

static void ask_values(void)
{
    static const int epilogues[] = {1, 2, 4, 6, 32, 36, 130, 134, 160, 164};

    cublasLtCreate(&handle);
    for (int type = 0; type < 4; type++)
        for (size_t i = 0; i < sizeof(epilogues) / sizeof(*epilogues); i++)
            for (int round = 0; round < 2; round++) {
                struct asked asked = of_type(type);
                struct memory memory;
                cublasStatus_t searched, status;
                bool is_double = types[type].in == CUDA_R_64F;

                if (!question("lt/values/%s/%d/%d", types[type].name, epilogues[i], round))
                    continue;
                memory = zeroed_memory(false);
                asked.m = 4 * (1 + random_below(20));
                asked.n = 4 * (1 + random_below(10));
                asked.k = 4 * (1 + random_below(10));
                asked.beta = round;
                asked.epilogue = (cublasLtEpilogue_t)epilogues[i];
                memory.a = device_numbers(is_double, (size_t)(asked.m * asked.k));
                memory.b = device_numbers(is_double, (size_t)(asked.n * asked.k));
                memory.c = device_numbers(is_double, (size_t)(asked.m * asked.n));
                memory.bias = device_numbers(is_double, (size_t)asked.m);
                status = multiply(&asked, &memory, &searched);
                answer_status(status);
                answer_device();
                answer_array(is_double, memory.c, (size_t)(asked.m * asked.n));
            }
}

const struct group lt_groups[] = {
    {"lt/epilogues", ask_epilogues},
    {"lt/scales", ask_scale_modes},
    {"lt/scaled", ask_scale_values},
    {"lt/values", ask_values},
    {NULL, NULL},
};
