/* SPDX-License-Identifier: MIT */
/* Textures and surfaces of arrays, levels of mipmaps and linear memory, read and written by
 * kernels. */
#include "kernels.h"

#include "soak.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 64 };

struct image {
    uint32_t rows;
    size_t bytes;
    uint32_t *pixels, *came;
    CUarray array, target;
    CUmipmappedArray mipmap;
    CUdeviceptr linear, out;
};

static CUDA_MEMCPY2D whole(const struct image *image, CUarray array, void *host, bool in)
{
    return whole_array(array, host, 4 * WIDE, image->rows, in);
}

static struct image image_new(CUarray_format format)
{
    struct image image = {.rows = 1 + (uint32_t)draw(64)};
    CUDA_ARRAY3D_DESCRIPTOR shape = {WIDE, image.rows, 0, format, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_ARRAY3D_DESCRIPTOR twice = {2 * WIDE, 2 * image.rows,           0, format,
                                     1,        CUDA_ARRAY3D_SURFACE_LDST};

    image.bytes = 4 * WIDE * image.rows;
    image.pixels = room(image.bytes);
    image.came = room(image.bytes);
    fill(image.pixels, image.bytes, draw(1 << 30));
    if (one_in(2)) {
        must(cuMipmappedArrayCreate(&image.mipmap, &twice, 2));
        must(cuMipmappedArrayGetLevel(&image.array, image.mipmap, 1));
    } else {
        must(cuArray3DCreate(&image.array, &shape));
    }
    must(cuArray3DCreate(&image.target, &shape));
    must(cuMemAlloc(&image.linear, image.bytes));
    must(cuMemAlloc(&image.out, image.bytes));
    return image;
}

static void image_free(struct image *image)
{
    if (image->mipmap)
        must(cuMipmappedArrayDestroy(image->mipmap));
    else
        must(cuArrayDestroy(image->array));
    must(cuArrayDestroy(image->target));
    must(cuMemFree(image->linear));
    must(cuMemFree(image->out));
    free(image->pixels);
    free(image->came);
}

static CUtexObject texture_new(const struct image *image, CUarray_format format, bool linear,
                               CUfilter_mode filter, unsigned flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC texture = {.filterMode = filter, .flags = flags};
    CUtexObject object;

    for (int i = 0; i < 3; i++)
        texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    resource.res.array.hArray = image->array;
    if (linear) {
        resource.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D.devPtr = image->linear;
        resource.res.pitch2D.format = format;
        resource.res.pitch2D.numChannels = 1;
        resource.res.pitch2D.width = WIDE;
        resource.res.pitch2D.height = image->rows;
        resource.res.pitch2D.pitchInBytes = 4 * WIDE;
    }
    must(cuTexObjectCreate(&object, &resource, &texture, NULL));
    return object;
}

static void launch(CUmodule module, const char *name, const struct image *image, void **arguments)
{
    CUfunction function;

    must(cuModuleGetFunction(&function, module, name));
    must(cuLaunchKernel(function, image->rows, 1, 1, WIDE, 1, 1, 0, NULL, arguments, NULL));
}

static void read_texels(CUmodule module, struct image *image, uint32_t salt, bool linear)
{
    CUtexObject texture = texture_new(image, CU_AD_FORMAT_UNSIGNED_INT32, linear,
                                      CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
    void *arguments[] = {&texture, &image->out};

    launch(module, "fetch", image, arguments);
    must(cuMemcpyDtoH(image->came, image->out, image->bytes));
    for (size_t i = 0; i < image->bytes / 4; i++)
        image->came[i] ^= salt;
    same(image->came, image->pixels, image->bytes, "texels");
    must(cuTexObjectDestroy(texture));
}

static void rewrite(CUmodule module, struct image *image, uint32_t salt)
{
    CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_ARRAY}, to = from;
    CUsurfObject surfaces[2];

    from.res.array.hArray = image->array;
    to.res.array.hArray = image->target;
    must(cuSurfObjectCreate(&surfaces[0], &from));
    must(cuSurfObjectCreate(&surfaces[1], &to));
    void *arguments[] = {&surfaces[0], &surfaces[1]};
    launch(module, "rewrite", image, arguments);
    CUDA_MEMCPY2D copy = whole(image, image->target, image->came, false);
    must(cuMemcpy2D(&copy));
    for (size_t i = 0; i < image->bytes / 4; i++)
        image->came[i] -= salt;
    same(image->came, image->pixels, image->bytes, "what went through surfaces");
    must(cuSurfObjectDestroy(surfaces[0]));
    must(cuSurfObjectDestroy(surfaces[1]));
}

/* Half way between small whole numbers: the means are exact. */
static void read_between(CUmodule module)
{
    struct image image = image_new(CU_AD_FORMAT_FLOAT);
    float *wanted = room(image.bytes), *pixels = (float *)(void *)image.pixels;
    CUtexObject texture;

    for (size_t i = 0; i < image.bytes / 4; i++)
        pixels[i] = (float)(image.pixels[i] & 1023);
    CUDA_MEMCPY2D copy = whole(&image, image.array, pixels, true);
    must(cuMemcpy2D(&copy));
    texture = texture_new(&image, CU_AD_FORMAT_FLOAT, false, CU_TR_FILTER_MODE_LINEAR, 0);
    void *arguments[] = {&texture, &image.out};
    launch(module, "filter", &image, arguments);
    must(cuMemcpyDtoH(image.came, image.out, image.bytes));
    for (size_t i = 0; i < image.bytes / 4; i++)
        wanted[i] = i % WIDE == WIDE - 1 ? pixels[i] : (pixels[i] + pixels[i + 1]) / 2;
    same(image.came, wanted, image.bytes, "filtered texels");
    must(cuTexObjectDestroy(texture));
    free(wanted);
    image_free(&image);
}

void soak_textures(void)
{
    uint32_t salt = 1000 + (uint32_t)(one_in(40) ? draw(1 << 30) : draw(4));
    char *text = textures_text(salt);
    struct image image = image_new(CU_AD_FORMAT_UNSIGNED_INT32);
    CUmodule module;

    must(cuModuleLoadData(&module, text));
    free(text);
    CUDA_MEMCPY2D copy = whole(&image, image.array, image.pixels, true);
    must(cuMemcpy2D(&copy));
    must(cuMemcpyHtoD(image.linear, image.pixels, image.bytes));
    read_texels(module, &image, salt, false);
    read_texels(module, &image, salt, true);
    rewrite(module, &image, salt);
    read_between(module);
    must(cuModuleUnload(module));
    image_free(&image);
}
