/* SPDX-License-Identifier: MIT */
/* Launches, function attributes, occupancy, printf/assert/malloc in kernels, libraries,
 * entry points. */
#include "recorder.hpp"

GROUP(600, launch_shape, "launch-shape")
{
    use_runtime();
    unsigned long long *o = (unsigned long long *)device_alloc(64), h[6] = {0};
    static const unsigned s[][6] = {
        {1, 1, 1, 1, 1, 1},     {2, 3, 4, 5, 6, 7},      {1, 1, 1, 1024, 1, 1},
        {1, 1, 1, 1, 1024, 1},  {1, 1, 1, 16, 1, 64},    {1, 1, 1, 32, 32, 1},
        {65535, 1, 1, 1, 1, 1}, {65536, 1, 1, 32, 1, 1}, {1, 65535, 1, 1, 1, 1},
        {1, 1, 65535, 1, 1, 1}, {100000, 1, 1, 3, 1, 1}, {7, 1, 1, 33, 1, 1},
        {3, 5, 1, 31, 2, 1},    {1000, 10, 2, 8, 4, 2},  {1, 1, 1, 1, 1, 64},
        {13, 17, 19, 1, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(s); i++) {
        cudaMemset(o, 0, 64);
        const unsigned *q = s[i];
        CHECK(FORMAT("%ux%ux%u-%ux%ux%u", q[0], q[1], q[2], q[3], q[4], q[5]),
              cudaLaunchKernel((void *)k_shape, dim3(q[0], q[1], q[2]), dim3(q[3], q[4], q[5]),
                               ARGS(&o), 0, 0),
              "%s n=%llu sum=%llu max=%llu dims=%llx,%llx,%llx", sync_device(),
              (cudaMemcpy(h, o, 48, cudaMemcpyDeviceToHost), h[0]), h[1], h[2], h[3], h[4], h[5]);
    }
}

GROUP(601, launch, "launch")
{
    use_runtime();
    int *d = (int *)device_alloc(65536), n = 1000, v = 7;
    cudaStream_t s = stream_new(1);
    CHECK("stream", cudaLaunchKernel((void *)k_fill, dim3(8), dim3(128), ARGS(&d, &n, &v), 0, s),
          "%s %s", sync_stream(s), device_checksum(d, 4000));
    CHECK(
        "legacy",
        cudaLaunchKernel((void *)k_add, dim3(8), dim3(128), ARGS(&d, &n, &v), 0, cudaStreamLegacy),
        "%s %s", sync_device(), device_checksum(d, 4000));
    CHECK("perthread",
          cudaLaunchKernel((void *)k_add, dim3(8), dim3(128), ARGS(&d, &n, &v), 0,
                           cudaStreamPerThread),
          "%s %s", sync_device(), device_checksum(d, 4000));
    CHECK("bounds128-ok", cudaLaunchKernel((void *)k_bounds128, dim3(1), dim3(128), ARGS(&d), 0, 0),
          "%s", sync_device());
    CHECK("bounds128-129",
          cudaLaunchKernel((void *)k_bounds128, dim3(1), dim3(129), ARGS(&d), 0, 0), "%s",
          sync_device());
    CHECK("bounds64x4-64",
          cudaLaunchKernel((void *)k_bounds64x4, dim3(1), dim3(64), ARGS(&d), 0, 0), "%s",
          sync_device());
    CHECK("bounds64x4-65",
          cudaLaunchKernel((void *)k_bounds64x4, dim3(1), dim3(65), ARGS(&d), 0, 0), "%s",
          sync_device());
    CHECK("static", cudaLaunchKernel((void *)k_static, dim3(1), dim3(256), ARGS(&d), 0, 0), "%s %s",
          sync_device(), device_checksum(d, 4));
    CHECK("static+32K", cudaLaunchKernel((void *)k_static, dim3(1), dim3(256), ARGS(&d), 32768, 0),
          "%s", sync_device());
    CHECK("static+32K+1",
          cudaLaunchKernel((void *)k_static, dim3(1), dim3(256), ARGS(&d), 32769, 0), "%s",
          sync_device());
    static const size_t sh[] = {0,        4,        400,          48 * KB,  48 * KB + 4, 64 * KB,
                                100 * KB, 227 * KB, 227 * KB + 4, 228 * KB, 256 * KB};
    for (int opt = 0; opt < 2; opt++)
        for (size_t i = 0; i < COUNT_OF(sh); i++) {
            if (opt)
                CHECK(FORMAT("optin-%zu", sh[i]),
                      cudaFuncSetAttribute(
                          (void *)k_dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sh[i]));
            int w = (int)(sh[i] / 4);
            if (!w)
                w = 0;
            CHECK(FORMAT("dyn%d-%zu", opt, sh[i]),
                  cudaLaunchKernel((void *)k_dyn, dim3(1), dim3(128), ARGS(&d, &w), sh[i], 0),
                  "%s %s", sync_device(), device_checksum(d, 4));
        }
    char a = 1;
    short b = 2;
    int c = 3;
    long long e = 4;
    float f = 5.5f;
    double g = 6.25;
    CHECK(
        "manyargs",
        cudaLaunchKernel((void *)k_many, dim3(1), dim3(1), ARGS(&a, &b, &c, &e, &f, &g, &d), 0, 0),
        "%s %s", sync_device(), device_checksum(d, 8));
    struct big_argument ba;
    for (int i = 0; i < 64; i++)
        ba.v[i] = i * i;
    CHECK("bigarg", cudaLaunchKernel((void *)k_big, dim3(1), dim3(1), ARGS(&ba, &d), 0, 0), "%s %s",
          sync_device(), device_checksum(d, 4));
    CHECK("local", cudaLaunchKernel((void *)k_local, dim3(4), dim3(64), ARGS(&d, &v), 0, 0),
          "%s %s", sync_device(), device_checksum(d, 4));
    for (int w = 0; w < 2; w++)
        CHECK(FORMAT("fnptr-%d", w),
              cudaLaunchKernel((void *)k_fnptr, dim3(1), dim3(1), ARGS(&d, &w), 0, 0), "%s %s",
              sync_device(), device_checksum(d, 4));
    CHECK("noparams-nullargs", cudaLaunchKernel((void *)k_none_params, dim3(1), dim3(1), 0, 0, 0),
          "%s", sync_device());
    v = 40;
    cudaMemset(d, 0, 64);
    CHECK("atomics", cudaLaunchKernel((void *)k_atomics, dim3(3), dim3(50), ARGS(&d), 0, 0),
          "%s %s", sync_device(), device_checksum(d, 32));
    CHECK("lambda", (launch_lambda(d, 50, 3), cudaGetLastError()), "%s %s", sync_device(),
          device_checksum(d, 200));
    for (int i = 0; i < 5; i++)
        CHECK(FORMAT("template-%d", i), (launch_template(i, d, 100), cudaGetLastError()), "%s %s",
              sync_device(), device_checksum(d, 400));
    const char *nm = 0;
    for (int i = 0; i < 5; i++) {
        if (i == 4)
            continue;
        CHECK(FORMAT("template-name-%d", i), cudaFuncGetName(&nm, template_kernel(i)), "%s",
              nm ? nm : "NULL");
    }
    for (int k = 0; k < 3; k++) {
        cudaMemset(d, 0, 64);
        int q = 30;
        CHECK(FORMAT("exitearly-%d", k),
              cudaLaunchKernel((void *)k_exit_early, dim3(2), dim3(32), ARGS(&d, &q), 0, 0),
              "%s %s", sync_device(), device_checksum(d, 4));
    }
}

GROUP(602, launch_coop, "launch-coop")
{
    use_runtime();
    int *d = (int *)device_alloc(64);
    int h[2] = {0}, mx = 0, sm = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mx, (void *)k_coop, 128, 0);
    cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, 0);
    static const int g[] = {0, 1, 2, 64, 132};
    for (size_t i = 0; i < COUNT_OF(g); i++) {
        cudaMemset(d, 0, 64);
        CHECK(FORMAT("grid-%d", g[i]),
              cudaLaunchCooperativeKernel((void *)k_coop, dim3(g[i]), dim3(128), ARGS(&d), 0, 0),
              "%s %d %d", sync_device(), (cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost), h[0]), h[1]);
    }
    CHECK("grid-max",
          cudaLaunchCooperativeKernel((void *)k_coop, dim3(mx * sm), dim3(128), ARGS(&d), 0, 0),
          "%s", sync_device());
    CHECK("grid-max+1",
          cudaLaunchCooperativeKernel((void *)k_coop, dim3(mx * sm + 1), dim3(128), ARGS(&d), 0, 0),
          "%s", sync_device());
    CHECK("null-func", cudaLaunchCooperativeKernel(0, dim3(1), dim3(1), 0, 0, 0));
    CHECK("block-1025",
          cudaLaunchCooperativeKernel((void *)k_coop, dim3(1), dim3(1025), ARGS(&d), 0, 0));
    CHECK("shared-big",
          cudaLaunchCooperativeKernel((void *)k_coop, dim3(1), dim3(32), ARGS(&d), MB, 0));
    CHECK("plain-kernel", cudaLaunchCooperativeKernel((void *)k_empty, dim3(4), dim3(32), 0, 0, 0),
          "%s", sync_device());
}

static cudaError_t launch_extended(const void *f, unsigned g, unsigned b, size_t sh, cudaStream_t s,
                                   cudaLaunchAttribute *a, unsigned n, void **args)
{
    cudaLaunchConfig_t c;
    memset(&c, 0, sizeof c);
    c.gridDim = dim3(g);
    c.blockDim = dim3(b);
    c.dynamicSmemBytes = sh;
    c.stream = s;
    c.attrs = a;
    c.numAttrs = n;
    return cudaLaunchKernelExC(&c, f, args);
}

GROUP(603, launch_ex, "launch-ex")
{
    use_runtime();
    cases_independent = 1;
    int *d = (int *)device_alloc(4096), n = 100, v = 3, h[4] = {0};
    cudaLaunchAttribute at[4];
    memset(at, 0, sizeof at);
    CHECK("plain", launch_extended((void *)k_fill, 1, 128, 0, 0, 0, 0, ARGS(&d, &n, &v)), "%s %s",
          sync_device(), device_checksum(d, 400));
    CHECK("null-config", cudaLaunchKernelExC(0, (void *)k_empty, 0));
    CHECK("null-func", launch_extended(0, 1, 1, 0, 0, 0, 0, 0));
    CHECK("null-attrs-n1", launch_extended((void *)k_empty, 1, 1, 0, 0, 0, 1, 0));
    CHECK("grid0", launch_extended((void *)k_empty, 0, 1, 0, 0, 0, 0, 0));
    CHECK("block0", launch_extended((void *)k_empty, 1, 0, 0, 0, 0, 0, 0));
    for (int id = -1; id <= 18; id++)
        for (int val = 0; val < 3; val++) {
            memset(at, 0, sizeof at);
            at[0].id = (cudaLaunchAttributeID)id;
            if (id == 7 || id == 12) {
                at[0].val.programmaticEvent.event = val ? event_new(2) : 0;
            } else if (id == 4 || id == 11) {
                at[0].val.clusterDim.x = val + 1;
                at[0].val.clusterDim.y = at[0].val.clusterDim.z = val > 1 ? 2 : 1;
            } else
                *(int *)&at[0].val = val;
            CHECK(FORMAT("attr%d-v%d", id, val),
                  launch_extended((void *)k_empty, 4, 32, 0, stream_new(0), at, 1, 0), "%s",
                  sync_device());
        }
    static const unsigned cl[][3] = {{1, 1, 1},  {2, 1, 1}, {4, 1, 1}, {8, 1, 1},
                                     {16, 1, 1}, {3, 1, 1}, {0, 0, 0}, {0, 1, 1},
                                     {32, 1, 1}, {1, 2, 1}, {5, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cl); i++)
        for (int np = 0; np < 2; np++) {
            memset(at, 0, sizeof at);
            at[0].id = cudaLaunchAttributeClusterDimension;
            at[0].val.clusterDim.x = cl[i][0];
            at[0].val.clusterDim.y = cl[i][1];
            at[0].val.clusterDim.z = cl[i][2];
            if (np)
                cudaFuncSetAttribute((void *)k_cluster_any,
                                     cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
            cudaMemset(d, 0, 64);
            CHECK(FORMAT("cluster-%u.%u.%u-np%d", cl[i][0], cl[i][1], cl[i][2], np),
                  launch_extended((void *)k_cluster_any, 16, 32, 0, 0, at, 1, ARGS(&d)),
                  "%s n=%d blocks=%d x=%d rank=%d", sync_device(),
                  (cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost), h[0]), h[1], h[2], h[3]);
            cudaMemset(d, 0, 64);
            if (!np) {
                CHECK(FORMAT("cluster-fixed-%u.%u.%u", cl[i][0], cl[i][1], cl[i][2]),
                      launch_extended((void *)k_cluster2, 16, 32, 0, 0, at, 1, ARGS(&d)),
                      "%s n=%d blocks=%d", sync_device(),
                      (cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost), h[0]), h[1]);
                cudaLaunchConfig_t c;
                memset(&c, 0, sizeof c);
                c.gridDim = dim3(16);
                c.blockDim = dim3(32);
                c.attrs = at;
                c.numAttrs = 1;
                int k = 77;
                CHECK(FORMAT("occ-clusters-%u.%u.%u", cl[i][0], cl[i][1], cl[i][2]),
                      cudaOccupancyMaxActiveClusters(&k, (void *)k_cluster_any, &c), "some=%s",
                      k == 77 ? "kept"
                      : k > 0 ? "yes"
                              : "0");
                k = 77;
                CHECK(FORMAT("occ-clustersize-%u.%u.%u", cl[i][0], cl[i][1], cl[i][2]),
                      cudaOccupancyMaxPotentialClusterSize(&k, (void *)k_cluster_any, &c), "%d", k);
            }
        }
    cudaMemset(d, 0, 64);
    CHECK("cluster-fixed-plain-launch",
          cudaLaunchKernel((void *)k_cluster2, dim3(4), dim3(32), ARGS(&d), 0, 0),
          "%s n=%d blocks=%d x=%d rank=%d", sync_device(),
          (cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost), h[0]), h[1], h[2], h[3]);
    CHECK("cluster-fixed-odd-grid",
          cudaLaunchKernel((void *)k_cluster2, dim3(3), dim3(32), ARGS(&d), 0, 0), "%s",
          sync_device());
    cudaMemset(d, 0, 64);
    CHECK("cluster-any-plain",
          cudaLaunchKernel((void *)k_cluster_any, dim3(4), dim3(32), ARGS(&d), 0, 0),
          "%s n=%d blocks=%d", sync_device(), (cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost), h[0]),
          h[1]);
    memset(at, 0, sizeof at);
    at[0].id = at[1].id = cudaLaunchAttributePriority;
    CHECK("dup-attr", launch_extended((void *)k_empty, 1, 1, 0, 0, at, 2, 0), "%s", sync_device());
    at[0].id = cudaLaunchAttributeCooperative;
    at[0].val.cooperative = 1;
    cudaMemset(d, 0, 64);
    CHECK("coop-attr", launch_extended((void *)k_coop, 8, 64, 0, 0, at, 1, ARGS(&d)), "%s %s",
          sync_device(), device_checksum(d, 8));
    CHECK("coop-attr-toobig", launch_extended((void *)k_coop, 1000000, 64, 0, 0, at, 1, ARGS(&d)),
          "%s", sync_device());
}

static const char *function_text(const void *f)
{
    cudaFuncAttributes a;
    memset(&a, 0xA5, sizeof a);
    cudaError_t r = cudaFuncGetAttributes(&a, f);
    if (r)
        return error_name(r);
    return FORMAT(
        "shared=%zu const=%d local=%d maxthreads=%d regs=%d ptx=%d bin=%d ca=%d maxdyn=%d "
        "carve=%d mustbeset=%d cw=%d ch=%d cd=%d sched=%d np=%d",
        a.sharedSizeBytes, a.constSizeBytes > 0, a.localSizeBytes > 0, a.maxThreadsPerBlock,
        a.numRegs > 0, a.ptxVersion > 0, a.binaryVersion > 0, a.cacheModeCA,
        a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout, a.clusterDimMustBeSet,
        a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth,
        a.clusterSchedulingPolicyPreference, a.nonPortableClusterSizeAllowed);
}

GROUP(604, func, "func")
{
    use_runtime();
    struct {
        const char *n;
        const void *f;
    } k[] = {{"empty", (void *)k_empty},
             {"fill", (void *)k_fill},
             {"dyn", (void *)k_dyn},
             {"static", (void *)k_static},
             {"bounds128", (void *)k_bounds128},
             {"bounds64x4", (void *)k_bounds64x4},
             {"many", (void *)k_many},
             {"big", (void *)k_big},
             {"local", (void *)k_local},
             {"coop", (void *)k_coop},
             {"cluster2", (void *)k_cluster2},
             {"cluster_any", (void *)k_cluster_any},
             {"tmpl0", template_kernel(0)},
             {"tmpl3", template_kernel(3)},
             {"stack", (void *)k_stack},
             {"sym", (void *)k_sym},
             {"null", 0},
             {"host", (void *)function_text},
             {"symbol", symbol(0)}};
    for (size_t i = 0; i < COUNT_OF(k); i++) {
        RECORD(FORMAT("attr-%s", k[i].n), "%s", function_text(k[i].f));
        const char *nm = (const char *)UNTOUCHED;
        CHECK(FORMAT("name-%s", k[i].n), cudaFuncGetName(&nm, k[i].f), "%s",
              nm == (const char *)UNTOUCHED ? "kept"
              : nm                          ? nm
                                            : "null");
        for (size_t p = 0; p < 9; p++) {
            size_t o = 77, z = 77;
            cudaError_t r =
                CHECK(FORMAT("param%zu-%s", p, k[i].n), cudaFuncGetParamInfo(k[i].f, p, &o, &z),
                      "off=%zu size=%zu", o, z);
            if (r)
                break;
        }
        cudaFunction_t f = (cudaFunction_t)UNTOUCHED;
        CHECK(FORMAT("bysymbol-%s", k[i].n), cudaGetFuncBySymbol(&f, k[i].f), "%s", out_state(f));
        cudaKernel_t q = (cudaKernel_t)UNTOUCHED;
        CHECK(FORMAT("getkernel-%s", k[i].n), cudaGetKernel(&q, k[i].f), "%s", out_state(q));
        static const int bs[] = {0, 1, 31, 32, 33, 64, 96, 128, 256, 512, 768, 1024, 1025, -1};
        for (size_t b = 0; b < COUNT_OF(bs); b++) {
            int nb = 77;
            CHECK(FORMAT("occ-%s-b%d", k[i].n, bs[b]),
                  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, k[i].f, bs[b], 0), "%s",
                  i < 8 || nb == 0 || nb == 77 ? FORMAT("%d", nb) : "n");
            if (i > 14)
                break;
        }
    }
    static const size_t ds[] = {0, 1024, 10000, 48 * KB, 100 * KB, 227 * KB, 228 * KB, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(ds); i++)
        for (int b = 128; b <= 1024; b *= 2) {
            int nb = 77;
            CHECK(FORMAT("occdyn-b%d-s%zx", b, ds[i]),
                  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, (void *)k_dyn, b, ds[i]), "%d",
                  nb);
        }
    for (unsigned f = 0; f < 4; f++) {
        int nb = 77;
        CHECK(
            FORMAT("occflags-%u", f),
            cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&nb, (void *)k_fill, 128, 0, f),
            "%d", nb);
    }
    for (int nb = 0; nb <= 33; nb += (nb < 4 ? 1 : 7))
        for (int b = 0; b <= 1024; b = b ? b * 4 : 64) {
            size_t z = 77;
            CHECK(FORMAT("occavail-n%d-b%d", nb, b),
                  cudaOccupancyAvailableDynamicSMemPerBlock(&z, (void *)k_fill, nb, b), "%zu", z);
        }
    CHECK("occ-null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(0, (void *)k_fill, 32, 0));
    CHECK("occavail-null", cudaOccupancyAvailableDynamicSMemPerBlock(0, (void *)k_fill, 1, 32));
    CHECK("name-null", cudaFuncGetName(0, (void *)k_fill));
    size_t z = 77;
    CHECK("param-null-off", cudaFuncGetParamInfo((void *)k_fill, 0, 0, &z));
    CHECK("param-null-size", cudaFuncGetParamInfo((void *)k_fill, 0, &z, 0), "%zu", z);
    CHECK("bysymbol-null", cudaGetFuncBySymbol(0, (void *)k_fill));
    CHECK("getkernel-null", cudaGetKernel(0, (void *)k_fill));
    CHECK("attr-null", cudaFuncGetAttributes(0, (void *)k_fill));
    for (int a = -1; a <= 17; a++) {
        static const int vv[] = {-2,  -1,   0,     1,     2,      50,     100,
                                 101, 1024, 49152, 65536, 232448, 232449, 300000};
        for (size_t i = 0; i < COUNT_OF(vv); i++)
            CHECK(FORMAT("setattr%d-%d", a, vv[i]),
                  cudaFuncSetAttribute((void *)k_dyn, (cudaFuncAttribute)a, vv[i]), "%s",
                  a >= 8 && a <= 15 ? function_text((void *)k_dyn) : "");
    }
    CHECK("setattr-null", cudaFuncSetAttribute(0, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    CHECK("setattr-bad", cudaFuncSetAttribute(&z, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    CHECK("setattr-static",
          cudaFuncSetAttribute((void *)k_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               232448));
    CHECK("setattr-static-fit",
          cudaFuncSetAttribute((void *)k_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               232448 - 16384));
    cudaKernel_t kk = 0;
    cudaGetKernel(&kk, (void *)k_dyn);
    CHECK(
        "kernelattr",
        cudaKernelSetAttributeForDevice(kk, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0),
        "%s", function_text((void *)k_dyn));
    CHECK("kernelattr-dev9", cudaKernelSetAttributeForDevice(
                                 kk, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 9));
    CHECK("kernelattr-null", cudaKernelSetAttributeForDevice(
                                 0, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
    RECORD("attr-kernel-handle", "%s", function_text((void *)kk));
    CHECK("reset", cudaDeviceReset());
    RECORD("attr-dyn-after-reset", "%s", function_text((void *)k_dyn));
    cudaKernel_t k2 = 0;
    CHECK("getkernel-after-reset", cudaGetKernel(&k2, (void *)k_dyn), "same=%d", k2 == kk);
}

GROUP(605, printf, "printf")
{
    use_runtime();
    int a = 3, v = 7;
#define CHECK_OUTPUT(nm, fd, ...)                                                                  \
    do {                                                                                           \
        output_capture(fd);                                                                        \
        __VA_ARGS__;                                                                               \
        const char *x_ = output_captured(fd);                                                      \
        RECORD(nm, "%s", x_);                                                                      \
    } while (0)
    CHECK_OUTPUT("one", 1, cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&a), 0, 0);
                 cudaDeviceSynchronize());
    CHECK_OUTPUT("three", 1, cudaLaunchKernel((void *)k_printf, dim3(1), dim3(3), ARGS(&a), 0, 0);
                 cudaDeviceSynchronize());
    CHECK_OUTPUT("streamsync", 1, cudaStream_t s = stream_new(0);
                 cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&v), 0, s);
                 cudaStreamSynchronize(s));
    CHECK_OUTPUT("memcpy-flushes", 1,
                 cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&a), 0, 0);
                 cudaMemcpy(&v, device_alloc(4), 4, cudaMemcpyDeviceToHost));
    CHECK_OUTPUT("before-sync", 1,
                 cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&a), 0, 0);
                 usleep(100000));
    CHECK_OUTPUT("rest", 1, cudaDeviceSynchronize());
    CHECK_OUTPUT("eventsync", 1, cudaEvent_t e = event_new(0);
                 cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&a), 0, 0);
                 cudaEventRecord(e, 0); cudaEventSynchronize(e));
    CHECK_OUTPUT("reset-flushes", 1,
                 cudaLaunchKernel((void *)k_printf, dim3(1), dim3(1), ARGS(&a), 0, 0);
                 cudaDeviceReset());
}

GROUP(606, assert, "assert")
{
    keep_after_sticky = 1;
    use_runtime();
    int v = 1;
    output_capture(2);
    cudaError_t r = cudaLaunchKernel((void *)k_assert, dim3(2), dim3(1), ARGS(&v), 0, 0),
                q = cudaDeviceSynchronize();
    const char *x = output_captured(2);
    const char *b = strstr(x, "block: [0,0,0], thread: [0,0,0] Assertion `v == 42` failed."),
               *c = strstr(x, "block: [1,0,0], thread: [0,0,0] Assertion `v == 42` failed.");
    int lines = 0;
    for (const char *p = x; *p; p++)
        lines += *p == '|';
    RECORD("text", "launch=%s sync=%s lines=%d block0=%d block1=%d kernelname=%d", error_name(r),
           error_name(q), lines, !!b, !!c, !!strstr(x, "k_assert"));
    v = 42;
}

GROUP(607, kernel_malloc, "kernel-malloc")
{
    use_runtime();
    int *d = (int *)device_alloc(64);
    static const size_t sz[] = {1, 16, 1000, 100000, MB, 7 * MB, 9 * MB};
    for (size_t i = 0; i < COUNT_OF(sz); i++)
        for (int n = 1; n <= 4; n++) {
            int h = -1;
            CHECK(FORMAT("sz%zu-n%d", sz[i], n),
                  cudaLaunchKernel((void *)k_malloc, dim3(1), dim3(1), ARGS(&d, &n, (void *)&sz[i]),
                                   0, 0),
                  "%s ok=%s", sync_device(),
                  (cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost),
                   sz[i] > MB ? (h < n ? "some-failed" : "all") : FORMAT("%d", h)));
        }
    CHECK("reset", cudaDeviceReset());
    CHECK("heap64M", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * MB));
    d = (int *)device_alloc(64);
    int n = 4, h = -1;
    size_t z = 9 * MB;
    CHECK("sz9M-heap64M",
          cudaLaunchKernel((void *)k_malloc, dim3(1), dim3(1), ARGS(&d, &n, &z), 0, 0), "%s ok=%d",
          sync_device(), (cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost), h));
    int dp = 20;
    cudaDeviceSetLimit(cudaLimitStackSize, 64 * KB);
    CHECK("deep-stack", cudaLaunchKernel((void *)k_stack, dim3(1), dim3(1), ARGS(&d, &dp), 0, 0),
          "%s", sync_device());
}

static const char library_ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 gv = "
    "17;\n.visible .global .align 4 .b8 ga[100];\n.visible .entry kone(.param .u64 p) { .reg .b64 "
    "%r; .reg .b32 %v; ld.param.u64 %r, [p]; cvta.to.global.u64 %r, %r; ld.global.u32 %v, [gv]; "
    "st.global.u32 [%r], %v; ret; }\n.visible .entry ktwo() { ret; }\n";
GROUP(608, library, "library")
{
    use_runtime();
    cudaLibrary_t l = (cudaLibrary_t)UNTOUCHED;
    CHECK("load", cudaLibraryLoadData(&l, library_ptx, 0, 0, 0, 0, 0, 0), "%s", out_state(l));
    unsigned n = 77;
    CHECK("count", cudaLibraryGetKernelCount(&n, l), "%u", n);
    cudaKernel_t k = (cudaKernel_t)UNTOUCHED, ks[4] = {0};
    CHECK("kernel", cudaLibraryGetKernel(&k, l, "kone"), "%s", out_state(k));
    cudaKernel_t kx = (cudaKernel_t)UNTOUCHED;
    CHECK("kernel-missing", cudaLibraryGetKernel(&kx, l, "nope"), "%s", out_state(kx));
    CHECK("kernel-null-name", cudaLibraryGetKernel(&kx, l, 0));
    CHECK("kernel-null-out", cudaLibraryGetKernel(0, l, "kone"));
    CHECK("kernel-null-lib", cudaLibraryGetKernel(&kx, 0, "kone"));
    CHECK("enum2", cudaLibraryEnumerateKernels(ks, 2, l), "%d", (ks[0] != 0) + (ks[1] != 0));
    CHECK("enum4", cudaLibraryEnumerateKernels(ks, 4, l));
    CHECK("enum0", cudaLibraryEnumerateKernels(ks, 0, l));
    CHECK("enum-null", cudaLibraryEnumerateKernels(0, 2, l));
    void *d = UNTOUCHED;
    size_t z = 77;
    CHECK("global", cudaLibraryGetGlobal(&d, &z, l, "gv"), "%s %zu", out_state(d), z);
    CHECK("global-a", cudaLibraryGetGlobal(&d, &z, l, "ga"), "%zu", z);
    CHECK("global-missing", cudaLibraryGetGlobal(&d, &z, l, "nope"));
    CHECK("global-null-size", cudaLibraryGetGlobal(&d, 0, l, "gv"));
    CHECK("global-null-ptr", cudaLibraryGetGlobal(0, &z, l, "gv"));
    CHECK("global-null-both", cudaLibraryGetGlobal(0, 0, l, "gv"));
    CHECK("managed-missing", cudaLibraryGetManaged(&d, &z, l, "gv"));
    CHECK("unified", cudaLibraryGetUnifiedFunction(&d, l, "kone"));
    int *o = (int *)device_alloc(64);
    CHECK("launch", cudaLaunchKernel((void *)k, dim3(1), dim3(1), ARGS(&o), 0, 0), "%s %s",
          sync_device(), device_checksum(o, 4));
    RECORD("attr", "%s", function_text((void *)k));
    const char *nm = 0;
    CHECK("name", cudaFuncGetName(&nm, (void *)k), "%s", nm ? nm : "");
    size_t po = 77, ps = 77;
    CHECK("paraminfo", cudaFuncGetParamInfo((void *)k, 0, &po, &ps), "%zu %zu", po, ps);
    CHECK("unload", cudaLibraryUnload(l));
    CHECK("load-null", cudaLibraryLoadData(0, library_ptx, 0, 0, 0, 0, 0, 0));
    CHECK("load-null-code", cudaLibraryLoadData(&l, 0, 0, 0, 0, 0, 0, 0));
    CHECK("load-garbage", cudaLibraryLoadData(&l, "garbage text", 0, 0, 0, 0, 0, 0));
    CHECK("load-badptx",
          cudaLibraryLoadData(
              &l, ".version 7.5\n.target sm_75\n.address_size 64\n.entry x() { bogus; }\n", 0, 0, 0,
              0, 0, 0));
    CHECK("load-empty", cudaLibraryLoadData(&l, "", 0, 0, 0, 0, 0, 0));
    CHECK("file-missing", cudaLibraryLoadFromFile(&l, "/nonexistent.ptx", 0, 0, 0, 0, 0, 0));
    char fn[] = "/tmp/rtptxXXXXXX";
    int fd = mkstemp(fn);
    if (write(fd, library_ptx, sizeof library_ptx - 1) < 0)
        return;
    close(fd);
    CHECK("file", cudaLibraryLoadFromFile(&l, fn, 0, 0, 0, 0, 0, 0));
    unlink(fn);
    CHECK("file-count", cudaLibraryGetKernelCount(&n, l), "%u", n);
    CHECK("file-null", cudaLibraryLoadFromFile(&l, 0, 0, 0, 0, 0, 0, 0));
    cudaJitOption jo[2] = {cudaJitOptimizationLevel, cudaJitMaxRegisters};
    void *jv[2] = {(void *)2, (void *)32};
    CHECK("jitopts", cudaLibraryLoadData(&l, library_ptx, jo, jv, 2, 0, 0, 0));
    jo[0] = (cudaJitOption)99;
    CHECK("jitopts-bad", cudaLibraryLoadData(&l, library_ptx, jo, jv, 1, 0, 0, 0));
    CHECK("jitopts-null", cudaLibraryLoadData(&l, library_ptx, 0, 0, 1, 0, 0, 0));
    cudaLibraryOption lo = cudaLibraryBinaryIsPreserved;
    void *lv = (void *)1;
    CHECK("libopts", cudaLibraryLoadData(&l, library_ptx, 0, 0, 0, &lo, &lv, 1));
    lo = (cudaLibraryOption)9;
    CHECK("libopts-bad", cudaLibraryLoadData(&l, library_ptx, 0, 0, 0, &lo, &lv, 1));
    CHECK("unload-null", cudaLibraryUnload(0));
    CHECK("count-null", cudaLibraryGetKernelCount(0, l));
    static const char *en_[] = {"cuInit",
                                "cuMemAlloc",
                                "cuMemAlloc_v2",
                                "cuCtxCreate",
                                "cuMemcpyHtoD",
                                "cuLaunchKernel",
                                "cuGetProcAddress",
                                "cuStreamSynchronize",
                                "cuNope",
                                "",
                                "cudaMalloc",
                                "cuGraphAddKernelNode",
                                "cuMemPrefetchAsync",
                                "cuDeviceGetUuid",
                                "cuStreamGetCaptureInfo",
                                "cuGetExportTable"};
    for (size_t i = 0; i < COUNT_OF(en_); i++) {
        void *p = UNTOUCHED;
        cudaDriverEntryPointQueryResult q = (cudaDriverEntryPointQueryResult)77;
        CHECK(FORMAT("entry-%s", en_[i]),
              cudaGetDriverEntryPoint(en_[i], &p, cudaEnableDefault, &q), "%s st=%d", out_state(p),
              (int)q);
        static const unsigned vs[] = {0, 1000, 2000, 3020, 11000, 12000, 13000, 99000};
        for (size_t v = 0; v < COUNT_OF(vs); v++) {
            p = UNTOUCHED;
            q = (cudaDriverEntryPointQueryResult)77;
            CHECK(FORMAT("entryv-%s-%u", en_[i], vs[v]),
                  cudaGetDriverEntryPointByVersion(en_[i], &p, vs[v], cudaEnableDefault, &q),
                  "%s st=%d dlsym=%d", out_state(p), (int)q, p == driver_function(en_[i]));
        }
    }
    void *p = UNTOUCHED;
    cudaDriverEntryPointQueryResult q = (cudaDriverEntryPointQueryResult)77;
    for (unsigned f = 0; f < 5; f++)
        CHECK(FORMAT("entry-flags-%u", f),
              cudaGetDriverEntryPointByVersion("cuMemcpyAsync", &p, 12000, f, &q), "%s st=%d",
              out_state(p), (int)q);
    CHECK("entry-null-status", cudaGetDriverEntryPointByVersion("cuInit", &p, 12000, 0, 0));
    CHECK("entry-null-status-missing", cudaGetDriverEntryPointByVersion("cuNope", &p, 12000, 0, 0),
          "%s", out_state(p));
    CHECK("entry-null-ptr", cudaGetDriverEntryPointByVersion("cuInit", 0, 12000, 0, &q));
    CHECK("entry-null-name", cudaGetDriverEntryPointByVersion(0, &p, 12000, 0, &q));
}

GROUP(609, logs, "logs")
{
    use_runtime();
    cudaLogIterator it = 0;
    CHECK("current", cudaLogsCurrent(&it, 0));
    CHECK("current-null", cudaLogsCurrent(0, 0));
    CHECK("current-flags", cudaLogsCurrent(&it, 1));
    char b[4096];
    size_t z = sizeof b;
    it = 0;
    CHECK("dump", cudaLogsDumpToMemory(&it, b, &z, 0));
    CHECK("dump-null", cudaLogsDumpToMemory(0, 0, 0, 0));
    CHECK("dumpfile-null", cudaLogsDumpToFile(0, 0, 0));
    cudaLogsCallbackHandle h = 0;
    CHECK("register", cudaLogsRegisterCallback([](void *, cudaLogLevel, char *, size_t) {}, 0, &h),
          "%s", out_state(h));
    CHECK("unregister", cudaLogsUnregisterCallback(h));
    CHECK("register-null", cudaLogsRegisterCallback(0, 0, &h));
    CHECK("unregister-null", cudaLogsUnregisterCallback(0));
}
