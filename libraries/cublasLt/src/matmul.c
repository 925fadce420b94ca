/* SPDX-License-Identifier: MIT */
/* The search for algorithms, their check, and the product. */
#include "logger.h"
#include "lt.h"
#include "work.h"

#include <stdatomic.h>
#include <string.h>

enum { WORKSPACE_ALIGNMENT = 16 };

static bool problem_init(struct lt_problem *problem, const void *desc, const void *a, const void *b,
                         const void *c, const void *d)
{
    *problem =
        (struct lt_problem){lt_desc(desc), lt_layout(a), lt_layout(b), lt_layout(c), lt_layout(d)};
    return problem->desc && problem->a && problem->b && problem->c && problem->d;
}

/* Sums of D's rows are the only thing for which NVIDIA's algorithms must have a workspace. Here
 * none is used. */
static size_t workspace_bytes(const struct lt_problem *problem)
{
    return problem->desc->epilogue & 16 ? (size_t)problem->d->rows * sizeof(float) : 0;
}

static void fill_result(const struct lt_problem *problem, cublasLtMatmulHeuristicResult_t *result)
{
    *result = (cublasLtMatmulHeuristicResult_t){
        .state = CUBLAS_STATUS_SUCCESS, .workspaceSize = workspace_bytes(problem), .wavesCount = 1};
    lt_algo_choose(problem, &result->algo);
}

static cublasStatus_t search(cublasLtHandle_t handle, struct lt_problem *problem, bool complete,
                             int requested, cublasLtMatmulHeuristicResult_t *results, int *count)
{
    struct product product;
    cublasStatus_t status;
    bool searched;

    if (!lt_handle_is_live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!complete || requested < 1 || !results || !count)
        return CUBLAS_STATUS_INVALID_VALUE;
    status = lt_problem_check(problem, &product, &searched);
    if (searched)
        *count = 0;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    fill_result(problem, results);
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc, cublasLtMatrixLayout_t Adesc,
    cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
    cublasLtMatmulPreference_t preference, int requestedAlgoCount,
    cublasLtMatmulHeuristicResult_t heuristicResultsArray[], int *returnAlgoCount)
{
    struct lt_problem problem;
    bool complete = problem_init(&problem, operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
    cublasStatus_t status = search(lightHandle, &problem, complete && preference,
                                   requestedAlgoCount, heuristicResultsArray, returnAlgoCount);

    if (status == CUBLAS_STATUS_SUCCESS && workspace_bytes(&problem) &&
        ((const struct lt_preference *)preference)->workspace_bytes == 0) {
        *returnAlgoCount = 0;
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return logger_answer(__func__, status);
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t lightHandle,
                                       cublasLtMatmulDesc_t operationDesc,
                                       cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                                       cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                                       const cublasLtMatmulAlgo_t *algo,
                                       cublasLtMatmulHeuristicResult_t *result)
{
    struct lt_problem problem;
    bool complete = problem_init(&problem, operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
    cublasLtMatmulHeuristicResult_t found;
    cublasStatus_t status;
    int count;

    if (!lt_algo_is_valid(algo) || !result)
        complete = false;
    status = search(lightHandle, &problem, complete, 1, &found, &count);
    if (status == CUBLAS_STATUS_SUCCESS) {
        found.algo = *algo;
        *result = found;
    }
    return logger_answer(__func__, status);
}

/* Takes a factor from the host, or leaves it for when the product runs. */
static void take_scalar(struct product_scalar *scalar, const void *pointer, cudaDataType_t type,
                        bool device)
{
    struct product_number value = {0};

    if (device)
        scalar->memory = pointer;
    else
        value = product_load(type, pointer);
    scalar->re = value.re;
    scalar->im = value.im;
}

static void take_scalars(const struct lt_desc *desc, struct product *product, const void *alpha,
                         const void *beta)
{
    int mode = desc->pointer_mode;
    bool vector = mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR;

    take_scalar(&product->alpha, alpha, product->scale_type, mode != CUBLASLT_POINTER_MODE_HOST);
    product->alpha.vector = vector;
    product->alpha.vector_stride = desc->alpha_stride;
    if (mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
        take_scalar(&product->beta, beta, product->scale_type,
                    mode == CUBLASLT_POINTER_MODE_DEVICE);
}

static bool misaligned(const void *address, size_t bytes)
{
    return bytes && (uintptr_t)address % bytes != 0;
}

/* An epilogue without its memory: the mask and the values that RELU and GELU leave are a matter of
 * algorithms, what is read or summed one of arguments. */
static cublasStatus_t check_epilogue_memory(const struct lt_problem *problem,
                                            const struct product *product)
{
    const struct product_epilogue *epilogue = &product->epilogue;
    bool gradient = epilogue->activation == PRODUCT_RELU_GRADIENT ||
                    epilogue->activation == PRODUCT_GELU_GRADIENT;

    if (epilogue->bias != PRODUCT_NO_BIAS && !epilogue->bias_memory)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (gradient && !epilogue->aux)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (problem->desc->aux && (problem->desc->epilogue & (2 | 32)) &&
        !(problem->desc->epilogue & 128)) /* memory without a use for it */
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (epilogue->activation != PRODUCT_NO_ACTIVATION && !epilogue->aux && !gradient &&
        (problem->desc->epilogue & 128))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

static bool is_zero(const struct product_scalar *scalar)
{
    return !scalar->memory && scalar->re == 0 && scalar->im == 0;
}

static void take_matrix(struct product_matrix *matrix, const struct lt_layout *layout,
                        const void *address)
{
    if (layout->batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY)
        matrix->pointers = (void *const *)address;
    else
        matrix->address = (void *)address;
}

/* s8 is read in groups of 4 bytes, fp8 in groups of 16. */
static size_t alignment_of(cudaDataType_t type)
{
    switch ((int)type) {
    case CUDA_R_8I:
        return 4;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return 16;
    default:
        return 1;
    }
}

static cublasStatus_t check_memory(const struct lt_problem *problem, const struct product *product,
                                   const void *a, const void *b, const void *c, const void *d)
{
    if (product->m == 0 || product->n == 0)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    if (((!a || !b) && !is_zero(&product->alpha)) || !d || (!c && !is_zero(&product->beta)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (misaligned(a, alignment_of(product->a.type)) ||
        misaligned(b, alignment_of(product->b.type)) ||
        misaligned(d, alignment_of(product->d.type)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return check_epilogue_memory(problem, product);
}

static bool operand_misaligned(const struct product_matrix *matrix)
{
    return !matrix->pointers && misaligned(matrix->address, product_type_bytes(matrix->type) /
                                                                (matrix->plane_offset ? 2 : 1));
}

/* Addresses that an element cannot have are found by the device. */
static CUresult run(void *arguments)
{
    const struct product *product = arguments;

    if (operand_misaligned(&product->a) || operand_misaligned(&product->b) ||
        operand_misaligned(&product->d))
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    return product_run(product);
}

static cublasStatus_t submit(const struct product *product, cudaStream_t stream)
{
    struct cupipe_range ranges[PRODUCT_RANGES_MOST];
    const struct lib_call call = {.name = "cublasLtMatmul",
                                  .stream = (CUstream)stream,
                                  .nanoseconds = product_estimate_ns(product),
                                  .operands = ranges,
                                  .operand_count = product_ranges(product, ranges)};

    return lt_status(lib_submit(&call, run, product, sizeof(*product)));
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc,
                              const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
                              const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta,
                              const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspaceSizeInBytes, cudaStream_t stream)
{
    struct lt_problem problem;
    struct product product;
    cublasStatus_t status;
    bool searched;

    if (!lt_handle_is_live(lightHandle))
        return logger_answer(__func__, CUBLAS_STATUS_NOT_INITIALIZED);
    if (!problem_init(&problem, computeDesc, Adesc, Bdesc, Cdesc, Ddesc) || !alpha || !beta)
        return logger_answer(__func__, CUBLAS_STATUS_INVALID_VALUE);
    status = lt_problem_check(&problem, &product, &searched);
    if (status != CUBLAS_STATUS_SUCCESS)
        return logger_answer(__func__, status);
    if (workspaceSizeInBytes && (!workspace || misaligned(workspace, WORKSPACE_ALIGNMENT)))
        return logger_answer(__func__, CUBLAS_STATUS_INVALID_VALUE);
    if (algo && !lt_algo_is_valid(algo))
        return logger_answer(__func__, CUBLAS_STATUS_NOT_SUPPORTED);
    take_scalars(problem.desc, &product, alpha, beta);
    status = check_memory(&problem, &product, A, B, C, D);
    if (status == CUBLAS_STATUS_SUCCESS && workspace_bytes(&problem) && !workspaceSizeInBytes)
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (status != CUBLAS_STATUS_SUCCESS)
        return logger_answer(__func__, status);
    take_matrix(&product.a, problem.a, A);
    take_matrix(&product.b, problem.b, B);
    take_matrix(&product.c, problem.c, C);
    take_matrix(&product.d, problem.d, D);
    if (problem.d->batch_count == 0)
        return logger_answer(__func__, CUBLAS_STATUS_SUCCESS);
    return logger_answer(__func__, submit(&product, stream));
}
