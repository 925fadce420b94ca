/* SPDX-License-Identifier: MIT */
/* Tiled tensor maps: every argument, and random ones. */
#include "tensor_map.h"
#include "tensor_values.h"

GROUP(100, tm_type, "tm-type")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = -1; dt < 19; dt++)
        for (unsigned r = 1; r <= 5; r++) {
            struct tensor t = tensor_plain(0, dt, r);
            check_tensor(&t);
            if (dt >= 13 && dt < 16) {
                inner_bytes_set(&t, 32);
                check_tensor(&t);
                t.box[0] = 64;
                check_tensor(&t);
            }
        }
}

GROUP(101, tm_rank, "tm-rank")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {0, 1,  2,   3,   4,          5,           6,
                                  7, 16, 255, 256, 0x7fffffff, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(rk); i++)
        for (int il = 0; il < 4; il++) {
            struct tensor t = tensor_plain(0, 6, rk[i]);
            t.interleave = il;
            t.swizzle = il == 2;
            check_tensor(&t);
        }
}

GROUP(102, tm_mode, "tm-mode")
{ /* every type x interleave x swizzle, at several inner sizes */
    use_primary_context();
    cases_independent = 1;
    static const unsigned in[] = {16, 32, 64, 128};
    for (int dt = 0; dt < 16; dt++)
        for (int il = -1; il < 4; il++)
            for (int sw = -1; sw < 8; sw++) {
                if ((il < 0 || il > 2 || sw < 0 || sw > 6) && dt != 6)
                    continue;
                for (size_t k = 0; k < COUNT_OF(in); k++) {
                    if (dt >= 13 && k)
                        continue;
                    struct tensor t = tensor_plain(0, dt, 3);
                    t.interleave = il;
                    t.swizzle = sw;
                    if (dt < 13)
                        inner_bytes_set(&t, in[k]);
                    check_tensor(&t);
                }
            }
}

GROUP(103, tm_inner, "tm-inner")
{
    use_primary_context();
    cases_independent = 1;
    static const int dts[] = {0, 1, 7, 8};
    static const unsigned in[] = {8,   24,  40,  48,  80,  96,  112,  136,
                                  144, 160, 192, 240, 256, 512, 1024, 2048};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (int il = 0; il < 3; il++)
            for (int sw = 0; sw < 7; sw++)
                for (size_t k = 0; k < COUNT_OF(in); k++) {
                    struct tensor t = tensor_plain(0, dts[d], 3);
                    t.dims[0] = 4096;
                    strides_fit(&t);
                    t.interleave = il;
                    t.swizzle = sw;
                    inner_bytes_set(&t, in[k]);
                    if (t.box[0])
                        check_tensor(&t);
                }
}

GROUP(104, tm_l2oob, "tm-l2oob")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = 0; dt < 16; dt++)
        for (int l = -1; l < 6; l++)
            for (int o = -1; o < 4; o++) {
                if ((l < 0 || l > 4 || o < 0 || o > 2) && dt != 7)
                    continue;
                struct tensor t = tensor_plain(0, dt, 2);
                t.l2 = l;
                t.fill = o;
                check_tensor(&t);
            }
}

GROUP(105, tm_addr, "tm-addr")
{
    use_primary_context();
    cases_independent = 1;
    static const int dts[] = {0, 6, 8, 13, 14, 15};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (int il = 0; il < 3; il++)
            for (size_t i = 0; i < COUNT_OF(addresses); i++) {
                if (il && d != 1)
                    continue;
                struct tensor t = tensor_plain(0, dts[d], 3);
                t.interleave = il;
                t.swizzle = il == 2;
                t.address = addresses[i];
                check_tensor(&t);
            }
}

GROUP(106, tm_dim, "tm-dim")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {1, 2, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = 0; k < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(dim_values); i++) {
                struct tensor t = tensor_plain(0, 6, rk[r]);
                t.dims[k] = dim_values[i];
                check_tensor(&t);
            } /* strides as they were */
    for (unsigned k = 0; k < 3; k++)
        for (size_t i = 0; i < COUNT_OF(dim_values); i++) {
            struct tensor t = tensor_plain(0, 7, 3);
            t.dims[k] = dim_values[i];
            strides_fit(&t);
            check_tensor(&t);
        } /* strides that fit */
    static const int dts[] = {0, 8, 13, 14, 15};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (size_t i = 0; i < COUNT_OF(dim_values); i++) {
            struct tensor t = tensor_plain(0, dts[d], 2);
            t.dims[0] = dim_values[i];
            check_tensor(&t);
        }
    for (unsigned il = 1; il < 3; il++)
        for (unsigned k = 0; k < 3; k++)
            for (size_t i = 0; i < COUNT_OF(dim_values); i++) {
                struct tensor t = tensor_plain(0, 6, 3);
                t.interleave = il;
                t.swizzle = il == 2;
                t.dims[k] = dim_values[i];
                check_tensor(&t);
            }
}

GROUP(107, tm_stride, "tm-stride")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {2, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = 0; k + 1 < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(stride_values); i++) {
                struct tensor t = tensor_plain(0, 6, rk[r]);
                t.strides[k] = stride_values[i];
                check_tensor(&t);
            }
    for (int il = 1; il < 3; il++)
        for (unsigned k = 0; k < 2; k++)
            for (size_t i = 0; i < COUNT_OF(stride_values); i++) {
                struct tensor t = tensor_plain(0, 6, 3);
                t.interleave = il;
                t.swizzle = il == 2;
                t.strides[k] = stride_values[i];
                check_tensor(&t);
            }
    static const int dts[] = {0, 8, 13, 14, 15};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (size_t i = 0; i < COUNT_OF(stride_values); i++) {
            struct tensor t = tensor_plain(0, dts[d], 2);
            t.strides[0] = stride_values[i];
            check_tensor(&t);
        }
    struct tensor t = tensor_plain(0, 6, 1);
    t.strides[0] = 7;
    check_tensor(&t);
    t = tensor_plain(0, 6, 5);
    t.strides[3] = 32, t.strides[0] = 65536;
    check_tensor(&t); /* strides that go down */
}

GROUP(108, tm_box, "tm-box")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = 0; dt < 16; dt++)
        for (size_t i = 0; i < COUNT_OF(box_values); i++) {
            struct tensor t = tensor_plain(0, dt, 2);
            t.dims[0] = 4096;
            strides_fit(&t);
            t.box[0] = box_values[i];
            check_tensor(&t);
        }
    static const unsigned rk[] = {1, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = rk[r] > 1; k < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(box_values); i++) {
                struct tensor t = tensor_plain(0, 6, rk[r]);
                t.box[k] = box_values[i];
                check_tensor(&t);
            }
    for (int il = 1; il < 3; il++)
        for (unsigned k = 0; k < 3; k++)
            for (size_t i = 0; i < COUNT_OF(box_values); i++) {
                struct tensor t = tensor_plain(0, 6, 3);
                t.interleave = il;
                t.swizzle = il == 2;
                t.box[k] = box_values[i];
                check_tensor(&t);
            }
    /* boxes bigger than the tensor and bigger than shared memory */
    static const unsigned vol[][5] = {
        {256, 256, 1, 1, 1}, {256, 128, 1, 1, 1},   {128, 128, 2, 1, 1},       {256, 256, 2, 1, 1},
        {256, 256, 4, 1, 1}, {256, 256, 256, 1, 1}, {256, 256, 256, 256, 256}, {16, 256, 256, 1, 1},
        {128, 227, 8, 1, 1}, {16, 1, 1, 1, 256},    {16, 227, 64, 1, 1},       {16, 228, 64, 1, 1},
        {16, 256, 64, 1, 1}};
    static const int dts[] = {0, 6, 7, 8};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (size_t i = 0; i < COUNT_OF(vol); i++) {
            struct tensor t = tensor_plain(0, dts[d], 5);
            memcpy(t.box, vol[i], sizeof vol[i]);
            check_tensor(&t);
            for (int k = 0; k < 5; k++)
                t.dims[k] = 1024;
            strides_fit(&t);
            check_tensor(&t);
        }
}

GROUP(109, tm_estride, "tm-estride")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {1, 2, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = 0; k < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(step_values); i++) {
                struct tensor t = tensor_plain(0, 6, rk[r]);
                t.steps[k] = step_values[i];
                check_tensor(&t);
                t.box[k] = 64;
                check_tensor(&t);
            }
    for (int il = 1; il < 3; il++)
        for (unsigned k = 0; k < 3; k++)
            for (size_t i = 0; i < COUNT_OF(step_values); i++) {
                struct tensor t = tensor_plain(0, 6, 3);
                t.interleave = il;
                t.swizzle = il == 2;
                t.steps[k] = step_values[i];
                check_tensor(&t);
            }
    for (int sw = 0; sw < 4; sw++)
        for (unsigned e = 1; e < 9; e++) {
            struct tensor t = tensor_plain(0, 7, 2);
            t.swizzle = sw;
            t.steps[0] = t.steps[1] = e;
            check_tensor(&t);
            t.box[1] = 256;
            check_tensor(&t);
        }
    for (int dt = 13; dt < 16; dt++)
        for (unsigned e = 0; e < 10; e++) {
            struct tensor t = tensor_plain(0, dt, 2);
            t.steps[0] = e;
            check_tensor(&t);
            t.steps[0] = 1;
            t.steps[1] = e;
            check_tensor(&t);
        }
}

GROUP(110, tm_rand, "tm-rand")
{
    use_primary_context();
    cases_independent = 1;
    random_state = 42;
    for (int n = 0; n < 1200; n++) {
        struct tensor t = tensor_plain(0, 0, 0);
        tensor_random(&t);
        t.rank = (t.interleave ? 3 : 1) + random_below(t.interleave ? 3 : 5);
        for (int i = 1; i < 5; i++)
            t.box[i] = random_below(4) ? 1 + random_below(16) : 1 + random_below(256);
        if (!random_below(5))
            tensor_spoil(&t);
        check_tensor(&t);
    }
}

GROUP(111, tm_ptr, "tm-ptr")
{
    use_primary_context();
    static char raw[512] __attribute__((aligned(256)));
    struct tensor t = tensor_plain(0, 6, 2), u = tensor_plain(1, 6, 4);
    void *a = (void *)(uintptr_t)PLAIN_ADDRESS;
    CUtensorMap *m = &tensor_map;
    const char *o;
#define CHECK_TILED(m, r, d, s, b, e)                                                              \
    cuda.cuTensorMapEncodeTiled(m, 6, r, a, (const cuuint64_t *)(d), (const cuuint64_t *)(s), b,   \
                                e, 0, 0, 0, 0)
#define CHECK_IM2COL(m, r, d, s, l, h, e)                                                          \
    cuda.cuTensorMapEncodeIm2col(m, 6, r, a, (const cuuint64_t *)(d), (const cuuint64_t *)(s), l,  \
                                 h, 16, 64, e, 0, 0, 0, 0)
    CHECK("tiled-map-null", CHECK_TILED(NULL, 2, t.dims, t.strides, t.box, t.steps));
    CHECK("tiled-dim-null", CHECK_TILED(m, 2, NULL, t.strides, t.box, t.steps));
    CHECK("tiled-stride-null-r2", CHECK_TILED(m, 2, t.dims, NULL, t.box, t.steps));
    CHECK("tiled-box-null", CHECK_TILED(m, 2, t.dims, t.strides, NULL, t.steps));
    CHECK("tiled-es-null", CHECK_TILED(m, 2, t.dims, t.strides, t.box, NULL));
    CHECK("tiled-addr-null",
          cuda.cuTensorMapEncodeTiled(m, 6, 2, NULL, (const cuuint64_t *)t.dims,
                                      (const cuuint64_t *)t.strides, t.box, t.steps, 0, 0, 0, 0));
    memset(m, 0xa5, 128);
    CHECK_THEN("tiled-stride-null-r1", CHECK_TILED(m, 1, t.dims, NULL, t.box, t.steps),
               o = map_text(m, result), "%s", o);
    for (int off = 0; off <= 128; off += off < 16 ? 4 : 16) {
        m = (void *)(raw + off);
        memset(raw, 0xa5, sizeof raw);
        CHECK_THEN(format("tiled-map-offset%d", off),
                   CHECK_TILED(m, 2, t.dims, t.strides, t.box, t.steps), o = map_text(m, result),
                   "%s", o);
        memset(raw, 0xa5, sizeof raw);
        CHECK_THEN(format("im2col-map-offset%d", off),
                   CHECK_IM2COL(m, 4, u.dims, u.strides, u.low, u.high, u.steps),
                   o = map_text(m, result), "%s", o);
    }
    m = &tensor_map;
    CHECK("im2col-map-null", CHECK_IM2COL(NULL, 4, u.dims, u.strides, u.low, u.high, u.steps));
    CHECK("im2col-dim-null", CHECK_IM2COL(m, 4, NULL, u.strides, u.low, u.high, u.steps));
    CHECK("im2col-stride-null", CHECK_IM2COL(m, 4, u.dims, NULL, u.low, u.high, u.steps));
    CHECK("im2col-lo-null", CHECK_IM2COL(m, 4, u.dims, u.strides, NULL, u.high, u.steps));
    CHECK("im2col-hi-null", CHECK_IM2COL(m, 4, u.dims, u.strides, u.low, NULL, u.steps));
    CHECK("im2col-es-null", CHECK_IM2COL(m, 4, u.dims, u.strides, u.low, u.high, NULL));
    CHECK("wide-map-null",
          cuda.cuTensorMapEncodeIm2colWide(NULL, 6, 4, a, (const cuuint64_t *)u.dims,
                                           (const cuuint64_t *)u.strides, 0, 0, 64, 64, u.steps, 0,
                                           0, 3, 0, 0));
    CHECK("wide-dim-null",
          cuda.cuTensorMapEncodeIm2colWide(m, 6, 4, a, NULL, (const cuuint64_t *)u.strides, 0, 0,
                                           64, 64, u.steps, 0, 0, 3, 0, 0));
    CHECK("wide-es-null", cuda.cuTensorMapEncodeIm2colWide(m, 6, 4, a, (const cuuint64_t *)u.dims,
                                                           (const cuuint64_t *)u.strides, 0, 0, 64,
                                                           64, NULL, 0, 0, 3, 0, 0));
    CUdeviceptr d = device_alloc(1 << 20);
    void *hp = pinned_alloc(4096);
    struct tensor v = tensor_plain(0, 6, 2);
    CUtensorMap m1, m2;
    (void)m1;
    (void)m2;
    v.address = d;
    CHECK("tiled-device-memory", tensor_encode(m, &v));
    v.address = (uintptr_t)hp;
    CHECK("tiled-pinned-memory", tensor_encode(m, &v));
    v.address = (uintptr_t)raw;
    CHECK("tiled-pageable-memory", tensor_encode(m, &v));
    v.address = managed_alloc(4096);
    CHECK("tiled-managed-memory", tensor_encode(m, &v));
    v.address = d;
    cuda.cuMemFree(d);
    CHECK("tiled-freed-memory", tensor_encode(m, &v));
}

/* ---- im2col ---- */
