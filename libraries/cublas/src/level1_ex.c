/* SPDX-License-Identifier: MIT */
/* The functions of level 1 whose types are arguments. Vectors of 16 bits are computed in 32; all
 * other types are computed in themselves. */
#include "level1.h"

enum { TYPES_END = 28 }; /* the types from there on are of 8 bits and less */

/* The type in which vectors of the type are computed; -1: there are no such vectors. */
static int execution_of(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_32F:
        return CUDA_R_32F;
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_C_64F:
        return (int)type;
    default:
        return -1;
    }
}

static cudaDataType_t real_of(cudaDataType_t type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

static bool is_known(cudaDataType_t type)
{
    return (unsigned)type < TYPES_END;
}

/* What a call answers whose types do not fit: some functions tell types that they do not know from
 * combinations that they do not have. */
static cublasStatus_t check_types(cublasHandle_t handle, bool all_known, bool combination_exists)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!all_known)
        return CUBLAS_STATUS_INVALID_VALUE;
    return combination_exists ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasAxpyEx_64(cublasHandle_t handle, int64_t n, const void *alpha,
                               cudaDataType alphaType, const void *x, cudaDataType xType,
                               int64_t incx, void *y, cudaDataType yType, int64_t incy,
                               cudaDataType executiontype)
{
    const int execution = execution_of(xType);
    cublasStatus_t status = check_types(
        handle,
        is_known(alphaType) && is_known(xType) && is_known(yType) && is_known(executiontype),
        yType == xType && (int)alphaType == execution && (int)executiontype == execution);

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_axpy(handle, "cublasAxpyEx", n, (struct blas_number){(void *)alpha, alphaType},
                     (struct blas_vector){(void *)x, incx, xType},
                     (struct blas_vector){y, incy, yType});
}

cublasStatus_t cublasScalEx_64(cublasHandle_t handle, int64_t n, const void *alpha,
                               cudaDataType alphaType, void *x, cudaDataType xType, int64_t incx,
                               cudaDataType executionType)
{
    const int execution = execution_of(xType);
    cublasStatus_t status =
        check_types(handle, is_known(alphaType) && is_known(xType) && is_known(executionType),
                    (int)alphaType == execution && (int)executionType == execution);

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_scal(handle, "cublasScalEx", n, (struct blas_number){(void *)alpha, alphaType},
                     (struct blas_vector){x, incx, xType});
}

cublasStatus_t cublasCopyEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                               int64_t incx, void *y, cudaDataType yType, int64_t incy)
{
    cublasStatus_t status = check_types(handle, true, xType == yType && execution_of(xType) >= 0);

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_copy(handle, "cublasCopyEx", n, (struct blas_vector){(void *)x, incx, xType},
                     (struct blas_vector){y, incy, yType});
}

cublasStatus_t cublasSwapEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType,
                               int64_t incx, void *y, cudaDataType yType, int64_t incy)
{
    cublasStatus_t status = check_types(handle, true, xType == yType && execution_of(xType) >= 0);

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_swap(handle, "cublasSwapEx", n, (struct blas_vector){x, incx, xType},
                     (struct blas_vector){y, incy, yType});
}

static cublasStatus_t dot(cublasHandle_t handle, const char *name, bool conjugated, int64_t n,
                          struct blas_vector x, struct blas_vector y, struct blas_number result,
                          cudaDataType_t execution)
{
    cublasStatus_t status = check_types(
        handle,
        is_known(x.type) && is_known(y.type) && is_known(result.type) && is_known(execution),
        y.type == x.type && result.type == x.type && (int)execution == execution_of(x.type));

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_dot(handle, name, conjugated, n, x, y, result);
}

cublasStatus_t cublasDotEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                              int64_t incx, const void *y, cudaDataType yType, int64_t incy,
                              void *result, cudaDataType resultType, cudaDataType executionType)
{
    return dot(handle, "cublasDotEx", false, n, (struct blas_vector){(void *)x, incx, xType},
               (struct blas_vector){(void *)y, incy, yType},
               (struct blas_number){result, resultType}, executionType);
}

cublasStatus_t cublasDotcEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                               int64_t incx, const void *y, cudaDataType yType, int64_t incy,
                               void *result, cudaDataType resultType, cudaDataType executionType)
{
    return dot(handle, "cublasDotcEx", true, n, (struct blas_vector){(void *)x, incx, xType},
               (struct blas_vector){(void *)y, incy, yType},
               (struct blas_number){result, resultType}, executionType);
}

cublasStatus_t cublasNrm2Ex_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                               int64_t incx, void *result, cudaDataType resultType,
                               cudaDataType executionType)
{
    const int execution = execution_of(xType);
    cublasStatus_t status =
        check_types(handle, is_known(xType) && is_known(resultType) && is_known(executionType),
                    execution >= 0 && resultType == real_of(xType) &&
                        executionType == real_of((cudaDataType_t)execution));

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_nrm2(handle, "cublasNrm2Ex", n, (struct blas_vector){(void *)x, incx, xType},
                     (struct blas_number){result, resultType});
}

cublasStatus_t cublasAsumEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                               int64_t incx, void *result, cudaDataType resultType,
                               cudaDataType executiontype)
{
    const int execution = execution_of(xType);
    cublasStatus_t status =
        check_types(handle, true,
                    execution >= 0 && resultType == real_of((cudaDataType_t)execution) &&
                        (int)executiontype == execution);

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_asum(handle, "cublasAsumEx", n, (struct blas_vector){(void *)x, incx, xType},
                     (struct blas_number){result, resultType});
}

static cublasStatus_t iamax(cublasHandle_t handle, const char *name, bool smallest, int64_t n,
                            struct blas_vector x, void *result, bool wide)
{
    cublasStatus_t status = check_types(handle, true, execution_of(x.type) >= 0);

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_iamax(handle, name, smallest, n, x, result, wide);
}

cublasStatus_t cublasIamaxEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
                             int incx, int *result)
{
    return iamax(handle, "cublasIamaxEx", false, n, (struct blas_vector){(void *)x, incx, xType},
                 result, false);
}

cublasStatus_t cublasIamaxEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                                int64_t incx, int64_t *result)
{
    return iamax(handle, "cublasIamaxEx", false, n, (struct blas_vector){(void *)x, incx, xType},
                 result, true);
}

cublasStatus_t cublasIaminEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
                             int incx, int *result)
{
    return iamax(handle, "cublasIaminEx", true, n, (struct blas_vector){(void *)x, incx, xType},
                 result, false);
}

cublasStatus_t cublasIaminEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                                int64_t incx, int64_t *result)
{
    return iamax(handle, "cublasIaminEx", true, n, (struct blas_vector){(void *)x, incx, xType},
                 result, true);
}

cublasStatus_t cublasRotEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType,
                              int64_t incx, void *y, cudaDataType yType, int64_t incy,
                              const void *c, const void *s, cudaDataType csType,
                              cudaDataType executiontype)
{
    cublasStatus_t status =
        check_types(handle, true,
                    yType == xType && (csType == xType || csType == real_of(xType)) &&
                        execution_of(xType) >= 0 && (int)executiontype == execution_of(xType));

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_rot(handle, "cublasRotEx", n, (struct blas_vector){x, incx, xType},
                    (struct blas_vector){y, incy, yType}, (struct blas_number){(void *)c, csType},
                    (struct blas_number){(void *)s, csType});
}

static bool is_real_combination(cudaDataType_t type, cudaDataType_t execution)
{
    return execution_of(type) == (int)execution && !blas_element_is_complex(type);
}

cublasStatus_t cublasRotgEx(cublasHandle_t handle, void *a, void *b, cudaDataType abType, void *c,
                            void *s, cudaDataType csType, cudaDataType executiontype)
{
    cublasStatus_t status =
        check_types(handle, true, csType == abType && is_real_combination(abType, executiontype));

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_rotg(handle, "cublasRotgEx", (struct blas_number){a, abType},
                     (struct blas_number){b, abType}, (struct blas_number){c, csType},
                     (struct blas_number){s, csType});
}

cublasStatus_t cublasRotmEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType,
                               int64_t incx, void *y, cudaDataType yType, int64_t incy,
                               const void *param, cudaDataType paramType,
                               cudaDataType executiontype)
{
    cublasStatus_t status = check_types(handle, true,
                                        yType == xType && paramType == xType &&
                                            is_real_combination(xType, executiontype));

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_rotm(handle, "cublasRotmEx", n, (struct blas_vector){x, incx, xType},
                     (struct blas_vector){y, incy, yType},
                     (struct blas_number){(void *)param, paramType});
}

cublasStatus_t cublasRotmgEx(cublasHandle_t handle, void *d1, cudaDataType d1Type, void *d2,
                             cudaDataType d2Type, void *x1, cudaDataType x1Type, const void *y1,
                             cudaDataType y1Type, void *param, cudaDataType paramType,
                             cudaDataType executiontype)
{
    cublasStatus_t status =
        check_types(handle, true,
                    d2Type == d1Type && x1Type == d1Type && y1Type == d1Type &&
                        paramType == d1Type && is_real_combination(d1Type, executiontype));

    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return blas_rotmg(handle, "cublasRotmgEx", (struct blas_number){d1, d1Type},
                      (struct blas_number){d2, d2Type}, (struct blas_number){x1, x1Type},
                      (struct blas_number){(void *)y1, y1Type},
                      (struct blas_number){param, paramType});
}
