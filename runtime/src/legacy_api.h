/* SPDX-License-Identifier: MIT */
/*
 * The forms of functions that libcudart.so.12 exports under names that mean something else, or
 * nothing, in 13.0. A suffix _v12 tells them apart here; the wrappers export them without it.
 */
#ifndef RT_LEGACY_API_H
#define RT_LEGACY_API_H

#include "cuda_runtime_api.h"

/* The struct of 12.x. That of 11.x, which cudaGetDeviceProperties without a suffix fills in, is its
 * beginning: up to reservedSharedMemPerBlock. */
struct cudaDeviceProp_v12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved2[2];
    int reserved1[1];
    int reserved[60];
};

/* External semaphores before their structs had reserved fields. */
struct cudaExternalSemaphoreSignalParams_v12 {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
    } params;
    unsigned int flags;
};

struct cudaExternalSemaphoreWaitParams_v12 {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned int timeoutMs;
        } keyedMutex;
    } params;
    unsigned int flags;
};

/* Descriptors of resources before they had flags and reserved fields. */
struct cudaResourceDesc_v12 {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
};

struct cudaResourceViewDesc_v12 {
    enum cudaResourceViewFormat format;
    size_t width;
    size_t height;
    size_t depth;
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
};

/* External memory and semaphores before their descriptors had reserved fields. */
struct cudaExternalMemoryHandleDesc_v12 {
    enum cudaExternalMemoryHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned int flags;
};

struct cudaExternalMemoryBufferDesc_v12 {
    unsigned long long offset;
    unsigned long long size;
    unsigned int flags;
};

struct cudaExternalMemoryMipmappedArrayDesc_v12 {
    unsigned long long offset;
    struct cudaChannelFormatDesc formatDesc;
    struct cudaExtent extent;
    unsigned int flags;
    unsigned int numLevels;
};

struct cudaExternalSemaphoreHandleDesc_v12 {
    enum cudaExternalSemaphoreHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciSyncObj;
    } handle;
    unsigned int flags;
};

struct cudaLaunchParams_v12 {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};

cudaError_t CUDARTAPI cudaGetDeviceProperties_v12(struct cudaDeviceProp_v12 *prop, int device);
cudaError_t CUDARTAPI cudaGetDeviceProperties_v2(struct cudaDeviceProp_v12 *prop, int device);

cudaError_t CUDARTAPI cudaGraphAddDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphRemoveDependencies_v12(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to,
                                                      size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphAddNode_v12(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies,
                                           struct cudaGraphNodeParams *nodeParams);
cudaError_t CUDARTAPI cudaGraphGetEdges_v12(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, size_t *numEdges);
cudaError_t CUDARTAPI cudaGraphNodeGetDependencies_v12(cudaGraphNode_t node,
                                                       cudaGraphNode_t *pDependencies,
                                                       size_t *pNumDependencies);
cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes_v12(cudaGraphNode_t node,
                                                         cudaGraphNode_t *pDependentNodes,
                                                         size_t *pNumDependentNodes);

cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v12(cudaStream_t stream,
                                                   enum cudaStreamCaptureStatus *pCaptureStatus,
                                                   unsigned long long *pId);
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                  enum cudaStreamCaptureStatus *captureStatus_out,
                                                  unsigned long long *id_out,
                                                  cudaGraph_t *graph_out,
                                                  const cudaGraphNode_t **dependencies_out,
                                                  size_t *numDependencies_out);
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies_v12(cudaStream_t stream,
                                                              cudaGraphNode_t *dependencies,
                                                              size_t numDependencies,
                                                              unsigned int flags);

cudaError_t CUDARTAPI cudaMemAdvise_v12(const void *devPtr, size_t count,
                                        enum cudaMemoryAdvise advice, int device);
cudaError_t CUDARTAPI cudaMemPrefetchAsync_v12(const void *devPtr, size_t count, int dstDevice,
                                               cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemcpyBatchAsync_v12(void **dsts, void **srcs, size_t *sizes,
                                               size_t count, struct cudaMemcpyAttributes *attrs,
                                               size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                               cudaStream_t stream);
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync_v12(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                                 size_t *failIdx, unsigned long long flags,
                                                 cudaStream_t stream);

cudaError_t CUDARTAPI cudaCreateTextureObject_v12(
    cudaTextureObject_t *pTexObject, const struct cudaResourceDesc_v12 *pResDesc,
    const struct cudaTextureDesc *pTexDesc, const struct cudaResourceViewDesc_v12 *pResViewDesc);
cudaError_t CUDARTAPI cudaCreateSurfaceObject_v12(cudaSurfaceObject_t *pSurfObject,
                                                  const struct cudaResourceDesc_v12 *pResDesc);
cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc_v12(struct cudaResourceDesc_v12 *pResDesc,
                                                           cudaTextureObject_t texObject);
cudaError_t CUDARTAPI cudaGetSurfaceObjectResourceDesc_v12(struct cudaResourceDesc_v12 *pResDesc,
                                                           cudaSurfaceObject_t surfObject);
cudaError_t CUDARTAPI cudaGetTextureObjectResourceViewDesc_v12(
    struct cudaResourceViewDesc_v12 *pResViewDesc, cudaTextureObject_t texObject);

cudaError_t CUDARTAPI cudaImportExternalMemory_v12(
    cudaExternalMemory_t *extMem_out, const struct cudaExternalMemoryHandleDesc_v12 *memHandleDesc);
cudaError_t CUDARTAPI
cudaExternalMemoryGetMappedBuffer_v12(void **devPtr, cudaExternalMemory_t extMem,
                                      const struct cudaExternalMemoryBufferDesc_v12 *bufferDesc);
cudaError_t CUDARTAPI cudaExternalMemoryGetMappedMipmappedArray_v12(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc_v12 *mipmapDesc);
cudaError_t CUDARTAPI
cudaImportExternalSemaphore_v12(cudaExternalSemaphore_t *extSem_out,
                                const struct cudaExternalSemaphoreHandleDesc_v12 *semHandleDesc);
cudaError_t CUDARTAPI cudaSignalExternalSemaphoresAsync_v12(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreSignalParams_v12 *paramsArray, unsigned int numExtSems,
    cudaStream_t stream);
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync_v12(const cudaExternalSemaphore_t *extSemArray,
                                    const struct cudaExternalSemaphoreWaitParams_v12 *paramsArray,
                                    unsigned int numExtSems, cudaStream_t stream);

cudaError_t CUDARTAPI cudaLaunchCooperativeKernelMultiDevice(
    struct cudaLaunchParams_v12 *launchParamsList, unsigned int numDevices, unsigned int flags);
cudaError_t CUDARTAPI cudaSetDoubleForDevice(double *d);
cudaError_t CUDARTAPI cudaSetDoubleForHost(double *d);

#endif
