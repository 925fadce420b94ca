/* SPDX-License-Identifier: MIT */
/*
 * One-dimensional copies to, from and between arrays.
 */
#include "arrays.h"

static CUstream async_stream;

/* A part of an array: below zero stand the offsets and sizes that depend on the array. */
enum { ROW_END = -16, AT_END = -100, AT_MAX = -200, ROW = -1, ALL = -2, ALL_AND_ONE = -3 };

static size_t part_offset(long code, size_t row, size_t total)
{
    switch (code) {
    case ROW_END:
        return row - 16;
    case AT_END:
        return total;
    case AT_MAX:
        return SIZE_MAX;
    default:
        return code;
    }
}

static size_t part_size(long code, size_t row, size_t total)
{
    switch (code) {
    case ROW:
        return row;
    case ALL:
        return total;
    case ALL_AND_ONE:
        return total + 1;
    case AT_MAX:
        return SIZE_MAX;
    default:
        return code;
    }
}

static void array1d_mismatch(void)
{
    unsigned char *host = page_alloc(65536);

    CUarray array = 0, second = 0;
    CUDA_ARRAY3D_DESCRIPTOR bytes = {1024, 0, 0, 1, 1, 0}, words = {256, 0, 0, 3, 1, 0};
    cuda.cuArray3DCreate(&array, &bytes);
    cuda.cuArray3DCreate(&second, &words);
    CHECK("AtoA-format-mismatch", cuda.cuMemcpyAtoA(array, 0, second, 0, 64));
    CHECK("AtoA-format-mismatch-rev", cuda.cuMemcpyAtoA(second, 0, array, 0, 64));
    CUDA_ARRAY3D_DESCRIPTOR signed_bytes = {1024, 0, 0, 8, 1, 0};
    CUarray third = 0;
    cuda.cuArray3DCreate(&third, &signed_bytes);
    CHECK("AtoA-s8-u8", cuda.cuMemcpyAtoA(array, 0, third, 0, 64));

    CUmipmappedArray mip = 0;
    CUDA_ARRAY3D_DESCRIPTOR mip_descriptor = {1024, 0, 0, 1, 1, 0};
    cuda.cuMipmappedArrayCreate(&mip, &mip_descriptor, 3);
    CUarray level = 0;
    cuda.cuMipmappedArrayGetLevel(&level, mip, 1);
    CHECK("HtoA-mip-level", cuda.cuMemcpyHtoA(level, 0, host, 512));
    CHECK("HtoA-mip-level-513", cuda.cuMemcpyHtoA(level, 0, host, 513));
}

GROUP(808, array1dcopy, "array1dcopy")
{
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    static const struct {
        const char *name;
        size_t width, height, depth;
        int format_id, channels;
        unsigned flags;
    } shapes[] = {{"1d-u8", 1024, 0, 0, 1, 1, 0},     {"1d-f32x4", 64, 0, 0, 0x20, 4, 0},
                  {"2d-u8", 256, 4, 0, 1, 1, 0},      {"2d-u32", 64, 4, 0, 3, 1, 0},
                  {"2d-u8-100", 100, 10, 0, 1, 1, 0}, {"3d-u8", 64, 4, 4, 1, 1, 0},
                  {"1dl-u8", 256, 0, 4, 1, 1, 1},     {"2dl-u8", 64, 4, 4, 1, 1, 1},
                  {"cube-u8", 16, 16, 6, 1, 1, 4}};

    CUdeviceptr device_src = device_alloc(65536), device_dst = device_alloc(65536);
    unsigned char *host = page_alloc(65536), *out = page_alloc(65536),
                  *pinned = pinned_alloc(65536);

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        CUarray array = 0, second = 0;
        CUDA_ARRAY3D_DESCRIPTOR descriptor = {shapes[i].width,    shapes[i].height,
                                              shapes[i].depth,    shapes[i].format_id,
                                              shapes[i].channels, shapes[i].flags};
        cuda.cuArray3DCreate(&array, &descriptor);
        cuda.cuArray3DCreate(&second, &descriptor);
        size_t total = 1024;
        if (shapes[i].flags & 4)
            total = 1536;
        if (!strcmp(shapes[i].name, "2d-u8-100"))
            total = 1000;
        static const struct {
            const char *name;
            long offset, size;
        } parts[] = {{"0,64", 0, 64},      {"0,row", 0, ROW},
                     {"0,all", 0, ALL},    {"0,all+1", 0, ALL_AND_ONE},
                     {"16,48", 16, 48},    {"1,1", 1, 1},
                     {"1,64", 1, 64},      {"0,3", 0, 3},
                     {"8,8", 8, 8},        {"row-16,32", ROW_END, 32},
                     {"0,0", 0, 0},        {"all,0", AT_END, 0},
                     {"all,1", AT_END, 1}, {"max,1", AT_MAX, 1},
                     {"0,max", 0, AT_MAX}};
        size_t row = shapes[i].width * (shapes[i].format_id >= 3 ? 4 : 1) * shapes[i].channels;
        for (size_t k = 0; k < COUNT_OF(parts); k++) {
            size_t offset = part_offset(parts[k].offset, row, total),
                   size = part_size(parts[k].size, row, total), checked = size > 4096 ? 1 : size;
            pattern_fill(host, 4096, 5);
            device_fill(device_src, 4096, 6);
            CHECK(format("%s-HtoA-%s", shapes[i].name, parts[k].name),
                  cuda.cuMemcpyHtoA(array, offset, host, size), "sync=%s", sync_stream(0));
            memset(out, 0, 4096);
            CHECK(format("%s-AtoH-%s", shapes[i].name, parts[k].name),
                  cuda.cuMemcpyAtoH(out, array, offset, size), "data=%s",
                  pattern_check(out, checked, 5));
            CHECK(format("%s-DtoA-%s", shapes[i].name, parts[k].name),
                  cuda.cuMemcpyDtoA(array, offset, device_src, size), "sync=%s", sync_stream(0));
            cuda.cuMemsetD8(device_dst, 0, 4096);
            CHECK_DATA(format("%s-AtoD-%s", shapes[i].name, parts[k].name),
                       cuda.cuMemcpyAtoD(device_dst, array, offset, size), sync_stream(0),
                       device_check(device_dst, checked, 6));
            CHECK(format("%s-AtoA-%s", shapes[i].name, parts[k].name),
                  cuda.cuMemcpyAtoA(second, offset, array, offset, size), "sync=%s",
                  sync_stream(0));
            memset(out, 0, 4096);
            CHECK(format("%s-AtoA-readback-%s", shapes[i].name, parts[k].name),
                  cuda.cuMemcpyAtoH(out, second, offset, size), "data=%s",
                  pattern_check(out, checked, 6));
            pattern_fill(pinned, 4096, 8);
            CHECK(format("%s-HtoAAsync-%s", shapes[i].name, parts[k].name),
                  cuda.cuMemcpyHtoAAsync(array, offset, pinned, size, async_stream), "sync=%s",
                  sync_stream(async_stream));
            memset(pinned, 0, 4096);
            CHECK_DATA(format("%s-AtoHAsync-%s", shapes[i].name, parts[k].name),
                       cuda.cuMemcpyAtoHAsync(pinned, array, offset, size, async_stream),
                       sync_stream(async_stream), pattern_check(pinned, checked, 8));
        }
        CHECK(format("%s-HtoA-null-array", shapes[i].name), cuda.cuMemcpyHtoA(NULL, 0, host, 4));
        CHECK(format("%s-HtoA-null-host", shapes[i].name), cuda.cuMemcpyHtoA(array, 0, NULL, 4));
        CHECK(format("%s-DtoA-null-dev", shapes[i].name), cuda.cuMemcpyDtoA(array, 0, 0, 4));
        CHECK(format("%s-AtoD-null-dev", shapes[i].name), cuda.cuMemcpyAtoD(0, array, 0, 4));
        CHECK(format("%s-AtoH-null-host", shapes[i].name), cuda.cuMemcpyAtoH(NULL, array, 0, 4));
        CHECK(format("%s-AtoA-null", shapes[i].name), cuda.cuMemcpyAtoA(NULL, 0, array, 0, 4));
        CHECK(format("%s-AtoA-self", shapes[i].name), cuda.cuMemcpyAtoA(array, 0, array, 0, 4));
        CHECK(format("%s-DtoA-host-src", shapes[i].name),
              cuda.cuMemcpyDtoA(array, 0, as_device(host), 4));
        CHECK(format("%s-AtoD-pinned-dst", shapes[i].name),
              cuda.cuMemcpyAtoD(as_device(pinned), array, 0, 4));
        CHECK(format("%s-HtoA-dev-src", shapes[i].name),
              cuda.cuMemcpyHtoA(array, 0, as_host(device_src), 4));
        CHECK(format("%s-HtoAAsync-null-stream", shapes[i].name),
              cuda.cuMemcpyHtoAAsync(array, 0, pinned, 16, 0));
        CHECK(format("%s-HtoAAsync-zero-null", shapes[i].name),
              cuda.cuMemcpyHtoAAsync(array, 0, NULL, 0, async_stream));
        CHECK(format("%s-HtoA-zero-null-array", shapes[i].name),
              cuda.cuMemcpyHtoA(NULL, 0, host, 0));
        cuda.cuArrayDestroy(array);
        cuda.cuArrayDestroy(second);
    }

    array1d_mismatch();
}
