/* SPDX-License-Identifier: MIT */
/* A second small program: kernels in two translation units (-rdc=true), dynamic parallelism,
 * conditional graph nodes set from a kernel. */
#include "recorder.hpp"

extern __device__ int far_fn(int x);
extern __device__ int far_var;
extern __constant__ int far_const[4];
extern __global__ void far_kernel(int *p, int n);
extern __managed__ int far_man[4];
const void *far_sym(int i);
__device__ int near_var = 3;
__global__ void a_call(int *o)
{
    o[0] = far_fn(5);
    o[1] = far_var;
    o[2] = far_const[2];
    o[3] = near_var;
    far_var += 1;
    far_man[1] += 10;
    o[4] = far_man[1];
}

__global__ void a_parent(int *o, int n)
{
    if (!threadIdx.x)
        far_kernel<<<1, 32>>>(o, n);
}

__global__ void a_parent2(int *o, int n)
{
    if (!threadIdx.x) {
        int e = 0;
        far_kernel<<<dim3(2), dim3(16), 64>>>(o, n);
        e = (int)cudaGetLastError();
        o[100] = e;
        far_kernel<<<0, 32>>>(o, n);
        o[101] = (int)cudaGetLastError();
        int d = -1;
        cudaGetDevice(&d);
        o[102] = d;
    }
}

__global__ void a_set(cudaGraphConditionalHandle h, int *p, int lim)
{
    int v = ++*p;
    cudaGraphSetConditional(h, v < lim ? 1 : 0);
}

__global__ void a_setv(cudaGraphConditionalHandle h, int v)
{
    cudaGraphSetConditional(h, (unsigned)v);
}

__global__ void a_add(int *p, int v)
{
    *p += v;
}

GROUP(100, rdc, "rdc")
{
    use_runtime();
    int *o = (int *)device_alloc(4096), h[128] = {0};
    CHECK("call", (a_call<<<1, 1>>>(o), cudaGetLastError()), "%s", sync_device());
    cudaMemcpy(h, o, 20, cudaMemcpyDeviceToHost);
    RECORD("values", "%d %d %d %d %d", h[0], h[1], h[2], h[3], h[4]);
    int v = 0;
    CHECK("farvar", cudaMemcpyFromSymbol(&v, far_sym(0), 4, 0, cudaMemcpyDeviceToHost), "%d", v);
    v = 50;
    CHECK("farvar-set", cudaMemcpyToSymbol(far_sym(0), &v, 4, 0, cudaMemcpyHostToDevice));
    a_call<<<1, 1>>>(o);
    sync_device();
    cudaMemcpy(h, o, 20, cudaMemcpyDeviceToHost);
    RECORD("values2", "%d %d %d %d %d", h[0], h[1], h[2], h[3], h[4]);
    int c[4] = {9, 8, 7, 6};
    CHECK("const-set", cudaMemcpyToSymbol(far_sym(1), c, 16, 0, cudaMemcpyHostToDevice));
    a_call<<<1, 1>>>(o);
    sync_device();
    cudaMemcpy(h, o, 20, cudaMemcpyDeviceToHost);
    RECORD("values3", "%d %d %d %d %d", h[0], h[1], h[2], h[3], h[4]);
    size_t z = 0;
    CHECK("size", cudaGetSymbolSize(&z, far_sym(1)), "%zu", z);
    CHECK("size-man", cudaGetSymbolSize(&z, far_sym(2)), "%zu", z);
    CHECK("near", cudaMemcpyFromSymbol(&v, (const void *)&near_var, 4, 0, cudaMemcpyDeviceToHost),
          "%d", v);
    RECORD("managed-host", "%d %d", far_man[0], far_man[1]);
    const char *nm = 0;
    CHECK("name", cudaFuncGetName(&nm, (const void *)a_call), "%s", nm ? nm : "");
    CHECK("far-kernel-host", (far_kernel<<<1, 32>>>(o, 20), cudaGetLastError()), "%s %s",
          sync_device(), device_checksum(o, 80));
    CHECK("reset", cudaDeviceReset());
    o = (int *)device_alloc(4096);
    a_call<<<1, 1>>>(o);
    sync_device();
    cudaMemcpy(h, o, 20, cudaMemcpyDeviceToHost);
    RECORD("values-after-reset", "%d %d %d %d %d", h[0], h[1], h[2], h[3], h[4]);
}

GROUP(101, rdc_cdp, "rdc-cdp")
{
    use_runtime();
    int *o = (int *)device_alloc(4096), h[128] = {0};
    int n = 20;
    cudaMemset(o, 0, 4096);
    CHECK("parent", (a_parent<<<1, 32>>>(o, n), cudaGetLastError()), "%s %s", sync_device(),
          device_checksum(o, 128));
    cudaMemset(o, 0, 4096);
    CHECK("parent2", (a_parent2<<<1, 32>>>(o, n), cudaGetLastError()), "%s %s", sync_device(),
          device_checksum(o, 128));
    cudaMemcpy(h, o, 512, cudaMemcpyDeviceToHost);
    RECORD("errors", "%s %s dev=%d", error_name((cudaError_t)h[100]),
           error_name((cudaError_t)h[101]), h[102]);
    size_t z = 77;
    for (int l = 3; l <= 4; l++)
        CHECK(FORMAT("limit-%d", l), cudaDeviceGetLimit(&z, (cudaLimit)l), "%zu", z);
}

GROUP(102, rdc_cond, "rdc-cond")
{
    use_runtime();
    cudaStream_t s = stream_new(0);
    int *o = (int *)device_alloc(64);
    for (int type = 0; type < 3; type++)
        for (int v = 0; v < 4; v++) {
            cudaGraph_t g = 0;
            cudaGraphCreate(&g, 0);
            cudaGraphConditionalHandle h = 0;
            cudaGraphConditionalHandleCreate(&h, g, type == 1 ? 1 : 0, type == 1 ? 1 : 0);
            cudaGraphNode_t k = 0, c = 0;
            cudaKernelNodeParams kp = {};
            int lim = v + 2;
            void *a[3] = {&h, &v, 0};
            kp.func = (void *)a_setv;
            kp.gridDim = dim3(1);
            kp.blockDim = dim3(1);
            kp.kernelParams = a;
            if (type != 1)
                cudaGraphAddKernelNode(&k, g, 0, 0, &kp);
            cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
            p.conditional.handle = h;
            p.conditional.type = (cudaGraphConditionalNodeType)type;
            p.conditional.size = type == 2 ? 3 : type == 0 ? 2 : 1;
            char id[30];
            snprintf(id, 30, "t%d-v%d", type, v);
            if (CHECK(FORMAT("add-%s", id), cudaGraphAddNode(&c, g, k ? &k : 0, 0, k ? 1 : 0, &p)))
                continue;
            for (unsigned q = 0; q < p.conditional.size; q++) {
                cudaGraphNode_t b = 0;
                cudaKernelNodeParams w = {};
                int add = 100 * (q + 1);
                void *aw[2] = {&o, &add}, *as[3] = {&h, &o, &lim};
                w.gridDim = dim3(1);
                w.blockDim = dim3(1);
                if (type == 1) {
                    w.func = (void *)a_set;
                    w.kernelParams = as;
                } else {
                    w.func = (void *)a_add;
                    w.kernelParams = aw;
                }
                cudaGraphAddKernelNode(&b, p.conditional.phGraph_out[q], 0, 0, &w);
            }
            cudaGraphExec_t e = 0;
            CHECK(FORMAT("inst-%s", id), cudaGraphInstantiate(&e, g, 0));
            cudaMemset(o, 0, 64);
            int r = -1;
            CHECK(FORMAT("run-%s", id), cudaGraphLaunch(e, s), "%s v=%d", sync_stream(s),
                  (cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost), r));
            CHECK(FORMAT("again-%s", id), cudaGraphLaunch(e, s), "%s v=%d", sync_stream(s),
                  (cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost), r));
            cudaGraphExecDestroy(e);
            cudaGraphDestroy(g);
        }
}
