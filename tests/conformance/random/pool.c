/* SPDX-License-Identifier: MIT */
/*
 * Memory pools: their attributes, who may access them, which one is a device's.
 */
#include "random.h"

CUmemoryPool pools[POOLS];
static CUmemoryPool default_pool;

static CUmemPoolProps props_pick(int odd)
{
    CUmemPoolProps props;

    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.handleTypes = (CUmemAllocationHandleType)ONE_OF(0, 1);
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    if (odd) {
        props.allocType = (CUmemAllocationType)ONE_OF(0, 1, 1, 2, 3);
        props.handleTypes = (CUmemAllocationHandleType)ONE_OF(0, 1, 2, 4, 8, 9, 16);
        props.location = location_pick();
        props.maxSize = chance(80) ? 0 : ONE_SIZE_OF(1, 1 << 20, 64 << 20);
        props.usage = (unsigned short)(chance(85) ? 0 : below(4));
    }
    return props;
}

void pool_begin(void)
{
    cuda.cuDeviceGetDefaultMemPool(&default_pool, 0);
    for (unsigned i = 0; i < POOLS; i++) {
        random_setup("pool", i);
        CUmemPoolProps props = props_pick(0);
        answer(cuda.cuMemPoolCreate(&pools[i], &props), "%d\n", (int)props.handleTypes);
    }
}

const char *pool_text(CUmemoryPool pool)
{
    if (pool == default_pool)
        return "default";
    for (unsigned i = 0; i < POOLS; i++)
        if (pool && pool == pools[i])
            return format("pool%u", i);
    return pool ? "?" : "none";
}

CUmemoryPool pool_pick(const char **name)
{
    unsigned index = below(POOLS + 1);

    *name = index < POOLS ? format("pool%u", index) : "default";
    return index < POOLS ? pools[index] : default_pool;
}

static void op_get(void)
{
    const char *name;
    CUmemoryPool pool = pool_pick(&name);
    int attribute = chance(95) ? between(1, 8) : ONE_OF(0, 9, 99);
    uint64_t value = UNTOUCHED;

    say("cuMemPoolGetAttribute(%s, %d)", name, attribute);
    CUresult result = cuda.cuMemPoolGetAttribute(pool, (CUmemPool_attribute)attribute, &value);
    answer(result, "%llx", (unsigned long long)value);
}

static void op_set_attribute(void)
{
    const char *name;
    CUmemoryPool pool = pool_pick(&name);
    int attribute = chance(95) ? between(1, 8) : ONE_OF(0, 9, 99);
    uint64_t value = attribute < 4 ? ONE_SIZE_OF(0, 1, 2) : ONE_SIZE_OF(0, 0, 1 << 25, ~0ull);

    say("cuMemPoolSetAttribute(%s, %d, %llx)", name, attribute, (unsigned long long)value);
    answer(cuda.cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attribute, &value), "%s", "");
}

static void op_trim(void)
{
    const char *name;
    CUmemoryPool pool = pool_pick(&name);
    size_t keep = ONE_SIZE_OF(0, 1, 1 << 20, 1 << 25, SIZE_MAX);

    say("cuMemPoolTrimTo(%s, %zx)", name, keep);
    answer(cuda.cuMemPoolTrimTo(pool, keep), "%s", "");
}

static void op_access(void)
{
    const char *name;
    CUmemoryPool pool = pool_pick(&name);
    CUmemLocation location = location_pick();
    CUmemAccess_flags flags = (CUmemAccess_flags)99;

    if (chance(60)) {
        say("cuMemPoolGetAccess(%s, %d:%d)", name, (int)location.type, location.id);
        CUresult result = cuda.cuMemPoolGetAccess(&flags, pool, &location);
        return answer(result, "%d", (int)flags);
    }
    CUmemAccessDesc access = {.location = location,
                              .flags = (CUmemAccess_flags)ONE_OF(3, 3, 1, 0, 2)};
    size_t count = chance(95) ? 1 : 0;
    say("cuMemPoolSetAccess(%s, %d:%d %d, %zu)", name, (int)location.type, location.id,
        (int)access.flags, count);
    answer(cuda.cuMemPoolSetAccess(pool, &access, count), "%s", "");
}

static void op_current(void)
{
    const char *name;
    CUmemoryPool pool = pool_pick(&name), got = (CUmemoryPool)as_host(UNTOUCHED);
    CUmemLocation location = location_pick();
    CUmemAllocationType type = (CUmemAllocationType)(chance(85) ? 1 : below(4));
    int ordinal = chance(95) ? 0 : ONE_OF(1, -1);
    unsigned which = below(6);
    CUresult result;

    say("%s(%s, %d:%d, type %d, device %d)",
        (const char *[]){"cuDeviceGetMemPool", "cuDeviceSetMemPool", "cuDeviceGetDefaultMemPool",
                         "cuMemGetMemPool", "cuMemSetMemPool", "cuMemGetDefaultMemPool"}[which],
        name, (int)location.type, location.id, (int)type, ordinal);
    switch (which) {
    case 0:
        result = cuda.cuDeviceGetMemPool(&got, ordinal);
        break;
    case 1:
        result = cuda.cuDeviceSetMemPool(ordinal, pool);
        break;
    case 2:
        result = cuda.cuDeviceGetDefaultMemPool(&got, ordinal);
        break;
    case 3:
        result = cuda.cuMemGetMemPool(&got, &location, type);
        break;
    case 4:
        result = cuda.cuMemSetMemPool(&location, type, pool);
        break;
    default:
        result = cuda.cuMemGetDefaultMemPool(&got, &location, type);
    }
    answer(result, "%s", got == (CUmemoryPool)as_host(UNTOUCHED) ? "kept" : pool_text(got));
}

static void op_odd(void)
{
    CUmemPoolProps props = props_pick(1);
    CUmemoryPool pool = (CUmemoryPool)as_host(UNTOUCHED);

    say("odd cuMemPoolCreate(type %d files %d at %d:%d, %zu, usage %d)", (int)props.allocType,
        (int)props.handleTypes, (int)props.location.type, props.location.id, props.maxSize,
        props.usage);
    CUresult result = cuda.cuMemPoolCreate(&pool, &props);
    answer(result, "%s", out_state(pool));
    if (!result)
        say(" %s", result_name(cuda.cuMemPoolDestroy(pool)));
}

static void op_share(void)
{
    const char *name;
    CUmemoryPool pool = pool_pick(&name);
    int type = chance(80) ? 1 : ONE_OF(0, 2, 8), file = -77;
    unsigned long long flags = chance(95) ? 0 : 1;
    CUmemPoolPtrExportData data;
    struct slot *slot = slot_pick(chance(70) ? MASK(POOLED) : ANY_KIND, NULL);

    if (chance(50)) {
        say("cuMemPoolExportToShareableHandle(%s, %d, %llu)", name, type, flags);
        if (type == 8)
            return skip();
        CUresult result = cuda.cuMemPoolExportToShareableHandle(
            &file, pool, (CUmemAllocationHandleType)type, flags);
        answer(result, "%s", file == -77 ? "kept" : "file");
        if (!result)
            close(file);
        return;
    }
    if (!slot || !slot->ptr)
        return skip();
    say("cuMemPoolExportPointer(%s)", slot_text(slot, 0));
    answer(cuda.cuMemPoolExportPointer(&data, slot->ptr), "%s", "");
}

const struct operation pool_operations[] = {
    {5, op_get, 0},     {3, op_set_attribute, 0}, {2, op_trim, 0},  {4, op_access, 0},
    {4, op_current, 0}, {3, op_odd, 0},           {2, op_share, 0}, {0, NULL, 0}};
