/* SPDX-License-Identifier: MIT */
/* The descriptor of a matrix, and the objects of analyses. */
#include "legacy/infos.h"

#include <stdlib.h>

const struct lib_object_type sparse_mat_descr_type = {.bytes = sizeof(struct cusparseMatDescr)};

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descrA)
{
    struct cusparseMatDescr *created;

    if (!descrA)
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(&sparse_mat_descr_type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *descrA = created;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA)
{
    if (!descrA || lib_object_destroy(descrA, &sparse_mat_descr_type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

/* A function that sets a field and one that answers it. */
#define FIELD(name, field, type_name, most)                                                        \
    cusparseStatus_t cusparseSet##name(cusparseMatDescr_t descrA, type_name value)                 \
    {                                                                                              \
        if (!sparse_is_descr(descrA) || (unsigned)value > (most))                                  \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        descrA->field = value;                                                                     \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    type_name cusparseGet##name(const cusparseMatDescr_t descrA)                                   \
    {                                                                                              \
        return sparse_is_descr(descrA) ? descrA->field : (type_name)0;                             \
    }

FIELD(MatType, type, cusparseMatrixType_t, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
FIELD(MatFillMode, fill, cusparseFillMode_t, CUSPARSE_FILL_MODE_UPPER)
FIELD(MatDiagType, diagonal, cusparseDiagType_t, CUSPARSE_DIAG_TYPE_UNIT)
FIELD(MatIndexBase, index_base, cusparseIndexBase_t, CUSPARSE_INDEX_BASE_ONE)

struct sparse_pivot *sparse_pivot_create(void)
{
    struct sparse_pivot *pivot = calloc(1, sizeof(*pivot));

    if (pivot) {
        atomic_init(&pivot->references, 1);
        atomic_init(&pivot->position, -1);
    }
    return pivot;
}

struct sparse_pivot *sparse_pivot_reference(struct sparse_pivot *pivot)
{
    atomic_fetch_add(&pivot->references, 1);
    return pivot;
}

void sparse_pivot_release(struct sparse_pivot *pivot)
{
    if (pivot && atomic_fetch_sub(&pivot->references, 1) == 1)
        free(pivot);
}

struct answer_work {
    struct sparse_pivot *pivot;
    int *position;
};

static CUresult answer_run(void *arguments)
{
    const struct answer_work *work = arguments;

    *work->position = atomic_load(&work->pivot->position);
    return CUDA_SUCCESS;
}

cusparseStatus_t sparse_pivot_answer(cusparseHandle_t handle, const char *name,
                                     struct sparse_pivot *pivot, int *position)
{
    struct answer_work work = {pivot, position};
    struct sparse_ranges ranges = {.count = 0};
    cusparseStatus_t status;

    sparse_add_result(handle, &ranges, position);
    status = sparse_submit_wait(handle, name, 1, &ranges, answer_run, &work);
    if (status == CUSPARSE_STATUS_SUCCESS && atomic_load(&pivot->position) >= 0)
        status = CUSPARSE_STATUS_ZERO_PIVOT;
    return status;
}

static void finish_info(void *object)
{
    sparse_pivot_release(((struct sparse_info *)object)->pivot);
}

static cusparseStatus_t create_info(void **info, const struct lib_object_type *type)
{
    struct sparse_info *created;

    if (!info)
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    created->pivot = sparse_pivot_create();
    if (!created->pivot) {
        lib_object_destroy(created, type);
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    *info = created;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t destroy_info(void *info, const struct lib_object_type *type)
{
    if (!info || lib_object_destroy(info, type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

#define INFO(name, type)                                                                           \
    const struct lib_object_type sparse_##type##_type = {.bytes = sizeof(struct sparse_info),      \
                                                         .finish = finish_info};                   \
    cusparseStatus_t cusparseCreate##name(type##_t *info)                                          \
    {                                                                                              \
        return create_info((void **)info, &sparse_##type##_type);                                  \
    }                                                                                              \
    cusparseStatus_t cusparseDestroy##name(type##_t info)                                          \
    {                                                                                              \
        return destroy_info(info, &sparse_##type##_type);                                          \
    }

INFO(Csric02Info, csric02Info)
INFO(Bsric02Info, bsric02Info)
INFO(Csrilu02Info, csrilu02Info)
INFO(Bsrilu02Info, bsrilu02Info)
INFO(Bsrsv2Info, bsrsv2Info)
INFO(Bsrsm2Info, bsrsm2Info)
INFO(Csru2csrInfo, csru2csrInfo)
INFO(ColorInfo, cusparseColorInfo)
INFO(PruneInfo, pruneInfo)
