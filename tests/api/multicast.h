/* SPDX-License-Identifier: MIT */
/* Shared by the tests of multicast objects. Included after test.h. */
#ifndef MULTICAST_H
#define MULTICAST_H

enum { BYTES = 4 << 20, HALF = BYTES / 2, DEVICES = 2 };

/* Two linked devices, with the primary context of the first current. */
static inline void with_devices(void)
{
    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUPIPE_MEMORY", "256M", 1);
    with_context();
    only_cupipe();
}

static inline CUmulticastObjectProp properties(void)
{
    return (CUmulticastObjectProp){.numDevices = DEVICES, .size = BYTES};
}

static inline CUmemGenericAllocationHandle new_memory(CUdevice device)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
    CUmemGenericAllocationHandle memory;

    check_success(cuMemCreate(&memory, BYTES, &prop, 0));
    return memory;
}

static inline CUdeviceptr map(CUmemGenericAllocationHandle memory)
{
    CUmemAccessDesc access[DEVICES];
    CUdeviceptr ptr;

    for (int i = 0; i < DEVICES; i++)
        access[i] =
            (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, i}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    check_success(cuMemAddressReserve(&ptr, BYTES, 0, 0, 0));
    check_success(cuMemMap(ptr, BYTES, 0, memory, 0));
    check_success(cuMemSetAccess(ptr, BYTES, access, DEVICES));
    return ptr;
}

struct team {
    CUmemGenericAllocationHandle object, memory[DEVICES];
    CUdeviceptr ptr, own[DEVICES]; /* of the object, and of each device's memory */
};

static inline CUmemGenericAllocationHandle new_object(void)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object;

    check_success(cuMulticastCreate(&object, &prop));
    for (int i = 0; i < DEVICES; i++)
        check_success(cuMulticastAddDevice(object, i));
    return object;
}

static inline struct team new_team(void)
{
    struct team team = {.object = new_object()};

    for (int i = 0; i < DEVICES; i++) {
        team.memory[i] = new_memory(i);
        team.own[i] = map(team.memory[i]);
        check_success(cuMulticastBindMem(team.object, 0, team.memory[i], 0, BYTES, 0));
    }
    team.ptr = map(team.object);
    return team;
}

static inline unsigned word_at(CUdeviceptr ptr)
{
    unsigned word = 0;

    check_success(cuMemcpyDtoH(&word, ptr, sizeof(word)));
    return word;
}

#endif
