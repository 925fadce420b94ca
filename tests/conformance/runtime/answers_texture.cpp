/* SPDX-License-Identifier: MIT */
/* Texture and surface objects. */
#include "recorder.hpp"

static cudaResourceDesc resource_of_array(cudaArray_t a)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static cudaResourceDesc resource_of_linear(void *p, cudaChannelFormatDesc c, size_t n)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = c;
    r.res.linear.sizeInBytes = n;
    return r;
}

static cudaResourceDesc resource_of_pitched(void *p, cudaChannelFormatDesc c, size_t w, size_t h,
                                            size_t pt)
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

static cudaTextureDesc texture_desc(int am, int fm, int rm, int nc)
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
static const char *result_text(size_t bytes)
{
    return device_checksum(out_, bytes);
}

/* float results as sixteenths: the sum of a hash over values rounded to 1/4096, so that the last
 * bit of a filter does not count */
static const char *float_result_text(size_t n)
{
    float *h = (float *)calloc(n, 4);
    cudaError_t r = cudaMemcpy(h, out_, n * 4, cudaMemcpyDeviceToHost);
    unsigned x = 2166136261u;
    double s = 0;
    for (size_t i = 0; i < n; i++) {
        int q = (int)(h[i] * 64 + (h[i] < 0 ? -0.5f : 0.5f));
        x = (x ^ (unsigned)q) * 16777619u;
        s += h[i];
    }
    free(h);
    return r ? error_name(r) : FORMAT("%08x sum=%.1f", x, s);
}

static cudaArray_t array_create(cudaChannelFormatDesc c, size_t w, size_t h, size_t d, unsigned fl,
                                unsigned seed)
{
    cudaArray_t a = 0;
    if (cudaMalloc3DArray(&a, &c, extent(w, h, d), fl))
        return 0;
    size_t es = (c.x + c.y + c.z + c.w) / 8, n = w * (h ? h : 1) * (d ? d : 1);
    unsigned char *b = (unsigned char *)malloc(n * es);
    if (c.f == cudaChannelFormatKindFloat && c.x == 32)
        for (size_t i = 0; i < n * es / 4; i++)
            ((float *)b)[i] = (float)pattern_byte(seed, i) / 16;
    else
        pattern_fill(b, n * es, seed);
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = pitched(b, w * es, w, h ? h : 1);
    p.dstArray = a;
    p.extent = extent(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&p);
    free(b);
    return a;
}

static const char *sample_text(const void *k, cudaTextureObject_t t, int n, float lo, float st,
                               size_t cnt)
{
    cudaMemset(out_, 0, 65536);
    cudaError_t r = cudaLaunchKernel(k, dim3(1), dim3(64), ARGS(&t, &out_, &n, &lo, &st), 0, 0);
    const char *s = sync_device();
    return r ? error_name(r) : FORMAT("%s %s", s, float_result_text(cnt));
}

GROUP(650, texture, "texture")
{
    use_runtime();
    cases_independent = 1;
    out_ = (float *)device_alloc(65536);
    cudaChannelFormatDesc cf = channel(32, 0, 0, 0, 2);
    cudaArray_t a1 = array_create(cf, 16, 0, 0, 0, 1), a2 = array_create(cf, 8, 8, 0, 0, 2),
                a3 = array_create(cf, 4, 4, 4, 0, 3),
                l1 = array_create(cf, 16, 0, 3, cudaArrayLayered, 4),
                l2 = array_create(cf, 8, 8, 3, cudaArrayLayered, 5),
                cu = array_create(cf, 8, 8, 6, cudaArrayCubemap, 6);
    for (int am = -1; am <= 4; am++)
        for (int fm = 0; fm <= 2; fm++)
            for (int rm = 0; rm <= 1; rm++)
                for (int nc = 0; nc <= 1; nc++) {
                    if (rm && (am > 1))
                        continue;
                    cudaTextureDesc t = texture_desc(am, fm, rm, nc);
                    char id[40];
                    snprintf(id, 40, "a%d-f%d-r%d-n%d", am, fm, rm, nc);
                    float lo = nc ? -1.3f : -5.25f, st = nc ? 0.17f : 0.7f;
                    cudaTextureObject_t x;
                    cudaResourceDesc r = resource_of_array(a1);
#define CHECK_SAMPLES(pre, arr, kern, nn, cnt)                                                     \
    r = resource_of_array(arr);                                                                    \
    x = 0;                                                                                         \
    if (!CHECK(FORMAT(pre "-%s", id), cudaCreateTextureObject(&x, &r, &t, 0), "%s %s",             \
               x ? "set" : "zero", x ? sample_text((void *)kern, x, nn, lo, st, cnt) : ""))        \
        cudaDestroyTextureObject(x);
                    CHECK_SAMPLES("1d", a1, k_tex1d, 24, 24)
                    CHECK_SAMPLES("2d", a2, k_tex2d, 20, 400)
                    CHECK_SAMPLES("3d", a3, k_tex3d, 12, 1728)
                    if (am >= 0 && am < 4 && fm < 2 && !rm)
                        for (int l = -1; l < 4; l++) {
                            r = resource_of_array(l1);
                            x = 0;
                            CHECK(FORMAT("1dl%d-%s", l, id), cudaCreateTextureObject(&x, &r, &t, 0),
                                  "%s", (__extension__({
                                      int n = 24;
                                      cudaLaunchKernel((void *)k_tex1dl, dim3(1), dim3(32),
                                                       ARGS(&x, &out_, &n, &lo, &st, &l), 0, 0);
                                      FORMAT("%s %s", sync_device(), float_result_text(24));
                                  })));
                            cudaDestroyTextureObject(x);
                            r = resource_of_array(l2);
                            x = 0;
                            CHECK(FORMAT("2dl%d-%s", l, id), cudaCreateTextureObject(&x, &r, &t, 0),
                                  "%s", (__extension__({
                                      int n = 16;
                                      cudaLaunchKernel((void *)k_tex2dl, dim3(1), dim3(32),
                                                       ARGS(&x, &out_, &n, &lo, &st, &l), 0, 0);
                                      FORMAT("%s %s", sync_device(), float_result_text(256));
                                  })));
                            cudaDestroyTextureObject(x);
                        }
                }
    for (int fm = 0; fm < 2; fm++)
        for (int am = 0; am < 4; am++) {
            cudaTextureDesc t = texture_desc(am, fm, 0, 1);
            cudaTextureObject_t x = 0;
            cudaResourceDesc r = resource_of_array(cu);
            CHECK(FORMAT("cube-f%d-a%d", fm, am), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
                  (__extension__({
                      int n = 6;
                      cudaLaunchKernel((void *)k_texcube, dim3(1), dim3(64), ARGS(&x, &out_, &n), 0,
                                       0);
                      FORMAT("%s %s", sync_device(), float_result_text(216));
                  })));
            cudaDestroyTextureObject(x);
        }
    cudaMipmappedArray_t mm = 0;
    cudaMallocMipmappedArray(&mm, &cf, extent(16, 16, 0), 4, 0);
    for (unsigned l = 0; l < 4; l++) {
        cudaArray_t la = 0;
        cudaGetMipmappedArrayLevel(&la, mm, l);
        float b[256];
        for (int i = 0; i < 256; i++)
            b[i] = pattern_byte(l, i) / 8.f;
        cudaMemcpy2DToArray(la, 0, 0, b, (16 >> l) * 4, (16 >> l) * 4, 16 >> l,
                            cudaMemcpyHostToDevice);
    }
    for (int mf = 0; mf < 2; mf++)
        for (int fm = 0; fm < 2; fm++)
            for (int lo = -1; lo < 9; lo++) {
                cudaTextureDesc t = texture_desc(1, fm, 0, 1);
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
                CHECK(FORMAT("mip-m%d-f%d-lod%d", mf, fm, lo),
                      cudaCreateTextureObject(&x, &r, &t, 0), "%s", (__extension__({
                          int n = 12;
                          float a = 0.03f, s = 0.08f;
                          cudaLaunchKernel((void *)k_texlod, dim3(1), dim3(64),
                                           ARGS(&x, &out_, &n, &a, &s, &lod), 0, 0);
                          FORMAT("%s %s", sync_device(), float_result_text(144));
                      })));
                cudaDestroyTextureObject(x);
            }
    static const int fm_[][5] = {{8, 0, 0, 0, 1},   {8, 0, 0, 0, 0},     {16, 0, 0, 0, 1},
                                 {16, 0, 0, 0, 0},  {16, 0, 0, 0, 2},    {8, 8, 8, 8, 1},
                                 {32, 32, 0, 0, 2}, {32, 32, 32, 32, 2}, {16, 16, 16, 16, 2},
                                 {32, 0, 0, 0, 1}};
    for (size_t i = 0; i < COUNT_OF(fm_); i++)
        for (int rm = 0; rm < 2; rm++)
            for (int fm = 0; fm < 2; fm++) {
                const int *q = fm_[i];
                cudaChannelFormatDesc c = channel(q[0], q[1], q[2], q[3], q[4]);
                cudaArray_t a = array_create(c, 8, 8, 0, 0, 7);
                if (q[4] == 2 && q[0] == 16) {
                    unsigned short b[256];
                    for (int k = 0; k < 256; k++)
                        b[k] = 0x3c00 + pattern_byte(3, k);
                    cudaMemcpy2DToArray(a, 0, 0, b, 8 * q[0] * (q[1] ? 4 : 1) / 8,
                                        8 * q[0] * (q[1] ? 4 : 1) / 8, 8, cudaMemcpyHostToDevice);
                }
                cudaTextureDesc t = texture_desc(1, fm, rm, 0);
                cudaTextureObject_t x = 0;
                cudaResourceDesc r = resource_of_array(a);
                CHECK(FORMAT("fmt%zu-r%d-f%d", i, rm, fm), cudaCreateTextureObject(&x, &r, &t, 0),
                      "%s",
                      x ? (rm || q[4] == 2
                               ? sample_text((void *)(q[1] ? (void *)k_tex2d4 : (void *)k_tex2d), x,
                                             12, -0.4f, 0.77f, q[1] ? 576 : 144)
                               : (__extension__({
                                     int n = 10;
                                     cudaLaunchKernel((void *)k_tex2du, dim3(1), dim3(64),
                                                      ARGS(&x, &out_, &n), 0, 0);
                                     FORMAT("%s %s", sync_device(), result_text(400));
                                 })))
                        : "");
                cudaDestroyTextureObject(x);
            }
    int *li = (int *)device_alloc(4096);
    device_fill(li, 4096, 8);
    cudaChannelFormatDesc ci = channel(32, 0, 0, 0, 0);
    cudaTextureObject_t x = 0;
    cudaTextureDesc t = texture_desc(1, 0, 0, 0);
#define CHECK_LINEAR(nm, rd, ...)                                                                  \
    do {                                                                                           \
        cudaResourceDesc r = rd;                                                                   \
        x = 0;                                                                                     \
        __VA_ARGS__;                                                                               \
        CHECK(nm, cudaCreateTextureObject(&x, &r, &t, 0), "%s", x ? "set" : "zero");               \
    } while (0)
    {
        cudaResourceDesc r = resource_of_linear(li, ci, 256);
        CHECK("linear", cudaCreateTextureObject(&x, &r, &t, 0), "%s", (__extension__({
                  int n = 70;
                  cudaLaunchKernel((void *)k_texfetch, dim3(1), dim3(64), ARGS(&x, &out_, &n), 0,
                                   0);
                  FORMAT("%s %s", sync_device(), result_text(280));
              })));
    }
    CHECK_LINEAR("linear-off", resource_of_linear((char *)li + 4, ci, 256));
    CHECK_LINEAR("linear-off512", resource_of_linear((char *)li + 512, ci, 256));
    CHECK_LINEAR("linear-null", resource_of_linear(0, ci, 256));
    CHECK_LINEAR("linear-zero", resource_of_linear(li, ci, 0));
    CHECK_LINEAR("linear-size3", resource_of_linear(li, ci, 3));
    CHECK_LINEAR("linear-huge", resource_of_linear(li, ci, 1ull << 40));
    CHECK_LINEAR("linear-3ch", resource_of_linear(li, channel(32, 32, 32, 0, 2), 256));
    CHECK_LINEAR("linear-nodesc", resource_of_linear(li, channel(0, 0, 0, 0, 0), 256));
    CHECK_LINEAR("linear-host", resource_of_linear(page_alloc(4096), ci, 256));
    CHECK_LINEAR("linear-pinned", resource_of_linear(pinned_alloc(4096), ci, 256));
    CHECK_LINEAR("linear-managed", resource_of_linear(managed_alloc(4096), ci, 256));
    CHECK_LINEAR("linear-filter", resource_of_linear(li, ci, 256),
                 t.filterMode = cudaFilterModeLinear);
    t.filterMode = cudaFilterModePoint;
    CHECK_LINEAR("linear-norm", resource_of_linear(li, ci, 256), t.normalizedCoords = 1);
    t.normalizedCoords = 0;
    float *pi = (float *)device_alloc(65536);
    float hb[1024];
    for (int i = 0; i < 1024; i++)
        hb[i] = pattern_byte(9, i) / 4.f;
    cudaMemcpy(pi, hb, 4096, cudaMemcpyHostToDevice);
    for (int fm = 0; fm < 2; fm++) {
        t = texture_desc(1, fm, 0, 0);
        cudaResourceDesc r = resource_of_pitched(pi, cf, 16, 8, 128);
        x = 0;
        CHECK(FORMAT("pitch2d-f%d", fm), cudaCreateTextureObject(&x, &r, &t, 0), "%s",
              x ? sample_text((void *)k_tex2d, x, 16, -1.2f, 0.9f, 256) : "");
    }
    CHECK_LINEAR("pitch-100", resource_of_pitched(pi, cf, 16, 8, 100));
    CHECK_LINEAR("pitch-small", resource_of_pitched(pi, cf, 64, 8, 128));
    CHECK_LINEAR("pitch-32", resource_of_pitched(pi, cf, 8, 8, 32));
    CHECK_LINEAR("pitch-off4", resource_of_pitched((char *)pi + 4, cf, 16, 8, 128));
    CHECK_LINEAR("pitch-w0", resource_of_pitched(pi, cf, 0, 8, 128));
    CHECK_LINEAR("pitch-h0", resource_of_pitched(pi, cf, 16, 0, 128));
    CHECK_LINEAR("pitch-null", resource_of_pitched(0, cf, 16, 8, 128));
    CHECK_LINEAR("array-null", resource_of_array(0));
    CHECK_LINEAR("restype9", resource_of_array(a2), r.resType = (cudaResourceType)9);
    cudaResourceDesc r = resource_of_array(a2);
    CHECK("null-out", cudaCreateTextureObject(0, &r, &t, 0));
    CHECK("null-res", cudaCreateTextureObject(&x, 0, &t, 0));
    CHECK("null-tex", cudaCreateTextureObject(&x, &r, 0, 0));
    CHECK("destroy-zero", cudaDestroyTextureObject(0));
    t = texture_desc(2, 1, 0, 1);
    t.borderColor[0] = 1.5f;
    t.maxAnisotropy = 4;
    t.mipmapLevelBias = 0.5f;
    t.sRGB = 1;
    t.seamlessCubemap = 0;
    t.disableTrilinearOptimization = 1;
    CHECK("roundtrip", cudaCreateTextureObject(&x, &r, &t, 0));
    cudaTextureDesc t2;
    memset(&t2, 0xA5, sizeof t2);
    CHECK("get-texdesc", cudaGetTextureObjectTextureDesc(&t2, x),
          "a=%d,%d,%d f=%d r=%d s=%d b=%g,%g n=%d an=%u mf=%d bias=%g clamp=%g,%g tri=%d seam=%d",
          (int)t2.addressMode[0], (int)t2.addressMode[1], (int)t2.addressMode[2],
          (int)t2.filterMode, (int)t2.readMode, t2.sRGB, t2.borderColor[0], t2.borderColor[3],
          t2.normalizedCoords, t2.maxAnisotropy, (int)t2.mipmapFilterMode, t2.mipmapLevelBias,
          t2.minMipmapLevelClamp, t2.maxMipmapLevelClamp, t2.disableTrilinearOptimization,
          t2.seamlessCubemap);
    cudaResourceDesc r2;
    memset(&r2, 0, sizeof r2);
    CHECK("get-resdesc", cudaGetTextureObjectResourceDesc(&r2, x), "type=%d same=%d",
          (int)r2.resType, r2.res.array.array == a2);
    cudaResourceViewDesc v;
    CHECK("get-view-none", cudaGetTextureObjectResourceViewDesc(&v, x));
    CHECK("get-null", cudaGetTextureObjectTextureDesc(0, x));
    CHECK("get-res-null", cudaGetTextureObjectResourceDesc(0, x));
    CHECK("get-zero", cudaGetTextureObjectTextureDesc(&t2, 0));
    CHECK("get-res-zero", cudaGetTextureObjectResourceDesc(&r2, 0));
    CHECK("destroy", cudaDestroyTextureObject(x));
    r = resource_of_linear(li, ci, 256);
    t = texture_desc(0, 0, 0, 0);
    cudaCreateTextureObject(&x, &r, &t, 0);
    CHECK("get-linear", cudaGetTextureObjectResourceDesc(&r2, x),
          "type=%d ptr=%d size=%zu x=%d f=%d", (int)r2.resType, r2.res.linear.devPtr == li,
          r2.res.linear.sizeInBytes, r2.res.linear.desc.x, (int)r2.res.linear.desc.f);
    r = resource_of_pitched(pi, cf, 16, 8, 128);
    cudaCreateTextureObject(&x, &r, &t, 0);
    CHECK("get-pitch", cudaGetTextureObjectResourceDesc(&r2, x), "type=%d w=%zu h=%zu p=%zu",
          (int)r2.resType, r2.res.pitch2D.width, r2.res.pitch2D.height,
          r2.res.pitch2D.pitchInBytes);
    for (int f = 0; f <= 35; f++) {
        memset(&v, 0, sizeof v);
        v.format = (cudaResourceViewFormat)f;
        v.width = 8;
        v.height = 8;
        r = resource_of_array(a2);
        t = texture_desc(1, 0, 0, 0);
        x = 0;
        if (!CHECK(FORMAT("view-%d", f), cudaCreateTextureObject(&x, &r, &t, &v), "%s",
                   x ? "set" : "zero")) {
            cudaResourceViewDesc v2;
            memset(&v2, 0, sizeof v2);
            CHECK(FORMAT("view-get-%d", f), cudaGetTextureObjectResourceViewDesc(&v2, x),
                  "f=%d w=%zu h=%zu d=%zu", (int)v2.format, v2.width, v2.height, v2.depth);
            cudaDestroyTextureObject(x);
        }
    }
    cudaArray_t g = array_create(cf, 8, 8, 0, cudaArrayTextureGather, 2);
    r = resource_of_array(g);
    t = texture_desc(1, 0, 0, 0);
    x = 0;
    CHECK("gather", cudaCreateTextureObject(&x, &r, &t, 0), "%s", (__extension__({
              int n = 9;
              cudaLaunchKernel((void *)k_texgather, dim3(1), dim3(64), ARGS(&x, &out_, &n), 0, 0);
              FORMAT("%s %s", sync_device(), float_result_text(324));
          })));
    for (int am = 0; am < 3; am++) {
        t = texture_desc(1, 0, 0, 0);
        t.maxAnisotropy = am * 8;
        t.sRGB = am;
        CHECK(FORMAT("aniso-%d", am), cudaCreateTextureObject(&x, &r, &t, 0));
    }
}

GROUP(651, surface, "surface")
{
    use_runtime();
    cases_independent = 1;
    out_ = (float *)device_alloc(65536);
    cudaChannelFormatDesc ci = channel(32, 0, 0, 0, 0);
    static int o[1024];
    cudaArray_t a1 = array_create(ci, 32, 0, 0, cudaArraySurfaceLoadStore, 1),
                a2 = array_create(ci, 16, 8, 0, cudaArraySurfaceLoadStore, 2),
                a3 = array_create(ci, 8, 4, 4, cudaArraySurfaceLoadStore, 3),
                al = array_create(ci, 8, 8, 3, cudaArraySurfaceLoadStore | cudaArrayLayered, 4),
                pl = array_create(ci, 16, 8, 0, 0, 2);
    cudaSurfaceObject_t s = 0;
    cudaResourceDesc r = resource_of_array(a2);
    CHECK("create", cudaCreateSurfaceObject(&s, &r), "%s", s ? "set" : "zero");
    int w = 16, h = 8, z = 0, one = 1;
    CHECK("write",
          cudaLaunchKernel((void *)k_surf2d, dim3(1), dim3(64), ARGS(&s, &w, &h, &z, &z), 0, 0),
          "%s %s", sync_device(),
          (cudaMemcpy2DFromArray(o, 64, a2, 0, 0, 64, 8, cudaMemcpyDeviceToHost),
           FORMAT("%08x", checksum(o, 512))));
    w = 18;
    h = 9;
    CHECK("zero-boundary",
          cudaLaunchKernel((void *)k_surf2d, dim3(1), dim3(64), ARGS(&s, &w, &h, &one, &z), 0, 0),
          "%s %s", sync_device(),
          (cudaMemcpy2DFromArray(o, 64, a2, 0, 0, 64, 8, cudaMemcpyDeviceToHost),
           FORMAT("%08x", checksum(o, 512))));
    w = 16;
    h = 8;
    CHECK("clamp-boundary",
          cudaLaunchKernel((void *)k_surf2d, dim3(1), dim3(64), ARGS(&s, &w, &h, &one, &one), 0, 0),
          "%s %s", sync_device(),
          (cudaMemcpy2DFromArray(o, 64, a2, 0, 0, 64, 8, cudaMemcpyDeviceToHost),
           FORMAT("%08x", checksum(o, 512))));
    cudaResourceDesc q;
    memset(&q, 0, sizeof q);
    CHECK("get", cudaGetSurfaceObjectResourceDesc(&q, s), "type=%d same=%d", (int)q.resType,
          q.res.array.array == a2);
    CHECK("get-null", cudaGetSurfaceObjectResourceDesc(0, s));
    CHECK("get-zero", cudaGetSurfaceObjectResourceDesc(&q, 0));
    CHECK("destroy", cudaDestroySurfaceObject(s));
    CHECK("destroy-zero", cudaDestroySurfaceObject(0));
    r = resource_of_array(pl);
    s = 0;
    CHECK("no-flag", cudaCreateSurfaceObject(&s, &r), "%s", s ? "set" : "zero");
    CHECK("null-out", cudaCreateSurfaceObject(0, &r));
    CHECK("null-res", cudaCreateSurfaceObject(&s, 0));
    r = resource_of_array(0);
    CHECK("null-array", cudaCreateSurfaceObject(&s, &r));
    r = resource_of_linear(device_alloc(256), ci, 256);
    CHECK("linear", cudaCreateSurfaceObject(&s, &r));
    r = resource_of_pitched(device_alloc(4096), ci, 16, 8, 128);
    CHECK("pitch", cudaCreateSurfaceObject(&s, &r));
    r = resource_of_array(a1);
    cudaCreateSurfaceObject(&s, &r);
    w = 32;
    CHECK("1d-write", cudaLaunchKernel((void *)k_surf1d, dim3(1), dim3(32), ARGS(&s, &w, &z), 0, 0),
          "%s %s", sync_device(),
          (cudaMemcpyFromArray(o, a1, 0, 0, 128, cudaMemcpyDeviceToHost),
           FORMAT("%08x", checksum(o, 128))));
    CHECK("1d-rmw", cudaLaunchKernel((void *)k_surf1d, dim3(1), dim3(32), ARGS(&s, &w, &one), 0, 0),
          "%s %s", sync_device(),
          (cudaMemcpyFromArray(o, a1, 0, 0, 128, cudaMemcpyDeviceToHost),
           FORMAT("%08x", checksum(o, 128))));
    r = resource_of_array(a3);
    cudaCreateSurfaceObject(&s, &r);
    int d3[3] = {8, 4, 4};
    CHECK("3d-write",
          cudaLaunchKernel((void *)k_surf3d, dim3(1), dim3(32), ARGS(&s, d3, d3 + 1, d3 + 2), 0, 0),
          "%s %s", sync_device(), (__extension__({
              cudaMemcpy3DParms p;
              memset(&p, 0, sizeof p);
              p.srcArray = a3;
              p.dstPtr = pitched(o, 32, 8, 4);
              p.extent = extent(8, 4, 4);
              p.kind = cudaMemcpyDeviceToHost;
              cudaMemcpy3D(&p);
              FORMAT("%08x", checksum(o, 512));
          })));
    r = resource_of_array(al);
    cudaCreateSurfaceObject(&s, &r);
    int l2[3] = {8, 8, 2};
    CHECK(
        "layer-write",
        cudaLaunchKernel((void *)k_surf2dl, dim3(1), dim3(32), ARGS(&s, l2, l2 + 1, l2 + 2), 0, 0),
        "%s %s", sync_device(), (__extension__({
            cudaMemcpy3DParms p;
            memset(&p, 0, sizeof p);
            p.srcArray = al;
            p.dstPtr = pitched(o, 32, 8, 8);
            p.extent = extent(8, 8, 3);
            p.kind = cudaMemcpyDeviceToHost;
            cudaMemcpy3D(&p);
            FORMAT("%08x", checksum(o, 768));
        })));
}
