/* SPDX-License-Identifier: MIT */
/* NVTX 3 lies in headers that programs include. At its first call it loads the library that
 * NVTX_INJECTION64_PATH names, and this function puts the library's functions into its tables. */
#include "exports.h"

#include <string.h>

enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };

typedef void function(void);

struct callbacks {
    size_t bytes;
    int (*get_module)(int module, function ****slots, unsigned *count);
};

struct slot {
    unsigned number;
    function *body;
};

static const struct slot core[] = {
    {1, (function *)nvtxMarkEx},         {2, (function *)nvtxMarkA},
    {3, (function *)nvtxMarkW},          {4, (function *)nvtxRangeStartEx},
    {5, (function *)nvtxRangeStartA},    {6, (function *)nvtxRangeStartW},
    {7, (function *)nvtxRangeEnd},       {8, (function *)nvtxRangePushEx},
    {9, (function *)nvtxRangePushA},     {10, (function *)nvtxRangePushW},
    {11, (function *)nvtxRangePop},      {12, (function *)nvtxNameCategoryA},
    {13, (function *)nvtxNameCategoryW},
};

static const struct slot core2[] = {
    {1, (function *)nvtxDomainMarkEx},           {2, (function *)nvtxDomainRangeStartEx},
    {3, (function *)nvtxDomainRangeEnd},         {4, (function *)nvtxDomainRangePushEx},
    {5, (function *)nvtxDomainRangePop},         {8, (function *)nvtxDomainNameCategoryA},
    {9, (function *)nvtxDomainNameCategoryW},    {10, (function *)nvtxDomainRegisterStringA},
    {11, (function *)nvtxDomainRegisterStringW}, {12, (function *)nvtxDomainCreateA},
    {13, (function *)nvtxDomainCreateW},         {14, (function *)nvtxDomainDestroy},
};

/* An older NVTX may have fewer slots. */
static int fill_module(const struct callbacks *callbacks, int module, const struct slot *slots,
                       size_t slot_count)
{
    function ***table;
    unsigned count;

    if (!callbacks->get_module(module, &table, &count))
        return 0;
    for (size_t i = 0; i < slot_count; i++) {
        if (slots[i].number < count && table[slots[i].number])
            *table[slots[i].number] = slots[i].body;
    }
    return 1;
}

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t id))
{
    const struct callbacks *callbacks = get_table ? get_table(TABLE_CALLBACKS) : NULL;

    if (!callbacks || callbacks->bytes < sizeof(*callbacks) || !callbacks->get_module)
        return 0;
    return fill_module(callbacks, MODULE_CORE, core, sizeof(core) / sizeof(*core)) &&
           fill_module(callbacks, MODULE_CORE2, core2, sizeof(core2) / sizeof(*core2));
}
