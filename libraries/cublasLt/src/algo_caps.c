/* SPDX-License-Identifier: MIT */
/* What an algorithm says of itself. It takes any tile, stage and split, since it ignores them. */
#include "lt.h"

#include <string.h>

enum { EPILOGUES_ALL = 0x3ff, ALIGNMENT = 16 };

/* How the product is computed, in NVIDIA's words. */
static uint64_t numerical_flags(const struct lt_algo *algo)
{
    switch (algo->a_type) {
    case CUDA_R_16F:
        return CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F |
               (algo->scale_type == CUDA_R_16F ? CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F
                                               : CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F);
    case CUDA_R_16BF:
        return CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF |
               CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E4M3 |
               CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F;
    case CUDA_R_8I:
        return CUBLASLT_NUMERICAL_IMPL_FLAGS_IMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8I |
               CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32I;
    case CUDA_R_64F:
    case CUDA_C_64F:
        return CUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_64F |
               CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F;
    default:
        if (algo->compute_type == CUBLAS_COMPUTE_32F_FAST_TF32)
            return CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32 |
                   CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F;
        return CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F |
               CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F;
    }
}

static uint32_t epilogue_mask(const struct lt_algo *algo)
{
    bool complex =
        algo->a_type == CUDA_C_32F || algo->a_type == CUDA_C_64F || algo->a_type == CUDA_C_8I;

    return complex || algo->scale_type == CUDA_R_32I ? CUBLASLT_EPILOGUE_DEFAULT : EPILOGUES_ALL;
}

static uint32_t alignment(const struct lt_algo *algo)
{
    if (algo->a_type == CUDA_R_8F_E4M3 || algo->a_type == CUDA_R_8F_E5M2)
        return ALIGNMENT;
    return algo->a_type == CUDA_R_8I ? 4
                                     : (uint32_t)product_type_bytes((cudaDataType_t)algo->a_type);
}

/* A value of up to 8 words, or a list. */
struct answer {
    uint32_t words[8];
    size_t bytes;
};

static struct answer word(uint32_t value)
{
    return (struct answer){.words = {value}, .bytes = 4};
}

/* bytes 0: there is no such attribute. */
static struct answer answer_of(const struct lt_algo *algo, cublasLtMatmulAlgoCapAttributes_t attr)
{
    uint64_t flags;

    switch (attr) {
    case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
    case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
    case CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT:
        return word(1);
    case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
        return word(CUBLASLT_REDUCTION_SCHEME_MASK);
    case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
    case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
    case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
    case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
    case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
    case CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT:
        return word(0);
    case CUBLASLT_ALGO_CAP_TILE_IDS:
        return (struct answer){.words = {CUBLASLT_MATMUL_TILE_64x64, CUBLASLT_MATMUL_TILE_64x128,
                                         CUBLASLT_MATMUL_TILE_128x64, CUBLASLT_MATMUL_TILE_128x128},
                               .bytes = 16};
    case CUBLASLT_ALGO_CAP_STAGES_IDS:
        return (struct answer){.words = {CUBLASLT_MATMUL_STAGES_32x3, CUBLASLT_MATMUL_STAGES_64x3},
                               .bytes = 8};
    case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
        return word(CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE);
    case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
        return word(epilogue_mask(algo));
    case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
        flags = numerical_flags(algo);
        return (struct answer){.words = {(uint32_t)flags, (uint32_t)(flags >> 32)}, .bytes = 8};
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
        return word(alignment(algo));
    default:
        return (struct answer){.bytes = 0};
    }
}

cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                 cublasLtMatmulAlgoCapAttributes_t attr, void *buf,
                                                 size_t sizeInBytes, size_t *sizeWritten)
{
    struct answer answer;

    if (!lt_algo_is_valid(algo))
        return CUBLAS_STATUS_INVALID_VALUE;
    answer = answer_of((const struct lt_algo *)algo, attr);
    if (answer.bytes == 0 || (!buf && (sizeInBytes != 0 || !sizeWritten)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (buf && sizeInBytes < answer.bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (buf)
        memcpy(buf, answer.words, answer.bytes);
    if (sizeWritten)
        *sizeWritten = answer.bytes;
    return CUBLAS_STATUS_SUCCESS;
}
