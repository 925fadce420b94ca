/* SPDX-License-Identifier: MIT */
/* NVTX 3 lies in headers that programs include. At its first call it loads the library that
 * NVTX_INJECTION64_PATH names, and this function puts the library's functions into its tables. */
#include "exports.h"

#include <string.h>

enum { TABLE_CALLBACKS = 1 };
enum {
    MODULE_CORE = 1,
    MODULE_CUDA = 2,
    MODULE_OPENCL = 3,
    MODULE_CUDART = 4,
    MODULE_CORE2 = 5,
    MODULE_SYNC = 6,
};

typedef void function(void);

struct callbacks {
    size_t bytes;
    int (*get_module)(int module, function ****slots, unsigned *count);
};

struct slot {
    int module;
    unsigned number;
    function *body;
};

/* clang-format off */
static const struct slot slots[] = {
    {MODULE_CORE, 1, (function *)nvtxMarkEx},
    {MODULE_CORE, 2, (function *)nvtxMarkA},
    {MODULE_CORE, 3, (function *)nvtxMarkW},
    {MODULE_CORE, 4, (function *)nvtxRangeStartEx},
    {MODULE_CORE, 5, (function *)nvtxRangeStartA},
    {MODULE_CORE, 6, (function *)nvtxRangeStartW},
    {MODULE_CORE, 7, (function *)nvtxRangeEnd},
    {MODULE_CORE, 8, (function *)nvtxRangePushEx},
    {MODULE_CORE, 9, (function *)nvtxRangePushA},
    {MODULE_CORE, 10, (function *)nvtxRangePushW},
    {MODULE_CORE, 11, (function *)nvtxRangePop},
    {MODULE_CORE, 12, (function *)nvtxNameCategoryA},
    {MODULE_CORE, 13, (function *)nvtxNameCategoryW},
    {MODULE_CORE2, 1, (function *)nvtxDomainMarkEx},
    {MODULE_CORE2, 2, (function *)nvtxDomainRangeStartEx},
    {MODULE_CORE2, 3, (function *)nvtxDomainRangeEnd},
    {MODULE_CORE2, 4, (function *)nvtxDomainRangePushEx},
    {MODULE_CORE2, 5, (function *)nvtxDomainRangePop},
    {MODULE_CORE2, 6, (function *)nvtxDomainResourceCreate},
    {MODULE_CORE2, 7, (function *)nvtxDomainResourceDestroy},
    {MODULE_CORE2, 8, (function *)nvtxDomainNameCategoryA},
    {MODULE_CORE2, 9, (function *)nvtxDomainNameCategoryW},
    {MODULE_CORE2, 10, (function *)nvtxDomainRegisterStringA},
    {MODULE_CORE2, 11, (function *)nvtxDomainRegisterStringW},
    {MODULE_CORE2, 12, (function *)nvtxDomainCreateA},
    {MODULE_CORE2, 13, (function *)nvtxDomainCreateW},
    {MODULE_CORE2, 14, (function *)nvtxDomainDestroy},
    {MODULE_SYNC, 1, (function *)nvtxDomainSyncUserCreate},
    {MODULE_SYNC, 2, (function *)nvtxDomainSyncUserDestroy},
    {MODULE_SYNC, 3, (function *)nvtxDomainSyncUserAcquireStart},
    {MODULE_SYNC, 4, (function *)nvtxDomainSyncUserAcquireFailed},
    {MODULE_SYNC, 5, (function *)nvtxDomainSyncUserAcquireSuccess},
    {MODULE_SYNC, 6, (function *)nvtxDomainSyncUserReleasing},
#define NAME(module, function_name, slot) \
    {module, slot, (function *)function_name##A}, {module, slot + 1, (function *)function_name##W},
#define NAME_CORE(name, type, kind, slot) NAME(MODULE_CORE, name, slot)
#define NAME_CUDA(name, type, kind, slot) NAME(MODULE_CUDA, name, slot)
#define NAME_CUDART(name, type, kind, slot) NAME(MODULE_CUDART, name, slot)
#define NAME_OPENCL(name, type, kind, slot) NAME(MODULE_OPENCL, name, slot)
#include "names.def"
};
/* clang-format on */

/* An older NVTX may have fewer slots, or a module less. */
static void fill(const struct callbacks *callbacks, const struct slot *slot)
{
    function ***table;
    unsigned count;

    if (callbacks->get_module(slot->module, &table, &count) && slot->number < count &&
        table[slot->number])
        *table[slot->number] = slot->body;
}

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t id))
{
    const struct callbacks *callbacks = get_table ? get_table(TABLE_CALLBACKS) : NULL;
    function ***table;
    unsigned count;

    if (!callbacks || callbacks->bytes < sizeof(*callbacks) || !callbacks->get_module ||
        !callbacks->get_module(MODULE_CORE, &table, &count))
        return 0;
    for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
        fill(callbacks, &slots[i]);
    return 1;
}
