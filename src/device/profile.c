/* SPDX-License-Identifier: MIT */
/* The attributes of an H200 as its driver reports them, and those that depend on
 * the model and on the compute capability. device.c has the attributes that differ
 * between devices of one model. */
#include "device/profile.h"

#include "core/compiler.h"

#include <stddef.h>

struct profile_attribute {
    CUdevice_attribute id;
    int value;
};

#define ATTRIBUTE(name, value)                                                                     \
    {                                                                                              \
        CU_DEVICE_ATTRIBUTE_##name, value                                                          \
    }

static const struct profile_attribute attributes[] = {
    ATTRIBUTE(MAX_THREADS_PER_BLOCK, 1024),
    ATTRIBUTE(MAX_BLOCK_DIM_X, 1024),
    ATTRIBUTE(MAX_BLOCK_DIM_Y, 1024),
    ATTRIBUTE(MAX_BLOCK_DIM_Z, 64),
    ATTRIBUTE(MAX_GRID_DIM_X, 2147483647),
    ATTRIBUTE(MAX_GRID_DIM_Y, 65535),
    ATTRIBUTE(MAX_GRID_DIM_Z, 65535),
    ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK, 49152),
    ATTRIBUTE(TOTAL_CONSTANT_MEMORY, 65536),
    ATTRIBUTE(WARP_SIZE, 32),
    ATTRIBUTE(MAX_PITCH, 2147483647),
    ATTRIBUTE(MAX_REGISTERS_PER_BLOCK, 65536),
    ATTRIBUTE(TEXTURE_ALIGNMENT, 512),
    ATTRIBUTE(GPU_OVERLAP, 1),
    ATTRIBUTE(KERNEL_EXEC_TIMEOUT, 0),
    ATTRIBUTE(CAN_MAP_HOST_MEMORY, 1),
    ATTRIBUTE(COMPUTE_MODE, 0),
    ATTRIBUTE(MAXIMUM_TEXTURE1D_WIDTH, 131072),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_WIDTH, 131072),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_HEIGHT, 65536),
    ATTRIBUTE(MAXIMUM_TEXTURE3D_WIDTH, 16384),
    ATTRIBUTE(MAXIMUM_TEXTURE3D_HEIGHT, 16384),
    ATTRIBUTE(MAXIMUM_TEXTURE3D_DEPTH, 16384),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 2048),
    ATTRIBUTE(SURFACE_ALIGNMENT, 512),
    ATTRIBUTE(CONCURRENT_KERNELS, 1),
    ATTRIBUTE(TCC_DRIVER, 0),
    ATTRIBUTE(UNIFIED_ADDRESSING, 1),
    ATTRIBUTE(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 2048),
    ATTRIBUTE(CAN_TEX2D_GATHER, 1),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_GATHER_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, 8192),
    ATTRIBUTE(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, 8192),
    ATTRIBUTE(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 32768),
    ATTRIBUTE(TEXTURE_PITCH_ALIGNMENT, 32),
    ATTRIBUTE(MAXIMUM_TEXTURECUBEMAP_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 2046),
    ATTRIBUTE(MAXIMUM_SURFACE1D_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_SURFACE2D_WIDTH, 131072),
    ATTRIBUTE(MAXIMUM_SURFACE2D_HEIGHT, 65536),
    ATTRIBUTE(MAXIMUM_SURFACE3D_WIDTH, 16384),
    ATTRIBUTE(MAXIMUM_SURFACE3D_HEIGHT, 16384),
    ATTRIBUTE(MAXIMUM_SURFACE3D_DEPTH, 16384),
    ATTRIBUTE(MAXIMUM_SURFACE1D_LAYERED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_SURFACE1D_LAYERED_LAYERS, 2048),
    ATTRIBUTE(MAXIMUM_SURFACE2D_LAYERED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_SURFACE2D_LAYERED_HEIGHT, 32768),
    ATTRIBUTE(MAXIMUM_SURFACE2D_LAYERED_LAYERS, 2048),
    ATTRIBUTE(MAXIMUM_SURFACECUBEMAP_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 2046),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 32768),
    ATTRIBUTE(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 32768),
    ATTRIBUTE(STREAM_PRIORITIES_SUPPORTED, 1),
    ATTRIBUTE(GLOBAL_L1_CACHE_SUPPORTED, 1),
    ATTRIBUTE(LOCAL_L1_CACHE_SUPPORTED, 1),
    ATTRIBUTE(MAX_REGISTERS_PER_MULTIPROCESSOR, 65536),
    ATTRIBUTE(MANAGED_MEMORY, 1),
    ATTRIBUTE(MULTI_GPU_BOARD, 0),
    ATTRIBUTE(MULTI_GPU_BOARD_GROUP_ID, 0),
    ATTRIBUTE(HOST_NATIVE_ATOMIC_SUPPORTED, 0),
    ATTRIBUTE(PAGEABLE_MEMORY_ACCESS, 0),
    ATTRIBUTE(CONCURRENT_MANAGED_ACCESS, 1),
    ATTRIBUTE(COMPUTE_PREEMPTION_SUPPORTED, 1),
    ATTRIBUTE(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1),
    ATTRIBUTE(CAN_USE_STREAM_MEM_OPS_V1, 0),
    ATTRIBUTE(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 0),
    ATTRIBUTE(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 0),
    ATTRIBUTE(COOPERATIVE_LAUNCH, 1),
    ATTRIBUTE(COOPERATIVE_MULTI_DEVICE_LAUNCH, 1),
    ATTRIBUTE(CAN_FLUSH_REMOTE_WRITES, 0),
    ATTRIBUTE(HOST_REGISTER_SUPPORTED, 1),
    ATTRIBUTE(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 0),
    ATTRIBUTE(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0),
    ATTRIBUTE(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1),
    ATTRIBUTE(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1),
    ATTRIBUTE(HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 0),
    ATTRIBUTE(HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 0),
    ATTRIBUTE(GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 1),
    ATTRIBUTE(SPARSE_CUDA_ARRAY_SUPPORTED, 1),
    ATTRIBUTE(READ_ONLY_HOST_REGISTER_SUPPORTED, 1),
    ATTRIBUTE(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 1),
    ATTRIBUTE(MEMORY_POOLS_SUPPORTED, 1),
    ATTRIBUTE(GPU_DIRECT_RDMA_SUPPORTED, 1),
    ATTRIBUTE(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, 1),
    ATTRIBUTE(GPU_DIRECT_RDMA_WRITES_ORDERING, 100),
    ATTRIBUTE(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 1),
    ATTRIBUTE(CAN_USE_64_BIT_STREAM_MEM_OPS, 1),
    ATTRIBUTE(CAN_USE_STREAM_WAIT_VALUE_NOR, 1),
    ATTRIBUTE(DMA_BUF_SUPPORTED, 1),
    ATTRIBUTE(IPC_EVENT_SUPPORTED, 1),
    ATTRIBUTE(UNIFIED_FUNCTION_POINTERS, 1),
    ATTRIBUTE(NUMA_CONFIG, 0),
    ATTRIBUTE(NUMA_ID, -1),
    ATTRIBUTE(MULTICAST_SUPPORTED, 0),
    ATTRIBUTE(MPS_ENABLED, 0),
    ATTRIBUTE(HOST_NUMA_ID, 0),
    ATTRIBUTE(D3D12_CIG_SUPPORTED, 0),
    /* not recorded: that GPU has no decompression engine */
    ATTRIBUTE(MEM_DECOMPRESS_ALGORITHM_MASK, 7),
    ATTRIBUTE(MEM_DECOMPRESS_MAXIMUM_LENGTH, 4 << 20), /* CUP_DECOMPRESS_BYTES_MAX */
    ATTRIBUTE(VULKAN_CIG_SUPPORTED, 0),
    ATTRIBUTE(HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1),
    ATTRIBUTE(HOST_NUMA_MEMORY_POOLS_SUPPORTED, 1),
    ATTRIBUTE(HOST_NUMA_MULTINODE_IPC_SUPPORTED, 0),
    ATTRIBUTE(HOST_MEMORY_POOLS_SUPPORTED, 1),
    ATTRIBUTE(HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1),
    ATTRIBUTE(HOST_ALLOC_DMA_BUF_SUPPORTED, 0),
    ATTRIBUTE(ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED, 0),
    /* Newer than the recorded driver. Public output of NVIDIA's driver 615 for an A100 has one
     * locality domain with all multiprocessors. */
    ATTRIBUTE(ATOMIC_REDUCTION_SUPPORTED, 1),
    ATTRIBUTE(LOCALITY_DOMAIN_COUNT, 1),
    ATTRIBUTE(MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK, 0), /* from compute capability 10.7 on */
    ATTRIBUTE(D3D12_CIG_STREAMS_SUPPORTED, 0),
    ATTRIBUTE(DMA_BUF_MMAP_SUPPORTED, 1),
    ATTRIBUTE(LOGICAL_ENDPOINT_UNICAST_SUPPORTED, 0),
    ATTRIBUTE(LOGICAL_ENDPOINT_MULTICAST_SUPPORTED, 0),
    ATTRIBUTE(LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED, 0),
    ATTRIBUTE(LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED, 0),
    ATTRIBUTE(LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES, CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE),
    /* the memory of the only domain is that of the device */
    ATTRIBUTE(GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED, 1),
};

/* What the model decides. */
static bool find_of_gpu(const struct cup_profile *profile, CUdevice_attribute attribute, int *value)
{
    const struct cup_gpu *gpu = profile->gpu;

    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = (int)gpu->clock_khz;
        return true;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = (int)gpu->memory_clock_khz;
        return true;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = gpu->bus_bits;
        return true;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    case CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT:
        *value = (int)profile->sms;
        return true;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = (int)(gpu->l2_kib * 1024);
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
        *value = (int)(gpu->l2_kib * 64 * profile->capability->persisting_l2_16ths);
        return true;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
        *value = gpu->copy_engines;
        return true;
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
        *value = gpu->ecc;
        return true;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
        *value = gpu->integrated;
        return true;
    case CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID:
        *value = (int)gpu->pci_id;
        return true;
    case CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID:
        *value = (int)gpu->pci_subsystem;
        return true;
    default:
        return false;
    }
}

/* What the compute capability decides. */
static bool find_of_capability(const struct cup_capability *capability,
                               CUdevice_attribute attribute, int *value)
{
    bool hopper = capability->number >= 90, ampere = capability->number >= 80;

    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = capability->number / 10;
        return true;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = capability->number % 10;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = capability->sm_threads;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        *value = capability->sm_blocks;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = capability->sm_shared_kib * 1024;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = capability->block_shared_kib * 1024;
        return true;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        *value = capability->reserved_shared_bytes;
        return true;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
        *value = capability->double_ratio;
        return true;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
        *value = hopper;
        return true;
    case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
        *value = hopper ? 4 : 1;
        return true;
    case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES:
        *value =
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | (hopper ? CU_MEM_HANDLE_TYPE_FABRIC : 0);
        return true;
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
        *value = ampere;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
        *value = ampere ? 128 << 20 : 0;
        return true;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH:
        *value = 1 << (capability->number >= 70 ? 28 : 27);
        return true;
    default:
        return false;
    }
}

void cup_profile_init(struct cup_profile *profile, const struct cup_gpu *gpu,
                      const struct cup_capability *capability, unsigned sms)
{
    *profile = (struct cup_profile){
        .gpu = gpu,
        .capability = capability ? capability : cup_capability_find(gpu->capability),
        .sms = sms ? sms : gpu->sms,
    };
    for (int i = 0; i < CU_DEVICE_ATTRIBUTE_MAX; i++)
        profile->values[i] = CUP_NO_SUCH_ATTRIBUTE;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(attributes); i++)
        profile->values[attributes[i].id] = attributes[i].value;
    for (int i = 0; i < CU_DEVICE_ATTRIBUTE_MAX; i++)
        if (!find_of_gpu(profile, (CUdevice_attribute)i, &profile->values[i]))
            find_of_capability(profile->capability, (CUdevice_attribute)i, &profile->values[i]);
}

bool cup_profile_attribute(const struct cup_profile *profile, CUdevice_attribute attribute,
                           int *value)
{
    if ((unsigned)attribute >= CU_DEVICE_ATTRIBUTE_MAX ||
        profile->values[attribute] == CUP_NO_SUCH_ATTRIBUTE)
        return false;
    *value = profile->values[attribute];
    return true;
}
