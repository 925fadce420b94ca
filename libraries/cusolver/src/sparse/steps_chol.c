/* SPDX-License-Identifier: MIT */
/* Cholesky factors step by step, on the host and on the device. */
#include "cusolver_typed.h"
#include "steps.h"

static struct sparse_input describe(enum openblas_type type, int n, int count, const void *value,
                                    const int *start, const int *index)
{
    return (struct sparse_input){.type = type,
                                 .rows = n,
                                 .columns = n,
                                 .count = count,
                                 .start = start,
                                 .index = index,
                                 .value = value};
}

static cusolverStatus_t factor(struct steps_place place, struct steps *steps,
                               const cusparseMatDescr_t descriptor, struct sparse_input input)
{
    cusolverStatus_t status = steps_setup(place, steps, descriptor, input, 0);

    return status ? status : steps_factor(place, steps, SPARSE_PIVOTS_POSITIVE, 0);
}

/* The tolerance is for the diagonal of the factor, whose squares are the pivots. */
static double squared(struct lib_typed typed, const void *tolerance)
{
    double value = lapack_get(typed.type, tolerance, 0);

    return value * value;
}

cusolverStatus_t cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t *info)
{
    return steps_create(&steps_chol_host, (void **)info);
}

cusolverStatus_t cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info)
{
    return steps_destroy(&steps_chol_host, info);
}

cusolverStatus_t cusolverSpXcsrcholAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA,
                                                const cusparseMatDescr_t descrA,
                                                const int *csrRowPtrA, const int *csrColIndA,
                                                csrcholInfoHost_t info)
{
    return steps_analyse(handle, steps_object(&steps_chol_host, info), descrA,
                         describe(OPENBLAS_S, n, nnzA, NULL, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrchol_buffer_info_host(struct lib_typed typed, cusolverSpHandle_t handle,
                                             int n, int nnzA, const cusparseMatDescr_t descrA,
                                             const void *csrValA, const int *csrRowPtrA,
                                             const int *csrColIndA, csrcholInfoHost_t info,
                                             size_t *internalDataInBytes, size_t *workspaceInBytes)
{
    (void)typed, (void)n, (void)nnzA, (void)descrA, (void)csrValA, (void)csrRowPtrA;
    (void)csrColIndA;
    return steps_sizes(handle, steps_object(&steps_chol_host, info), internalDataInBytes,
                       workspaceInBytes);
}

cusolverStatus_t sp_csrchol_factor_host(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                        int nnzA, const cusparseMatDescr_t descrA,
                                        const void *csrValA, const int *csrRowPtrA,
                                        const int *csrColIndA, csrcholInfoHost_t info,
                                        void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, false};

    (void)pBuffer;
    return factor(place, steps_object(&steps_chol_host, info), descrA,
                  describe(typed.type, n, nnzA, csrValA, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrchol_zero_pivot_host(struct lib_typed typed, cusolverSpHandle_t handle,
                                            csrcholInfoHost_t info, const void *tol, int *position)
{
    return steps_zero_pivot(handle, steps_object(&steps_chol_host, info), squared(typed, tol),
                            position);
}

cusolverStatus_t sp_csrchol_solve_host(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                       const void *b, void *x, csrcholInfoHost_t info,
                                       void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, false};

    (void)pBuffer;
    return steps_solve(place, steps_object(&steps_chol_host, info), typed.type, n, b, x);
}

cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info)
{
    return steps_create(&steps_chol, (void **)info);
}

cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info)
{
    return steps_destroy(&steps_chol, info);
}

cusolverStatus_t cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int nnzA,
                                            const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                            const int *csrColIndA, csrcholInfo_t info)
{
    return steps_analyse(handle, steps_object(&steps_chol, info), descrA,
                         describe(OPENBLAS_S, n, nnzA, NULL, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrchol_buffer_info(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                        int nnzA, const cusparseMatDescr_t descrA,
                                        const void *csrValA, const int *csrRowPtrA,
                                        const int *csrColIndA, csrcholInfo_t info,
                                        size_t *internalDataInBytes, size_t *workspaceInBytes)
{
    (void)typed, (void)n, (void)nnzA, (void)descrA, (void)csrValA, (void)csrRowPtrA;
    (void)csrColIndA;
    return steps_sizes(handle, steps_object(&steps_chol, info), internalDataInBytes,
                       workspaceInBytes);
}

cusolverStatus_t sp_csrchol_factor(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                   int nnzA, const cusparseMatDescr_t descrA, const void *csrValA,
                                   const int *csrRowPtrA, const int *csrColIndA, csrcholInfo_t info,
                                   void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, true};

    (void)pBuffer;
    return factor(place, steps_object(&steps_chol, info), descrA,
                  describe(typed.type, n, nnzA, csrValA, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrchol_zero_pivot(struct lib_typed typed, cusolverSpHandle_t handle,
                                       csrcholInfo_t info, const void *tol, int *position)
{
    return steps_zero_pivot(handle, steps_object(&steps_chol, info), squared(typed, tol), position);
}

cusolverStatus_t sp_csrchol_solve(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                  const void *b, void *x, csrcholInfo_t info, void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, true};

    (void)pBuffer;
    return steps_solve(place, steps_object(&steps_chol, info), typed.type, n, b, x);
}

cusolverStatus_t sp_csrchol_diag(struct lib_typed typed, cusolverSpHandle_t handle,
                                 csrcholInfo_t info, void *diag)
{
    const struct steps_place place = {handle, typed.name, true};

    return steps_diagonal(place, steps_object(&steps_chol, info), lapack_real(typed.type), diag);
}
