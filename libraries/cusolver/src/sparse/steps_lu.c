/* SPDX-License-Identifier: MIT */
/* LU step by step, on the host; the factors can be taken out, for cusolverRf. */
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

cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info)
{
    return steps_create(&steps_lu_host, (void **)info);
}

cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info)
{
    return steps_destroy(&steps_lu_host, info);
}

cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA,
                                              const cusparseMatDescr_t descrA,
                                              const int *csrRowPtrA, const int *csrColIndA,
                                              csrluInfoHost_t info)
{
    return steps_analyse(handle, steps_object(&steps_lu_host, info), descrA,
                         describe(OPENBLAS_S, n, nnzA, NULL, csrRowPtrA, csrColIndA));
}

cusolverStatus_t sp_csrlu_buffer_info_host(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                           int nnzA, const cusparseMatDescr_t descrA,
                                           const void *csrValA, const int *csrRowPtrA,
                                           const int *csrColIndA, csrluInfoHost_t info,
                                           size_t *internalDataInBytes, size_t *workspaceInBytes)
{
    (void)typed, (void)n, (void)nnzA, (void)descrA, (void)csrValA, (void)csrRowPtrA;
    (void)csrColIndA;
    return steps_sizes(handle, steps_object(&steps_lu_host, info), internalDataInBytes,
                       workspaceInBytes);
}

cusolverStatus_t sp_csrlu_factor_host(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                      int nnzA, const cusparseMatDescr_t descrA,
                                      const void *csrValA, const int *csrRowPtrA,
                                      const int *csrColIndA, csrluInfoHost_t info,
                                      const void *pivot_threshold, void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, false};
    struct steps *steps = steps_object(&steps_lu_host, info);
    cusolverStatus_t status = steps_setup(
        place, steps, descrA, describe(typed.type, n, nnzA, csrValA, csrRowPtrA, csrColIndA), 0);

    (void)pBuffer;
    return status ? status
                  : steps_factor(place, steps, SPARSE_PIVOTS_LARGEST,
                                 lapack_get(typed.type, pivot_threshold, 0));
}

cusolverStatus_t sp_csrlu_zero_pivot_host(struct lib_typed typed, cusolverSpHandle_t handle,
                                          csrluInfoHost_t info, const void *tol, int *position)
{
    return steps_zero_pivot(handle, steps_object(&steps_lu_host, info),
                            lapack_get(typed.type, tol, 0), position);
}

cusolverStatus_t sp_csrlu_solve_host(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                     const void *b, void *x, csrluInfoHost_t info, void *pBuffer)
{
    const struct steps_place place = {handle, typed.name, false};

    (void)pBuffer;
    return steps_solve(place, steps_object(&steps_lu_host, info), typed.type, n, b, x);
}

static const struct sparse_lu *factors_of(csrluInfoHost_t info)
{
    const struct steps *steps = steps_object(&steps_lu_host, info);

    return steps && steps->is_factored && steps->lu.singular_at < 0 ? &steps->lu : NULL;
}

/* L has no diagonal: it is one. */
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *nnzLRef, int *nnzURef,
                                         csrluInfoHost_t info)
{
    const struct sparse_lu *lu = factors_of(info);

    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!lu || !nnzLRef || !nnzURef)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *nnzLRef = lu->l.start[lu->n];
    *nnzURef = lu->u.start[lu->n];
    return CUSOLVER_STATUS_SUCCESS;
}

/* Writes a factor in compressed rows, from one in columns. */
static bool extract(const struct sparse_matrix *columns, enum openblas_type type, int base,
                    void *value, int *start, int *index)
{
    struct sparse_matrix rows = {.rows = 0};
    bool has_memory = sparse_transpose(columns, &rows);
    int place = 0;

    for (int i = 0; has_memory && i < rows.rows; i++) {
        start[i] = place + base;
        for (int k = rows.start[i]; k < rows.start[i + 1]; k++) {
            index[place] = rows.index[k] + base;
            sparse_store(type, value, place++, rows.value[k]);
        }
    }
    if (has_memory)
        start[rows.rows] = place + base;
    sparse_free(&rows);
    return has_memory;
}

cusolverStatus_t sp_csrlu_extract_host(struct lib_typed typed, cusolverSpHandle_t handle, int *P,
                                       int *Q, const cusparseMatDescr_t descrL, void *csrValL,
                                       int *csrRowPtrL, int *csrColIndL,
                                       const cusparseMatDescr_t descrU, void *csrValU,
                                       int *csrRowPtrU, int *csrColIndU, csrluInfoHost_t info,
                                       void *pBuffer)
{
    const struct sparse_lu *lu = factors_of(info);
    int base_l, base_u;

    (void)pBuffer;
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!lu || !P || !Q || !csrValL || !csrRowPtrL || !csrColIndL || !csrValU || !csrRowPtrU ||
        !csrColIndU || sparse_base(descrL, &base_l) || sparse_base(descrU, &base_u))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!extract(&lu->l, typed.type, base_l, csrValL, csrRowPtrL, csrColIndL) ||
        !extract(&lu->u, typed.type, base_u, csrValU, csrRowPtrU, csrColIndU))
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int i = 0; i < lu->n; i++) {
        P[i] = lu->row_at[i];
        Q[i] = lu->column_at[i];
    }
    return CUSOLVER_STATUS_SUCCESS;
}
