/* SPDX-License-Identifier: MIT */
/* SpSV and SpSM. The analysis copies the values of the matrix into the program's buffer; a solve
 * uses these, and an update changes them, as the manual has it. */
#include "solve.h"

#include "view.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_LEAST = 8 };

/* What both descriptors are: where the analysis put the values, and the levels that it makes. */
struct solve_state {
    bool analysed;
    struct cusparseSpMatDescr matrix; /* its values are in the buffer */
    struct sparse_levels *levels;
};

struct cusparseSpSVDescr {
    struct lib_object base;
    struct solve_state state;
};

struct cusparseSpSMDescr {
    struct lib_object base;
    struct solve_state state;
};

static void finish_spsv(void *object)
{
    sparse_levels_release(((struct cusparseSpSVDescr *)object)->state.levels);
}

static void finish_spsm(void *object)
{
    sparse_levels_release(((struct cusparseSpSMDescr *)object)->state.levels);
}

static const struct lib_object_type spsv_type = {sizeof(struct cusparseSpSVDescr), finish_spsv};
static const struct lib_object_type spsm_type = {sizeof(struct cusparseSpSMDescr), finish_spsm};

static cusparseStatus_t create(void **descr, const struct lib_object_type *type)
{
    void *created;

    if (!descr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *descr = created;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t destroy(void *descr, const struct lib_object_type *type)
{
    if (!descr || lib_object_destroy(descr, type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
    return create((void **)descr, &spsv_type);
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
    return destroy(descr, &spsv_type);
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr)
{
    return create((void **)descr, &spsm_type);
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr)
{
    return destroy(descr, &spsm_type);
}

static struct cusparseDnMatDescr column_of(const struct cusparseDnVecDescr *vector)
{
    return (struct cusparseDnMatDescr){.rows = vector->size,
                                       .cols = 1,
                                       .ld = vector->size,
                                       .values = vector->values,
                                       .type = vector->type,
                                       .order = CUSPARSE_ORDER_COL,
                                       .batch_count = 1};
}

static cusparseStatus_t check_solve(const struct sparse_solve *solve, bool takes_sell)
{
    const struct cusparseSpMatDescr *a = &solve->a;
    int64_t columns = solve->op_x ? solve->x.rows : solve->x.cols;

    if (a->rows != a->cols || (solve->op_x ? solve->x.cols : solve->x.rows) != a->rows ||
        solve->y.rows != a->rows || solve->y.cols != columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->format != CUSPARSE_FORMAT_CSR && a->format != CUSPARSE_FORMAT_COO &&
        !(takes_sell && a->format == CUSPARSE_FORMAT_SLICED_ELLPACK))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (a->index_type == CUSPARSE_INDEX_16U || a->offset_type == CUSPARSE_INDEX_16U ||
        a->type != solve->computed || solve->x.type != solve->computed ||
        solve->y.type != solve->computed)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (solve->computed != CUDA_R_32F && solve->computed != CUDA_R_64F &&
        solve->computed != CUDA_C_32F && solve->computed != CUDA_C_64F)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

static size_t value_bytes(const struct cusparseSpMatDescr *matrix)
{
    int64_t count = matrix->format == CUSPARSE_FORMAT_SLICED_ELLPACK ? matrix->stored : matrix->nnz;

    return (size_t)count * sparse_bytes(matrix->type);
}

static cusparseStatus_t answer_size(const struct sparse_solve *solve, cusparseStatus_t status,
                                    size_t *size)
{
    if (status == CUSPARSE_STATUS_SUCCESS && !size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS)
        *size = value_bytes(&solve->a) + BUFFER_LEAST;
    return status;
}

struct copy_work {
    void *to;
    const void *from;
    size_t bytes;
};

static CUresult copy_run(void *arguments)
{
    const struct copy_work *copy = arguments;

    memcpy(copy->to, copy->from, copy->bytes);
    return CUDA_SUCCESS;
}

static cusparseStatus_t copy_values(cusparseHandle_t handle, const char *name, void *to,
                                    const void *from, size_t bytes)
{
    struct copy_work copy = {to, from, bytes};
    struct sparse_ranges ranges = {.count = 0};

    sparse_reads(&ranges, from, (int64_t)bytes, 1);
    sparse_writes(&ranges, to, (int64_t)bytes, 1);
    return sparse_submit(handle, name, (int64_t)bytes / 8, &ranges, copy_run, &copy, sizeof(copy));
}

/* Work that shares the levels of a descriptor, which may go before it. */
struct levels_work {
    struct sparse_solve solve;
    void *buffer; /* of an analysis */
};

static void levels_release(void *arguments)
{
    struct levels_work *work = arguments;

    sparse_levels_release(work->solve.levels);
    free(work);
}

static CUresult analyse_run(void *arguments)
{
    const struct levels_work *work = arguments;

    memcpy(work->buffer, work->solve.a.values, value_bytes(&work->solve.a));
    return sparse_solve_analyse(&work->solve);
}

static CUresult solve_run(void *arguments)
{
    return sparse_solve_run(&((struct levels_work *)arguments)->solve);
}

static struct levels_work *new_work(const struct sparse_solve *solve, struct sparse_levels *levels)
{
    struct levels_work *work = malloc(sizeof(*work));

    if (work)
        *work = (struct levels_work){.solve = *solve};
    if (work)
        work->solve.levels = sparse_levels_reference(levels);
    return work;
}

static cusparseStatus_t analyse(cusparseHandle_t handle, const char *name,
                                const struct sparse_solve *solve, struct solve_state *state,
                                void *buffer)
{
    struct sparse_levels *levels = sparse_levels_create();
    struct levels_work *work = levels ? new_work(solve, levels) : NULL;
    struct sparse_ranges ranges = {.count = 0};

    if (!work) {
        sparse_levels_release(levels);
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    work->buffer = buffer;
    sparse_levels_release(state->levels);
    state->levels = levels;
    state->matrix = solve->a;
    state->matrix.values = buffer;
    state->analysed = true;
    sparse_add_sp_mat(&ranges, &solve->a);
    sparse_writes(&ranges, buffer, (int64_t)value_bytes(&solve->a), 1);
    return sparse_submit_owned(handle, name, solve->a.nnz * 2, &ranges, analyse_run, levels_release,
                               work);
}

static cusparseStatus_t submit_solve(cusparseHandle_t handle, const char *name,
                                     struct sparse_solve *solve, const struct solve_state *state)
{
    struct sparse_ranges ranges = {.count = 0};
    struct levels_work *work;

    if (!state->analysed)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    solve->a.values = state->matrix.values;
    work = new_work(solve, state->levels);
    if (!work)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    sparse_add_scalar(&ranges, &solve->alpha, solve->computed);
    sparse_add_sp_mat(&ranges, &solve->a);
    sparse_add_dn_mat(&ranges, &solve->x);
    sparse_update_dn_mat(&ranges, &solve->y, NULL, solve->computed);
    return sparse_submit_owned(handle, name, solve->a.nnz * solve->y.cols * 4, &ranges, solve_run,
                               levels_release, work);
}

struct diagonal_work {
    struct cusparseSpMatDescr matrix;
    const void *diagonal;
};

static CUresult diagonal_run(void *arguments)
{
    const struct diagonal_work *work = arguments;
    size_t bytes = sparse_bytes(work->matrix.type);
    int64_t *places = NULL;
    struct sparse_view view;
    CUresult result = sparse_view_open(&view, &work->matrix, 0);

    if (result != CUDA_SUCCESS)
        return result;
    result = sparse_view_places(&work->matrix, 0, &places);
    for (int64_t row = 0; row < view.rows && result == CUDA_SUCCESS; row++)
        for (int64_t k = sparse_view_offset(&view, row); k < sparse_view_offset(&view, row + 1);
             k++)
            if (sparse_view_index(&view, k) == row)
                memcpy(sparse_at(work->matrix.values, places ? places[k] : k, bytes),
                       sparse_at(work->diagonal, row, bytes), bytes);
    free(places);
    sparse_view_close(&view);
    return result;
}

static cusparseStatus_t update(cusparseHandle_t handle, const char *name,
                               const struct solve_state *state, void *values, bool diagonal)
{
    struct diagonal_work work = {state->matrix, values};
    struct sparse_ranges ranges = {.count = 0};

    if (!state->analysed || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!diagonal)
        return copy_values(handle, name, state->matrix.values, values, value_bytes(&state->matrix));
    sparse_reads(&ranges, values, state->matrix.rows, sparse_bytes(state->matrix.type));
    sparse_add_sp_mat(&ranges, &state->matrix);
    sparse_writes_some(&ranges, state->matrix.values, (int64_t)value_bytes(&state->matrix), 1);
    return sparse_submit(handle, name, state->matrix.nnz, &ranges, diagonal_run, &work,
                         sizeof(work));
}

static cusparseStatus_t prepare_spsv(struct sparse_solve *solve, cusparseHandle_t handle,
                                     cusparseOperation_t opA, const void *alpha,
                                     cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                     cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                     cusparseSpSVAlg_t alg, cusparseSpSVDescr_t spsvDescr)
{
    if (!sparse_is_handle(handle) || !sparse_is_operation(opA) || !alpha ||
        !sparse_is_sp_mat(matA) || !sparse_is_dn_vec(vecX) || !sparse_is_dn_vec(vecY) ||
        alg != CUSPARSE_SPSV_ALG_DEFAULT || !lib_object_is(spsvDescr, &spsv_type))
        return CUSPARSE_STATUS_INVALID_VALUE;
    *solve = (struct sparse_solve){.a = *matA,
                                   .x = column_of(vecX),
                                   .y = column_of(vecY),
                                   .op_a = opA,
                                   .alpha = sparse_scalar(handle, alpha, computeType),
                                   .computed = computeType};
    return check_solve(solve, true);
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                         cudaDataType computeType, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t spsvDescr, size_t *bufferSize)
{
    struct sparse_solve solve;

    return answer_size(
        &solve,
        prepare_spsv(&solve, handle, opA, alpha, matA, vecX, vecY, computeType, alg, spsvDescr),
        bufferSize);
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       const void *alpha, cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                       cudaDataType computeType, cusparseSpSVAlg_t alg,
                                       cusparseSpSVDescr_t spsvDescr, void *buffer)
{
    struct sparse_solve solve;
    cusparseStatus_t status =
        prepare_spsv(&solve, handle, opA, alpha, matA, vecX, vecY, computeType, alg, spsvDescr);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return analyse(handle, "cusparseSpSV_analysis", &solve, &spsvDescr->state, buffer);
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    const void *alpha, cusparseConstSpMatDescr_t matA,
                                    cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                    cudaDataType computeType, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t spsvDescr)
{
    struct sparse_solve solve;
    cusparseStatus_t status =
        prepare_spsv(&solve, handle, opA, alpha, matA, vecX, vecY, computeType, alg, spsvDescr);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_solve(handle, "cusparseSpSV_solve", &solve, &spsvDescr->state);
}

cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr,
                                           void *newValues, cusparseSpSVUpdate_t updatePart)
{
    if (!sparse_is_handle(handle) || !lib_object_is(spsvDescr, &spsv_type) ||
        (unsigned)updatePart > CUSPARSE_SPSV_UPDATE_DIAGONAL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return update(handle, "cusparseSpSV_updateMatrix", &spsvDescr->state, newValues,
                  updatePart == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}

static cusparseStatus_t prepare_spsm(struct sparse_solve *solve, cusparseHandle_t handle,
                                     cusparseOperation_t opA, cusparseOperation_t opB,
                                     const void *alpha, cusparseConstSpMatDescr_t matA,
                                     cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                     cudaDataType computeType, cusparseSpSMAlg_t alg,
                                     cusparseSpSMDescr_t spsmDescr)
{
    if (!sparse_is_handle(handle) || !sparse_is_operation(opA) || !sparse_is_operation(opB) ||
        !alpha || !sparse_is_sp_mat(matA) || !sparse_is_dn_mat(matB) || !sparse_is_dn_mat(matC) ||
        alg != CUSPARSE_SPSM_ALG_DEFAULT || !lib_object_is(spsmDescr, &spsm_type))
        return CUSPARSE_STATUS_INVALID_VALUE;
    *solve = (struct sparse_solve){.a = *matA,
                                   .x = *matB,
                                   .y = *matC,
                                   .op_a = opA,
                                   .op_x = opB,
                                   .alpha = sparse_scalar(handle, alpha, computeType),
                                   .computed = computeType};
    return check_solve(solve, false);
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                         cudaDataType computeType, cusparseSpSMAlg_t alg,
                                         cusparseSpSMDescr_t spsmDescr, size_t *bufferSize)
{
    struct sparse_solve solve;

    return answer_size(&solve,
                       prepare_spsm(&solve, handle, opA, opB, alpha, matA, matB, matC, computeType,
                                    alg, spsmDescr),
                       bufferSize);
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       cusparseOperation_t opB, const void *alpha,
                                       cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                       cudaDataType computeType, cusparseSpSMAlg_t alg,
                                       cusparseSpSMDescr_t spsmDescr, void *buffer)
{
    struct sparse_solve solve;
    cusparseStatus_t status = prepare_spsm(&solve, handle, opA, opB, alpha, matA, matB, matC,
                                           computeType, alg, spsmDescr);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return analyse(handle, "cusparseSpSM_analysis", &solve, &spsmDescr->state, buffer);
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    cusparseOperation_t opB, const void *alpha,
                                    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                    cusparseDnMatDescr_t matC, cudaDataType computeType,
                                    cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr)
{
    struct sparse_solve solve;
    cusparseStatus_t status = prepare_spsm(&solve, handle, opA, opB, alpha, matA, matB, matC,
                                           computeType, alg, spsmDescr);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_solve(handle, "cusparseSpSM_solve", &solve, &spsmDescr->state);
}

cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr,
                                           void *newValues, cusparseSpSMUpdate_t updatePart)
{
    if (!sparse_is_handle(handle) || !lib_object_is(spsmDescr, &spsm_type) ||
        (unsigned)updatePart > CUSPARSE_SPSM_UPDATE_DIAGONAL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return update(handle, "cusparseSpSM_updateMatrix", &spsmDescr->state, newValues,
                  updatePart == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}
