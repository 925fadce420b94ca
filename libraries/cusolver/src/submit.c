/* SPDX-License-Identifier: MIT */
/* Operands and submission of work. */
#include "solver.h"

#include "driver.h"

#include <limits.h>

static void add(struct solver_ranges *ranges, int access, struct cupipe_range range)
{
    if (access & SOLVER_PARTLY)
        range = lib_partly(range);
    if (access & SOLVER_READ)
        ranges->list[ranges->count++] = range;
    if (access & SOLVER_WRITTEN) {
        range.written = 1;
        ranges->list[ranges->count++] = range;
    }
}

static struct cupipe_range matrix(const void *address, int64_t rows, int64_t columns, int64_t ld,
                                  size_t bytes)
{
    if (rows == ld || columns == 1)
        return lib_read(address, (size_t)rows * (size_t)columns * bytes);
    return lib_read_pieces(address, (size_t)rows * bytes, (size_t)columns, (size_t)ld * bytes);
}

void solver_add(struct solver_ranges *ranges, int access, const void *address, int64_t rows,
                int64_t columns, int64_t ld, size_t bytes)
{
    if (rows > 0 && columns > 0)
        add(ranges, access, matrix(address, rows, columns, ld, bytes));
}

void solver_add_through(struct solver_ranges *ranges, int access, const void *pointers,
                        int64_t count, int64_t rows, int64_t columns, int64_t ld, size_t bytes)
{
    if (rows > 0 && columns > 0 && count > 0)
        add(ranges, access,
            lib_through(pointers, (size_t)count, matrix(NULL, rows, columns, ld, bytes)));
}

void solver_add_info(struct solver_ranges *ranges, const int *info, int64_t count)
{
    if (info)
        solver_add(ranges, SOLVER_WRITTEN, info, count, 1, count, sizeof(*info));
}

void solver_add_work(struct solver_ranges *ranges, const void *address, int64_t count, size_t bytes)
{
    solver_add(ranges, SOLVER_WRITTEN | SOLVER_PARTLY, address, count, 1, count, bytes);
}

/* An operand that the device cannot access is an error of the work, which the stream reports later,
 * as it does that of a kernel. */
static cusolverStatus_t status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
        return CUSOLVER_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUSOLVER_STATUS_ALLOC_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    default:
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
}

static struct lib_call describe(CUstream stream, const char *name, double operations,
                                const struct solver_ranges *ranges)
{
    return (struct lib_call){.name = name,
                             .stream = stream,
                             .nanoseconds = (uint64_t)(operations / 4),
                             .operands = ranges->list,
                             .operand_count = ranges->count};
}

cusolverStatus_t solver_submit(CUstream stream, const char *name, double operations,
                               const struct solver_ranges *ranges, lib_work *run,
                               const void *arguments, size_t bytes)
{
    const struct lib_call call = describe(stream, name, operations, ranges);

    if (!lapack())
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return status_of(lib_submit(&call, run, arguments, bytes));
}

cusolverStatus_t solver_submit_wait(CUstream stream, const char *name, double operations,
                                    const struct solver_ranges *ranges, lib_work *run,
                                    void *arguments)
{
    const struct lib_call call = describe(stream, name, operations, ranges);
    CUresult result;

    if (!lapack())
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    result = lib_submit_and_wait(&call, run, arguments);
    if (result == CUDA_ERROR_ILLEGAL_ADDRESS)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) {
        lib_driver()->stream_synchronize(stream);
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    }
    return status_of(result);
}

struct report {
    int *info, number;
};

static CUresult run_report(void *arguments)
{
    const struct report *job = arguments;

    *job->info = -job->number;
    return CUDA_SUCCESS;
}

cusolverStatus_t solver_wrong(CUstream stream, const char *name, int *info, int number)
{
    const struct report job = {info, number};
    struct solver_ranges ranges = {.count = 0};

    solver_add_info(&ranges, info, 1);
    if (info)
        solver_submit(stream, name, 1, &ranges, run_report, &job, sizeof(job));
    return CUSOLVER_STATUS_INVALID_VALUE;
}

int solver_first_wrong(const struct solver_check *checks)
{
    while (checks->number && checks->is_right)
        checks++;
    return checks->number;
}

bool solver_type(cudaDataType type, enum openblas_type *found)
{
    for (int candidate = 0; candidate < OPENBLAS_TYPES; candidate++)
        if (solver_data_type(candidate) == type) {
            *found = candidate;
            return true;
        }
    return false;
}

cudaDataType solver_data_type(enum openblas_type type)
{
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

    return types[type];
}

cusolverStatus_t solver_size(int *result, int64_t elements)
{
    if (!result)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *result = (int)solver_min(solver_max(elements, 1), INT_MAX);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_size_bytes(size_t *device, size_t *host, int64_t elements,
                                   enum openblas_type type)
{
    if (!device || !host)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *device = (size_t)solver_max(elements, 1) * lapack_bytes(type);
    *host = 0;
    return CUSOLVER_STATUS_SUCCESS;
}
