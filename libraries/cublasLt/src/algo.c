/* SPDX-License-Identifier: MIT */
/* Algorithms. There is one way to compute a product, and it has every identity that an H200's
 * library gives for its types: programs keep such numbers in tables. What they configure is kept
 * and changes nothing. */
#include "attributes.h"
#include "logger.h"
#include "lt.h"

#include <string.h>

static const struct attribute attributes[] = {
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_ID, lt_algo, id),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_TILE_ID, lt_algo, tile),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, lt_algo, split_k),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, lt_algo, reduction),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, lt_algo, swizzling),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, lt_algo, custom_option),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_STAGES_ID, lt_algo, stages),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, lt_algo, inner_shape),
    ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, lt_algo, cluster_shape),
};
static const struct attribute_table table = {attributes, sizeof(attributes) / sizeof(*attributes)};

enum { IDS_MOST = 28 };

/* Lists end with -1. */
static const struct family {
    int compute, scale, a, d; /* compute 0: any of 32F's */
    int ids[IDS_MOST];
} families[] = {
    {CUBLAS_COMPUTE_32F,
     CUDA_R_32F,
     CUDA_R_32F,
     CUDA_R_32F,
     {0, 1, 10, 11, 12, 13, 14, 15, 16, 20, 55, 57, 76, 80, -1}},
    {0, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, {0,  1,  10, 11, 12, 13, 14, 15, 16, 20, 21,
                                             23, 43, 45, 55, 58, 63, 72, 73, 76, 80, -1}},
    {0, CUDA_R_32F, CUDA_R_16F, -1, {0,  1,  3,  4,  5,  6,  11, 12, 13, 14, 16, 21, 23, 24,
                                     30, 31, 35, 39, 41, 42, 56, 58, 66, 67, 70, 71, -1}},
    {0, CUDA_R_32F, CUDA_R_16BF, -1, {0,  1,  3,  4,  5,  6,  11, 12, 13, 14, 16, 21, 23, 24,
                                      30, 31, 35, 39, 41, 42, 56, 58, 66, 67, 70, 71, -1}},
    {CUBLAS_COMPUTE_16F,
     CUDA_R_16F,
     CUDA_R_16F,
     CUDA_R_16F,
     {0, 3, 5, 6, 11, 16, 21, 23, 24, 30, 31, 39, 41, 42, 67, 70, 71, -1}},
    {CUBLAS_COMPUTE_64F,
     CUDA_R_64F,
     CUDA_R_64F,
     CUDA_R_64F,
     {0, 10, 11, 12, 13, 14, 15, 16, 22, 35, 36, 59, -1}},
    {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, {0, 10, 12, 13, 14, 15, 20, -1}},
    {CUBLAS_COMPUTE_32I,
     CUDA_R_32I,
     CUDA_R_8I,
     CUDA_R_32I,
     {6, 7, 11, 20, 21, 23, 39, 41, 64, 70, 71, -1}},
    {CUBLAS_COMPUTE_32I,
     CUDA_R_32F,
     CUDA_R_8I,
     CUDA_R_8I,
     {6, 7, 21, 23, 39, 41, 64, 66, 70, 71, -1}},
    {0, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F, {0, 11, -1}},
    {0, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, {0, 2, 10, 12, 13, 14, 15, 20, 47, 54, 57, 80, -1}},
    {0, CUDA_C_32F, CUDA_C_8I, CUDA_C_32F, {0, -1}},
    {0, CUDA_R_32F, CUDA_R_8F_E4M3, -1, {35, 39, 48, 49, 52, 60, 62, 66, 67, 70, 71, 74, -1}},
    {0, CUDA_R_32F, CUDA_R_8F_E5M2, -1, {35, 39, 48, 49, 52, 60, 62, 66, 67, 70, 71, 74, -1}},
};

/* A pedantic compute type has its plain form's algorithms; all of 32F's forms are one family. */
static bool compute_matches(int compute, int wanted)
{
    bool single =
        compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
        compute == CUBLAS_COMPUTE_32F_FAST_16F || compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
        compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9;

    return wanted ? compute == wanted || compute == wanted + 1 : single;
}

static const struct family *find_family(int compute, int scale, int a, int d)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        const struct family *family = &families[i];

        if (compute_matches(compute, family->compute) && family->scale == scale && family->a == a &&
            (family->d == d || family->d == -1))
            return family;
    }
    return NULL;
}

static const struct family *family_of_types(int compute, int scale, int a, int b, int c, int d)
{
    struct lt_desc desc = {.compute_type = compute,
                           .scale_type = scale,
                           .transa = CUBLAS_OP_T,
                           .fill_mode = CUBLAS_FILL_MODE_FULL,
                           .epilogue = CUBLASLT_EPILOGUE_DEFAULT};
    const struct lt_layout shape = {.rows = 16, .cols = 16, .ld = 16, .batch_count = 1};
    struct lt_layout layouts[4] = {shape, shape, shape, shape};
    const struct lt_problem problem = {&desc, layouts, layouts + 1, layouts + 2, layouts + 3};
    struct product product;
    bool searched;

    layouts[0].type = a;
    layouts[1].type = b;
    layouts[2].type = c;
    layouts[3].type = d;
    if (lt_problem_check(&problem, &product, &searched) != CUBLAS_STATUS_SUCCESS)
        return NULL;
    return find_family(compute, scale, a, d);
}

static bool has_id(const struct family *family, int id)
{
    for (size_t i = 0; family->ids[i] >= 0; i++)
        if (family->ids[i] == id)
            return true;
    return false;
}

bool lt_algo_is_valid(const cublasLtMatmulAlgo_t *algo)
{
    return algo && ((const struct lt_algo *)algo)->mark == LT_ALGO;
}

static void fill(cublasLtMatmulAlgo_t *algo, int id, int compute, int scale, int a, int b, int c,
                 int d)
{
    const struct lt_algo value = {.mark = LT_ALGO,
                                  .id = id,
                                  .split_k = 1,
                                  .compute_type = (uint8_t)compute,
                                  .scale_type = (uint8_t)scale,
                                  .a_type = (uint8_t)a,
                                  .b_type = (uint8_t)b,
                                  .c_type = (uint8_t)c,
                                  .d_type = (uint8_t)d};

    memset(algo, 0, sizeof(*algo));
    memcpy(algo, &value, sizeof(value));
}

void lt_algo_choose(const struct lt_problem *problem, cublasLtMatmulAlgo_t *algo)
{
    const struct lt_desc *desc = problem->desc;
    const struct family *family =
        find_family(desc->compute_type, desc->scale_type, problem->a->type, problem->d->type);

    fill(algo, family ? family->ids[0] : 0, desc->compute_type, desc->scale_type, problem->a->type,
         problem->b->type, problem->c->type, problem->d->type);
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t lightHandle,
                                        cublasComputeType_t computeType, cudaDataType_t scaleType,
                                        cudaDataType_t Atype, cudaDataType_t Btype,
                                        cudaDataType_t Ctype, cudaDataType_t Dtype,
                                        int requestedAlgoCount, int algoIdsArray[],
                                        int *returnAlgoCount)
{
    const struct family *family;
    int count = 0;

    if (!lt_handle_is_live(lightHandle))
        return logger_answer(__func__, CUBLAS_STATUS_NOT_INITIALIZED);
    if (requestedAlgoCount <= 0 || !algoIdsArray || !returnAlgoCount)
        return logger_answer(__func__, CUBLAS_STATUS_INVALID_VALUE);
    family = family_of_types(computeType, scaleType, Atype, Btype, Ctype, Dtype);
    if (!family)
        return logger_answer(__func__, CUBLAS_STATUS_NOT_SUPPORTED);
    for (; count < requestedAlgoCount && family->ids[count] >= 0; count++)
        algoIdsArray[count] = family->ids[count];
    *returnAlgoCount = count;
    return logger_answer(__func__, CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t lightHandle, cublasComputeType_t computeType,
                                      cudaDataType_t scaleType, cudaDataType_t Atype,
                                      cudaDataType_t Btype, cudaDataType_t Ctype,
                                      cudaDataType_t Dtype, int algoId, cublasLtMatmulAlgo_t *algo)
{
    const struct family *family;

    if (!lt_handle_is_live(lightHandle))
        return logger_answer(__func__, CUBLAS_STATUS_NOT_INITIALIZED);
    if (!algo)
        return logger_answer(__func__, CUBLAS_STATUS_INVALID_VALUE);
    family = family_of_types(computeType, scaleType, Atype, Btype, Ctype, Dtype);
    if (!family)
        return logger_answer(__func__, CUBLAS_STATUS_NOT_SUPPORTED);
    if (!has_id(family, algoId))
        return logger_answer(__func__, CUBLAS_STATUS_INVALID_VALUE);
    fill(algo, algoId, computeType, scaleType, Atype, Btype, Ctype, Dtype);
    return logger_answer(__func__, CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attr,
                                                    const void *buf, size_t sizeInBytes)
{
    return attribute_set(&table, lt_algo_is_valid(algo) ? algo : NULL, (int)attr, buf, sizeInBytes);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attr,
                                                    void *buf, size_t sizeInBytes,
                                                    size_t *sizeWritten)
{
    return attribute_get(&table, lt_algo_is_valid(algo) ? algo : NULL, (int)attr, buf, sizeInBytes,
                         sizeWritten);
}
