/* SPDX-License-Identifier: MIT */
/* The functions of cusolverRf. Those that read or write device memory are work of the default
 * stream, for which they wait: the object is the host's. */
#include "refactor.h"

#include "driver.h"

#include <stdlib.h>
#include <string.h>

static bool is_handle(cusolverRfHandle_t handle)
{
    return lib_object_is(handle, &refactor_type);
}

static cusolverStatus_t set_up(cusolverRfHandle_t handle, const struct refactor_setup *setup,
                               const void *const *arrays, size_t count)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (setup->n < 0 || setup->batch < 1)
        return CUSOLVER_STATUS_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!arrays[i])
            return CUSOLVER_STATUS_INVALID_VALUE;
    if (handle->format != CUSOLVERRF_MATRIX_FORMAT_CSR ||
        (handle->unit_diagonal != CUSOLVERRF_UNIT_DIAGONAL_STORED_L &&
         handle->unit_diagonal != CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return refactor_set_up(handle, setup);
}

/* The numbers of the first factors are not used: they are computed anew. */
cusolverStatus_t cusolverRfSetupHost(int n, int nnzA, int *h_csrRowPtrA, int *h_csrColIndA,
                                     double *h_csrValA, int nnzL, int *h_csrRowPtrL,
                                     int *h_csrColIndL, double *h_csrValL, int nnzU,
                                     int *h_csrRowPtrU, int *h_csrColIndU, double *h_csrValU,
                                     int *h_P, int *h_Q, cusolverRfHandle_t handle)
{
    const void *const arrays[] = {h_csrRowPtrA, h_csrColIndA, h_csrValA, h_csrRowPtrL, h_csrColIndL,
                                  h_csrRowPtrU, h_csrColIndU, h_P,       h_Q};
    const double *const values[] = {h_csrValA};
    const struct refactor_setup setup = {.n = n,
                                         .batch = 1,
                                         .a = {nnzA, h_csrRowPtrA, h_csrColIndA},
                                         .l = {nnzL, h_csrRowPtrL, h_csrColIndL},
                                         .u = {nnzU, h_csrRowPtrU, h_csrColIndU},
                                         .values = values,
                                         .p = h_P,
                                         .q = h_Q};

    (void)h_csrValL, (void)h_csrValU;
    return set_up(handle, &setup, arrays, sizeof(arrays) / sizeof(*arrays));
}

cusolverStatus_t cusolverRfBatchSetupHost(int batchSize, int n, int nnzA, int *h_csrRowPtrA,
                                          int *h_csrColIndA, double *h_csrValA_array[], int nnzL,
                                          int *h_csrRowPtrL, int *h_csrColIndL, double *h_csrValL,
                                          int nnzU, int *h_csrRowPtrU, int *h_csrColIndU,
                                          double *h_csrValU, int *h_P, int *h_Q,
                                          cusolverRfHandle_t handle)
{
    const void *const arrays[] = {h_csrRowPtrA, h_csrColIndA, h_csrValA_array,
                                  h_csrRowPtrL, h_csrColIndL, h_csrRowPtrU,
                                  h_csrColIndU, h_P,          h_Q};
    const struct refactor_setup setup = {.n = n,
                                         .batch = batchSize,
                                         .a = {nnzA, h_csrRowPtrA, h_csrColIndA},
                                         .l = {nnzL, h_csrRowPtrL, h_csrColIndL},
                                         .u = {nnzU, h_csrRowPtrU, h_csrColIndU},
                                         .values = (const double *const *)h_csrValA_array,
                                         .p = h_P,
                                         .q = h_Q};

    (void)h_csrValL, (void)h_csrValU;
    return set_up(handle, &setup, arrays, sizeof(arrays) / sizeof(*arrays));
}

/* Work with the object, for which the call waits. */
struct job {
    cusolverRfHandle_t handle;
    const struct refactor_setup *setup;
    const double *values;
    double *const *several; /* an array in device memory */
    double *x;
    int columns, ld;
    cusolverStatus_t status;
};

static CUresult run_setup(void *arguments)
{
    struct job *job = arguments;

    job->status = refactor_set_up(job->handle, job->setup);
    return CUDA_SUCCESS;
}

static void add(struct solver_ranges *ranges, const void *array, int64_t count, size_t bytes)
{
    solver_add(ranges, SOLVER_READ, array, count, 1, 1, bytes);
}

cusolverStatus_t cusolverRfSetupDevice(int n, int nnzA, int *csrRowPtrA, int *csrColIndA,
                                       double *csrValA, int nnzL, int *csrRowPtrL, int *csrColIndL,
                                       double *csrValL, int nnzU, int *csrRowPtrU, int *csrColIndU,
                                       double *csrValU, int *P, int *Q, cusolverRfHandle_t handle)
{
    const double *const values[] = {csrValA};
    const struct refactor_setup setup = {.n = n,
                                         .batch = 1,
                                         .a = {nnzA, csrRowPtrA, csrColIndA},
                                         .l = {nnzL, csrRowPtrL, csrColIndL},
                                         .u = {nnzU, csrRowPtrU, csrColIndU},
                                         .values = values,
                                         .p = P,
                                         .q = Q};
    struct job job = {.handle = handle, .setup = &setup};
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status;

    (void)csrValL, (void)csrValU;
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || nnzA < 0 || nnzL < 0 || nnzU < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (handle->format != CUSOLVERRF_MATRIX_FORMAT_CSR)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    add(&ranges, csrRowPtrA, (int64_t)n + 1, sizeof(int));
    add(&ranges, csrColIndA, nnzA, sizeof(int));
    add(&ranges, csrValA, nnzA, sizeof(double));
    add(&ranges, csrRowPtrL, (int64_t)n + 1, sizeof(int));
    add(&ranges, csrColIndL, nnzL, sizeof(int));
    add(&ranges, csrRowPtrU, (int64_t)n + 1, sizeof(int));
    add(&ranges, csrColIndU, nnzU, sizeof(int));
    add(&ranges, P, n, sizeof(int));
    add(&ranges, Q, n, sizeof(int));
    status = solver_submit_wait(NULL, __func__, 1e2 * nnzA, &ranges, run_setup, &job);
    return status ? status : job.status;
}

static CUresult run_reset(void *arguments)
{
    const struct job *job = arguments;

    for (int i = 0; i < job->handle->batch; i++)
        refactor_reset(job->handle, i, job->several ? job->several[i] : job->values);
    return CUDA_SUCCESS;
}

static cusolverStatus_t reset(cusolverRfHandle_t handle, const char *name, int batch, int n,
                              int nnzA, const double *values, double *const *several)
{
    struct job job = {.handle = handle, .values = values, .several = several};
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status;

    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->is_set || n != handle->n || nnzA != handle->count_a || batch != handle->batch)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (several)
        solver_add_through(&ranges, SOLVER_READ, several, batch, nnzA, 1, 1, sizeof(double));
    else
        add(&ranges, values, nnzA, sizeof(double));
    status = solver_submit_wait(NULL, name, (double)nnzA * batch, &ranges, run_reset, &job);
    handle->is_factored = false;
    return status;
}

cusolverStatus_t cusolverRfResetValues(int n, int nnzA, int *csrRowPtrA, int *csrColIndA,
                                       double *csrValA, int *P, int *Q, cusolverRfHandle_t handle)
{
    (void)csrRowPtrA, (void)csrColIndA, (void)P, (void)Q;
    return reset(handle, __func__, 1, n, nnzA, csrValA, NULL);
}

cusolverStatus_t cusolverRfBatchResetValues(int batchSize, int n, int nnzA, int *csrRowPtrA,
                                            int *csrColIndA, double *csrValA_array[], int *P,
                                            int *Q, cusolverRfHandle_t handle)
{
    (void)csrRowPtrA, (void)csrColIndA, (void)P, (void)Q;
    return reset(handle, __func__, batchSize, n, nnzA, NULL, csrValA_array);
}

/* The pattern was analysed by the setup. */
cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->is_set)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    handle->is_analysed = true;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t handle)
{
    return cusolverRfAnalyze(handle);
}

static cusolverStatus_t factor(cusolverRfHandle_t handle, int *positions)
{
    int *places = malloc(((size_t)handle->n + 1) * sizeof(*places)), zero = -1;

    if (!places)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    handle->was_boosted = false;
    for (int i = 0; i < handle->batch; i++) {
        int found = refactor_factor(handle, i, places);

        positions[i] = found;
        zero = found >= 0 ? found : zero;
    }
    free(places);
    handle->is_factored = true;
    return zero < 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ZERO_PIVOT;
}

static cusolverStatus_t refactor(cusolverRfHandle_t handle)
{
    cusolverStatus_t status;
    int *positions;

    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->is_analysed)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    positions = malloc((size_t)handle->batch * sizeof(*positions));
    status = positions ? factor(handle, positions) : CUSOLVER_STATUS_ALLOC_FAILED;
    free(positions);
    return status;
}

cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle)
{
    return refactor(handle);
}

/* A batch tells of zero pivots by cusolverRfBatchZeroPivot(). */
cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t handle)
{
    cusolverStatus_t status = refactor(handle);

    return status == CUSOLVER_STATUS_ZERO_PIVOT ? CUSOLVER_STATUS_SUCCESS : status;
}

cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position)
{
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;

    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->is_factored || !position)
        return CUSOLVER_STATUS_INVALID_VALUE;
    for (int i = 0; i < handle->batch; i++) {
        const double *value = handle->value + (size_t)i * (size_t)handle->count;

        position[i] = -1;
        for (int row = 0; row < handle->n && position[i] < 0; row++)
            if (value[handle->diagonal[row]] == 0)
                position[i] = row;
        if (position[i] >= 0)
            status = CUSOLVER_STATUS_ZERO_PIVOT;
    }
    return status;
}

static CUresult run_solve(void *arguments)
{
    const struct job *job = arguments;
    cusolverRfHandle_t handle = job->handle;
    double *memory = malloc(((size_t)handle->n + 1) * sizeof(*memory));

    if (!memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < handle->batch; i++)
        for (int j = 0; j < job->columns; j++)
            refactor_solve(handle, i,
                           (job->several ? job->several[i] : job->x) + (size_t)j * (size_t)job->ld,
                           memory);
    free(memory);
    return CUDA_SUCCESS;
}

static cusolverStatus_t solve(cusolverRfHandle_t handle, const char *name, int columns, double *x,
                              double *const *several, int ld)
{
    struct job job = {.handle = handle, .x = x, .several = several, .columns = columns, .ld = ld};
    struct solver_ranges ranges = {.count = 0};

    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (columns < 0 || !solver_is_ld(ld, handle->n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!handle->is_factored)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    if (several)
        solver_add_through(&ranges, SOLVER_UPDATED, several, handle->batch, handle->n, columns, ld,
                           sizeof(double));
    else
        solver_add(&ranges, SOLVER_UPDATED, x, handle->n, columns, ld, sizeof(double));
    return solver_submit_wait(NULL, name, 2.0 * handle->count * columns * handle->batch, &ranges,
                              run_solve, &job);
}

cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs, double *Temp,
                                 int ldt, double *XF, int ldxf)
{
    (void)P, (void)Q, (void)Temp, (void)ldt;
    return solve(handle, __func__, nrhs, XF, NULL, ldxf);
}

cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs,
                                      double *Temp, int ldt, double *XF_array[], int ldxf)
{
    (void)P, (void)Q, (void)Temp, (void)ldt;
    return solve(handle, __func__, nrhs, NULL, XF_array, ldxf);
}

/* The factors stand in memory of the host, which a kernel cannot read. */
cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int *nnzM,
                                                      int **Mp, int **Mi, double **Mx)
{
    (void)nnzM, (void)Mp, (void)Mi, (void)Mx;
    return is_handle(handle) ? CUSOLVER_STATUS_NOT_SUPPORTED : CUSOLVER_STATUS_NOT_INITIALIZED;
}

/* A copy that the program frees with free(). */
static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes ? bytes : 1);

    return to ? memcpy(to, from, bytes) : NULL;
}

cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int *h_nnzM,
                                                     int **h_Mp, int **h_Mi, double **h_Mx)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!h_nnzM || !h_Mp || !h_Mi || !h_Mx)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!handle->is_factored)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    *h_nnzM = handle->count;
    *h_Mp = copy(handle->start, ((size_t)handle->n + 1) * sizeof(int));
    *h_Mi = copy(handle->index, (size_t)handle->count * sizeof(int));
    *h_Mx = copy(handle->value, (size_t)handle->count * sizeof(double));
    return *h_Mp && *h_Mi && *h_Mx ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

/* Copies the part of the rows on one side of the diagonal. L gets its unit diagonal, if the format
 * of the factors has it stored. */
static bool split(cusolverRfHandle_t handle, bool is_lower, int *count, int **start, int **index,
                  double **value)
{
    const size_t room = (size_t)handle->count + (size_t)handle->n + 1;
    const int stored = handle->unit_diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
    int place = 0;

    *start = malloc(((size_t)handle->n + 1) * sizeof(int));
    *index = malloc(room * sizeof(int));
    *value = malloc(room * sizeof(double));
    if (!*start || !*index || !*value)
        return false;
    (*start)[0] = 0;
    for (int i = 0; i < handle->n; i++) {
        const int first = is_lower ? handle->start[i] : handle->diagonal[i];
        const int end = is_lower ? handle->diagonal[i] + stored : handle->start[i + 1];

        for (int k = first; k < end; k++) {
            (*index)[place] = handle->index[k];
            (*value)[place++] = is_lower && k == handle->diagonal[i] ? 1 : handle->value[k];
        }
        (*start)[i + 1] = place;
    }
    *count = place;
    return true;
}

cusolverStatus_t cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle, int *h_nnzL,
                                                   int **h_csrRowPtrL, int **h_csrColIndL,
                                                   double **h_csrValL, int *h_nnzU,
                                                   int **h_csrRowPtrU, int **h_csrColIndU,
                                                   double **h_csrValU)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!h_nnzL || !h_csrRowPtrL || !h_csrColIndL || !h_csrValL || !h_nnzU || !h_csrRowPtrU ||
        !h_csrColIndU || !h_csrValU)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!handle->is_factored)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    return split(handle, true, h_nnzL, h_csrRowPtrL, h_csrColIndL, h_csrValL) &&
                   split(handle, false, h_nnzU, h_csrRowPtrU, h_csrColIndU, h_csrValU)
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_ALLOC_FAILED;
}
