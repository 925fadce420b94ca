/* SPDX-License-Identifier: MIT */
/* Section 6b: texture and surface objects. */
#include "rt.hpp"
static cudaResourceDesc ra(cudaArray_t a)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}
static cudaResourceDesc rl(void *p, cudaChannelFormatDesc c, size_t n)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = c;
    r.res.linear.sizeInBytes = n;
    return r;
}
static cudaResourceDesc rp(void *p, cudaChannelFormatDesc c, size_t w, size_t h, size_t pt)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = c;
    r.res.pitch2D.width = w;
    r.res.pitch2D.height = h;
    r.res.pitch2D.pitchInBytes = pt;
    return r;
}
static cudaTextureDesc td(int am, int fm, int rm, int nc)
{
    cudaTextureDesc t;
    memset(&t, 0, sizeof t);
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = (cudaTextureAddressMode)am;
    t.filterMode = (cudaTextureFilterMode)fm;
    t.readMode = (cudaTextureReadMode)rm;
    t.normalizedCoords = nc;
    return t;
}
static float *out_;
static const char *res(size_t bytes)
{
    return dsum(out_, bytes);
}
/* float results as sixteenths: the sum of a hash over values rounded to 1/4096, so that the last
 * bit of a filter does not count */
static const char *fres(size_t n)
{
    float *h = (float *)calloc(n, 4);
    err r = cudaMemcpy(h, out_, n * 4, cudaMemcpyDeviceToHost);
    unsigned x = 2166136261u;
    double s = 0;
    for (size_t i = 0; i < n; i++) {
        int q = (int)(h[i] * 64 + (h[i] < 0 ? -0.5f : 0.5f));
        x = (x ^ (unsigned)q) * 16777619u;
        s += h[i];
    }
    free(h);
    return r ? en(r) : F("%08x sum=%.1f", x, s);
}
static cudaArray_t mk(cudaChannelFormatDesc c, size_t w, size_t h, size_t d, unsigned fl,
                      unsigned seed)
{
    cudaArray_t a = 0;
    if (cudaMalloc3DArray(&a, &c, ext(w, h, d), fl))
        return 0;
    size_t es = (c.x + c.y + c.z + c.w) / 8, n = w * (h ? h : 1) * (d ? d : 1);
    unsigned char *b = (unsigned char *)malloc(n * es);
    if (c.f == cudaChannelFormatKindFloat && c.x == 32)
        for (size_t i = 0; i < n * es / 4; i++)
            ((float *)b)[i] = (float)pb(seed, i) / 16;
    else
        fill(b, n * es, seed);
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = pp(b, w * es, w, h ? h : 1);
    p.dstArray = a;
    p.extent = ext(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&p);
    free(b);
    return a;
}
static const char *samp(const void *k, cudaTextureObject_t t, int n, float lo, float st, size_t cnt)
{
    cudaMemset(out_, 0, 65536);
    err r = cudaLaunchKernel(k, dim3(1), dim3(64), ARGS(&t, &out_, &n, &lo, &st), 0, 0);
    const char *s = SYD();
    return r ? en(r) : F("%s %s", s, fres(cnt));
}
GROUP(650, tex, "texture")
{
    ready();
    independent = 1;
    out_ = (float *)dal(65536);
    cudaChannelFormatDesc cf = chan(32, 0, 0, 0, 2);
    cudaArray_t a1 = mk(cf, 16, 0, 0, 0, 1), a2 = mk(cf, 8, 8, 0, 0, 2), a3 = mk(cf, 4, 4, 4, 0, 3),
                l1 = mk(cf, 16, 0, 3, cudaArrayLayered, 4),
                l2 = mk(cf, 8, 8, 3, cudaArrayLayered, 5),
                cu = mk(cf, 8, 8, 6, cudaArrayCubemap, 6);
    for (int am = -1; am <= 4; am++)
        for (int fm = 0; fm <= 2; fm++)
            for (int rm = 0; rm <= 1; rm++)
                for (int nc = 0; nc <= 1; nc++) {
                    if (rm && (am > 1))
                        continue;
                    cudaTextureDesc t = td(am, fm, rm, nc);
                    char id[40];
                    snprintf(id, 40, "a%d-f%d-r%d-n%d", am, fm, rm, nc);
                    float lo = nc ? -1.3f : -5.25f, st = nc ? 0.17f : 0.7f;
                    cudaTextureObject_t x;
                    cudaResourceDesc r = ra(a1);
#define ONE(pre, arr, kern, nn, cnt)                                                               \
    r = ra(arr);                                                                                   \
    x = 0;                                                                                         \
    if (!T(F(pre "-%s", id), cudaCreateTextureObject(&x, &r, &t, 0), "%s %s", x ? "set" : "zero",  \
           x ? samp((void *)kern, x, nn, lo, st, cnt) : ""))                                       \
        cudaDestroyTextureObject(x);
                    ONE("1d", a1, k_tex1d, 24, 24)
                    ONE("2d", a2, k_tex2d, 20, 400)
                        ONE("3d", a3, k_tex3d, 12, 1728) if (am >= 0 && am < 4 && fm < 2 &&
                                                             !rm) for (int l = -1; l < 4; l++)
                    {
                        r = ra(l1);
                        x = 0;
                        T(F("1dl%d-%s", l, id), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
                          (__extension__({
                              int n = 24;
                              cudaLaunchKernel((void *)k_tex1dl, dim3(1), dim3(32),
                                               ARGS(&x, &out_, &n, &lo, &st, &l), 0, 0);
                              F("%s %s", SYD(), fres(24));
                          })));
                        cudaDestroyTextureObject(x);
                        r = ra(l2);
                        x = 0;
                        T(F("2dl%d-%s", l, id), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
                          (__extension__({
                              int n = 16;
                              cudaLaunchKernel((void *)k_tex2dl, dim3(1), dim3(32),
                                               ARGS(&x, &out_, &n, &lo, &st, &l), 0, 0);
                              F("%s %s", SYD(), fres(256));
                          })));
                        cudaDestroyTextureObject(x);
                    }
                }
    for (int fm = 0; fm < 2; fm++)
        for (int am = 0; am < 4; am++) {
            cudaTextureDesc t = td(am, fm, 0, 1);
            cudaTextureObject_t x = 0;
            cudaResourceDesc r = ra(cu);
            T(F("cube-f%d-a%d", fm, am), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
              (__extension__({
                  int n = 6;
                  cudaLaunchKernel((void *)k_texcube, dim3(1), dim3(64), ARGS(&x, &out_, &n), 0, 0);
                  F("%s %s", SYD(), fres(216));
              })));
            cudaDestroyTextureObject(x);
        }
    cudaMipmappedArray_t mm = 0;
    cudaMallocMipmappedArray(&mm, &cf, ext(16, 16, 0), 4, 0);
    for (unsigned l = 0; l < 4; l++) {
        cudaArray_t la = 0;
        cudaGetMipmappedArrayLevel(&la, mm, l);
        float b[256];
        for (int i = 0; i < 256; i++)
            b[i] = pb(l, i) / 8.f;
        cudaMemcpy2DToArray(la, 0, 0, b, (16 >> l) * 4, (16 >> l) * 4, 16 >> l,
                            cudaMemcpyHostToDevice);
    }
    for (int mf = 0; mf < 2; mf++)
        for (int fm = 0; fm < 2; fm++)
            for (int lo = -1; lo < 9; lo++) {
                cudaTextureDesc t = td(1, fm, 0, 1);
                t.mipmapFilterMode = (cudaTextureFilterMode)mf;
                t.maxMipmapLevelClamp = 10;
                if (lo == 8)
                    t.mipmapLevelBias = 1;
                if (lo == 7)
                    t.maxMipmapLevelClamp = 1;
                cudaTextureObject_t x = 0;
                cudaResourceDesc r;
                memset(&r, 0, sizeof r);
                r.resType = cudaResourceTypeMipmappedArray;
                r.res.mipmap.mipmap = mm;
                float lod = lo * 0.5f;
                T(F("mip-m%d-f%d-lod%d", mf, fm, lo), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
                  (__extension__({
                      int n = 12;
                      float a = 0.03f, s = 0.08f;
                      cudaLaunchKernel((void *)k_texlod, dim3(1), dim3(64),
                                       ARGS(&x, &out_, &n, &a, &s, &lod), 0, 0);
                      F("%s %s", SYD(), fres(144));
                  })));
                cudaDestroyTextureObject(x);
            }
    static const int fm_[][5] = {{8, 0, 0, 0, 1},   {8, 0, 0, 0, 0},     {16, 0, 0, 0, 1},
                                 {16, 0, 0, 0, 0},  {16, 0, 0, 0, 2},    {8, 8, 8, 8, 1},
                                 {32, 32, 0, 0, 2}, {32, 32, 32, 32, 2}, {16, 16, 16, 16, 2},
                                 {32, 0, 0, 0, 1}};
    for (size_t i = 0; i < A(fm_); i++)
        for (int rm = 0; rm < 2; rm++)
            for (int fm = 0; fm < 2; fm++) {
                const int *q = fm_[i];
                cudaChannelFormatDesc c = chan(q[0], q[1], q[2], q[3], q[4]);
                cudaArray_t a = mk(c, 8, 8, 0, 0, 7);
                if (q[4] == 2 && q[0] == 16) {
                    unsigned short b[256];
                    for (int k = 0; k < 256; k++)
                        b[k] = 0x3c00 + pb(3, k);
                    cudaMemcpy2DToArray(a, 0, 0, b, 8 * q[0] * (q[1] ? 4 : 1) / 8,
                                        8 * q[0] * (q[1] ? 4 : 1) / 8, 8, cudaMemcpyHostToDevice);
                }
                cudaTextureDesc t = td(1, fm, rm, 0);
                cudaTextureObject_t x = 0;
                cudaResourceDesc r = ra(a);
                T(F("fmt%zu-r%d-f%d", i, rm, fm), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
                  x ? (rm || q[4] == 2 ? samp((void *)(q[1] ? (void *)k_tex2d4 : (void *)k_tex2d),
                                              x, 12, -0.4f, 0.77f, q[1] ? 576 : 144)
                                       : (__extension__({
                                             int n = 10;
                                             cudaLaunchKernel((void *)k_tex2du, dim3(1), dim3(64),
                                                              ARGS(&x, &out_, &n), 0, 0);
                                             F("%s %s", SYD(), res(400));
                                         })))
                    : "");
                cudaDestroyTextureObject(x);
            }
    int *li = (int *)dal(4096);
    dfill(li, 4096, 8);
    cudaChannelFormatDesc ci = chan(32, 0, 0, 0, 0);
    cudaTextureObject_t x = 0;
    cudaTextureDesc t = td(1, 0, 0, 0);
#define LIN(nm, rd, ...)                                                                           \
    do {                                                                                           \
        cudaResourceDesc r = rd;                                                                   \
        x = 0;                                                                                     \
        __VA_ARGS__;                                                                               \
        T(nm, cudaCreateTextureObject(&x, &r, &t, 0), "%s", x ? "set" : "zero");                   \
    } while (0)
    {
        cudaResourceDesc r = rl(li, ci, 256);
        T("linear", cudaCreateTextureObject(&x, &r, &t, 0), "%s", (__extension__({
              int n = 70;
              cudaLaunchKernel((void *)k_texfetch, dim3(1), dim3(64), ARGS(&x, &out_, &n), 0, 0);
              F("%s %s", SYD(), res(280));
          })));
    }
    LIN("linear-off", rl((char *)li + 4, ci, 256));
    LIN("linear-off512", rl((char *)li + 512, ci, 256));
    LIN("linear-null", rl(0, ci, 256));
    LIN("linear-zero", rl(li, ci, 0));
    LIN("linear-size3", rl(li, ci, 3));
    LIN("linear-huge", rl(li, ci, 1ull << 40));
    LIN("linear-3ch", rl(li, chan(32, 32, 32, 0, 2), 256));
    LIN("linear-nodesc", rl(li, chan(0, 0, 0, 0, 0), 256));
    LIN("linear-host", rl(pages(4096), ci, 256));
    LIN("linear-pinned", rl(pin(4096), ci, 256));
    LIN("linear-managed", rl(man(4096), ci, 256));
    LIN("linear-filter", rl(li, ci, 256), t.filterMode = cudaFilterModeLinear);
    t.filterMode = cudaFilterModePoint;
    LIN("linear-norm", rl(li, ci, 256), t.normalizedCoords = 1);
    t.normalizedCoords = 0;
    float *pi = (float *)dal(65536);
    float hb[1024];
    for (int i = 0; i < 1024; i++)
        hb[i] = pb(9, i) / 4.f;
    cudaMemcpy(pi, hb, 4096, cudaMemcpyHostToDevice);
    for (int fm = 0; fm < 2; fm++) {
        t = td(1, fm, 0, 0);
        cudaResourceDesc r = rp(pi, cf, 16, 8, 128);
        x = 0;
        T(F("pitch2d-f%d", fm), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
          x ? samp((void *)k_tex2d, x, 16, -1.2f, 0.9f, 256) : "");
    }
    LIN("pitch-100", rp(pi, cf, 16, 8, 100));
    LIN("pitch-small", rp(pi, cf, 64, 8, 128));
    LIN("pitch-32", rp(pi, cf, 8, 8, 32));
    LIN("pitch-off4", rp((char *)pi + 4, cf, 16, 8, 128));
    LIN("pitch-w0", rp(pi, cf, 0, 8, 128));
    LIN("pitch-h0", rp(pi, cf, 16, 0, 128));
    LIN("pitch-null", rp(0, cf, 16, 8, 128));
    LIN("array-null", ra(0));
    LIN("restype9", ra(a2), r.resType = (cudaResourceType)9);
    cudaResourceDesc r = ra(a2);
    T("null-out", cudaCreateTextureObject(0, &r, &t, 0));
    T("null-res", cudaCreateTextureObject(&x, 0, &t, 0));
    T("null-tex", cudaCreateTextureObject(&x, &r, 0, 0));
    T("destroy-zero", cudaDestroyTextureObject(0));
    t = td(2, 1, 0, 1);
    t.borderColor[0] = 1.5f;
    t.maxAnisotropy = 4;
    t.mipmapLevelBias = 0.5f;
    t.sRGB = 1;
    t.seamlessCubemap = 0;
    t.disableTrilinearOptimization = 1;
    T("roundtrip", cudaCreateTextureObject(&x, &r, &t, 0));
    cudaTextureDesc t2;
    memset(&t2, 0xA5, sizeof t2);
    T("get-texdesc", cudaGetTextureObjectTextureDesc(&t2, x),
      "a=%d,%d,%d f=%d r=%d s=%d b=%g,%g n=%d an=%u mf=%d bias=%g clamp=%g,%g tri=%d seam=%d",
      (int)t2.addressMode[0], (int)t2.addressMode[1], (int)t2.addressMode[2], (int)t2.filterMode,
      (int)t2.readMode, t2.sRGB, t2.borderColor[0], t2.borderColor[3], t2.normalizedCoords,
      t2.maxAnisotropy, (int)t2.mipmapFilterMode, t2.mipmapLevelBias, t2.minMipmapLevelClamp,
      t2.maxMipmapLevelClamp, t2.disableTrilinearOptimization, t2.seamlessCubemap);
    cudaResourceDesc r2;
    memset(&r2, 0, sizeof r2);
    T("get-resdesc", cudaGetTextureObjectResourceDesc(&r2, x), "type=%d same=%d", (int)r2.resType,
      r2.res.array.array == a2);
    cudaResourceViewDesc v;
    T("get-view-none", cudaGetTextureObjectResourceViewDesc(&v, x));
    T("get-null", cudaGetTextureObjectTextureDesc(0, x));
    T("get-res-null", cudaGetTextureObjectResourceDesc(0, x));
    T("get-zero", cudaGetTextureObjectTextureDesc(&t2, 0));
    T("get-res-zero", cudaGetTextureObjectResourceDesc(&r2, 0));
    T("destroy", cudaDestroyTextureObject(x));
    r = rl(li, ci, 256);
    t = td(0, 0, 0, 0);
    cudaCreateTextureObject(&x, &r, &t, 0);
    T("get-linear", cudaGetTextureObjectResourceDesc(&r2, x), "type=%d ptr=%d size=%zu x=%d f=%d",
      (int)r2.resType, r2.res.linear.devPtr == li, r2.res.linear.sizeInBytes, r2.res.linear.desc.x,
      (int)r2.res.linear.desc.f);
    r = rp(pi, cf, 16, 8, 128);
    cudaCreateTextureObject(&x, &r, &t, 0);
    T("get-pitch", cudaGetTextureObjectResourceDesc(&r2, x), "type=%d w=%zu h=%zu p=%zu",
      (int)r2.resType, r2.res.pitch2D.width, r2.res.pitch2D.height, r2.res.pitch2D.pitchInBytes);
    for (int f = 0; f <= 35; f++) {
        memset(&v, 0, sizeof v);
        v.format = (cudaResourceViewFormat)f;
        v.width = 8;
        v.height = 8;
        r = ra(a2);
        t = td(1, 0, 0, 0);
        x = 0;
        if (!T(F("view-%d", f), cudaCreateTextureObject(&x, &r, &t, &v), "%s",
               x ? "set" : "zero")) {
            cudaResourceViewDesc v2;
            memset(&v2, 0, sizeof v2);
            T(F("view-get-%d", f), cudaGetTextureObjectResourceViewDesc(&v2, x),
              "f=%d w=%zu h=%zu d=%zu", (int)v2.format, v2.width, v2.height, v2.depth);
            cudaDestroyTextureObject(x);
        }
    }
    cudaArray_t g = mk(cf, 8, 8, 0, cudaArrayTextureGather, 2);
    r = ra(g);
    t = td(1, 0, 0, 0);
    x = 0;
    T("gather", cudaCreateTextureObject(&x, &r, &t, 0), "%s", (__extension__({
          int n = 9;
          cudaLaunchKernel((void *)k_texgather, dim3(1), dim3(64), ARGS(&x, &out_, &n), 0, 0);
          F("%s %s", SYD(), fres(324));
      })));
    for (int am = 0; am < 3; am++) {
        t = td(1, 0, 0, 0);
        t.maxAnisotropy = am * 8;
        t.sRGB = am;
        T(F("aniso-%d", am), cudaCreateTextureObject(&x, &r, &t, 0));
    }
}
GROUP(651, surf, "surface")
{
    ready();
    independent = 1;
    out_ = (float *)dal(65536);
    cudaChannelFormatDesc ci = chan(32, 0, 0, 0, 0);
    static int o[1024];
    cudaArray_t a1 = mk(ci, 32, 0, 0, cudaArraySurfaceLoadStore, 1),
                a2 = mk(ci, 16, 8, 0, cudaArraySurfaceLoadStore, 2),
                a3 = mk(ci, 8, 4, 4, cudaArraySurfaceLoadStore, 3),
                al = mk(ci, 8, 8, 3, cudaArraySurfaceLoadStore | cudaArrayLayered, 4),
                pl = mk(ci, 16, 8, 0, 0, 2);
    cudaSurfaceObject_t s = 0;
    cudaResourceDesc r = ra(a2);
    T("create", cudaCreateSurfaceObject(&s, &r), "%s", s ? "set" : "zero");
    int w = 16, h = 8, z = 0, one = 1;
    T("write",
      cudaLaunchKernel((void *)k_surf2d, dim3(1), dim3(64), ARGS(&s, &w, &h, &z, &z), 0, 0),
      "%s %s", SYD(),
      (cudaMemcpy2DFromArray(o, 64, a2, 0, 0, 64, 8, cudaMemcpyDeviceToHost),
       F("%08x", sum(o, 512))));
    w = 18;
    h = 9;
    T("zero-boundary",
      cudaLaunchKernel((void *)k_surf2d, dim3(1), dim3(64), ARGS(&s, &w, &h, &one, &z), 0, 0),
      "%s %s", SYD(),
      (cudaMemcpy2DFromArray(o, 64, a2, 0, 0, 64, 8, cudaMemcpyDeviceToHost),
       F("%08x", sum(o, 512))));
    w = 16;
    h = 8;
    T("clamp-boundary",
      cudaLaunchKernel((void *)k_surf2d, dim3(1), dim3(64), ARGS(&s, &w, &h, &one, &one), 0, 0),
      "%s %s", SYD(),
      (cudaMemcpy2DFromArray(o, 64, a2, 0, 0, 64, 8, cudaMemcpyDeviceToHost),
       F("%08x", sum(o, 512))));
    cudaResourceDesc q;
    memset(&q, 0, sizeof q);
    T("get", cudaGetSurfaceObjectResourceDesc(&q, s), "type=%d same=%d", (int)q.resType,
      q.res.array.array == a2);
    T("get-null", cudaGetSurfaceObjectResourceDesc(0, s));
    T("get-zero", cudaGetSurfaceObjectResourceDesc(&q, 0));
    T("destroy", cudaDestroySurfaceObject(s));
    T("destroy-zero", cudaDestroySurfaceObject(0));
    r = ra(pl);
    s = 0;
    T("no-flag", cudaCreateSurfaceObject(&s, &r), "%s", s ? "set" : "zero");
    T("null-out", cudaCreateSurfaceObject(0, &r));
    T("null-res", cudaCreateSurfaceObject(&s, 0));
    r = ra(0);
    T("null-array", cudaCreateSurfaceObject(&s, &r));
    r = rl(dal(256), ci, 256);
    T("linear", cudaCreateSurfaceObject(&s, &r));
    r = rp(dal(4096), ci, 16, 8, 128);
    T("pitch", cudaCreateSurfaceObject(&s, &r));
    r = ra(a1);
    cudaCreateSurfaceObject(&s, &r);
    w = 32;
    T("1d-write", cudaLaunchKernel((void *)k_surf1d, dim3(1), dim3(32), ARGS(&s, &w, &z), 0, 0),
      "%s %s", SYD(),
      (cudaMemcpyFromArray(o, a1, 0, 0, 128, cudaMemcpyDeviceToHost), F("%08x", sum(o, 128))));
    T("1d-rmw", cudaLaunchKernel((void *)k_surf1d, dim3(1), dim3(32), ARGS(&s, &w, &one), 0, 0),
      "%s %s", SYD(),
      (cudaMemcpyFromArray(o, a1, 0, 0, 128, cudaMemcpyDeviceToHost), F("%08x", sum(o, 128))));
    r = ra(a3);
    cudaCreateSurfaceObject(&s, &r);
    int d3[3] = {8, 4, 4};
    T("3d-write",
      cudaLaunchKernel((void *)k_surf3d, dim3(1), dim3(32), ARGS(&s, d3, d3 + 1, d3 + 2), 0, 0),
      "%s %s", SYD(), (__extension__({
          cudaMemcpy3DParms p;
          memset(&p, 0, sizeof p);
          p.srcArray = a3;
          p.dstPtr = pp(o, 32, 8, 4);
          p.extent = ext(8, 4, 4);
          p.kind = cudaMemcpyDeviceToHost;
          cudaMemcpy3D(&p);
          F("%08x", sum(o, 512));
      })));
    r = ra(al);
    cudaCreateSurfaceObject(&s, &r);
    int l2[3] = {8, 8, 2};
    T("layer-write",
      cudaLaunchKernel((void *)k_surf2dl, dim3(1), dim3(32), ARGS(&s, l2, l2 + 1, l2 + 2), 0, 0),
      "%s %s", SYD(), (__extension__({
          cudaMemcpy3DParms p;
          memset(&p, 0, sizeof p);
          p.srcArray = al;
          p.dstPtr = pp(o, 32, 8, 8);
          p.extent = ext(8, 8, 3);
          p.kind = cudaMemcpyDeviceToHost;
          cudaMemcpy3D(&p);
          F("%08x", sum(o, 768));
      })));
}
