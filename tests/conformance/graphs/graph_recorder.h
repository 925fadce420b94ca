/* SPDX-License-Identifier: MIT */
/* Behaviour recorder for CUDA graphs and stream capture: shared declarations. */
#ifndef GP_H
#define GP_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cuda.h>

/* functions of the subject groups 1-13 (also walked by the state tables and by cuGetProcAddress) */
#define FNS_MAIN(X)                                                                                                                               \
    X(cuMemGetInfo)                                                                                                                               \
    X(cuMemAlloc) X(cuMemAllocPitch) X(cuMemFree) X(cuMemGetAddressRange) X(cuMemAllocHost) X(                                                    \
        cuMemFreeHost) X(cuMemHostAlloc) X(cuMemHostGetDevicePointer) X(cuMemHostGetFlags) X(cuMemHostRegister)                                   \
        X(cuMemHostUnregister) X(cuMemAllocManaged) X(cuPointerGetAttribute) X(cuPointerGetAttributes) X(                                         \
            cuPointerSetAttribute) X(cuMemAdvise) X(cuMemPrefetchAsync) X(cuMemPrefetchBatchAsync)                                                \
            X(cuMemDiscardBatchAsync) X(cuMemDiscardAndPrefetchBatchAsync) X(cuMemRangeGetAttribute) X(                                           \
                cuMemRangeGetAttributes) X(cuMemcpy) X(cuMemcpyPeer) X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyDtoD)                              \
                X(cuMemcpyDtoA) X(cuMemcpyAtoD) X(cuMemcpyHtoA) X(cuMemcpyAtoH) X(cuMemcpyAtoA) X(                                                \
                    cuMemcpy2D) X(cuMemcpy2DUnaligned) X(cuMemcpy3D) X(cuMemcpy3DPeer) X(cuMemcpyAsync)                                           \
                    X(cuMemcpyPeerAsync) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(                                        \
                        cuMemcpyHtoAAsync) X(cuMemcpyAtoHAsync) X(cuMemcpy2DAsync) X(cuMemcpy3DAsync)                                             \
                        X(cuMemcpy3DPeerAsync) X(cuMemcpyBatchAsync) X(cuMemcpy3DBatchAsync) X(cuMemsetD8) X(                                     \
                            cuMemsetD16) X(cuMemsetD32) X(cuMemsetD2D8) X(cuMemsetD2D16) X(cuMemsetD2D32)                                         \
                            X(cuMemsetD8Async) X(cuMemsetD16Async) X(cuMemsetD32Async) X(                                                         \
                                cuMemsetD2D8Async) X(cuMemsetD2D16Async) X(cuMemsetD2D32Async) X(cuArrayCreate) X(cuArrayGetDescriptor)           \
                                X(cuArrayGetSparseProperties) X(cuMipmappedArrayGetSparseProperties) X(cuArrayGetMemoryRequirements) X(           \
                                    cuMipmappedArrayGetMemoryRequirements) X(cuArrayGetPlane) X(cuArrayDestroy)                                   \
                                    X(cuArray3DCreate) X(cuArray3DGetDescriptor) X(cuMipmappedArrayCreate) X(cuMipmappedArrayGetLevel) X(         \
                                        cuMipmappedArrayDestroy) X(cuIpcGetEventHandle) X(cuIpcOpenEventHandle)                                   \
                                        X(cuIpcGetMemHandle) X(cuIpcOpenMemHandle) X(cuIpcCloseMemHandle) X(                                      \
                                            cuMemGetHandleForAddressRange) X(cuDeviceGetPCIBusId) X(cuDeviceGetByPCIBusId)                        \
                                            X(cuDeviceRegisterAsyncNotification) X(cuDeviceUnregisterAsyncNotification) X(                        \
                                                cuMemBatchDecompressAsync) X(cuGraphicsUnregisterResource) X(cuGraphicsSubResourceGetMappedArray) \
                                                X(cuGraphicsResourceGetMappedMipmappedArray) X(                                                   \
                                                    cuGraphicsResourceGetMappedPointer) X(cuGraphicsResourceSetMapFlags)                          \
                                                    X(cuGraphicsMapResources) X(cuGraphicsUnmapResources) X(                                      \
                                                        cuImportExternalMemory) X(cuExternalMemoryGetMappedBuffer)                                \
                                                        X(cuExternalMemoryGetMappedMipmappedArray) X(cuDestroyExternalMemory) X(                  \
                                                            cuImportExternalSemaphore) X(cuSignalExternalSemaphoresAsync)                         \
                                                            X(cuWaitExternalSemaphoresAsync) X(cuDestroyExternalSemaphore) X(                     \
                                                                cuMemAddressReserve) X(cuMemAddressFree)                                          \
                                                                X(cuMemCreate) X(cuMemRelease) X(cuMemMap) X(                                     \
                                                                    cuMemMapArrayAsync) X(cuMemUnmap) X(cuMemSetAccess)                           \
                                                                    X(cuMemGetAccess) X(cuMemExportToShareableHandle) X(                          \
                                                                        cuMemImportFromShareableHandle) X(cuMemGetAllocationGranularity)          \
                                                                        X(cuMemGetAllocationPropertiesFromHandle) X(                              \
                                                                            cuMemRetainAllocationHandle)                                          \
                                                                            X(cuMemFreeAsync) X(cuMemAllocAsync) X(                               \
                                                                                cuMemPoolTrimTo) X(cuMemPoolSetAttribute)                         \
                                                                                X(cuMemPoolGetAttribute) X(                                       \
                                                                                    cuMemPoolSetAccess) X(cuMemPoolGetAccess)                     \
                                                                                    X(cuMemPoolCreate) X(                                         \
                                                                                        cuMemPoolDestroy) X(cuMemGetDefaultMemPool)               \
                                                                                        X(cuMemGetMemPool) X(                                     \
                                                                                            cuMemSetMemPool) X(cuMemAllocFromPoolAsync)           \
                                                                                            X(cuMemPoolExportToShareableHandle) X(                \
                                                                                                cuMemPoolImportFromShareableHandle)               \
                                                                                                X(cuMemPoolExportPointer) X(                      \
                                                                                                    cuMemPoolImportPointer)                       \
                                                                                                    X(cuDeviceGetDefaultMemPool)                  \
                                                                                                        X(cuDeviceGetMemPool)                     \
                                                                                                            X(cuDeviceSetMemPool)
/* helpers: devices, contexts, streams, events */
#define FNS_AUX(X)                                                                                 \
    X(cuInit)                                                                                      \
    X(cuDriverGetVersion) X(cuDeviceGet) X(cuDeviceGetCount) X(cuDeviceGetName)                    \
        X(cuDeviceTotalMem) X(cuDeviceGetAttribute) X(cuDevicePrimaryCtxRetain)                    \
            X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxReset) X(cuDevicePrimaryCtxGetState)  \
                X(cuDevicePrimaryCtxSetFlags) X(cuCtxCreate) X(cuCtxDestroy) X(cuCtxPushCurrent)   \
                    X(cuCtxPopCurrent) X(cuCtxSetCurrent) X(cuCtxGetCurrent) X(cuCtxGetDevice)     \
                        X(cuCtxGetFlags) X(cuCtxSynchronize) X(cuCtxGetApiVersion) X(              \
                            cuCtxEnablePeerAccess) X(cuStreamCreate) X(cuStreamCreateWithPriority) \
                            X(cuStreamGetFlags) X(cuStreamGetCtx) X(cuStreamWaitEvent)             \
                                X(cuStreamQuery) X(cuStreamSynchronize) X(cuStreamDestroy)         \
                                    X(cuStreamAttachMemAsync) X(cuStreamAddCallback)               \
                                        X(cuStreamWaitValue32) X(cuStreamWriteValue32)             \
                                            X(cuEventCreate) X(cuEventRecord)                      \
                                                X(cuEventRecordWithFlags) X(cuEventQuery)          \
                                                    X(cuEventSynchronize) X(cuEventDestroy)        \
                                                        X(cuEventElapsedTime) X(cuLaunchHostFunc)  \
                                                            X(cuGetProcAddress) X(cuGetErrorName)  \
                                                                X(cuGetErrorString)
/* graphs and capture: also walked by the state and zero-argument tables */
#define FNS_GRAPH(X)                                                                                                                          \
    X(cuGraphCreate)                                                                                                                          \
    X(cuGraphDestroy) X(cuGraphClone) X(cuGraphGetNodes) X(cuGraphGetRootNodes) X(cuGraphGetEdges) X(                                         \
        cuGraphNodeGetType) X(cuGraphNodeGetDependencies) X(cuGraphNodeGetDependentNodes) X(cuGraphAddDependencies)                           \
        X(cuGraphRemoveDependencies) X(cuGraphNodeFindInClone) X(cuGraphDestroyNode) X(cuGraphDebugDotPrint) X(                               \
            cuGraphAddKernelNode) X(cuGraphKernelNodeGetParams) X(cuGraphKernelNodeSetParams) X(cuGraphKernelNodeCopyAttributes)              \
            X(cuGraphKernelNodeGetAttribute) X(cuGraphKernelNodeSetAttribute) X(cuGraphAddMemcpyNode) X(                                      \
                cuGraphMemcpyNodeGetParams) X(cuGraphMemcpyNodeSetParams) X(cuGraphAddMemsetNode)                                             \
                X(cuGraphMemsetNodeGetParams) X(cuGraphMemsetNodeSetParams) X(cuGraphAddHostNode) X(                                          \
                    cuGraphHostNodeGetParams) X(cuGraphHostNodeSetParams) X(cuGraphAddChildGraphNode)                                         \
                    X(cuGraphChildGraphNodeGetGraph) X(cuGraphAddEmptyNode) X(cuGraphAddEventRecordNode) X(                                   \
                        cuGraphEventRecordNodeGetEvent) X(cuGraphEventRecordNodeSetEvent) X(cuGraphAddEventWaitNode)                          \
                        X(cuGraphEventWaitNodeGetEvent) X(cuGraphEventWaitNodeSetEvent) X(                                                    \
                            cuGraphAddExternalSemaphoresSignalNode) X(cuGraphExternalSemaphoresSignalNodeGetParams)                           \
                            X(cuGraphExternalSemaphoresSignalNodeSetParams) X(cuGraphAddExternalSemaphoresWaitNode) X(                        \
                                cuGraphExternalSemaphoresWaitNodeGetParams) X(cuGraphExternalSemaphoresWaitNodeSetParams)                     \
                                X(cuGraphAddBatchMemOpNode) X(cuGraphBatchMemOpNodeGetParams) X(                                              \
                                    cuGraphBatchMemOpNodeSetParams) X(cuGraphExecBatchMemOpNodeSetParams)                                     \
                                    X(cuGraphAddMemAllocNode) X(cuGraphMemAllocNodeGetParams) X(                                              \
                                        cuGraphAddMemFreeNode) X(cuGraphMemFreeNodeGetParams)                                                 \
                                        X(cuDeviceGraphMemTrim) X(cuDeviceGetGraphMemAttribute) X(                                            \
                                            cuDeviceSetGraphMemAttribute) X(cuGraphInstantiate)                                               \
                                            X(cuGraphInstantiateWithParams) X(cuGraphExecGetFlags) X(                                         \
                                                cuGraphExecKernelNodeSetParams) X(cuGraphExecMemcpyNodeSetParams)                             \
                                                X(cuGraphExecMemsetNodeSetParams) X(                                                          \
                                                    cuGraphExecHostNodeSetParams) X(cuGraphExecChildGraphNodeSetParams)                       \
                                                    X(cuGraphExecEventRecordNodeSetEvent) X(                                                  \
                                                        cuGraphExecEventWaitNodeSetEvent) X(cuGraphExecExternalSemaphoresSignalNodeSetParams) \
                                                        X(cuGraphExecExternalSemaphoresWaitNodeSetParams) X(                                  \
                                                            cuGraphNodeSetEnabled) X(cuGraphNodeGetEnabled)                                   \
                                                            X(cuGraphUpload) X(cuGraphLaunch) X(                                              \
                                                                cuGraphExecDestroy) X(cuGraphExecUpdate)                                      \
                                                                X(cuUserObjectCreate) X(                                                      \
                                                                    cuUserObjectRetain) X(cuUserObjectRelease)                                \
                                                                    X(cuGraphRetainUserObject) X(                                             \
                                                                        cuGraphReleaseUserObject)                                             \
                                                                        X(cuGraphAddNode) X(                                                  \
                                                                            cuGraphNodeSetParams) X(cuGraphExecNodeSetParams)                 \
                                                                            X(cuGraphConditionalHandleCreate) X(                              \
                                                                                cuStreamBeginCapture)                                         \
                                                                                X(cuStreamBeginCaptureToGraph) X(                             \
                                                                                    cuThreadExchangeStreamCaptureMode)                        \
                                                                                    X(cuStreamEndCapture) X(                                  \
                                                                                        cuStreamIsCapturing)                                  \
                                                                                        X(cuStreamGetCaptureInfo)                             \
                                                                                            X(cuStreamUpdateCaptureDependencies)
/* modules, kernels, streams, contexts: helpers and the capture matrix */
#define FNS_MORE(X)                                                                                          \
    X(cuModuleLoadData)                                                                                      \
    X(cuModuleLoadDataEx) X(cuModuleLoadFatBinary) X(cuModuleLoad) X(cuModuleUnload) X(                      \
        cuModuleGetFunction) X(cuModuleGetGlobal) X(cuModuleGetFunctionCount) X(cuModuleEnumerateFunctions)  \
        X(cuModuleGetLoadingMode) X(cuLibraryLoadData) X(cuLibraryUnload) X(cuLibraryGetKernel) X(           \
            cuLibraryGetModule) X(cuLibraryGetGlobal) X(cuLibraryGetKernelCount)                             \
            X(cuLibraryEnumerateKernels) X(cuKernelGetFunction) X(cuKernelGetLibrary) X(                     \
                cuKernelGetAttribute) X(cuKernelSetAttribute) X(cuKernelGetName) X(cuKernelGetParamInfo)     \
                X(cuKernelSetCacheConfig) X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(                     \
                    cuFuncSetCacheConfig) X(cuFuncGetModule) X(cuFuncGetName) X(cuFuncGetParamInfo)          \
                    X(cuFuncIsLoaded) X(cuFuncLoad) X(cuLaunchKernel) X(cuLaunchKernelEx) X(                 \
                        cuLaunchCooperativeKernel) X(cuLinkCreate) X(cuLinkAddData) X(cuLinkComplete)        \
                        X(cuLinkDestroy) X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(                   \
                            cuOccupancyMaxPotentialBlockSize) X(cuOccupancyAvailableDynamicSMemPerBlock)     \
                            X(cuOccupancyMaxActiveClusters) X(cuOccupancyMaxPotentialClusterSize) X(         \
                                cuStreamGetPriority) X(cuStreamGetId) X(cuStreamGetDevice)                   \
                                X(cuStreamCopyAttributes) X(cuStreamGetAttribute) X(                         \
                                    cuStreamSetAttribute) X(cuStreamWaitValue64) X(cuStreamWriteValue64)     \
                                    X(cuStreamBatchMemOp) X(cuStreamGetGreenCtx) X(cuCtxGetId) X(            \
                                        cuCtxGetLimit) X(cuCtxSetLimit) X(cuCtxGetCacheConfig)               \
                                        X(cuCtxSetCacheConfig) X(cuCtxGetStreamPriorityRange) X(             \
                                            cuCtxResetPersistingL2Cache) X(cuCtxSetFlags)                    \
                                            X(cuCtxRecordEvent) X(cuCtxWaitEvent) X(                         \
                                                cuCtxDisablePeerAccess) X(cuCtxGetExecAffinity)              \
                                                X(cuCtxGetDevResource) X(cuDeviceGetUuid) X(                 \
                                                    cuDeviceCanAccessPeer) X(cuDeviceGetP2PAttribute)        \
                                                    X(cuDeviceGetExecAffinitySupport) X(                     \
                                                        cuDeviceGetDevResource)                              \
                                                        X(cuDeviceGetTexture1DLinearMaxWidth) X(             \
                                                            cuFlushGPUDirectRDMAWrites) X(cuTexObjectCreate) \
                                                            X(cuTexObjectDestroy) X(                         \
                                                                cuTexObjectGetResourceDesc)                  \
                                                                X(cuTexObjectGetTextureDesc) X(              \
                                                                    cuSurfObjectCreate)                      \
                                                                    X(cuSurfObjectDestroy) X(                \
                                                                        cuSurfObjectGetResourceDesc)         \
                                                                        X(cuMulticastGetGranularity)         \
                                                                            X(cuTensorMapEncodeTiled)
#define FNS(X) FNS_MAIN(X) FNS_AUX(X) FNS_GRAPH(X) FNS_MORE(X)
#define DECL_(n) __typeof__(n) *n; /* n expands to the versioned name on both sides */
struct api {
    FNS(DECL_)
};
extern struct api P;
/* the older forms that the header renames: looked up by their plain exported names */
#define OLD_LIST(X)                                                                                \
    X(oGraphGetEdges, "cuGraphGetEdges", (CUgraph, CUgraphNode *, CUgraphNode *, size_t *))        \
    X(oGraphNodeGetDependencies, "cuGraphNodeGetDependencies",                                     \
      (CUgraphNode, CUgraphNode *, size_t *))                                                      \
    X(oGraphNodeGetDependentNodes, "cuGraphNodeGetDependentNodes",                                 \
      (CUgraphNode, CUgraphNode *, size_t *))                                                      \
    X(oGraphAddDependencies, "cuGraphAddDependencies",                                             \
      (CUgraph, const CUgraphNode *, const CUgraphNode *, size_t))                                 \
    X(oGraphRemoveDependencies, "cuGraphRemoveDependencies",                                       \
      (CUgraph, const CUgraphNode *, const CUgraphNode *, size_t))                                 \
    X(oGraphAddNode, "cuGraphAddNode",                                                             \
      (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *))                  \
    X(oGraphAddKernelNode, "cuGraphAddKernelNode",                                                 \
      (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS_v1 *))   \
    X(oGraphKernelNodeGetParams, "cuGraphKernelNodeGetParams",                                     \
      (CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *))                                                 \
    X(oGraphKernelNodeSetParams, "cuGraphKernelNodeSetParams",                                     \
      (CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *))                                           \
    X(oGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams",                             \
      (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *))                              \
    X(oGraphInstantiate, "cuGraphInstantiate",                                                     \
      (CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t))                                     \
    X(oGraphInstantiate_v2, "cuGraphInstantiate_v2",                                               \
      (CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t))                                     \
    X(oGraphExecUpdate, "cuGraphExecUpdate",                                                       \
      (CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *))                            \
    X(oStreamBeginCapture, "cuStreamBeginCapture", (CUstream))                                     \
    X(oStreamGetCaptureInfo, "cuStreamGetCaptureInfo",                                             \
      (CUstream, CUstreamCaptureStatus *, cuuint64_t *))                                           \
    X(oStreamGetCaptureInfo_v2, "cuStreamGetCaptureInfo_v2",                                       \
      (CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,           \
       size_t *))                                                                                  \
    X(oStreamUpdateCaptureDependencies, "cuStreamUpdateCaptureDependencies",                       \
      (CUstream, CUgraphNode *, size_t, unsigned))                                                 \
    X(oStreamBeginCapture_ptsz, "cuStreamBeginCapture_ptsz", (CUstream))                           \
    X(oStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture_v2_ptsz",                                 \
      (CUstream, CUstreamCaptureMode))                                                             \
    X(oStreamEndCapture_ptsz, "cuStreamEndCapture_ptsz", (CUstream, CUgraph *))                    \
    X(oStreamIsCapturing_ptsz, "cuStreamIsCapturing_ptsz", (CUstream, CUstreamCaptureStatus *))    \
    X(oGraphLaunch_ptsz, "cuGraphLaunch_ptsz", (CUgraphExec, CUstream))                            \
    X(oGraphUpload_ptsz, "cuGraphUpload_ptsz", (CUgraphExec, CUstream))                            \
    X(oStreamGetCtx_v2, "cuStreamGetCtx_v2", (CUstream, CUcontext *, CUgreenCtx *))
#define ODECL_(id, s, a) CUresult(*id) a;
struct oldapi {
    OLD_LIST(ODECL_)
};
extern struct oldapi O;

#define STR_(x) #x
#define STR(x) STR_(x)

typedef CUdeviceptr dp;
#define A(x) (sizeof(x) / sizeof *(x))
#define KB 1024ull
#define MB (1024ull * 1024)
#define GB (1024ull * MB)
#define SENT ((dp)0x5e475e475e47ull)
#define R_SKIP ((CUresult)-2)
#define R_MISS ((CUresult)-3)

/* harness */
int case_begin(const char *name);
void case_end(CUresult r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void info(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *F(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *en(CUresult r);
#define T(nm, call, ...)                                                                           \
    __extension__({                                                                                \
        CUresult r_ = R_SKIP;                                                                      \
        if (case_begin(nm)) {                                                                      \
            r_ = (call);                                                                           \
            case_end(r_, " " __VA_ARGS__);                                                         \
        }                                                                                          \
        r_;                                                                                        \
    })
/* post: statements run after the call and before the line is printed */
#define TX(nm, call, post, ...)                                                                    \
    __extension__({                                                                                \
        CUresult r_ = R_SKIP;                                                                      \
        if (case_begin(nm)) {                                                                      \
            r_ = (call);                                                                           \
            post;                                                                                  \
            case_end(r_, " " __VA_ARGS__);                                                         \
        }                                                                                          \
        r_;                                                                                        \
    })
#define OUTCASE(nm, ...)                                                                           \
    do {                                                                                           \
        if (case_begin(nm)) {                                                                      \
            info(nm, __VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)
void reg(int key, const char *name, void (*fn)(void));
void reg_risk(int key, const char *name, CUresult (*fn)(void), int variant);
#define GROUP(key, id, name)                                                                       \
    static void g_##id(void);                                                                      \
    __attribute__((constructor)) static void rg_##id(void)                                         \
    {                                                                                              \
        reg(key, name, g_##id);                                                                    \
    }                                                                                              \
    static void g_##id(void)
#define RK(key, id, expr)                                                                          \
    static CUresult k_##id(void)                                                                   \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    __attribute__((constructor)) static void rk_##id(void)                                         \
    {                                                                                              \
        reg_risk(key, #id, k_##id, 0);                                                             \
    }
#define RK2(key, id, expr)                                                                         \
    static CUresult k_##id(void)                                                                   \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    __attribute__((constructor)) static void rk_##id(void)                                         \
    {                                                                                              \
        reg_risk(key, #id, k_##id, 1);                                                             \
        reg_risk(key, #id, k_##id, 2);                                                             \
    }
extern void *G; /* garbage handle of the risky/ children */
extern dp RD;
extern char RH[65536];
extern CUstream RS;
extern CUarray RA;      /* live objects for them */
extern int sticky_ok;   /* set: do not restart the group after a sticky error */
extern int independent; /* set: the group's cases do not build on each other, so a restart leaves
                           out those already printed */

/* set-up and data helpers */
extern CUdevice dev;
extern CUcontext ctx;
extern const char *sy, *dt;
void init_only(void);    /* cuInit + device, no context */
void ctx_primary(void);  /* plus primary context current */
CUcontext ctx_new(void); /* cuCtxCreate; becomes current */
int attr(CUdevice_attribute a);
dp dalloc(size_t n);
void *pin(size_t n);
dp managed(size_t n);
void *pages(size_t n);
CUstream mkstream(unsigned f);
dp vmm_alloc(size_t n, unsigned handletypes, CUmemGenericAllocationHandle *h);
void fill(void *p, size_t n, unsigned seed);
unsigned char pb(unsigned seed, size_t i);
const char *same(const void *p, size_t n, unsigned seed);
unsigned sum(const void *p, size_t n);
void dfill(dp d, size_t n, unsigned seed);
const char *dsame(dp d, size_t n, unsigned seed);
const char *SY(CUstream s); /* synchronise, return enum name; records sticky errors */
const char *SYC(void);      /* the same for the whole context */
const char *rel(uint64_t v, uint64_t ref);
const char *outst(uint64_t v); /* kept / zero / set against SENT */
const char *rng(dp p);         /* address range of p as text */
enum { M_DEV, M_PIN, M_REG, M_PAGE, M_MAN, M_POOL, M_VMM, M_N };
struct mem {
    const char *n;
    int cpu;
    dp d;
};
void mk_kinds(struct mem *m, size_t n);
void mfill(const struct mem *m, size_t n, unsigned seed);
void mget(const struct mem *m, void *out, size_t n);
struct blk {
    atomic_int go, done;
    int ms;
};
CUresult block(CUstream s, struct blk *b);
void unblock(struct blk *b);
double now(void);
void note(const char *what);
#include "graph_builders.h"
#endif
