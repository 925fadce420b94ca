/* SPDX-License-Identifier: MIT */
/*
 * Texture objects over linear and pitched memory: alignment, extents, and whose memory it is.
 */
#include "textures.h"

#define F32 CU_AD_FORMAT_FLOAT

GROUP(803, texobj_linear, "texobj/linear")
{
    use_textures();
    CUdeviceptr at = device_alloc(4 * MB);
    CUDA_TEXTURE_DESC texture = plain_texture();
    CUDA_RESOURCE_DESC resource;

    RECORD("attributes", "linear=%d alignment=%d pitch-alignment=%d linear2d=%dx%d pitch=%d",
           device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH),
           device_attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
           device_attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT),
           device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
           device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
           device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH));
    for (size_t offset = 0; offset < 1024; offset = offset ? offset * 2 : 1) {
        resource = resource_of_linear(at + offset, F32, 1, 4096);
        texture_check(format("offset-%zu", offset), &resource, &texture, NULL);
    }
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 4095, 4096, 4 * MB, 4 * MB + 4, 8 * MB};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        resource = resource_of_linear(at, F32, 1, sizes[i]);
        texture_check(format("size-%zu", sizes[i]), &resource, &texture, NULL);
    }
    for (unsigned channels = 0; channels < 6; channels++) {
        resource = resource_of_linear(at, F32, channels, 4096);
        texture_check(format("channels-%u", channels), &resource, &texture, NULL);
    }
    for (int i = 0; format_names[i].name; i++)
        for (unsigned channels = 1; channels <= 4; channels++) {
            resource =
                resource_of_linear(at, (CUarray_format)format_names[i].value, channels, 4096);
            texture_check(format("format-%sx%u", format_names[i].name, channels), &resource,
                          &texture, NULL);
        }
    resource = resource_of_linear(at, (CUarray_format)0, 1, 4096);
    texture_check("format-0", &resource, &texture, NULL);
    resource = resource_of_linear(0, F32, 1, 4096);
    texture_check("null", &resource, &texture, NULL);
    resource = resource_of_linear(GARBAGE_ADDRESS, F32, 1, 4096);
    texture_check("garbage", &resource, &texture, NULL);
    resource = resource_of_linear(at, F32, 1, (size_t)4 << 27);
    texture_check("width-2^27", &resource, &texture, NULL);
    resource = resource_of_linear(at, F32, 1, ((size_t)4 << 27) + 4);
    texture_check("width-2^27+1", &resource, &texture, NULL);
    resource = resource_of_linear(at, F32, 1, ((size_t)4 << 28) + 4);
    texture_check("width-2^28+1", &resource, &texture, NULL);
    CUdeviceptr big = device_alloc(3 * GB);
    for (int shift = 26; shift <= 29; shift++)
        for (int more = 0; more < 2; more++) {
            resource = resource_of_linear(big, F32, 1, ((size_t)4 << shift) + 4 * more);
            texture_check(format("big-2^%d+%d", shift, more), &resource, &texture, NULL);
            resource =
                resource_of_linear(big, CU_AD_FORMAT_UNSIGNED_INT8, 1, ((size_t)1 << shift) + more);
            texture_check(format("big-bytes-2^%d+%d", shift, more), &resource, &texture, NULL);
        }
    void *pinned = pinned_alloc(65536);
    resource = resource_of_linear(as_device(pinned), F32, 1, 4096);
    texture_check("pinned", &resource, &texture, NULL);
    resource = resource_of_linear(managed_alloc(65536), F32, 1, 4096);
    texture_check("managed", &resource, &texture, NULL);
    void *page = page_alloc(65536);
    resource = resource_of_linear(as_device(page), F32, 1, 4096);
    texture_check("pageable", &resource, &texture, NULL);
    resource = resource_of_linear(at, F32, 1, 4096);
    surface_check("surface", &resource);
    texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    texture_check("filter-linear", &resource, &texture, NULL);
    texture = plain_texture();
    texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    texture_check("normalized", &resource, &texture, NULL);
    texture = plain_texture();
    texture.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    texture_check("wrap", &resource, &texture, NULL);
    texture = plain_texture();
    CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_FLOAT_1X32, .width = 1024};
    texture_check("view", &resource, &texture, &view);
}

GROUP(804, texobj_pitch, "texobj/pitch")
{
    use_textures();
    CUdeviceptr at = device_alloc(4 * MB);
    CUDA_TEXTURE_DESC texture = plain_texture();
    CUDA_RESOURCE_DESC resource;

    for (size_t offset = 0; offset < 1024; offset = offset ? offset * 2 : 1) {
        resource = resource_of_pitch(at + offset, F32, 1, 16, 8, 512);
        texture_check(format("offset-%zu", offset), &resource, &texture, NULL);
    }
    static const size_t pitches[] = {0,  4,  16, 32,  60,  63,  64,  65,   68,
                                     72, 80, 96, 100, 112, 128, 160, 4096, 1 << 21};
    for (size_t i = 0; i < COUNT_OF(pitches); i++) {
        resource = resource_of_pitch(at, F32, 1, 16, 2, pitches[i]);
        texture_check(format("pitch-%zu", pitches[i]), &resource, &texture, NULL);
    }
    static const struct {
        size_t width, height, pitch;
    } extents[] = {
        {0, 8, 64},           {16, 0, 64},          {1, 1, 32},          {131072, 1, 524288},
        {131072, 4, 524288},  {131073, 1, 524320},  {131072, 7, 524288}, {16, 65000, 64},
        {16, 65001, 64},      {16, 131072, 32},     {8, 65000, 32},      {8, 65001, 32},
        {8, 65535, 32},       {8, 65536, 32},       {8, 131072, 32},     {262144, 1, 1048576},
        {16, 65536, 64},      {16, 65537, 64},      {16, 1 << 20, 64},   {262112, 1, 1048448},
        {524272, 1, 2097088}, {524288, 1, 2097152}, {524320, 1, 2097280}};
    for (size_t i = 0; i < COUNT_OF(extents); i++) {
        resource =
            resource_of_pitch(at, F32, 1, extents[i].width, extents[i].height, extents[i].pitch);
        texture_check(format("extent-%zux%zu-pitch-%zu", extents[i].width, extents[i].height,
                             extents[i].pitch),
                      &resource, &texture, NULL);
        resource = resource_of_pitch(at, CU_AD_FORMAT_UNSIGNED_INT8, 1, extents[i].width,
                                     extents[i].height, extents[i].pitch);
        texture_check(format("extent-bytes-%zux%zu-pitch-%zu", extents[i].width, extents[i].height,
                             extents[i].pitch),
                      &resource, &texture, NULL);
    }
    for (unsigned channels = 0; channels < 6; channels++) {
        resource = resource_of_pitch(at, F32, channels, 16, 8, 512);
        texture_check(format("channels-%u", channels), &resource, &texture, NULL);
    }
    for (int i = 0; format_names[i].name; i++) {
        resource = resource_of_pitch(at, (CUarray_format)format_names[i].value, 4, 16, 8, 512);
        texture_check(format("format-%s", format_names[i].name), &resource, &texture, NULL);
    }
    resource = resource_of_pitch(0, F32, 1, 16, 8, 64);
    texture_check("null", &resource, &texture, NULL);
    resource = resource_of_pitch(GARBAGE_ADDRESS, F32, 1, 16, 8, 64);
    texture_check("garbage", &resource, &texture, NULL);
    resource = resource_of_pitch(at, F32, 1, 16, 65537, 64);
    texture_check("past-the-end", &resource, &texture, NULL);
    resource = resource_of_pitch(at, F32, 1, 16, 8, 64);
    surface_check("surface", &resource);
    texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    texture_check("filter-linear", &resource, &texture, NULL);
    texture = plain_texture();
    texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
    texture.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    texture_check("wrap", &resource, &texture, NULL);
    texture.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
    texture_check("mirror", &resource, &texture, NULL);
    texture = plain_texture();
    texture.flags = CU_TRSF_READ_AS_INTEGER;
    texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    texture_check("integer-linear", &resource, &texture, NULL);
    texture = plain_texture();
    texture.maxAnisotropy = 4;
    texture_check("anisotropy", &resource, &texture, NULL);
    CUDA_RESOURCE_VIEW_DESC view = {
        .format = CU_RES_VIEW_FORMAT_FLOAT_1X32, .width = 16, .height = 8};
    texture = plain_texture();
    texture_check("view", &resource, &texture, &view);
}
