/* SPDX-License-Identifier: MIT */
/* Properties, attributes, limits, configuration, versions. */
#include "recorder.hpp"

GROUP(300, prop, "prop")
{
    cudaDeviceProp p;
    memset(&p, 0xA5, sizeof p);
    if (CHECK("call", cudaGetDeviceProperties(&p, 0)))
        return;
#define RECORD_ONE(f) RECORD(#f, "%lld", (long long)p.f)
#define RECORD_TWO(f) RECORD(#f, "%lld %lld", (long long)p.f[0], (long long)p.f[1])
#define RECORD_THREE(f)                                                                            \
    RECORD(#f, "%lld %lld %lld", (long long)p.f[0], (long long)p.f[1], (long long)p.f[2])
    RECORD("name", "%s", p.name);
    RECORD("name-terminated", "%d", memchr(p.name, 0, 256) != 0);
    int nz = 0;
    for (int i = 0; i < 16; i++)
        nz |= p.uuid.bytes[i];
    RECORD("uuid-set", "%d", nz != 0);
    nz = 0;
    for (int i = 0; i < 8; i++)
        nz |= p.luid[i];
    RECORD("luid-zero", "%d", nz == 0);
    RECORD_ONE(luidDeviceNodeMask);
    RECORD_ONE(totalGlobalMem);
    RECORD_ONE(sharedMemPerBlock);
    RECORD_ONE(regsPerBlock);
    RECORD_ONE(warpSize);
    RECORD_ONE(memPitch);
    RECORD_ONE(maxThreadsPerBlock);
    RECORD_THREE(maxThreadsDim);
    RECORD_THREE(maxGridSize);
    RECORD_ONE(totalConstMem);
    RECORD_ONE(major);
    RECORD_ONE(minor);
    RECORD_ONE(textureAlignment);
    RECORD_ONE(texturePitchAlignment);
    RECORD_ONE(multiProcessorCount);
    RECORD_ONE(integrated);
    RECORD_ONE(canMapHostMemory);
    RECORD_ONE(maxTexture1D);
    RECORD_ONE(maxTexture1DMipmap);
    RECORD_TWO(maxTexture2D);
    RECORD_TWO(maxTexture2DMipmap);
    RECORD_THREE(maxTexture2DLinear);
    RECORD_TWO(maxTexture2DGather);
    RECORD_THREE(maxTexture3D);
    RECORD_THREE(maxTexture3DAlt);
    RECORD_ONE(maxTextureCubemap);
    RECORD_TWO(maxTexture1DLayered);
    RECORD_THREE(maxTexture2DLayered);
    RECORD_TWO(maxTextureCubemapLayered);
    RECORD_ONE(maxSurface1D);
    RECORD_TWO(maxSurface2D);
    RECORD_THREE(maxSurface3D);
    RECORD_TWO(maxSurface1DLayered);
    RECORD_THREE(maxSurface2DLayered);
    RECORD_ONE(maxSurfaceCubemap);
    RECORD_TWO(maxSurfaceCubemapLayered);
    RECORD_ONE(surfaceAlignment);
    RECORD_ONE(concurrentKernels);
    RECORD_ONE(ECCEnabled);
    RECORD_ONE(pciBusID);
    RECORD_ONE(pciDeviceID);
    RECORD_ONE(pciDomainID);
    RECORD_ONE(tccDriver);
    RECORD_ONE(asyncEngineCount);
    RECORD_ONE(unifiedAddressing);
    RECORD_ONE(memoryBusWidth);
    RECORD_ONE(l2CacheSize);
    RECORD_ONE(persistingL2CacheMaxSize);
    RECORD_ONE(maxThreadsPerMultiProcessor);
    RECORD_ONE(streamPrioritiesSupported);
    RECORD_ONE(globalL1CacheSupported);
    RECORD_ONE(localL1CacheSupported);
    RECORD_ONE(sharedMemPerMultiprocessor);
    RECORD_ONE(regsPerMultiprocessor);
    RECORD_ONE(managedMemory);
    RECORD_ONE(isMultiGpuBoard);
    RECORD_ONE(multiGpuBoardGroupID);
    RECORD_ONE(hostNativeAtomicSupported);
    RECORD_ONE(pageableMemoryAccess);
    RECORD_ONE(concurrentManagedAccess);
    RECORD_ONE(computePreemptionSupported);
    RECORD_ONE(canUseHostPointerForRegisteredMem);
    RECORD_ONE(cooperativeLaunch);
    RECORD_ONE(sharedMemPerBlockOptin);
    RECORD_ONE(pageableMemoryAccessUsesHostPageTables);
    RECORD_ONE(directManagedMemAccessFromHost);
    RECORD_ONE(maxBlocksPerMultiProcessor);
    RECORD_ONE(accessPolicyMaxWindowSize);
    RECORD_ONE(reservedSharedMemPerBlock);
    RECORD_ONE(hostRegisterSupported);
    RECORD_ONE(sparseCudaArraySupported);
    RECORD_ONE(hostRegisterReadOnlySupported);
    RECORD_ONE(timelineSemaphoreInteropSupported);
    RECORD_ONE(memoryPoolsSupported);
    RECORD_ONE(gpuDirectRDMASupported);
    RECORD_ONE(gpuDirectRDMAFlushWritesOptions);
    RECORD_ONE(gpuDirectRDMAWritesOrdering);
    RECORD_ONE(memoryPoolSupportedHandleTypes);
    RECORD_ONE(deferredMappingCudaArraySupported);
    RECORD_ONE(ipcEventSupported);
    RECORD_ONE(clusterLaunch);
    RECORD_ONE(unifiedFunctionPointers);
    RECORD_ONE(deviceNumaConfig);
    RECORD_ONE(deviceNumaId);
    RECORD_ONE(mpsEnabled);
    RECORD_ONE(hostNumaId);
    RECORD_ONE(gpuPciDeviceID);
    RECORD_ONE(gpuPciSubsystemID);
    RECORD_ONE(hostNumaMultinodeIpcSupported);
    nz = 0;
    for (int i = 0; i < 56; i++)
        nz |= p.reserved[i];
    RECORD("reserved-zero", "%d", nz == 0);
    RECORD("sizeof", "%zu", sizeof p);
    size_t f, t;
    cudaMemGetInfo(&f, &t);
    RECORD("total-equals-meminfo", "%d", t == p.totalGlobalMem);
    memset(&p, 0xA5, sizeof p);
    CHECK("bad-device", cudaGetDeviceProperties(&p, 55), "kept=%d",
          ((unsigned char *)&p)[0] == 0xA5);
    CHECK("neg-device", cudaGetDeviceProperties(&p, -1));
    CHECK("null", cudaGetDeviceProperties(0, 0));
    CHECK("null-bad-device", cudaGetDeviceProperties(0, 55));
}

GROUP(301, attr, "attr")
{
    static const struct {
        int v;
        const char *n;
    } at[] = {
#define ATTRIBUTE(n, v) {v, #n},
#include "attributes.def"
#undef ATTRIBUTE
    };
    int v;
    for (int i = -1; i <= 155; i++) {
        const char *n = "undefined";
        for (size_t k = 0; k < COUNT_OF(at); k++)
            if (at[k].v == i)
                n = at[k].n;
        v = 0x5e47;
        CHECK(FORMAT("%d-%s", i, n), cudaDeviceGetAttribute(&v, (cudaDeviceAttr)i, 0), "v=%d", v);
    }
    CHECK("bad-device", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 9));
    CHECK("neg-device", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, -1));
    CHECK("null", cudaDeviceGetAttribute(0, cudaDevAttrWarpSize, 0));
    CHECK("bad-both", cudaDeviceGetAttribute(&v, (cudaDeviceAttr)5000, 9));
    CHECK("null-bad-attr", cudaDeviceGetAttribute(0, (cudaDeviceAttr)5000, 0));
}

GROUP(302, limits, "limits")
{
    use_runtime();
    size_t z;
    for (int i = -1; i < 10; i++) {
        z = 77;
        CHECK(FORMAT("get-%d", i), cudaDeviceGetLimit(&z, (cudaLimit)i), "v=%zu", z);
    }
    CHECK("get-null", cudaDeviceGetLimit(0, cudaLimitStackSize));
    static const size_t st[] = {0,      1,    15,      16,         17,         512,
                                1000,   1024, 4096,    65536,      262144,     523264,
                                524288, MB,   16 * MB, 1ull << 32, 1ull << 40, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(st); i++) {
        z = 77;
        CHECK(FORMAT("stack-%zu", st[i]), cudaDeviceSetLimit(cudaLimitStackSize, st[i]),
              "get=%s v=%zu", error_name(cudaDeviceGetLimit(&z, cudaLimitStackSize)), z);
    }
    cudaDeviceSetLimit(cudaLimitStackSize, 1024);
    static const size_t pf[] = {0,  1,      100,    1024,       10000,     65536,
                                MB, MB + 1, 8 * MB, 1ull << 31, 1ull << 40};
    for (size_t i = 0; i < COUNT_OF(pf); i++) {
        z = 77;
        CHECK(FORMAT("printf-%zu", pf[i]), cudaDeviceSetLimit(cudaLimitPrintfFifoSize, pf[i]),
              "get=%s v=%zu", error_name(cudaDeviceGetLimit(&z, cudaLimitPrintfFifoSize)), z);
    }
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, MB);
    static const size_t hp[] = {0,      1,          4096,   100000,  MB,
                                4 * MB, 4 * MB + 1, 8 * MB, 64 * MB, 1ull << 45};
    for (size_t i = 0; i < COUNT_OF(hp); i++) {
        z = 77;
        CHECK(FORMAT("heap-%zu", hp[i]), cudaDeviceSetLimit(cudaLimitMallocHeapSize, hp[i]),
              "get=%s v=%zu", error_name(cudaDeviceGetLimit(&z, cudaLimitMallocHeapSize)), z);
    }
    for (int l = 3; l <= 6; l++) {
        static const size_t vv[] = {0,  1,   2,   16,   24,   25, 31,        32,
                                    64, 128, 129, 1000, 4096, MB, 1ull << 33};
        for (size_t i = 0; i < COUNT_OF(vv); i++) {
            z = 77;
            CHECK(FORMAT("set%d-%zu", l, vv[i]), cudaDeviceSetLimit((cudaLimit)l, vv[i]),
                  "get=%s v=%zu", error_name(cudaDeviceGetLimit(&z, (cudaLimit)l)), z);
        }
    }
    CHECK("set-bad", cudaDeviceSetLimit((cudaLimit)7, 5));
    CHECK("set-neg", cudaDeviceSetLimit((cudaLimit)-1, 5));
    int *d = (int *)device_alloc(64);
    int n = 4;
    size_t q = 100;
    CHECK("malloc-kernel",
          cudaLaunchKernel((void *)k_malloc, dim3(1), dim3(1), ARGS(&d, &n, &q), 0, 0), "%s",
          sync_device());
    CHECK("heap-after-launch", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 * MB));
    CHECK("heap-same-after-launch", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * MB));
    CHECK("printf-launch", cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&n), 0, 0),
          "%s", sync_device());
    CHECK("printf-after-launch", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 * MB));
    CHECK("stack-after-launch", cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    CHECK("reset", cudaDeviceReset());
    for (int i = 0; i < 7; i++) {
        z = 77;
        CHECK(FORMAT("afterreset-%d", i), cudaDeviceGetLimit(&z, (cudaLimit)i), "v=%zu", z);
    }
}

GROUP(303, config, "config")
{
    use_runtime();
    cudaFuncCache c = (cudaFuncCache)77;
    cudaSharedMemConfig m = (cudaSharedMemConfig)77;
    CHECK("cache-get", cudaDeviceGetCacheConfig(&c), "v=%d", (int)c);
    CHECK("cache-null", cudaDeviceGetCacheConfig(0));
    for (int i = -1; i < 6; i++) {
        CHECK(FORMAT("cache-set-%d", i), cudaDeviceSetCacheConfig((cudaFuncCache)i), "get=%s v=%d",
              error_name(cudaDeviceGetCacheConfig(&c)), (int)c);
        CHECK(FORMAT("func-cache-%d", i),
              cudaFuncSetCacheConfig((void *)k_empty, (cudaFuncCache)i));
    }
    CHECK("func-cache-null", cudaFuncSetCacheConfig(0, cudaFuncCachePreferL1));
    CHECK("func-cache-bad", cudaFuncSetCacheConfig(&c, cudaFuncCachePreferL1));
    CHECK("shared-get", cudaDeviceGetSharedMemConfig(&m), "v=%d", (int)m);
    CHECK("shared-null", cudaDeviceGetSharedMemConfig(0));
    for (int i = -1; i < 5; i++) {
        CHECK(FORMAT("shared-set-%d", i), cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)i),
              "get=%s v=%d", error_name(cudaDeviceGetSharedMemConfig(&m)), (int)m);
        CHECK(FORMAT("func-shared-%d", i),
              cudaFuncSetSharedMemConfig((void *)k_empty, (cudaSharedMemConfig)i));
    }
    int a = 77, b = 77;
    CHECK("prio", cudaDeviceGetStreamPriorityRange(&a, &b), "%d %d", a, b);
    CHECK("prio-null-a", cudaDeviceGetStreamPriorityRange(0, &b), "%d", b);
    CHECK("prio-null-b", cudaDeviceGetStreamPriorityRange(&a, 0));
    CHECK("prio-null-both", cudaDeviceGetStreamPriorityRange(0, 0));
    int v;
    CHECK("drvver", cudaDriverGetVersion(&v), "at-least-13000=%d", v >= 13000);
    CHECK("rtver", cudaRuntimeGetVersion(&v), "v=%d", v);
    CHECK("drvver-null", cudaDriverGetVersion(0));
    CHECK("rtver-null", cudaRuntimeGetVersion(0));
    char id[64] = {0};
    for (int l = -1; l < 20; l++) {
        memset(id, 'x', 64);
        CHECK(FORMAT("pci-len-%d", l), cudaDeviceGetPCIBusId(id, l, 0), "first=%s terminated=%d",
              id[0] == 'x' ? "kept" : "set", memchr(id, 0, 64) != 0);
    }
    CHECK("pci-null", cudaDeviceGetPCIBusId(0, 20, 0));
    CHECK("pci-bad-device", cudaDeviceGetPCIBusId(id, 64, 7));
    cudaDeviceGetPCIBusId(id, 64, 0);
    RECORD("pci-format", "len=%zu colons=%d", strlen(id),
           (id[4] == ':') + (id[7] == ':') + (id[10] == '.'));
    int d = 77;
    CHECK("bypci-own", cudaDeviceGetByPCIBusId(&d, id), "d=%d", d);
    d = 77;
    CHECK("bypci-short", cudaDeviceGetByPCIBusId(&d, id + 5), "d=%d", d);
    d = 77;
    CHECK("bypci-bdonly", cudaDeviceGetByPCIBusId(&d, FORMAT("%.7s%.3s", id, id + 7)), "d=%d", d);
    d = 77;
    CHECK("bypci-none", cudaDeviceGetByPCIBusId(&d, "ffff:ff:1f.0"), "d=%d", d);
    CHECK("bypci-garbage", cudaDeviceGetByPCIBusId(&d, "hello"));
    CHECK("bypci-empty", cudaDeviceGetByPCIBusId(&d, ""));
    CHECK("bypci-null", cudaDeviceGetByPCIBusId(&d, 0));
    CHECK("bypci-null-out", cudaDeviceGetByPCIBusId(0, id));
    for (char *q = id; *q; q++)
        if (*q >= 'A' && *q <= 'F')
            *q += 32;
        else if (*q >= 'a' && *q <= 'f')
            *q -= 32;
    CHECK("bypci-othercase", cudaDeviceGetByPCIBusId(&d, id), "d=%d", d);
    for (int i = -1; i < 8; i++) {
        v = 77;
        CHECK(FORMAT("p2p-%d", i), cudaDeviceGetP2PAttribute(&v, (cudaDeviceP2PAttr)i, 0, 0),
              "v=%d", v);
    }
    CHECK("p2p-bad", cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 5));
    CHECK("p2p-null", cudaDeviceGetP2PAttribute(0, cudaDevP2PAttrAccessSupported, 0, 0));
    v = 77;
    CHECK("canpeer-self", cudaDeviceCanAccessPeer(&v, 0, 0), "v=%d", v);
    v = 77;
    CHECK("canpeer-bad", cudaDeviceCanAccessPeer(&v, 0, 5), "v=%d", v);
    CHECK("canpeer-null", cudaDeviceCanAccessPeer(0, 0, 0));
    CHECK("enable-self", cudaDeviceEnablePeerAccess(0, 0));
    CHECK("enable-bad", cudaDeviceEnablePeerAccess(5, 0));
    CHECK("enable-flags", cudaDeviceEnablePeerAccess(0, 1));
    CHECK("disable-self", cudaDeviceDisablePeerAccess(0));
    CHECK("disable-bad", cudaDeviceDisablePeerAccess(5));
    for (int i = 0; i < 14; i++) {
        cudaAtomicOperation op = (cudaAtomicOperation)i;
        unsigned cap = 77;
        CHECK(FORMAT("hostatomic-%d", i), cudaDeviceGetHostAtomicCapabilities(&cap, &op, 1, 0),
              "cap=%u", cap);
    }
    cudaAtomicOperation op = cudaAtomicOperationIntegerAdd;
    unsigned cap = 77;
    CHECK("hostatomic-0", cudaDeviceGetHostAtomicCapabilities(&cap, &op, 0, 0));
    CHECK("hostatomic-null", cudaDeviceGetHostAtomicCapabilities(0, &op, 1, 0));
    CHECK("p2patomic", cudaDeviceGetP2PAtomicCapabilities(&cap, &op, 1, 0, 0));
    CHECK("flushrdma",
          cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                             cudaFlushGPUDirectRDMAWritesToOwner));
    CHECK("flushrdma-bad",
          cudaDeviceFlushGPUDirectRDMAWrites((cudaFlushGPUDirectRDMAWritesTarget)5,
                                             (cudaFlushGPUDirectRDMAWritesScope)5));
    CHECK("resetl2", cudaCtxResetPersistingL2Cache());
    static const int fm[][5] = {{8, 0, 0, 0, 1},   {16, 0, 0, 0, 1},    {32, 0, 0, 0, 2},
                                {32, 32, 0, 0, 2}, {32, 32, 32, 32, 2}, {32, 32, 32, 0, 2},
                                {0, 0, 0, 0, 0},   {7, 0, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(fm); i++) {
        size_t w = 77;
        cudaChannelFormatDesc cd = channel(fm[i][0], fm[i][1], fm[i][2], fm[i][3], fm[i][4]);
        CHECK(FORMAT("tex1dlinear-%zu", i), cudaDeviceGetTexture1DLinearMaxWidth(&w, &cd, 0),
              "w=%zu", w);
    }
    size_t w;
    CHECK("tex1dlinear-null", cudaDeviceGetTexture1DLinearMaxWidth(&w, 0, 0));
    CHECK("prof-start", cudaProfilerStart());
    CHECK("prof-start2", cudaProfilerStart());
    CHECK("prof-stop", cudaProfilerStop());
    CHECK("prof-stop2", cudaProfilerStop());
    cudaChannelFormatDesc cd = cudaCreateChannelDesc(8, 16, 32, -1, cudaChannelFormatKindFloat);
    RECORD("createdesc", "%d %d %d %d %d", cd.x, cd.y, cd.z, cd.w, (int)cd.f);
    CHECK("nvsci", cudaDeviceGetNvSciSyncAttributes(0, 0, 1));
    cudaAsyncCallbackHandle_t ah = 0;
    CHECK("asyncnotif",
          cudaDeviceRegisterAsyncNotification(
              0, [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}, 0, &ah),
          "%s", out_state(ah));
    CHECK("asyncnotif-unreg", cudaDeviceUnregisterAsyncNotification(0, ah));
    CHECK("asyncnotif-null", cudaDeviceRegisterAsyncNotification(0, 0, 0, &ah));
    CHECK("asyncnotif-bad-dev",
          cudaDeviceRegisterAsyncNotification(
              9, [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}, 0, &ah));
}
