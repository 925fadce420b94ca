/* SPDX-License-Identifier: MIT */
/* Tensor maps of images in columns, wide ones, and replaced addresses. */
#include "tensor_map.h"
#include "tensor_values.h"

GROUP(120, tm_im2col_type, "tm-im2col-type")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = -1; dt < 18; dt++)
        for (unsigned r = 0; r <= 6; r++) {
            struct tensor t = tensor_plain(1, dt, r);
            check_tensor(&t);
        }
    static const unsigned rk[] = {8, 255, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(rk); i++) {
        struct tensor t = tensor_plain(1, 6, rk[i]);
        check_tensor(&t);
    }
}

GROUP(121, tm_im2col_mode, "tm-im2col-mode")
{
    use_primary_context();
    cases_independent = 1;
    static const int dts[] = {0, 6, 7, 8, 13, 14, 15};
    static const unsigned in[] = {16, 32, 48, 64, 128, 256};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (int il = 0; il < 4; il++)
            for (int sw = 0; sw < 8; sw++)
                for (size_t k = 0; k < COUNT_OF(in); k++) {
                    if (d > 3 && k)
                        continue;
                    if ((il > 2 || sw > 6) && d != 1)
                        continue;
                    struct tensor t = tensor_plain(1, dts[d], 4);
                    t.interleave = il;
                    t.swizzle = sw;
                    if (d <= 3)
                        inner_bytes_set(&t, in[k]);
                    check_tensor(&t);
                }
}

static const int corner_values[] = {0,     1,     -1,     2,      -2,     7,     8,       14,
                                    15,    16,    -15,    -16,    -17,    31,    32,      126,
                                    127,   128,   -127,   -128,   -129,   255,   256,     32766,
                                    32767, 32768, -32767, -32768, -32769, 65535, INT_MAX, INT_MIN};
GROUP(122, tm_im2col_corner, "tm-im2col-corner")
{
    use_primary_context();
    cases_independent = 1;
    for (unsigned r = 3; r <= 5; r++)
        for (unsigned k = 0; k + 2 < r; k++)
            for (size_t i = 0; i < COUNT_OF(corner_values); i++) {
                struct tensor t = tensor_plain(1, 6, r);
                t.low[k] = corner_values[i];
                check_tensor(&t);
                t.low[k] = 0;
                t.high[k] = corner_values[i];
                check_tensor(&t);
                t.low[k] = corner_values[i];
                check_tensor(&t);
                t.low[k] = corner_values[i] == INT_MIN ? 1 : -corner_values[i];
                check_tensor(&t);
            }
    for (unsigned r = 3; r <= 5; r++)
        for (int w = -36; w <= 8; w++) {
            struct tensor t = tensor_plain(1, 6, r);
            for (int k = 0; k < 3; k++)
                t.low[k] = w < -15 ? -16 + (w + 36) / 4 : w,
                t.high[k] = w < -15 ? w + 20 < -16 ? -16 : w + 20 : w;
            check_tensor(&t);
        } /* against an extent of 32, 16, 8 */
    for (unsigned r = 3; r <= 5; r++)
        for (int w = -40; w <= 40; w += 2) {
            struct tensor t = tensor_plain(1, 6, r);
            t.dims[1] = 16;
            t.high[0] = w;
            strides_fit(&t);
            check_tensor(&t);
        }
}

GROUP(123, tm_im2col_count, "tm-im2col-count")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned cv[] = {0,  1,   2,   4,   7,   8,   12,  16,  24,  32,   40,    64,
                                  96, 128, 129, 192, 255, 256, 257, 264, 512, 1024, 65536, ~0u},
                          pv[] = {0,   1,    2,    3,    7,    8,    16,    31,  32,
                                  64,  127,  128,  129,  255,  256,  257,   511, 512,
                                  513, 1000, 1023, 1024, 1025, 2048, 65536, ~0u};
    for (int dt = 0; dt < 16; dt++)
        for (size_t i = 0; i < COUNT_OF(cv); i++) {
            struct tensor t = tensor_plain(1, dt, 4);
            t.dims[0] = 1024;
            strides_fit(&t);
            t.channels = cv[i];
            check_tensor(&t);
        }
    for (unsigned r = 3; r <= 5; r++)
        for (size_t i = 0; i < COUNT_OF(pv); i++) {
            struct tensor t = tensor_plain(1, 6, r);
            t.pixels = pv[i];
            check_tensor(&t);
            t.channels = 256;
            check_tensor(&t);
        }
}

GROUP(124, tm_im2col_args, "tm-im2col-args")
{
    use_primary_context();
    cases_independent = 1;
    for (unsigned r = 3; r <= 5; r += 2) {
        for (unsigned k = 0; k < r; k++)
            for (size_t i = 0; i < COUNT_OF(step_values); i++) {
                struct tensor t = tensor_plain(1, 6, r);
                t.steps[k] = step_values[i];
                check_tensor(&t);
            }
        for (unsigned k = 0; k < r; k++)
            for (size_t i = 0; i < COUNT_OF(dim_values); i++) {
                struct tensor t = tensor_plain(1, 6, r);
                t.dims[k] = dim_values[i];
                check_tensor(&t);
            }
        for (unsigned k = 0; k + 1 < r; k++)
            for (size_t i = 0; i < COUNT_OF(stride_values); i++) {
                struct tensor t = tensor_plain(1, 6, r);
                t.strides[k] = stride_values[i];
                check_tensor(&t);
            }
    }
    for (int il = 0; il < 3; il++)
        for (size_t i = 0; i < COUNT_OF(addresses); i++) {
            struct tensor t = tensor_plain(1, 6, 4);
            t.interleave = il;
            t.swizzle = il == 2;
            t.address = addresses[i];
            check_tensor(&t);
        }
    for (int dt = 0; dt < 16; dt++)
        for (int l = -1; l < 5; l++)
            for (int o = -1; o < 3; o++) {
                if ((l < 0 || l > 3 || o < 0 || o > 1) && dt != 7)
                    continue;
                struct tensor t = tensor_plain(1, dt, 3);
                t.l2 = l;
                t.fill = o;
                check_tensor(&t);
            }
}

static void corners_random(struct tensor *t)
{
    int lim = t->rank == 3 ? 32768 : t->rank == 4 ? 128 : 16;
    if (random_below(4))
        lim = 4;
    for (int k = 0; k < 3; k++)
        t->low[k] = (int)random_below(2 * lim) - lim, t->high[k] = (int)random_below(2 * lim) - lim;
    t->pixels = random_below(4) ? 1 + random_below(256) : 1 + random_below(1024);
}

GROUP(125, tm_im2col_rand, "tm-im2col-rand")
{
    use_primary_context();
    cases_independent = 1;
    random_state = 77;
    for (int n = 0; n < 800; n++) {
        struct tensor t = tensor_plain(1, 0, 0);
        tensor_random(&t);
        t.rank = 3 + random_below(3);
        corners_random(&t);
        if (!random_below(6))
            tensor_spoil(&t);
        check_tensor(&t);
    }
}

/* ---- im2col wide ---- */
GROUP(130, tm_wide_type, "tm-wide-type")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = -1; dt < 17; dt++)
        for (unsigned r = 2; r <= 6; r++) {
            struct tensor t = tensor_plain(2, dt, r);
            check_tensor(&t);
        }
    for (int il = 0; il < 4; il++)
        for (int mode = -1; mode < 3; mode++)
            for (int sw = 0; sw < 8; sw++) {
                struct tensor t = tensor_plain(2, 6, 4);
                t.interleave = il;
                t.mode = mode;
                t.swizzle = sw;
                inner_bytes_set(&t, 64);
                check_tensor(&t);
            }
}

GROUP(131, tm_wide_args, "tm-wide-args")
{
    use_primary_context();
    cases_independent = 1;
    for (int mode = 0; mode < 2; mode++) {
        for (size_t i = 0; i < COUNT_OF(corner_values); i++) {
            struct tensor t = tensor_plain(2, 6, 4);
            t.mode = mode;
            t.low[0] = corner_values[i];
            check_tensor(&t);
            t.low[0] = 0;
            t.high[0] = corner_values[i];
            check_tensor(&t);
        }
        static const unsigned pv[] = {0, 1, 32, 128, 256, 1024, 1025};
        for (size_t i = 0; i < COUNT_OF(pv); i++) {
            struct tensor t = tensor_plain(2, 6, 4);
            t.mode = mode;
            t.pixels = pv[i];
            check_tensor(&t);
            t.pixels = 64;
            t.channels = pv[i];
            check_tensor(&t);
        }
    }
    for (unsigned k = 0; k < 4; k++)
        for (size_t i = 0; i < COUNT_OF(step_values); i++) {
            struct tensor t = tensor_plain(2, 6, 4);
            t.steps[k] = step_values[i];
            check_tensor(&t);
        }
}

/* ---- replace address ---- */
GROUP(140, tm_replace, "tm-replace")
{
    use_primary_context();
    cases_independent = 1;
    const char *o;
    for (int kind = 0; kind < 2; kind++)
        for (int il = 0; il < 3; il++)
            for (size_t i = 0; i < COUNT_OF(addresses); i++) {
                struct tensor t = tensor_plain(kind, 6, 4);
                t.interleave = il;
                t.swizzle = il == 2;
                memset(&tensor_map, 0xa5, 128);
                if (tensor_encode(&tensor_map, &t))
                    continue;
                CHECK_THEN(
                    format("kind%d.i%d.a%llx", kind, il, (unsigned long long)addresses[i]),
                    cuda.cuTensorMapReplaceAddress(&tensor_map, (void *)(uintptr_t)addresses[i]),
                    o = hex_text(&tensor_map, 128), "%s", o);
            }
    for (int dt = 0; dt < 16; dt++)
        for (int k = 0; k < 3; k++) {
            struct tensor t = tensor_plain(0, dt, 2);
            memset(&tensor_map, 0xa5, 128);
            if (tensor_encode(&tensor_map, &t))
                continue;
            CHECK_THEN(format("dt%d.a+%d", dt, 8 << k),
                       cuda.cuTensorMapReplaceAddress(
                           &tensor_map, (void *)(uintptr_t)(PLAIN_ADDRESS + (8 << k))),
                       o = hex_text(&tensor_map, 128), "%s", o);
        }
    CHECK("map-null", cuda.cuTensorMapReplaceAddress(NULL, (void *)(uintptr_t)PLAIN_ADDRESS));
    CHECK("both-null", cuda.cuTensorMapReplaceAddress(NULL, NULL));
    for (int v = 0; v < 3; v++) {
        memset(&tensor_map, v == 0 ? 0 : v == 1 ? 0xff : 0xa5, 128);
        CHECK_THEN(format("map-not-made-%d", v),
                   cuda.cuTensorMapReplaceAddress(&tensor_map, (void *)(uintptr_t)PLAIN_ADDRESS),
                   o = hex_text(&tensor_map, 128), "%s", o);
    }
    static char raw[512] __attribute__((aligned(256)));
    for (int off = 0; off <= 64; off += off < 16 ? 8 : 16) {
        struct tensor t = tensor_plain(0, 6, 2);
        if (tensor_encode(&tensor_map, &t))
            continue;
        memcpy(raw + off, &tensor_map, 128);
        CHECK_THEN(format("map-offset%d", off),
                   cuda.cuTensorMapReplaceAddress((CUtensorMap *)(raw + off),
                                                  (void *)(uintptr_t)(PLAIN_ADDRESS + 4096)),
                   o = hex_text(raw + off, 128), "%s", o);
    }
}
