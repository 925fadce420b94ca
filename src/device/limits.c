/* SPDX-License-Identifier: MIT */
/* One row per limit. Two of them control kernel output and allocation (src/exec); the others are
 * only stored. A limit without a row is not supported: no device here has memory per block
 * (CU_LIMIT_PER_BLOCK_MEMORY_SIZE), for example. */
#include "device/limits.h"

#include "core/align.h"
#include "core/compiler.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

enum limit_kind {
    UNSUPPORTED, /* the device does not have this limit */
    FIXED,       /* can be read, not set */
    KEPT,
};

struct limit_rule {
    enum limit_kind kind;
    bool waits;  /* changing it waits for the context's work */
    bool clamps; /* a value above `most` is clamped; otherwise it is an error */
    size_t initial;
    size_t least;
    size_t step; /* values are rounded up to a multiple of this */
    size_t most;
};

static const struct limit_rule rules[CUP_CONTEXT_LIMIT_COUNT] = {
    [CU_LIMIT_STACK_SIZE] = {KEPT, true, false, 1024, 0, 16, 523712},
    [CU_LIMIT_PRINTF_FIFO_SIZE] = {KEPT, false, true, 8650752, 524288, 256, 2147483648},
    [CU_LIMIT_MALLOC_HEAP_SIZE] = {KEPT, false, true, 8388608, 4194304, 65536, SIZE_MAX},
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = {KEPT, false, true, 2048, 32, 1, 599186},
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = {KEPT, false, false, 64, 0, 1, 128},
    [CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = {KEPT, false, false, 11796480, 0, 3932160, 39321600},
    [CU_LIMIT_SHMEM_SIZE] = {.kind = FIXED, .initial = 232448},
    [CU_LIMIT_CIG_ENABLED] = {.kind = FIXED},
};

void cup_limits_reset(struct CUctx_st *context)
{
    for (unsigned i = 0; i < CUP_CONTEXT_LIMIT_COUNT; i++)
        context->limits[i] = rules[i].initial;
}

static CUresult find_rule(CUlimit limit, const struct limit_rule **rule)
{
    if ((unsigned)limit >= CUP_CONTEXT_LIMIT_COUNT)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid limit %d", (int)limit);
    if (rules[limit].kind == UNSUPPORTED)
        return cup_error(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d is not supported by the device",
                         (int)limit);
    *rule = &rules[limit];
    return CUDA_SUCCESS;
}

CUresult cup_limit_get(struct CUctx_st *context, CUlimit limit, size_t *value)
{
    const struct limit_rule *rule = NULL;
    CUresult result = find_rule(limit, &rule);

    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&context->lock);
    *value = context->limits[limit];
    cup_lock_release(&context->lock);
    return CUDA_SUCCESS;
}

/* Returns the value that is stored. As in NVIDIA's driver, rounding up wraps the very largest
 * values to 0. */
static size_t adjust(const struct limit_rule *rule, size_t value, size_t most)
{
    if (value < rule->least)
        value = rule->least;
    value = cup_align_to_step(value, rule->step);
    return value > most ? most : value;
}

void cup_limit_fix(struct CUctx_st *context, CUlimit limit)
{
    unsigned bit = 1u << limit;

    if (!(atomic_load_explicit(&context->limits_fixed, memory_order_relaxed) & bit))
        atomic_fetch_or(&context->limits_fixed, bit);
}

CUresult cup_limit_set(struct CUctx_st *context, CUlimit limit, size_t value, bool *waits)
{
    const struct limit_rule *rule = NULL;
    CUresult result = find_rule(limit, &rule);
    size_t most, adjusted;
    bool changes;

    if (result != CUDA_SUCCESS)
        return result;
    if (rule->kind == FIXED)
        return cup_error(CUDA_ERROR_NOT_PERMITTED, "limit %d cannot be set", (int)limit);
    if (atomic_load(&context->limits_fixed) >> limit & 1)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "limit %d cannot be set after the launch of a kernel that uses it",
                         (int)limit);
    /* Kernels may use an eighth of the device's memory. */
    most =
        limit == CU_LIMIT_MALLOC_HEAP_SIZE ? context->device->memory_bytes / 8 : rules[limit].most;
    if (!rule->clamps && value > most)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "limit %d: the maximum is %zu, not %zu",
                         (int)limit, most, value);
    adjusted = adjust(rule, value, most);
    cup_lock_acquire(&context->lock);
    changes = adjust(rule, context->limits[limit], most) != adjusted;
    /* If the stack size does not change, the unrounded value is stored. */
    context->limits[limit] = rule->waits && !changes ? value : adjusted;
    cup_lock_release(&context->lock);
    *waits = changes && rule->waits;
    return CUDA_SUCCESS;
}
