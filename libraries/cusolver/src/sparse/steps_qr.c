/* SPDX-License-Identifier: MIT */
/* QR step by step, on the host and on the device. Square matrices have LU factors below. */
#include "cusolver_typed.h"
#include "steps.h"

static struct sparse_input describe(enum openblas_type type, int m, int n, int count,
                                    const void *value, const int *start, const int *index)
{
    return (struct sparse_input){.type = type,
                                 .rows = m,
                                 .columns = n,
                                 .count = count,
                                 .start = start,
                                 .index = index,
                                 .value = value};
}

/* Factors; with a right-hand side, solves too. */
static cusolverStatus_t factor(struct steps_place place, struct steps *steps,
                               enum openblas_type type, int n, const void *b, void *x)
{
    cusolverStatus_t status = steps_factor(place, steps, SPARSE_PIVOTS_LARGEST, 0.1);

    if (status != CUSOLVER_STATUS_SUCCESS || !b || !x)
        return status;
    return steps_solve(place, steps, type, n, b, x);
}

cusolverStatus_t cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t *info)
{
    return steps_create(&steps_qr_host, (void **)info);
}

cusolverStatus_t cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info)
{
    return steps_destroy(&steps_qr_host, info);
}

cusolverStatus_t cusolverSpXcsrqrAnalysisHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                              const cusparseMatDescr_t descrA,
                                              const int *csrRowPtrA, const int *csrColIndA,
                                              csrqrInfoHost_t info)
{
    return steps_analyse(handle, steps_object(&steps_qr_host, info), descrA,
                         describe(OPENBLAS_S, m, n, nnzA, NULL, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrqr_buffer_info_host(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                           int n, int nnzA, const cusparseMatDescr_t descrA,
                                           const void *csrValA, const int *csrRowPtrA,
                                           const int *csrColIndA, csrqrInfoHost_t info,
                                           size_t *internalDataInBytes, size_t *workspaceInBytes)
{
    (void)typed, (void)m, (void)n, (void)nnzA, (void)descrA, (void)csrValA, (void)csrRowPtrA;
    (void)csrColIndA;
    return steps_sizes(handle, steps_object(&steps_qr_host, info), internalDataInBytes,
                       workspaceInBytes);
}

cusolverStatus_t sp_csrqr_setup_host(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                     int n, int nnzA, const cusparseMatDescr_t descrA,
                                     const void *csrValA, const int *csrRowPtrA,
                                     const int *csrColIndA, const void *mu, csrqrInfoHost_t info)
{
    const struct steps_place place = {handle, typed.name, false};

    return steps_setup(place, steps_object(&steps_qr_host, info), descrA,
                       describe(typed.type, m, n, nnzA, csrValA, csrRowPtrA, csrColIndA),
                       -sparse_load(typed.type, mu, 0));
}

cusolverStatus_t sp_csrqr_factor_host(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                      int n, int nnzA, void *b, void *x, csrqrInfoHost_t info,
                                      void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, false};

    (void)m, (void)nnzA, (void)pBuffer;
    return factor(place, steps_object(&steps_qr_host, info), typed.type, n, b, x);
}

cusolverStatus_t sp_csrqr_zero_pivot_host(struct lib_typed typed, cusolverSpHandle_t handle,
                                          csrqrInfoHost_t info, const void *tol, int *position)
{
    return steps_zero_pivot(handle, steps_object(&steps_qr_host, info),
                            lapack_get(typed.type, tol, 0), position);
}

cusolverStatus_t sp_csrqr_solve_host(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                     int n, void *b, void *x, csrqrInfoHost_t info, void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, false};

    (void)m, (void)pBuffer;
    return steps_solve(place, steps_object(&steps_qr_host, info), typed.type, n, b, x);
}

cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info)
{
    return steps_create(&steps_qr, (void **)info);
}

cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info)
{
    return steps_destroy(&steps_qr, info);
}

cusolverStatus_t cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, csrqrInfo_t info)
{
    return steps_analyse(handle, steps_object(&steps_qr, info), descrA,
                         describe(OPENBLAS_S, m, n, nnzA, NULL, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrqr_buffer_info(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                      int n, int nnzA, const cusparseMatDescr_t descrA,
                                      const void *csrValA, const int *csrRowPtrA,
                                      const int *csrColIndA, csrqrInfo_t info,
                                      size_t *internalDataInBytes, size_t *workspaceInBytes)
{
    (void)typed, (void)m, (void)n, (void)nnzA, (void)descrA, (void)csrValA, (void)csrRowPtrA;
    (void)csrColIndA;
    return steps_sizes(handle, steps_object(&steps_qr, info), internalDataInBytes,
                       workspaceInBytes);
}

cusolverStatus_t sp_csrqr_setup(struct lib_typed typed, cusolverSpHandle_t handle, int m, int n,
                                int nnzA, const cusparseMatDescr_t descrA, const void *csrValA,
                                const int *csrRowPtrA, const int *csrColIndA, const void *mu,
                                csrqrInfo_t info)
{
    const struct steps_place place = {handle, typed.name, true};

    return steps_setup(place, steps_object(&steps_qr, info), descrA,
                       describe(typed.type, m, n, nnzA, csrValA, csrRowPtrA, csrColIndA),
                       -sparse_load(typed.type, mu, 0));
}

cusolverStatus_t sp_csrqr_factor(struct lib_typed typed, cusolverSpHandle_t handle, int m, int n,
                                 int nnzA, void *b, void *x, csrqrInfo_t info, void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, true};

    (void)m, (void)nnzA, (void)pBuffer;
    return factor(place, steps_object(&steps_qr, info), typed.type, n, b, x);
}

cusolverStatus_t sp_csrqr_zero_pivot(struct lib_typed typed, cusolverSpHandle_t handle,
                                     csrqrInfo_t info, const void *tol, int *position)
{
    return steps_zero_pivot(handle, steps_object(&steps_qr, info), lapack_get(typed.type, tol, 0),
                            position);
}

cusolverStatus_t sp_csrqr_solve(struct lib_typed typed, cusolverSpHandle_t handle, int m, int n,
                                void *b, void *x, csrqrInfo_t info, void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, true};

    (void)m, (void)pBuffer;
    return steps_solve(place, steps_object(&steps_qr, info), typed.type, n, b, x);
}
