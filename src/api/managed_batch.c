/* SPDX-License-Identifier: MIT */
/* Prefetches, discards, or does both, on several ranges of managed memory. The lists and locations
 * are validated first. A range that cannot be prefetched ends the batch; those before it are still
 * prefetched. Nothing is discarded unless all ranges are valid. A batch needs a stream other than
 * the legacy default stream. */
#include "api/managed_common.h"
#include "core/error.h"
#include "device/context.h"
#include "impl.h"
#include "stream/stream.h"

#include <stdlib.h>

/* A batch as passed. Without locations it does not prefetch. */
struct managed_batch {
    const CUdeviceptr *addresses;
    const size_t *sizes;
    size_t count;
    bool discards, prefetches;
    const CUmemLocation *locations;
    const size_t *first_ranges; /* of each of the locations */
    size_t location_count;
};

/* A location may apply to no range, but the start indices must not decrease. */
static CUresult check_locations(const struct managed_batch *batch)
{
    if (!batch->locations || !batch->first_ranges)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list is NULL");
    if (batch->location_count == 0 || batch->location_count > batch->count ||
        batch->first_ranges[0] != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu locations for %zu ranges",
                         batch->location_count, batch->count);
    for (size_t i = 1; i < batch->location_count; i++) {
        size_t first = batch->first_ranges[i];
        if (first < batch->first_ranges[i - 1] || first >= batch->count)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "location %zu begins at range %zu", i,
                             first);
    }
    for (size_t i = 0; i < batch->location_count; i++)
        if (cup_api_managed_check_location(batch->locations[i]) != CUDA_SUCCESS)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "location %zu is not valid", i);
    return CUDA_SUCCESS;
}

static CUresult check_lists(const struct managed_batch *batch, unsigned long long flags,
                            CUstream handle)
{
    if (!batch->addresses || !batch->sizes || batch->count == 0 || flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu ranges, flags 0x%llx, or a list is NULL",
                         batch->count, flags);
    if (handle == NULL || handle == CU_STREAM_LEGACY)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "a batch cannot go to the legacy default stream");
    return CUDA_SUCCESS;
}

/* *count is the number of ranges before the first invalid one. Locations are stored as passed:
 * unlike cuMemPrefetchAsync, a batch does not normalise the host's id. */
static CUresult check_ranges(const struct managed_batch *batch, struct cup_migration *migrations,
                             size_t *count)
{
    CUresult result = CUDA_SUCCESS;
    size_t location = 0;

    for (*count = 0; *count < batch->count; ++*count) {
        size_t i = *count;
        migrations[i] = (struct cup_migration){
            .address = batch->addresses[i],
            .size_bytes = batch->sizes[i],
            .discards = batch->discards,
            .prefetches = batch->prefetches,
        };
        if (batch->prefetches) {
            while (location + 1 < batch->location_count && batch->first_ranges[location + 1] <= i)
                location++;
            migrations[i].to = batch->locations[location];
        }
        result = cup_migration_check(&migrations[i]);
        if (result != CUDA_SUCCESS)
            break;
    }
    return result;
}

static CUresult submit(const struct managed_batch *batch, struct CUstream_st *stream)
{
    struct cup_migration *migrations = calloc(batch->count, sizeof(*migrations));
    size_t count;

    if (!migrations)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for %zu ranges", batch->count);
    CUresult checked = check_ranges(batch, migrations, &count), submitted = CUDA_SUCCESS;
    for (size_t i = 0; i < count && checked != CUDA_SUCCESS; i++)
        migrations[i].discards = false;
    if (count != 0 && (checked == CUDA_SUCCESS || batch->prefetches))
        submitted = cup_migration_submit(stream, migrations, count);
    free(migrations);
    return checked != CUDA_SUCCESS ? checked : submitted;
}

static CUresult run(const struct managed_batch *batch, unsigned long long flags, CUstream handle)
{
    struct CUstream_st *stream;
    CUresult result = check_lists(batch, flags, handle);

    if (result == CUDA_SUCCESS)
        result = cup_api_managed_find_stream(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (batch->prefetches)
        result = check_locations(batch);
    if (result == CUDA_SUCCESS)
        result = submit(batch, stream);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                      CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      CUstream hStream)
{
    struct managed_batch batch = {.addresses = dptrs,
                                  .sizes = sizes,
                                  .count = count,
                                  .prefetches = true,
                                  .locations = prefetchLocs,
                                  .first_ranges = prefetchLocIdxs,
                                  .location_count = numPrefetchLocs};

    return run(&batch, flags, hStream);
}

CUresult impl_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, CUstream hStream)
{
    struct managed_batch batch = {
        .addresses = dptrs, .sizes = sizes, .count = count, .discards = true};

    return run(&batch, flags, hStream);
}

CUresult impl_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                                CUmemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, CUstream hStream)
{
    struct managed_batch batch = {.addresses = dptrs,
                                  .sizes = sizes,
                                  .count = count,
                                  .discards = true,
                                  .prefetches = true,
                                  .locations = prefetchLocs,
                                  .first_ranges = prefetchLocIdxs,
                                  .location_count = numPrefetchLocs};

    return run(&batch, flags, hStream);
}
