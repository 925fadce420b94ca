/* SPDX-License-Identifier: MIT */
/* Reductions block by block. A block of every source is combined in memory that stays in the L1
 * cache, one source after the other, and then written to the destinations. So every source and
 * destination passes through the cache once, however many there are. All sources of a block are
 * read before it is written, so a destination may be a source. */
#include "reduce.h"

#include "floats.h"
#include "isa.h"

#include <string.h>

enum { BLOCK_BYTES = 8192 };

size_t nccl_type_bytes(ncclDataType_t type)
{
    static const unsigned char bytes[ncclNumTypes] = {
        [ncclInt8] = 1,    [ncclUint8] = 1,    [ncclInt32] = 4,      [ncclUint32] = 4,
        [ncclInt64] = 8,   [ncclUint64] = 8,   [ncclFloat16] = 2,    [ncclFloat32] = 4,
        [ncclFloat64] = 8, [ncclBfloat16] = 2, [ncclFloat8e4m3] = 1, [ncclFloat8e5m2] = 1,
    };

    return (unsigned)type < ncclNumTypes ? bytes[type] : 0;
}

/* The factor of an average: 1 / n, rounded to f32 first, as the host's code of NCCL has it. */
static bool average(struct nccl_reduction *reduction, int rank_count)
{
    double factor = 1.0 / rank_count;

    reduction->op = NCCL_OP_SCALED_SUM;
    switch (reduction->type) {
    case ncclFloat16:
        reduction->scalar = lib_f16_bits((float)factor);
        return true;
    case ncclBfloat16:
        reduction->scalar = lib_bf16_bits((float)factor);
        return true;
    case ncclFloat32:
        reduction->scalar = lib_float_bits((float)factor);
        return true;
    case ncclFloat64:
        reduction->scalar = f64_bits(factor);
        return true;
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
        return false;
    default:
        reduction->op = NCCL_OP_SUM_DIVIDED;
        reduction->divisor = (uint64_t)rank_count;
        return true;
    }
}

bool nccl_reduction_init(struct nccl_reduction *reduction, ncclDataType_t type, ncclRedOp_t op,
                         int rank_count)
{
    static const enum nccl_operator operators[] = {
        [ncclSum] = NCCL_OP_SUM,
        [ncclProd] = NCCL_OP_PROD,
        [ncclMax] = NCCL_OP_MAX,
        [ncclMin] = NCCL_OP_MIN,
    };

    if (!nccl_type_bytes(type) || rank_count < 1 || (unsigned)op > ncclAvg)
        return false;
    *reduction = (struct nccl_reduction){.type = type, .divisor = 1};
    if (op == ncclAvg)
        return average(reduction, rank_count);
    reduction->op = operators[op];
    return true;
}

/* What a reduction is for one block. */
struct steps {
    const struct nccl_reduce_isa *isa;
    const struct nccl_reduction *reduction;
    nccl_fold *fold;
    size_t element_bytes;
    bool scales, divides;
};

/* Combines elements of the sources, from element `at` on, in `out`. `term` has room for them. */
static void combine(const struct steps *steps, void *out, void *term, const void *const *sources,
                    size_t source_count, size_t at, size_t count)
{
    const struct nccl_reduction *reduction = steps->reduction;
    const char *sum = (const char *)sources[0] + at * steps->element_bytes;

    for (size_t i = 0; i < source_count; i++) {
        const void *source = (const char *)sources[i] + at * steps->element_bytes;

        if (steps->scales) {
            uint64_t factor = reduction->scalars ? reduction->scalars[i] : reduction->scalar;
            void *scaled = i ? term : out;

            steps->isa->scale[reduction->type](scaled, source, factor, count);
            source = scaled;
        }
        if (i)
            steps->fold(out, sum, source, count);
        if (i || steps->scales)
            sum = out;
    }
    if (sum != out)
        memmove(out, sum, count * steps->element_bytes);
    if (steps->divides)
        steps->isa->divide[reduction->type](out, reduction->divisor, count);
}

/* One source without a step that changes it. */
static void copy(void *const *destinations, size_t destination_count, const void *source,
                 size_t bytes)
{
    for (size_t i = 0; i < destination_count; i++)
        if (destinations[i] != source)
            memcpy(destinations[i], source, bytes);
}

void nccl_reduce_all(const struct nccl_reduction *reduction, void *const *destinations,
                     size_t destination_count, const void *const *sources, size_t source_count,
                     size_t count, bool is_last)
{
    _Alignas(64) char out[BLOCK_BYTES], term[BLOCK_BYTES];
    const struct nccl_reduce_isa *isa = nccl_reduce_isa();
    enum nccl_operator fold = reduction->op > NCCL_OP_MIN ? NCCL_OP_SUM : reduction->op;
    struct steps steps = {
        .isa = isa,
        .reduction = reduction,
        .fold = isa->fold[reduction->type][fold],
        .element_bytes = nccl_type_bytes(reduction->type),
        .scales = reduction->op == NCCL_OP_SCALED_SUM,
        .divides = reduction->op == NCCL_OP_SUM_DIVIDED && is_last && reduction->divisor > 1,
    };
    size_t most = BLOCK_BYTES / steps.element_bytes;

    if (source_count == 1 && !steps.scales && !steps.divides) {
        copy(destinations, destination_count, sources[0], count * steps.element_bytes);
        return;
    }
    for (size_t at = 0; at < count; at += most) {
        size_t part = count - at < most ? count - at : most;

        combine(&steps, out, term, sources, source_count, at, part);
        for (size_t i = 0; i < destination_count; i++)
            memcpy((char *)destinations[i] + at * steps.element_bytes, out,
                   part * steps.element_bytes);
    }
}

void nccl_reduce(const struct nccl_reduction *reduction, void *destination,
                 const void *const *sources, size_t source_count, size_t count, bool is_last)
{
    nccl_reduce_all(reduction, &destination, 1, sources, source_count, count, is_last);
}
