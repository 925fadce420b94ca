/* SPDX-License-Identifier: MIT */
/* Where memory is: locality domains, of which each device has one, and the properties of pools. */
#include "pools.h"
#include "virtual.h"

static void with_driver(const char *version)
{
    setenv("CUPIPE_DRIVER", version, 1);
    with_context();
    only_cupipe();
}

static CUmemLocation in_domain(unsigned char device, unsigned char domain)
{
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN};

    location.localized.deviceId = device;
    location.localized.localityDomainId = domain;
    return location;
}

static int narrow(CUmemoryPool pool, CUmemPool_attribute attribute)
{
    int value = -77;

    check_success(cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static int domain_of(CUdeviceptr ptr)
{
    int ordinal = 7;

    check_success(
        cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL, ptr));
    return ordinal;
}

TEST(memory_of_the_only_domain_is_the_devices)
{
    CUmemAllocationProp properties = device_memory(0), found;
    CUmemGenericAllocationHandle handle;

    with_driver("13.4");
    properties.location = in_domain(0, 0);
    check_success(cuMemCreate(&handle, UNIT, &properties, 0));
    check_success(cuMemGetAllocationPropertiesFromHandle(&found, handle));
    check(found.location.type == CU_MEM_LOCATION_TYPE_DEVICE && found.location.id == 0);
    CUdeviceptr at = reserve(UNIT);
    check_success(cuMemMap(at, UNIT, 0, handle, 0));
    allow(at, UNIT, READWRITE);
    check(domain_of(at) == -1);
    check_success(cuMemsetD8(at, 1, UNIT));
}

TEST(domains_that_do_not_exist_are_refused)
{
    CUmemAllocationProp properties = device_memory(0);
    CUmemPoolProps pool_properties = properties_of(0);
    CUmemLocation second = in_domain(0, 1);
    CUmemGenericAllocationHandle handle;
    CUmemoryPool pool;

    with_driver("13.4");
    properties.location = pool_properties.location = second;
    check_result(cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPoolCreate(&pool, &pool_properties), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemGetMemPool(&pool, &second, CU_MEM_ALLOCATION_TYPE_PINNED),
                 CUDA_ERROR_INVALID_VALUE);
    properties.location = pool_properties.location = in_domain(99, 0);
    check_result(cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuMemPoolCreate(&pool, &pool_properties), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_pool_of_the_only_domain_is_the_devices)
{
    CUmemPoolProps properties = properties_of(0);
    CUmemLocation domain = in_domain(0, 0);
    CUmemoryPool pool;

    with_driver("13.4");
    properties.location = domain;
    check_success(cuMemPoolCreate(&pool, &properties));
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_DEVICE);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_ID) == 0);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID) == -1);
    check(domain_of(allocate_from(pool, 64, NULL)) == -1);
    check_success(cuMemSetMemPool(&domain, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    CUmemoryPool current = NULL, standard = NULL;
    check_success(cuDeviceGetMemPool(&current, 0));
    check(current == pool);
    check_success(cuMemGetMemPool(&current, &domain, CU_MEM_ALLOCATION_TYPE_PINNED));
    check(current == pool);
    check_success(cuMemGetDefaultMemPool(&standard, &domain, CU_MEM_ALLOCATION_TYPE_PINNED));
    check(standard == default_pool());
}

TEST(managed_memory_has_no_domain)
{
    CUmemPoolProps properties = properties_of(0);
    CUmemLocation domain = in_domain(0, 0);
    CUmemoryPool pool;
    CUdeviceptr ptr;

    with_driver("13.4");
    properties.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
    properties.location = domain;
    check(cuMemPoolCreate(&pool, &properties) != CUDA_SUCCESS);
    check(cuMemGetMemPool(&pool, &domain, CU_MEM_ALLOCATION_TYPE_MANAGED) != CUDA_SUCCESS);
    check_success(cuMemAllocManaged(&ptr, 4096, CU_MEM_ATTACH_GLOBAL));
    check(domain_of(ptr) == -1);
    check_result(cuMemAdvise(ptr, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, domain),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPrefetchAsync(ptr, 4096, domain, 0, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(pointers_of_others_have_no_domain)
{
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL};
    int ordinal = 7, local;
    void *data[] = {&ordinal};

    with_driver("13.4");
    check_result(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL,
                                       address_of(&local)),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuPointerGetAttributes(1, names, data, address_of(&local)));
    check(ordinal == -1);
}

TEST(an_older_driver_does_not_know_domains)
{
    CUmemAllocationProp properties = device_memory(0);
    CUmemPoolProps pool_properties = properties_of(0);
    CUmemLocation domain = in_domain(0, 0);
    CUmemGenericAllocationHandle handle;
    CUmemoryPool pool;
    CUdeviceptr ptr;
    int value = 7;

    with_driver("13.0");
    properties.location = pool_properties.location = domain;
    check_result(cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPoolCreate(&pool, &pool_properties), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemGetMemPool(&pool, &domain, CU_MEM_ALLOCATION_TYPE_PINNED),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuMemAlloc(&ptr, 64));
    check_result(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL, ptr),
                 CUDA_ERROR_INVALID_VALUE);
    for (int name = CU_MEMPOOL_ATTR_ALLOCATION_TYPE; name <= CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID;
         name++)
        check_result(cuMemPoolGetAttribute(default_pool(), (CUmemPool_attribute)name, &value),
                     CUDA_ERROR_INVALID_VALUE);
    check(value == 7);
}

/* Properties of pools. */

TEST(a_pool_tells_its_properties)
{
    CUmemPoolProps properties = properties_of(0);
    CUmemoryPool pool;

    with_driver("13.4");
    properties.maxSize = BLOCK - 1;
    properties.usage = CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS;
    check_success(cuMemPoolCreate(&pool, &properties));
    check(narrow(pool, CU_MEMPOOL_ATTR_ALLOCATION_TYPE) == CU_MEM_ALLOCATION_TYPE_PINNED);
    check(narrow(pool, CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES) == CU_MEM_HANDLE_TYPE_NONE);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_DEVICE);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_ID) == 0);
    check(narrow(pool, CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED) == 1);
    check(wide(pool, CU_MEMPOOL_ATTR_MAX_POOL_SIZE) == BLOCK);
    check(narrow(default_pool(), CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED) == 0);
    check(wide(default_pool(), CU_MEMPOOL_ATTR_MAX_POOL_SIZE) == 0);
}

TEST(pools_of_the_host_and_managed_ones_tell_theirs)
{
    CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, {5}},
                  node = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA};
    CUmemLocation none = {.type = CU_MEM_LOCATION_TYPE_NONE};
    CUmemoryPool pool;

    with_driver("13.4");
    check_success(cuMemGetDefaultMemPool(&pool, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_HOST);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_ID) == CU_DEVICE_CPU);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID) == -1);
    check_success(cuMemGetDefaultMemPool(&pool, &node, CU_MEM_ALLOCATION_TYPE_PINNED));
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_HOST_NUMA);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_ID) == 0);
    check_success(cuMemGetDefaultMemPool(&pool, &none, CU_MEM_ALLOCATION_TYPE_MANAGED));
    check(narrow(pool, CU_MEMPOOL_ATTR_ALLOCATION_TYPE) == CU_MEM_ALLOCATION_TYPE_MANAGED);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_NONE);
    check(narrow(pool, CU_MEMPOOL_ATTR_LOCATION_ID) == CU_DEVICE_INVALID);
    check(wide(pool, CU_MEMPOOL_ATTR_MAX_POOL_SIZE) != 0);
}

TEST(properties_cannot_be_set)
{
    cuuint64_t value = 0;

    with_driver("13.4");
    for (int name = CU_MEMPOOL_ATTR_ALLOCATION_TYPE; name <= CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID;
         name++) {
        check_result(cuMemPoolSetAttribute(default_pool(), (CUmemPool_attribute)name, &value),
                     CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemPoolGetAttribute(default_pool(), (CUmemPool_attribute)name, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    }
    check_result(
        cuMemPoolGetAttribute(default_pool(), CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID + 1, &value),
        CUDA_ERROR_INVALID_VALUE);
}

TEST(a_driver_knows_the_properties_of_its_version)
{
    int value = 7;

    with_driver("13.2");
    check(narrow(default_pool(), CU_MEMPOOL_ATTR_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_DEVICE);
    check_result(cuMemPoolGetAttribute(default_pool(), CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID, &value),
                 CUDA_ERROR_INVALID_VALUE);
    check(value == 7);
}

/* Memory for RDMA. */

static int is_rdma_capable(CUdeviceptr ptr)
{
    int capable = -7;

    check_success(
        cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, ptr));
    return capable;
}

TEST(a_pool_is_made_for_rdma)
{
    CUmemPoolProps properties = properties_of(0);
    CUmemoryPool pool;

    with_driver("13.4");
    properties.gpuDirectRDMACapable = 1;
    check_success(cuMemPoolCreate(&pool, &properties));
    check(is_rdma_capable(allocate_from(pool, 64, NULL)) == 1);
    check(is_rdma_capable(allocate_from(new_pool(0), 64, NULL)) == 0);
    properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
}

TEST(an_older_driver_has_the_byte_reserved)
{
    CUmemPoolProps properties = properties_of(0);
    CUmemoryPool pool;

    with_driver("13.3");
    properties.gpuDirectRDMACapable = 1;
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
}

TEST(rdma_over_pcie_is_for_memory_for_rdma)
{
    CUmemAllocationProp properties = device_memory(0);
    CUmemGenericAllocationHandle handle;

    with_driver("13.4");
    properties.allocFlags.usage = CU_MEM_CREATE_USAGE_GPU_DIRECT_RDMA_OVER_PCIE;
    check_result(cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    properties.allocFlags.gpuDirectRDMACapable = 1;
    check_success(cuMemCreate(&handle, UNIT, &properties, 0));
}

TEST(an_older_driver_ignores_the_usage)
{
    CUmemAllocationProp properties = device_memory(0);
    CUmemGenericAllocationHandle handle;

    with_driver("13.0");
    properties.allocFlags.usage = CU_MEM_CREATE_USAGE_GPU_DIRECT_RDMA_OVER_PCIE;
    check_success(cuMemCreate(&handle, UNIT, &properties, 0));
}
