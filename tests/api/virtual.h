/* SPDX-License-Identifier: MIT */
/* Shared by the tests of virtual memory. Included after test.h. */
#ifndef VIRTUAL_H
#define VIRTUAL_H

#include <sys/mman.h>

#define UNIT ((size_t)2 << 20)
#define READWRITE CU_MEM_ACCESS_FLAGS_PROT_READWRITE
#define FD_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

#if defined(__SANITIZE_THREAD__)
#define ADDRESS_SPACE_IS_SCARCE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ADDRESS_SPACE_IS_SCARCE 1
#endif
#endif
#ifndef ADDRESS_SPACE_IS_SCARCE
#define ADDRESS_SPACE_IS_SCARCE 0
#endif

static inline void needs_address_space(void)
{
    if (ADDRESS_SPACE_IS_SCARCE)
        skip("the sanitizer leaves too few addresses");
}

static inline CUmemAllocationProp device_memory(unsigned handle_types)
{
    CUmemAllocationProp properties;

    memset(&properties, 0, sizeof(properties));
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = (CUmemAllocationHandleType)handle_types;
    return properties;
}

static inline CUmemGenericAllocationHandle create(size_t bytes, unsigned handle_types)
{
    CUmemAllocationProp properties = device_memory(handle_types);
    CUmemGenericAllocationHandle handle = 0;

    check_success(cuMemCreate(&handle, bytes, &properties, 0));
    return handle;
}

static inline CUdeviceptr reserve(size_t bytes)
{
    CUdeviceptr at = 0;

    check_success(cuMemAddressReserve(&at, bytes, 0, 0, 0));
    check(at != 0 && at % UNIT == 0);
    return at;
}

static inline void allow(CUdeviceptr at, size_t bytes, CUmemAccess_flags flags)
{
    CUmemAccessDesc access;

    memset(&access, 0, sizeof(access));
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = flags;
    check_success(cuMemSetAccess(at, bytes, &access, 1));
}

static inline unsigned long long access_of(CUdeviceptr at)
{
    CUmemLocation location;
    unsigned long long flags = 99;

    memset(&location, 0, sizeof(location));
    location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check_success(cuMemGetAccess(&flags, &location, at));
    return flags;
}

/* Memory at an address of its own, to read and write. */
static inline CUdeviceptr map_at_new_address(size_t bytes, CUmemGenericAllocationHandle handle)
{
    CUdeviceptr at = reserve(bytes);

    check_success(cuMemMap(at, bytes, 0, handle, 0));
    allow(at, bytes, READWRITE);
    return at;
}

static inline CUdeviceptr map_new(size_t bytes, unsigned handle_types,
                                  CUmemGenericAllocationHandle *handle)
{
    *handle = create(bytes, handle_types);
    return map_at_new_address(bytes, *handle);
}

static inline void unmap(CUdeviceptr at, size_t bytes, CUmemGenericAllocationHandle handle)
{
    check_success(cuMemUnmap(at, bytes));
    check_success(cuMemRelease(handle));
    check_success(cuMemAddressFree(at, bytes));
}

static inline unsigned char *host_bytes(size_t bytes)
{
    unsigned char *host = malloc(bytes);

    check(host != NULL);
    return host;
}

static inline void fill_pattern(CUdeviceptr at, size_t bytes, unsigned seed)
{
    unsigned char *host = host_bytes(bytes);

    for (size_t i = 0; i < bytes; i++)
        host[i] = (unsigned char)(i * 7 + i / 251 + seed);
    check_success(cuMemcpyHtoD(at, host, bytes));
    free(host);
}

static inline void check_pattern(CUdeviceptr at, size_t bytes, unsigned seed)
{
    unsigned char *host = host_bytes(bytes);

    check_success(cuMemcpyDtoH(host, at, bytes));
    for (size_t i = 0; i < bytes; i++)
        check(host[i] == (unsigned char)(i * 7 + i / 251 + seed));
    free(host);
}

static inline void check_bytes(CUdeviceptr at, size_t bytes, unsigned char value)
{
    unsigned char *host = host_bytes(bytes);

    check_success(cuMemcpyDtoH(host, at, bytes));
    for (size_t i = 0; i < bytes; i++)
        check(host[i] == value);
    free(host);
}

#endif
