/* SPDX-License-Identifier: MIT */
/* The devices a program sees: names, identities, attributes, places on the bus. */
#include "test.h"

#include <limits.h>

enum { NO_DEVICE = 99 };

TEST(count_needs_a_place)
{
    int count = 0;

    check_success(cuInit(0));
    check_result(cuDeviceGetCount(NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuDeviceGetCount(&count));
    check(count >= 1);
}

TEST(devices_are_numbered_from_zero)
{
    CUdevice device = 7;
    int count;

    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&count));
    for (int i = 0; i < count; i++) {
        check_success(cuDeviceGet(&device, i));
        check(device == i);
    }
    check_result(cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(name_is_cut_to_the_buffer)
{
    char name[256], shorter[256];

    check_success(cuInit(0));
    check_success(cuDeviceGetName(name, sizeof(name), 0));
    check(strlen(name) > 3);
    memset(shorter, '#', sizeof(shorter));
    check_success(cuDeviceGetName(shorter, 4, 0));
    check(memcmp(shorter, name, 3) == 0 && shorter[3] == '\0' && shorter[4] == '#');
    check_success(cuDeviceGetName(shorter, 1, 0));
    check(shorter[0] == '\0');
    check_result(cuDeviceGetName(NULL, 64, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetName(name, 64, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
}

TEST(name_without_a_buffer_is_an_error)
{
    char name[8];

    check_success(cuInit(0));
    only_cupipe(); /* NVIDIA's driver crashes */
    check_result(cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(uuid_is_not_empty)
{
    static const CUuuid none;
    CUuuid uuid = none, again = none;

    check_success(cuInit(0));
    check_success(cuDeviceGetUuid(&uuid, 0));
    check(memcmp(&uuid, &none, sizeof(uuid)) != 0);
    check_success(cuDeviceGetUuid(&again, 0));
    check(memcmp(&uuid, &again, sizeof(uuid)) == 0);
    check_result(cuDeviceGetUuid(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetUuid(&uuid, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
}

TEST(luid_is_for_windows)
{
    char luid[16];
    unsigned mask;

    check_success(cuInit(0));
    check_result(cuDeviceGetLuid(luid, &mask, 0), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(total_memory)
{
    size_t bytes = 7;

    check_success(cuInit(0));
    check_success(cuDeviceTotalMem(&bytes, 0));
    check(bytes > 0);
    check_result(cuDeviceTotalMem(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceTotalMem(&bytes, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
}

TEST(attributes)
{
    int value = 0;

    check_success(cuInit(0));
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    check(value == 32);
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 0));
    check(value == 1);
    check_result(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, NO_DEVICE),
                 CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1),
                 CUDA_ERROR_INVALID_DEVICE);
    value = 7;
    check_result(cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetAttribute(&value, (CUdevice_attribute)INT_MAX, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check(value == 7);
}

static int attribute(CUdevice_attribute name)
{
    int value = -7;

    check_success(cuDeviceGetAttribute(&value, name, 0));
    return value;
}

TEST(all_multiprocessors_are_in_locality_domains)
{
    check_success(cuInit(0));
    need_driver(13040);
    int domains = attribute(CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT);
    int in_each = attribute(CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT);

    check(domains >= 1 && in_each >= 1);
    check(domains * in_each <= attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    only_cupipe();
    check(domains == 1);
    check(in_each == attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    check(attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED) == 1);
}

TEST(devices_have_no_logical_endpoints)
{
    check_success(cuInit(0));
    only_cupipe();
    check(attribute(CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED) == 0);
    check(attribute(CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED) == 0);
    check(attribute(CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED) == 0);
    check(attribute(
              CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED) == 0);
    check(attribute(CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES) == 0);
    check(attribute(CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK) == 0);
    check(attribute(CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED) == 0);
}

TEST(cliques_are_listed)
{
    CUcliqueInfo cliques[64];
    size_t count = 7, listed = 64;

    check_success(cuInit(0));
    need_driver(13040);
    check_result(cuDeviceGetCliqueCount(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetCliqueCount(&count, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGetCliqueInfo(cliques, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetCliqueInfo(cliques, &listed, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGetCliqueInfo(NULL, &listed, 0), CUDA_ERROR_INVALID_VALUE);
    check(count == 7 && listed == 64);
    check_success(cuDeviceGetCliqueCount(&count, 0));
    check_success(cuDeviceGetCliqueInfo(cliques, &listed, 0));
    check(listed == count);
    only_cupipe();
    check(count == 0);
    check_success(cuDeviceGetCliqueInfo(NULL, &count, 0));
}

TEST(there_is_no_cluster)
{
    CUuuid uuid = {{7}};

    check_success(cuInit(0));
    only_cupipe();
    check_result(cuDeviceGetFabricClusterUuid(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetFabricClusterUuid(&uuid, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGetFabricClusterUuid(&uuid, 0), CUDA_ERROR_NOT_SUPPORTED);
    check(uuid.bytes[0] == 7);
}

/* The attributes say so, too. */
TEST(logical_endpoints_are_not_supported)
{
    CUlogicalEndpointProp prop = {.type = CU_LOGICAL_ENDPOINT_TYPE_UNICAST, .size = 2 << 20};
    CUlogicalEndpointId id = 7;
    cuuint64_t alignment = 7, bytes = 7;
    int status = 7;
    char handle[64];

    check_success(cuInit(0));
    only_cupipe();
    check_result(cuLogicalEndpointIdReserve(&id, 1), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointGetLimits(&alignment, &bytes, &prop), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointCreate(1, &prop), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointAddDevice(1, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointBindAddr(1, 0, 0, handle, 2 << 20, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointBindMem(1, 0, 0, 0, 0, 2 << 20, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointUnbind(1, 0, 0, 2 << 20), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointExport(handle, 1, CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointImport(1, handle, CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointQuery(1, 1, &status), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointDestroy(1), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuLogicalEndpointIdRelease(1, 1), CUDA_ERROR_NOT_SUPPORTED);
    check(id == 7 && alignment == 7 && bytes == 7 && status == 7);
}

TEST(wrong_arguments_of_logical_endpoints_are_refused_as_such)
{
    CUlogicalEndpointProp prop = {.type = CU_LOGICAL_ENDPOINT_TYPE_INVALID};
    CUlogicalEndpointId id;
    cuuint64_t alignment, bytes;
    int status;

    check_success(cuInit(0));
    check_result(cuLogicalEndpointIdReserve(NULL, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointIdReserve(&id, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointIdRelease(1, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointCreate(1, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointCreate(1, &prop), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointGetLimits(NULL, &bytes, &prop), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointGetLimits(&alignment, &bytes, &prop), CUDA_ERROR_INVALID_VALUE);
    prop = (CUlogicalEndpointProp){.type = CU_LOGICAL_ENDPOINT_TYPE_UNICAST,
                                   .unicast.device = NO_DEVICE};
    check_result(cuLogicalEndpointCreate(1, &prop), CUDA_ERROR_INVALID_DEVICE);
    prop = (CUlogicalEndpointProp){.type = CU_LOGICAL_ENDPOINT_TYPE_MULTICAST};
    check_result(cuLogicalEndpointCreate(1, &prop), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointAddDevice(1, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuLogicalEndpointBindAddr(1, 0, 0, NULL, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointBindMem(1, 0, 0, 1, 0, 4096, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointUnbind(1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointExport(&id, 1, CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointImport(1, NULL, CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogicalEndpointQuery(1, 0, &status), CUDA_ERROR_INVALID_VALUE);
}

TEST(an_older_driver_does_not_know_newer_attributes)
{
    int value = 7;

    setenv("CUPIPE_DRIVER", "13.0", 1);
    check_success(cuInit(0));
    only_cupipe();
    for (int name = 149; name <= CU_DEVICE_ATTRIBUTE_MAX; name++)
        check_result(cuDeviceGetAttribute(&value, (CUdevice_attribute)name, 0),
                     CUDA_ERROR_INVALID_VALUE);
    check(value == 7);
    check(attribute(CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED) == 0);
}

TEST(a_driver_knows_the_attributes_of_its_version)
{
    int value = 7;

    setenv("CUPIPE_DRIVER", "13.3", 1);
    check_success(cuInit(0));
    only_cupipe();
    check(attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED) == 1);
    check_result(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check(value == 7);
}

TEST(older_queries_agree_with_the_attributes)
{
    int major = 0, minor = 0, value = 0;
    CUdevprop properties;

    check_success(cuInit(0));
    check_success(cuDeviceComputeCapability(&major, &minor, 0));
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    check(value == major);
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    check(value == minor);
    check_success(cuDeviceGetProperties(&properties, 0));
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    check(value == properties.maxThreadsPerBlock);
    check(properties.SIMDWidth == 32);
    check_result(cuDeviceComputeCapability(NULL, &minor, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceComputeCapability(&major, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetProperties(NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(pci_address_leads_back_to_the_device)
{
    char id[32];
    CUdevice device = 7;
    int bus, slot, domain;
    unsigned read[4];

    check_success(cuInit(0));
    check_success(cuDeviceGetPCIBusId(id, sizeof(id), 0));
    check(strlen(id) == strlen("0000:00:06.0"));
    check_success(cuDeviceGetByPCIBusId(&device, id));
    check(device == 0);
    check_success(cuDeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0));
    check_success(cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0));
    check_success(cuDeviceGetAttribute(&slot, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0));
    check(sscanf(id, "%x:%x:%x.%x", &read[0], &read[1], &read[2], &read[3]) == 4);
    check((int)read[0] == domain && (int)read[1] == bus && (int)read[2] == slot && read[3] == 0);
    check_result(cuDeviceGetPCIBusId(id, 12, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceGetByPCIBusId(&device, "nonsense"), CUDA_ERROR_INVALID_VALUE);
}

TEST(first_pci_address)
{
    char id[32];

    check(setenv("CUPIPE_DEVICES", "18", 1) == 0 && setenv("CUPIPE_MEMORY", "64M", 1) == 0);
    check_success(cuInit(0));
    only_cupipe();
    check_success(cuDeviceGetPCIBusId(id, sizeof(id), 0));
    check(strcmp(id, "0000:00:06.0") == 0);
    check_success(cuDeviceGetPCIBusId(id, sizeof(id), 15));
    check(strcmp(id, "0000:00:15.0") == 0);
    check_success(cuDeviceGetPCIBusId(id, sizeof(id), 17));
    check(strcmp(id, "0000:01:07.0") == 0);
}

TEST(hidden_devices_are_not_counted)
{
    int count = 0;
    CUuuid first, second;

    check(setenv("CUPIPE_DEVICES", "4", 1) == 0 && setenv("CUPIPE_MEMORY", "64M", 1) == 0);
    check(setenv("CUDA_VISIBLE_DEVICES", "2,0", 1) == 0);
    if (cuInit(0) != CUDA_SUCCESS)
        skip("about cupipe alone");
    only_cupipe();
    check_success(cuDeviceGetCount(&count));
    check(count == 2);
    check_success(cuDeviceGetUuid(&first, 0));
    check_success(cuDeviceGetUuid(&second, 1));
    check(first.bytes[15] == (char)(second.bytes[15] + 2));
}

TEST(host_atomics_are_asked_in_lists)
{
    CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
    CUatomicOperation unknown[] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_MAX};
    unsigned found[2] = {77, 77};
    int native;

    with_context();
    check_result(cuDeviceGetHostAtomicCapabilities(NULL, operations, 2, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetHostAtomicCapabilities(found, NULL, 2, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetHostAtomicCapabilities(found, operations, 0, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetHostAtomicCapabilities(found, operations, 2, 99),
                 CUDA_ERROR_INVALID_DEVICE);
    check(found[0] == 77);
    check_result(cuDeviceGetHostAtomicCapabilities(found, unknown, 2, 0), CUDA_ERROR_INVALID_VALUE);
    check(found[0] == 0 && found[1] == 0);
    check_success(cuDeviceGetHostAtomicCapabilities(found, operations, 2, 0));
    check_success(
        cuDeviceGetAttribute(&native, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 0));
    check((found[0] != 0) == native);
    check_result(cuDeviceGetP2PAtomicCapabilities(found, operations, 2, 0, 0),
                 CUDA_ERROR_INVALID_DEVICE);
}
