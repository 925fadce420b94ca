/* SPDX-License-Identifier: MIT */
/* Tridiagonal and pentadiagonal systems: one matrix with several right-hand sides, and batches,
 * one after the other or interleaved. */
#include "legacy/legacy.h"
#include "typed/typed.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { BANDS = 5, ROWS_LEAST = 3 };

struct systems_work {
    cudaDataType type;
    const void *bands[BANDS]; /* three for tridiagonal systems */
    bool penta, pivots;
    void *x;
    int64_t rows, count;              /* of a system, of systems */
    int64_t step, stride_a, stride_x; /* between elements, matrices and right-hand sides */
    int64_t parts;
    atomic_bool *failed;
};

static void systems_part(void *arguments, size_t index)
{
    const struct systems_work *work = arguments;
    const struct sparse_typed *typed = sparse_typed(work->type);
    size_t bytes = sparse_bytes(work->type);
    int64_t end = work->count * ((int64_t)index + 1) / work->parts;
    void *scratch = malloc((size_t)work->rows * BANDS * bytes);

    if (!scratch) {
        atomic_store(work->failed, true);
        return;
    }
    for (int64_t i = work->count * (int64_t)index / work->parts; i < end; i++) {
        const void *bands[BANDS] = {0};
        void *x = sparse_at(work->x, i * work->stride_x, bytes);

        for (int j = 0; j < (work->penta ? BANDS : 3); j++)
            bands[j] = sparse_at(work->bands[j], i * work->stride_a, bytes);
        if (work->penta)
            typed->pentadiagonal(work->rows, work->step, bands, x, scratch);
        else
            typed->tridiagonal(work->rows, work->step, bands[0], bands[1], bands[2], x,
                               work->pivots, scratch);
    }
    free(scratch);
}

static CUresult systems_run(void *arguments)
{
    struct systems_work *work = arguments;
    atomic_bool failed = false;

    work->failed = &failed;
    work->parts = sparse_parts(work->rows * work->count * 4);
    if (work->parts > work->count)
        work->parts = work->count;
    lib_parallel((size_t)work->parts, systems_part, work);
    return atomic_load(&failed) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/* `span` is the number of elements from the first of a band to the last; `span_x` that of x. */
static cusparseStatus_t submit_systems(cusparseHandle_t handle, const char *name,
                                       const struct systems_work *work, int64_t span,
                                       int64_t span_x)
{
    struct sparse_ranges ranges = {.count = 0};
    size_t bytes = sparse_bytes(work->type);

    if (!work->count)
        return CUSPARSE_STATUS_SUCCESS;
    for (int j = 0; j < (work->penta ? BANDS : 3); j++)
        sparse_add(&ranges, lib_partly(lib_read(work->bands[j], (size_t)span * bytes)));
    sparse_add(&ranges, lib_partly(lib_read(work->x, (size_t)span_x * bytes)));
    sparse_writes_some(&ranges, work->x, span_x, bytes);
    return sparse_submit(handle, name, work->rows * work->count * 16, &ranges, systems_run, work,
                         sizeof(*work));
}

static cusparseStatus_t check_gtsv2(cusparseHandle_t handle, int m, int n, int ldb)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (m < ROWS_LEAST || n < 0 || ldb < m)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t gtsv2(cusparseHandle_t handle, const char *name, cudaDataType type,
                              bool pivots, int m, int n, const void *dl, const void *d,
                              const void *du, void *B, int ldb)
{
    struct systems_work work = {.type = type,
                                .bands = {dl, d, du},
                                .pivots = pivots,
                                .x = B,
                                .rows = m,
                                .count = n,
                                .step = 1,
                                .stride_x = ldb};
    cusparseStatus_t status = check_gtsv2(handle, m, n, ldb);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_systems(handle, name, &work, m, (int64_t)ldb * (n - 1) + m);
}

static cusparseStatus_t check_strided(cusparseHandle_t handle, int m, int count, int stride)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (m < ROWS_LEAST || count <= 0 || stride < m)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t gtsv2_strided(cusparseHandle_t handle, const char *name, cudaDataType type,
                                      int m, const void *dl, const void *d, const void *du, void *x,
                                      int batchCount, int batchStride)
{
    int64_t span = (int64_t)batchStride * (batchCount - 1) + m;
    struct systems_work work = {.type = type,
                                .bands = {dl, d, du},
                                .x = x,
                                .rows = m,
                                .count = batchCount,
                                .step = 1,
                                .stride_a = batchStride,
                                .stride_x = batchStride};
    cusparseStatus_t status = check_strided(handle, m, batchCount, batchStride);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_systems(handle, name, &work, span, span);
}

static cusparseStatus_t check_interleaved(cusparseHandle_t handle, int algo, int most, int m,
                                          int count)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (algo < 0 || algo > most || m < ROWS_LEAST || count <= 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}

/* Element i of system j is at i * count + j. The algorithms differ on a GPU; all pivot here. */
static cusparseStatus_t interleaved(cusparseHandle_t handle, const char *name, cudaDataType type,
                                    int algo, bool penta, int m, const void *const bands[BANDS],
                                    void *x, int count)
{
    struct systems_work work = {.type = type,
                                .bands = {bands[0], bands[1], bands[2], bands[3], bands[4]},
                                .penta = penta,
                                .pivots = true,
                                .x = x,
                                .rows = m,
                                .count = count,
                                .step = count,
                                .stride_a = 1,
                                .stride_x = 1};
    cusparseStatus_t status = check_interleaved(handle, algo, penta ? 0 : 2, m, count);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_systems(handle, name, &work, (int64_t)m * count, (int64_t)m * count);
}

#define GTSV2(letter, ctype, type, suffix, pivoting)                                               \
    cusparseStatus_t cusparse##letter##gtsv2##suffix##_bufferSizeExt(                              \
        cusparseHandle_t handle, int m, int n, const ctype *dl, const ctype *d, const ctype *du,   \
        const ctype *B, int ldb, size_t *bufferSize)                                               \
    {                                                                                              \
        (void)dl, (void)d, (void)du, (void)B;                                                      \
        return sparse_answer_size(check_gtsv2(handle, m, n, ldb), bufferSize,                      \
                                  SPARSE_BUFFER_BYTES);                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsv2##suffix(                                              \
        cusparseHandle_t handle, int m, int n, const ctype *dl, const ctype *d, const ctype *du,   \
        ctype *B, int ldb, void *buffer)                                                           \
    {                                                                                              \
        (void)buffer;                                                                              \
        return gtsv2(handle, "cusparse" #letter "gtsv2" #suffix, type, pivoting, m, n, dl, d, du,  \
                     B, ldb);                                                                      \
    }

#define SYSTEMS(letter, ctype, type)                                                               \
    GTSV2(letter, ctype, type, , true)                                                             \
    GTSV2(letter, ctype, type, _nopivot, false)                                                    \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                            \
        cusparseHandle_t handle, int m, const ctype *dl, const ctype *d, const ctype *du,          \
        const ctype *x, int batchCount, int batchStride, size_t *bufferSize)                       \
    {                                                                                              \
        (void)dl, (void)d, (void)du, (void)x;                                                      \
        return sparse_answer_size(check_strided(handle, m, batchCount, batchStride), bufferSize,   \
                                  SPARSE_BUFFER_BYTES);                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch(                                          \
        cusparseHandle_t handle, int m, const ctype *dl, const ctype *d, const ctype *du,          \
        ctype *x, int batchCount, int batchStride, void *buffer)                                   \
    {                                                                                              \
        (void)buffer;                                                                              \
        return gtsv2_strided(handle, "cusparse" #letter "gtsv2StridedBatch", type, m, dl, d, du,   \
                             x, batchCount, batchStride);                                          \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                         \
        cusparseHandle_t handle, int algo, int m, const ctype *dl, const ctype *d,                 \
        const ctype *du, const ctype *x, int batchCount, size_t *bufferSize)                       \
    {                                                                                              \
        (void)dl, (void)d, (void)du, (void)x;                                                      \
        return sparse_answer_size(check_interleaved(handle, algo, 2, m, batchCount), bufferSize,   \
                                  SPARSE_BUFFER_BYTES);                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsvInterleavedBatch(                                       \
        cusparseHandle_t handle, int algo, int m, ctype *dl, ctype *d, ctype *du, ctype *x,        \
        int batchCount, void *buffer)                                                              \
    {                                                                                              \
        const void *const bands[BANDS] = {dl, d, du};                                              \
                                                                                                   \
        (void)buffer;                                                                              \
        return interleaved(handle, "cusparse" #letter "gtsvInterleavedBatch", type, algo, false,   \
                           m, bands, x, batchCount);                                               \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gpsvInterleavedBatch_bufferSizeExt(                         \
        cusparseHandle_t handle, int algo, int m, const ctype *ds, const ctype *dl,                \
        const ctype *d, const ctype *du, const ctype *dw, const ctype *x, int batchCount,          \
        size_t *bufferSize)                                                                        \
    {                                                                                              \
        (void)ds, (void)dl, (void)d, (void)du, (void)dw, (void)x;                                  \
        return sparse_answer_size(check_interleaved(handle, algo, 0, m, batchCount), bufferSize,   \
                                  SPARSE_BUFFER_BYTES);                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gpsvInterleavedBatch(                                       \
        cusparseHandle_t handle, int algo, int m, ctype *ds, ctype *dl, ctype *d, ctype *du,       \
        ctype *dw, ctype *x, int batchCount, void *buffer)                                         \
    {                                                                                              \
        const void *const bands[BANDS] = {ds, dl, d, du, dw};                                      \
                                                                                                   \
        (void)buffer;                                                                              \
        return interleaved(handle, "cusparse" #letter "gpsvInterleavedBatch", type, algo, true, m, \
                           bands, x, batchCount);                                                  \
    }

SPARSE_FOUR_TYPES(SYSTEMS)
