// SPDX-License-Identifier: MIT
// Uses the templates of cuda_runtime.h as programs do, and prints what cudaCreateChannelDesc<T>()
// and the makers of vectors give. Compiled with our headers and with a toolkit's; the outputs must
// be equal. CUDART_VERSION_COMPARED is the older version of the two.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static void print_desc(const char *name, cudaChannelFormatDesc desc)
{
    std::printf("%s %d %d %d %d kind %d\n", name, desc.x, desc.y, desc.z, desc.w, (int)desc.f);
}

#define DESC(...) print_desc(#__VA_ARGS__, cudaCreateChannelDesc<__VA_ARGS__>())
#define DESC_KIND(name) DESC(cudaChannelFormatKind##name)

static void print_descriptors()
{
    DESC(char), DESC(signed char), DESC(unsigned char), DESC(short), DESC(unsigned short);
    DESC(int), DESC(unsigned int), DESC(float), DESC(double), DESC(long long);
    DESC(char1), DESC(char2), DESC(char3), DESC(char4), DESC(uchar1), DESC(uchar2), DESC(uchar4);
    DESC(short1), DESC(short2), DESC(short4), DESC(ushort1), DESC(ushort2), DESC(ushort4);
    DESC(int1), DESC(int2), DESC(int4), DESC(uint1), DESC(uint2), DESC(uint4);
    DESC(float1), DESC(float2), DESC(float3), DESC(float4);
    DESC_KIND(Signed), DESC_KIND(Float), DESC_KIND(None), DESC_KIND(NV12);
    DESC_KIND(SignedNormalized8X1), DESC_KIND(SignedNormalized8X2), DESC_KIND(SignedNormalized8X4);
    DESC_KIND(SignedNormalized16X1), DESC_KIND(SignedNormalized16X2),
        DESC_KIND(SignedNormalized16X4);
    DESC_KIND(UnsignedNormalized8X1), DESC_KIND(UnsignedNormalized8X2),
        DESC_KIND(UnsignedNormalized8X4);
    DESC_KIND(UnsignedNormalized16X1), DESC_KIND(UnsignedNormalized16X2),
        DESC_KIND(UnsignedNormalized16X4);
    DESC_KIND(UnsignedNormalized1010102);
    DESC_KIND(UnsignedBlockCompressed1), DESC_KIND(UnsignedBlockCompressed1SRGB);
    DESC_KIND(UnsignedBlockCompressed2), DESC_KIND(UnsignedBlockCompressed2SRGB);
    DESC_KIND(UnsignedBlockCompressed3), DESC_KIND(UnsignedBlockCompressed3SRGB);
    DESC_KIND(UnsignedBlockCompressed4), DESC_KIND(SignedBlockCompressed4);
    DESC_KIND(UnsignedBlockCompressed5), DESC_KIND(SignedBlockCompressed5);
    DESC_KIND(UnsignedBlockCompressed6H), DESC_KIND(SignedBlockCompressed6H);
    DESC_KIND(UnsignedBlockCompressed7), DESC_KIND(UnsignedBlockCompressed7SRGB);
#if CUDART_VERSION_COMPARED >= 13030
    DESC_KIND(Unsigned8Packed422), DESC_KIND(Unsigned8Packed444);
    DESC_KIND(Unsigned8SemiPlanar420), DESC_KIND(Unsigned16SemiPlanar420);
    DESC_KIND(Unsigned8SemiPlanar422), DESC_KIND(Unsigned16SemiPlanar422);
    DESC_KIND(Unsigned8SemiPlanar444), DESC_KIND(Unsigned16SemiPlanar444);
    DESC_KIND(Unsigned8Planar420), DESC_KIND(Unsigned16Planar420);
    DESC_KIND(Unsigned8Planar422), DESC_KIND(Unsigned16Planar422);
    DESC_KIND(Unsigned8Planar444), DESC_KIND(Unsigned16Planar444);
#endif
    print_desc("Half", cudaCreateChannelDescHalf());
    print_desc("Half1", cudaCreateChannelDescHalf1());
    print_desc("Half2", cudaCreateChannelDescHalf2());
    print_desc("Half4", cudaCreateChannelDescHalf4());
}

static void print_makers()
{
    uchar4 a = make_uchar4(1, 2, 3, 4);
    double4_32a b = make_double4_32a(1, 2, 3, 4);
    ulonglong3 c = make_ulonglong3(5, 6, 7);
    cudaPitchedPtr pitched = make_cudaPitchedPtr(nullptr, 512, 100, 8);
    cudaExtent extent = make_cudaExtent(4, 5, 6);
    cudaPos position = make_cudaPos(7, 8, 9);
    dim3 three(make_uint3(2, 3, 4)), one;
    uint3 back = three;

    std::printf("%d %d %g %g %llu\n", a.x, a.w, b.x, b.w, c.z);
    std::printf("%zu %zu %zu\n", pitched.pitch, pitched.xsize, pitched.ysize);
    std::printf("%zu %zu %zu %zu\n", extent.width, extent.depth, position.x, position.z);
    std::printf("%u %u %u\n", one.x, one.z, back.y);
}

struct Square {
    size_t operator()(int size) const
    {
        return (size_t)size * size;
    }
};

// Never called: that these compile is the test.
void use(void (*kernel)(int, float, const char *), cudaLaunchConfig_t *config, cudaStream_t stream,
         cudaMemPool_t pool)
{
    float *floats;
    const int *const_ints = nullptr;
    struct Node *nodes;
    size_t size = 4;
    int grid, block;
    cudaEvent_t event;
    cudaGraphExec_t exec;
    cudaMemLocation location{};
    cudaMemcpyAttributes attributes{};
    const char *text = "text";
    const void *address = (const void *)kernel; // a host compiler searches with an address alone

    cudaMalloc(&floats, 4), cudaMalloc(&nodes, 4), cudaMalloc((void **)&floats, 4);
    cudaMallocPitch(&floats, &size, 4, 4), cudaMallocManaged(&floats, 4),
        cudaMallocManaged(&nodes, 4, cudaMemAttachHost);
    cudaMallocHost(&floats, 4), cudaMallocHost(&floats, 4, 1), cudaMallocHost((void **)&floats, 4),
        cudaHostAlloc(&nodes, 4, 0);
    cudaHostGetDevicePointer(&floats, nodes, 0), cudaMallocAsync(&floats, 4, stream),
        cudaMallocAsync(&floats, 4, pool, stream);
    cudaMallocFromPoolAsync(&floats, 4, pool, stream), cudaStreamAttachMemAsync(stream, floats);
    cudaMemcpyBatchAsync(&floats, &const_ints, &size, 1, &attributes, &size, 1, stream);
    cudaMemcpyBatchAsync(&floats, &const_ints, &size, 1, attributes, stream);
#if CUDART_VERSION_COMPARED >= 13020
    cudaMemcpyAsync(floats, const_ints, size, &attributes, stream);
#endif
    cudaMemPrefetchBatchAsync(&floats, &size, 1, &location, &size, 1, 0, stream);
    cudaMemPrefetchBatchAsync(&floats, &size, 1, location, 0, stream);
    cudaMemDiscardAndPrefetchBatchAsync(&floats, &size, 1, location, 0, stream);
    cudaEventCreate(&event), cudaEventCreate(&event, cudaEventDisableTiming);
    cudaGraphInstantiate(&exec, (cudaGraph_t) nullptr, nullptr, nullptr, 0),
        cudaGraphInstantiate(&exec, (cudaGraph_t) nullptr);
    cudaLaunchKernel(kernel, 1, 2, (void **)nullptr),
        cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(2), nullptr);
    cudaLaunchKernelEx(config, kernel, 1, 2, text),
        cudaLaunchKernelEx(config, (cudaKernel_t) nullptr, 1, 2.0f);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&grid, kernel, 32, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&grid, kernel, 32, 0, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, address),
        cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, address);
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, address, Square(), 128);
    cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, address, Square(), 128,
                                                            0);
    cudaOccupancyAvailableDynamicSMemPerBlock(&size, kernel, 1, 32);
    cudaOccupancyMaxPotentialClusterSize(&grid, kernel, config),
        cudaOccupancyMaxActiveClusters(&grid, kernel, config);
}

int main()
{
    print_descriptors();
    print_makers();
    return 0;
}
