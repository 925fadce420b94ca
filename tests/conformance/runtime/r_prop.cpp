/* SPDX-License-Identifier: MIT */
/* Section 3: properties, attributes, limits, configuration, versions. */
#include "rt.hpp"
GROUP(300, prop, "prop")
{
    cudaDeviceProp p;
    memset(&p, 0xA5, sizeof p);
    if (T("call", cudaGetDeviceProperties(&p, 0)))
        return;
#define I1(f) INFO(#f, "%lld", (long long)p.f)
#define I2(f) INFO(#f, "%lld %lld", (long long)p.f[0], (long long)p.f[1])
#define I3(f) INFO(#f, "%lld %lld %lld", (long long)p.f[0], (long long)p.f[1], (long long)p.f[2])
    INFO("name", "%s", p.name);
    INFO("name-terminated", "%d", memchr(p.name, 0, 256) != 0);
    int nz = 0;
    for (int i = 0; i < 16; i++)
        nz |= p.uuid.bytes[i];
    INFO("uuid-set", "%d", nz != 0);
    nz = 0;
    for (int i = 0; i < 8; i++)
        nz |= p.luid[i];
    INFO("luid-zero", "%d", nz == 0);
    I1(luidDeviceNodeMask);
    I1(totalGlobalMem);
    I1(sharedMemPerBlock);
    I1(regsPerBlock);
    I1(warpSize);
    I1(memPitch);
    I1(maxThreadsPerBlock);
    I3(maxThreadsDim);
    I3(maxGridSize);
    I1(totalConstMem);
    I1(major);
    I1(minor);
    I1(textureAlignment);
    I1(texturePitchAlignment);
    I1(multiProcessorCount);
    I1(integrated);
    I1(canMapHostMemory);
    I1(maxTexture1D);
    I1(maxTexture1DMipmap);
    I2(maxTexture2D);
    I2(maxTexture2DMipmap);
    I3(maxTexture2DLinear);
    I2(maxTexture2DGather);
    I3(maxTexture3D);
    I3(maxTexture3DAlt);
    I1(maxTextureCubemap);
    I2(maxTexture1DLayered);
    I3(maxTexture2DLayered);
    I2(maxTextureCubemapLayered);
    I1(maxSurface1D);
    I2(maxSurface2D);
    I3(maxSurface3D);
    I2(maxSurface1DLayered);
    I3(maxSurface2DLayered);
    I1(maxSurfaceCubemap);
    I2(maxSurfaceCubemapLayered);
    I1(surfaceAlignment);
    I1(concurrentKernels);
    I1(ECCEnabled);
    I1(pciBusID);
    I1(pciDeviceID);
    I1(pciDomainID);
    I1(tccDriver);
    I1(asyncEngineCount);
    I1(unifiedAddressing);
    I1(memoryBusWidth);
    I1(l2CacheSize);
    I1(persistingL2CacheMaxSize);
    I1(maxThreadsPerMultiProcessor);
    I1(streamPrioritiesSupported);
    I1(globalL1CacheSupported);
    I1(localL1CacheSupported);
    I1(sharedMemPerMultiprocessor);
    I1(regsPerMultiprocessor);
    I1(managedMemory);
    I1(isMultiGpuBoard);
    I1(multiGpuBoardGroupID);
    I1(hostNativeAtomicSupported);
    I1(pageableMemoryAccess);
    I1(concurrentManagedAccess);
    I1(computePreemptionSupported);
    I1(canUseHostPointerForRegisteredMem);
    I1(cooperativeLaunch);
    I1(sharedMemPerBlockOptin);
    I1(pageableMemoryAccessUsesHostPageTables);
    I1(directManagedMemAccessFromHost);
    I1(maxBlocksPerMultiProcessor);
    I1(accessPolicyMaxWindowSize);
    I1(reservedSharedMemPerBlock);
    I1(hostRegisterSupported);
    I1(sparseCudaArraySupported);
    I1(hostRegisterReadOnlySupported);
    I1(timelineSemaphoreInteropSupported);
    I1(memoryPoolsSupported);
    I1(gpuDirectRDMASupported);
    I1(gpuDirectRDMAFlushWritesOptions);
    I1(gpuDirectRDMAWritesOrdering);
    I1(memoryPoolSupportedHandleTypes);
    I1(deferredMappingCudaArraySupported);
    I1(ipcEventSupported);
    I1(clusterLaunch);
    I1(unifiedFunctionPointers);
    I1(deviceNumaConfig);
    I1(deviceNumaId);
    I1(mpsEnabled);
    I1(hostNumaId);
    I1(gpuPciDeviceID);
    I1(gpuPciSubsystemID);
    I1(hostNumaMultinodeIpcSupported);
    nz = 0;
    for (int i = 0; i < 56; i++)
        nz |= p.reserved[i];
    INFO("reserved-zero", "%d", nz == 0);
    INFO("sizeof", "%zu", sizeof p);
    size_t f, t;
    cudaMemGetInfo(&f, &t);
    INFO("total-equals-meminfo", "%d", t == p.totalGlobalMem);
    memset(&p, 0xA5, sizeof p);
    T("bad-device", cudaGetDeviceProperties(&p, 55), "kept=%d", ((unsigned char *)&p)[0] == 0xA5);
    T("neg-device", cudaGetDeviceProperties(&p, -1));
    T("null", cudaGetDeviceProperties(0, 0));
    T("null-bad-device", cudaGetDeviceProperties(0, 55));
}
GROUP(301, attr, "attr")
{
    static const struct {
        int v;
        const char *n;
    } at[] = {
#define X(n, v) {v, #n},
#include "rt_attr.inc"
#undef X
    };
    int v;
    for (int i = -1; i <= 155; i++) {
        const char *n = "undefined";
        for (size_t k = 0; k < A(at); k++)
            if (at[k].v == i)
                n = at[k].n;
        v = 0x5e47;
        T(F("%d-%s", i, n), cudaDeviceGetAttribute(&v, (cudaDeviceAttr)i, 0), "v=%d", v);
    }
    T("bad-device", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 9));
    T("neg-device", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, -1));
    T("null", cudaDeviceGetAttribute(0, cudaDevAttrWarpSize, 0));
    T("bad-both", cudaDeviceGetAttribute(&v, (cudaDeviceAttr)5000, 9));
    T("null-bad-attr", cudaDeviceGetAttribute(0, (cudaDeviceAttr)5000, 0));
}
GROUP(302, limits, "limits")
{
    ready();
    size_t z;
    for (int i = -1; i < 10; i++) {
        z = 77;
        T(F("get-%d", i), cudaDeviceGetLimit(&z, (cudaLimit)i), "v=%zu", z);
    }
    T("get-null", cudaDeviceGetLimit(0, cudaLimitStackSize));
    static const size_t st[] = {0,      1,    15,      16,         17,         512,
                                1000,   1024, 4096,    65536,      262144,     523264,
                                524288, MB,   16 * MB, 1ull << 32, 1ull << 40, SIZE_MAX};
    for (size_t i = 0; i < A(st); i++) {
        z = 77;
        T(F("stack-%zu", st[i]), cudaDeviceSetLimit(cudaLimitStackSize, st[i]), "get=%s v=%zu",
          en(cudaDeviceGetLimit(&z, cudaLimitStackSize)), z);
    }
    cudaDeviceSetLimit(cudaLimitStackSize, 1024);
    static const size_t pf[] = {0,  1,      100,    1024,       10000,     65536,
                                MB, MB + 1, 8 * MB, 1ull << 31, 1ull << 40};
    for (size_t i = 0; i < A(pf); i++) {
        z = 77;
        T(F("printf-%zu", pf[i]), cudaDeviceSetLimit(cudaLimitPrintfFifoSize, pf[i]),
          "get=%s v=%zu", en(cudaDeviceGetLimit(&z, cudaLimitPrintfFifoSize)), z);
    }
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, MB);
    static const size_t hp[] = {0,      1,          4096,   100000,  MB,
                                4 * MB, 4 * MB + 1, 8 * MB, 64 * MB, 1ull << 45};
    for (size_t i = 0; i < A(hp); i++) {
        z = 77;
        T(F("heap-%zu", hp[i]), cudaDeviceSetLimit(cudaLimitMallocHeapSize, hp[i]), "get=%s v=%zu",
          en(cudaDeviceGetLimit(&z, cudaLimitMallocHeapSize)), z);
    }
    for (int l = 3; l <= 6; l++) {
        static const size_t vv[] = {0,  1,   2,   16,   24,   25, 31,        32,
                                    64, 128, 129, 1000, 4096, MB, 1ull << 33};
        for (size_t i = 0; i < A(vv); i++) {
            z = 77;
            T(F("set%d-%zu", l, vv[i]), cudaDeviceSetLimit((cudaLimit)l, vv[i]), "get=%s v=%zu",
              en(cudaDeviceGetLimit(&z, (cudaLimit)l)), z);
        }
    }
    T("set-bad", cudaDeviceSetLimit((cudaLimit)7, 5));
    T("set-neg", cudaDeviceSetLimit((cudaLimit)-1, 5));
    int *d = (int *)dal(64);
    int n = 4;
    size_t q = 100;
    T("malloc-kernel", cudaLaunchKernel((void *)k_malloc, dim3(1), dim3(1), ARGS(&d, &n, &q), 0, 0),
      "%s", SYD());
    T("heap-after-launch", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 * MB));
    T("heap-same-after-launch", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * MB));
    T("printf-launch", cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&n), 0, 0), "%s",
      SYD());
    T("printf-after-launch", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 * MB));
    T("stack-after-launch", cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    T("reset", cudaDeviceReset());
    for (int i = 0; i < 7; i++) {
        z = 77;
        T(F("afterreset-%d", i), cudaDeviceGetLimit(&z, (cudaLimit)i), "v=%zu", z);
    }
}
GROUP(303, config, "config")
{
    ready();
    cudaFuncCache c = (cudaFuncCache)77;
    cudaSharedMemConfig m = (cudaSharedMemConfig)77;
    T("cache-get", cudaDeviceGetCacheConfig(&c), "v=%d", (int)c);
    T("cache-null", cudaDeviceGetCacheConfig(0));
    for (int i = -1; i < 6; i++) {
        T(F("cache-set-%d", i), cudaDeviceSetCacheConfig((cudaFuncCache)i), "get=%s v=%d",
          en(cudaDeviceGetCacheConfig(&c)), (int)c);
        T(F("func-cache-%d", i), cudaFuncSetCacheConfig((void *)k_empty, (cudaFuncCache)i));
    }
    T("func-cache-null", cudaFuncSetCacheConfig(0, cudaFuncCachePreferL1));
    T("func-cache-bad", cudaFuncSetCacheConfig(&c, cudaFuncCachePreferL1));
    T("shared-get", cudaDeviceGetSharedMemConfig(&m), "v=%d", (int)m);
    T("shared-null", cudaDeviceGetSharedMemConfig(0));
    for (int i = -1; i < 5; i++) {
        T(F("shared-set-%d", i), cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)i),
          "get=%s v=%d", en(cudaDeviceGetSharedMemConfig(&m)), (int)m);
        T(F("func-shared-%d", i),
          cudaFuncSetSharedMemConfig((void *)k_empty, (cudaSharedMemConfig)i));
    }
    int a = 77, b = 77;
    T("prio", cudaDeviceGetStreamPriorityRange(&a, &b), "%d %d", a, b);
    T("prio-null-a", cudaDeviceGetStreamPriorityRange(0, &b), "%d", b);
    T("prio-null-b", cudaDeviceGetStreamPriorityRange(&a, 0));
    T("prio-null-both", cudaDeviceGetStreamPriorityRange(0, 0));
    int v;
    T("drvver", cudaDriverGetVersion(&v), "at-least-13000=%d", v >= 13000);
    T("rtver", cudaRuntimeGetVersion(&v), "v=%d", v);
    T("drvver-null", cudaDriverGetVersion(0));
    T("rtver-null", cudaRuntimeGetVersion(0));
    char id[64] = {0};
    for (int l = -1; l < 20; l++) {
        memset(id, 'x', 64);
        T(F("pci-len-%d", l), cudaDeviceGetPCIBusId(id, l, 0), "first=%s terminated=%d",
          id[0] == 'x' ? "kept" : "set", memchr(id, 0, 64) != 0);
    }
    T("pci-null", cudaDeviceGetPCIBusId(0, 20, 0));
    T("pci-bad-device", cudaDeviceGetPCIBusId(id, 64, 7));
    cudaDeviceGetPCIBusId(id, 64, 0);
    INFO("pci-format", "len=%zu colons=%d", strlen(id),
         (id[4] == ':') + (id[7] == ':') + (id[10] == '.'));
    int d = 77;
    T("bypci-own", cudaDeviceGetByPCIBusId(&d, id), "d=%d", d);
    d = 77;
    T("bypci-short", cudaDeviceGetByPCIBusId(&d, id + 5), "d=%d", d);
    d = 77;
    T("bypci-bdonly", cudaDeviceGetByPCIBusId(&d, F("%.7s%.3s", id, id + 7)), "d=%d", d);
    d = 77;
    T("bypci-none", cudaDeviceGetByPCIBusId(&d, "ffff:ff:1f.0"), "d=%d", d);
    T("bypci-garbage", cudaDeviceGetByPCIBusId(&d, "hello"));
    T("bypci-empty", cudaDeviceGetByPCIBusId(&d, ""));
    T("bypci-null", cudaDeviceGetByPCIBusId(&d, 0));
    T("bypci-null-out", cudaDeviceGetByPCIBusId(0, id));
    for (char *q = id; *q; q++)
        if (*q >= 'A' && *q <= 'F')
            *q += 32;
        else if (*q >= 'a' && *q <= 'f')
            *q -= 32;
    T("bypci-othercase", cudaDeviceGetByPCIBusId(&d, id), "d=%d", d);
    for (int i = -1; i < 8; i++) {
        v = 77;
        T(F("p2p-%d", i), cudaDeviceGetP2PAttribute(&v, (cudaDeviceP2PAttr)i, 0, 0), "v=%d", v);
    }
    T("p2p-bad", cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 5));
    T("p2p-null", cudaDeviceGetP2PAttribute(0, cudaDevP2PAttrAccessSupported, 0, 0));
    v = 77;
    T("canpeer-self", cudaDeviceCanAccessPeer(&v, 0, 0), "v=%d", v);
    v = 77;
    T("canpeer-bad", cudaDeviceCanAccessPeer(&v, 0, 5), "v=%d", v);
    T("canpeer-null", cudaDeviceCanAccessPeer(0, 0, 0));
    T("enable-self", cudaDeviceEnablePeerAccess(0, 0));
    T("enable-bad", cudaDeviceEnablePeerAccess(5, 0));
    T("enable-flags", cudaDeviceEnablePeerAccess(0, 1));
    T("disable-self", cudaDeviceDisablePeerAccess(0));
    T("disable-bad", cudaDeviceDisablePeerAccess(5));
    for (int i = 0; i < 14; i++) {
        cudaAtomicOperation op = (cudaAtomicOperation)i;
        unsigned cap = 77;
        T(F("hostatomic-%d", i), cudaDeviceGetHostAtomicCapabilities(&cap, &op, 1, 0), "cap=%u",
          cap);
    }
    cudaAtomicOperation op = cudaAtomicOperationIntegerAdd;
    unsigned cap = 77;
    T("hostatomic-0", cudaDeviceGetHostAtomicCapabilities(&cap, &op, 0, 0));
    T("hostatomic-null", cudaDeviceGetHostAtomicCapabilities(0, &op, 1, 0));
    T("p2patomic", cudaDeviceGetP2PAtomicCapabilities(&cap, &op, 1, 0, 0));
    T("flushrdma",
      cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                         cudaFlushGPUDirectRDMAWritesToOwner));
    T("flushrdma-bad", cudaDeviceFlushGPUDirectRDMAWrites((cudaFlushGPUDirectRDMAWritesTarget)5,
                                                          (cudaFlushGPUDirectRDMAWritesScope)5));
    T("resetl2", cudaCtxResetPersistingL2Cache());
    static const int fm[][5] = {{8, 0, 0, 0, 1},   {16, 0, 0, 0, 1},    {32, 0, 0, 0, 2},
                                {32, 32, 0, 0, 2}, {32, 32, 32, 32, 2}, {32, 32, 32, 0, 2},
                                {0, 0, 0, 0, 0},   {7, 0, 0, 0, 0}};
    for (size_t i = 0; i < A(fm); i++) {
        size_t w = 77;
        cudaChannelFormatDesc cd = chan(fm[i][0], fm[i][1], fm[i][2], fm[i][3], fm[i][4]);
        T(F("tex1dlinear-%zu", i), cudaDeviceGetTexture1DLinearMaxWidth(&w, &cd, 0), "w=%zu", w);
    }
    size_t w;
    T("tex1dlinear-null", cudaDeviceGetTexture1DLinearMaxWidth(&w, 0, 0));
    T("prof-start", cudaProfilerStart());
    T("prof-start2", cudaProfilerStart());
    T("prof-stop", cudaProfilerStop());
    T("prof-stop2", cudaProfilerStop());
    cudaChannelFormatDesc cd = cudaCreateChannelDesc(8, 16, 32, -1, cudaChannelFormatKindFloat);
    INFO("createdesc", "%d %d %d %d %d", cd.x, cd.y, cd.z, cd.w, (int)cd.f);
    T("nvsci", cudaDeviceGetNvSciSyncAttributes(0, 0, 1));
    cudaAsyncCallbackHandle_t ah = 0;
    T("asyncnotif",
      cudaDeviceRegisterAsyncNotification(
          0, [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}, 0, &ah),
      "%s", outst(ah));
    T("asyncnotif-unreg", cudaDeviceUnregisterAsyncNotification(0, ah));
    T("asyncnotif-null", cudaDeviceRegisterAsyncNotification(0, 0, 0, &ah));
    T("asyncnotif-bad-dev",
      cudaDeviceRegisterAsyncNotification(
          9, [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}, 0, &ah));
}
