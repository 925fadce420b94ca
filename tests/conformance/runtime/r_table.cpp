/* SPDX-License-Identifier: MIT */
/* Section 8: every function with zero arguments as the first call of a process, with a live
 * context, and after cudaDeviceReset. */
#include "rt.hpp"
#include <tuple>
template <class U> struct sig;
template <class R, class... P> struct sig<R (*)(P...)> {
    template <int I> using arg = typename std::tuple_element<I, std::tuple<P...>>::type;
};
template <class R, class... P> struct sig<R (*)(P...) noexcept> : sig<R (*)(P...)> {
};
template <class U> static U zero_()
{
    U v = U();
    return v;
}
#define Z(f, i) zero_<sig<decltype(&f)>::arg<i>>()
struct fn {
    const char *n;
    err (*f)(void);
};
static const struct fn fns[] = {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define X(n, c)
#define XP(n, c) {#n, [] { return (err)(c); }},
#define P "pt"
#define K 30
#else
#define X(n, c) {#n, [] { return (err)(c); }},
#define XP X
#define P ""
#define K 0
#endif
#include "rt_fn.inc"
};
static void g_first(int i)
{
    raw = 1;
    sticky_ok = 1;
    if (!case_begin("call"))
        return;
    err r = fns[i].f();
    err a = cudaGetLastError();
    err b = cudaGetLastError();
    case_end(r, F(" get=%s get=%s", en(a), en(b)));
    T("sync", cudaDeviceSynchronize());
}
static void g_live(void)
{
    independent = 1;
    ready();
    for (size_t i = 0; i < A(fns); i++) {
        const char *b = fns[i].n;
        if (!strcmp(b, "cudaDeviceReset"))
            continue;
        T(b, fns[i].f(), "sync=%s", SYD());
        cudaStreamCaptureStatus cs = cudaStreamCaptureStatusNone;
        cudaGraph_t g;
        if (!cudaStreamIsCapturing(cudaStreamPerThread, &cs) && cs)
            cudaStreamEndCapture(cudaStreamPerThread, &g);
        cudaSetDevice(0);
    }
}
static void g_reset(void)
{
    independent = 1;
    ready();
    auto st = DRV(cuDevicePrimaryCtxGetState);
    for (size_t i = 0; i < A(fns); i++) {
        const char *b = fns[i].n;
        unsigned f;
        int act = 1;
        if (st)
            st(0, &f, &act);
        if (act)
            cudaDeviceReset();
        T(b, fns[i].f());
    }
}
__attribute__((constructor)) static void rg_table(void)
{
    for (size_t i = 0; i < A(fns); i++) {
        const char *b = fns[i].n;
        reg_n(800 + K, F("first" P "/%s", b), g_first, (int)i);
    }
    reg(810 + K, "zero" P, g_live);
    reg(811 + K, "afterreset" P, g_reset);
}
