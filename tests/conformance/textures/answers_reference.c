/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface references: their defaults, what sets and gets them, and kernels that read
 * through them.
 */
#include "textures.h"

#define F32 CU_AD_FORMAT_FLOAT

static void defaults_record(const char *stem, CUtexref reference)
{
    CUdeviceptr address = UNTOUCHED;
    CUaddress_mode mode = (CUaddress_mode)77;
    CUfilter_mode filter = (CUfilter_mode)77;
    CUarray array = (CUarray)UNTOUCHED;
    CUmipmappedArray mipmap = (CUmipmappedArray)UNTOUCHED;
    CUarray_format id = (CUarray_format)77;
    float border[4] = {-1, -1, -1, -1}, low = -7, high = -7, bias = -7;
    unsigned flags = 77;
    int channels = 77, aniso = 77;

    CHECK(format("%s-address", stem), driver.cuTexRefGetAddress(&address, reference), "%s",
          out_state(address));
    for (int i = -1; i < 4; i++) {
        mode = (CUaddress_mode)77;
        CHECK(format("%s-mode-%d", stem, i), driver.cuTexRefGetAddressMode(&mode, reference, i),
              "%d", mode);
    }
    CHECK(format("%s-array", stem), driver.cuTexRefGetArray(&array, reference), "%s",
          out_state(array));
    CHECK(format("%s-mipmap", stem), driver.cuTexRefGetMipmappedArray(&mipmap, reference), "%s",
          out_state(mipmap));
    CHECK(format("%s-border", stem), driver.cuTexRefGetBorderColor(border, reference),
          "%g %g %g %g", border[0], border[1], border[2], border[3]);
    CHECK(format("%s-filter", stem), driver.cuTexRefGetFilterMode(&filter, reference), "%d",
          filter);
    filter = (CUfilter_mode)77;
    CHECK(format("%s-mipmap-filter", stem), driver.cuTexRefGetMipmapFilterMode(&filter, reference),
          "%d", filter);
    CHECK(format("%s-flags", stem), driver.cuTexRefGetFlags(&flags, reference), "0x%x", flags);
    CHECK(format("%s-format", stem), driver.cuTexRefGetFormat(&id, &channels, reference), "0x%x %d",
          id, channels);
    CHECK(format("%s-aniso", stem), driver.cuTexRefGetMaxAnisotropy(&aniso, reference), "%d",
          aniso);
    CHECK(format("%s-bias", stem), driver.cuTexRefGetMipmapLevelBias(&bias, reference), "%g", bias);
    CHECK(format("%s-clamp", stem), driver.cuTexRefGetMipmapLevelClamp(&low, &high, reference),
          "%g %g", low, high);
}

GROUP(810, texref, "texref")
{
    use_textures();
    CUtexref reference = NULL;
    CUmodule module = NULL;
    CUsurfref surface = NULL;
    CUresult loaded = CHECK("load", driver.cuModuleLoadData(&module, ptx_textures));

    CHECK("create", driver.cuTexRefCreate(&reference), "set=%d", reference != NULL);
    if (reference) {
        defaults_record("created", reference);
        CHECK("destroy", driver.cuTexRefDestroy(reference));
    }
    CHECK("create-null", driver.cuTexRefCreate(NULL));
    if (loaded)
        return;
    reference = (CUtexref)UNTOUCHED;
    CHECK("get-missing", driver.cuModuleGetTexRef(&reference, module, "nothing"), "out=%s",
          out_state(reference));
    CHECK("get-surface-as-texture", driver.cuModuleGetTexRef(&reference, module, "canvas"),
          "out=%s", out_state(reference));
    CHECK("get-kernel-as-texture", driver.cuModuleGetTexRef(&reference, module, "read"), "out=%s",
          out_state(reference));
    CHECK("get-null-out", driver.cuModuleGetTexRef(NULL, module, "image"));
    CHECK("get-null-name", driver.cuModuleGetTexRef(&reference, module, NULL));
    CHECK("get-null-module", driver.cuModuleGetTexRef(&reference, NULL, "image"));
    CHECK("get", driver.cuModuleGetTexRef(&reference, module, "image"), "out=%s",
          out_state(reference));
    CUtexref again = NULL;
    CHECK("get-again", driver.cuModuleGetTexRef(&again, module, "image"), "same=%d",
          again == reference);
    CHECK("get-texture-as-surface", driver.cuModuleGetSurfRef(&surface, module, "image"));
    CHECK("get-surface", driver.cuModuleGetSurfRef(&surface, module, "canvas"), "set=%d",
          surface != NULL);
    defaults_record("module", reference);
}

GROUP(811, texref_set, "texref/set")
{
    use_textures();
    CUtexref reference = NULL;
    CUmodule module = NULL;
    driver.cuModuleLoadData(&module, ptx_textures);
    driver.cuModuleGetTexRef(&reference, module, "image");
    if (!reference)
        setup_failed("cuModuleGetTexRef", CUDA_ERROR_NOT_FOUND);
    for (int mode = -1; mode < 6; mode++)
        for (int axis = -1; axis < 4; axis++)
            CHECK(format("mode-%d-axis-%d", mode, axis),
                  driver.cuTexRefSetAddressMode(reference, axis, (CUaddress_mode)mode));
    for (int mode = -1; mode < 4; mode++) {
        CHECK(format("filter-%d", mode),
              driver.cuTexRefSetFilterMode(reference, (CUfilter_mode)mode));
        CHECK(format("mipmap-filter-%d", mode),
              driver.cuTexRefSetMipmapFilterMode(reference, (CUfilter_mode)mode));
    }
    for (unsigned flag = 0; flag < 0x200; flag = flag ? flag * 2 : 1) {
        unsigned got = 77;
        CHECK(format("flags-0x%x", flag), driver.cuTexRefSetFlags(reference, flag));
        CHECK(format("flags-0x%x-get", flag), driver.cuTexRefGetFlags(&got, reference), "0x%x",
              got);
    }
    for (int i = 0; format_names[i].name; i++)
        for (int channels = 0; channels < 6; channels++)
            CHECK(format("format-%sx%d", format_names[i].name, channels),
                  driver.cuTexRefSetFormat(reference, (CUarray_format)format_names[i].value,
                                           channels));
    CHECK("format-0", driver.cuTexRefSetFormat(reference, (CUarray_format)0, 1));
    static const unsigned anisos[] = {0, 1, 2, 16, 17, 100};
    for (size_t i = 0; i < COUNT_OF(anisos); i++) {
        int got = 77;
        CHECK(format("aniso-%u", anisos[i]), driver.cuTexRefSetMaxAnisotropy(reference, anisos[i]));
        CHECK(format("aniso-%u-get", anisos[i]), driver.cuTexRefGetMaxAnisotropy(&got, reference),
              "%d", got);
    }
    CHECK("bias", driver.cuTexRefSetMipmapLevelBias(reference, 100));
    CHECK("clamp-reversed", driver.cuTexRefSetMipmapLevelClamp(reference, 3, 1));
    float border[4] = {1, 2, 3, 4};
    CHECK("border", driver.cuTexRefSetBorderColor(reference, border));
    CHECK("border-null", driver.cuTexRefSetBorderColor(reference, NULL));
    CUarray array = array_new(16, 8, 0, F32, 1, CUDA_ARRAY3D_SURFACE_LDST), got_array = NULL;
    CHECK("array-flags-0", driver.cuTexRefSetArray(reference, array, 0));
    CHECK("array-flags-2", driver.cuTexRefSetArray(reference, array, 2));
    CHECK("array", driver.cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
    CHECK("array-get", driver.cuTexRefGetArray(&got_array, reference), "same=%d",
          got_array == array);
    CUarray_format id;
    int channels;
    CHECK("array-format", driver.cuTexRefGetFormat(&id, &channels, reference), "0x%x %d", id,
          channels);
    CHECK("array-null", driver.cuTexRefSetArray(reference, NULL, CU_TRSA_OVERRIDE_FORMAT));
    CUdeviceptr at = device_alloc(65536);
    for (size_t offset = 0; offset <= 512; offset = offset ? offset * 2 : 1) {
        size_t byte_offset = 77777;
        CHECK(format("address-offset-%zu", offset),
              driver.cuTexRefSetAddress(&byte_offset, reference, at + offset, 4096), "%zu",
              byte_offset);
        CHECK(format("address-offset-%zu-no-out", offset),
              driver.cuTexRefSetAddress(NULL, reference, at + offset, 4096));
    }
    size_t byte_offset = 7;
    CHECK("address-garbage",
          driver.cuTexRefSetAddress(&byte_offset, reference, GARBAGE_ADDRESS, 4096));
    CHECK("address-0", driver.cuTexRefSetAddress(&byte_offset, reference, 0, 4096));
    CHECK("address-size-0", driver.cuTexRefSetAddress(&byte_offset, reference, at, 0));
    CHECK("address-past", driver.cuTexRefSetAddress(&byte_offset, reference, at, 65540));
    CUDA_ARRAY_DESCRIPTOR d = {16, 8, F32, 1};
    for (size_t pitch = 0; pitch <= 128; pitch += 16)
        CHECK(format("address2d-pitch-%zu", pitch),
              driver.cuTexRefSetAddress2D(reference, &d, at, pitch));
    CHECK("address2d-unaligned", driver.cuTexRefSetAddress2D(reference, &d, at + 4, 64));
    CHECK("address2d-null", driver.cuTexRefSetAddress2D(reference, NULL, at, 64));
    CUmipmappedArray mipmap = mipmap_new(16, 8, 0, F32, 1, 0, 3);
    CHECK("mipmap", driver.cuTexRefSetMipmappedArray(reference, mipmap, CU_TRSA_OVERRIDE_FORMAT));
    CHECK("mipmap-flags-0", driver.cuTexRefSetMipmappedArray(reference, mipmap, 0));
    CHECK("null-mode", driver.cuTexRefSetAddressMode(NULL, 0, CU_TR_ADDRESS_MODE_CLAMP));
    CHECK("null-flags", driver.cuTexRefSetFlags(NULL, 0));
    CHECK("null-array", driver.cuTexRefSetArray(NULL, array, 1));
    CHECK("destroy-module's", driver.cuTexRefDestroy(reference));
}

static void read_record(const char *name, CUfunction function, CUdeviceptr out, float x, float y)
{
    float texel[4] = {-1, -1, -1, -1};
    void *parameters[] = {&out, &x, &y};

    cuda.cuMemsetD8(out, 0xff, 16);
    CHECK_THEN(name, driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL),
               const char *sync = sync_context();
               cuda.cuMemcpyDtoH(texel, out, 16), "sync=%s %g %g %g %g", sync, texel[0], texel[1],
               texel[2], texel[3]);
}

GROUP(812, texref_run, "texref/run")
{
    float pixels[8][16];
    use_textures();
    CUtexref reference = NULL;
    CUsurfref surface = NULL;
    CUmodule module = NULL;
    CUfunction reads = NULL, writes = NULL;
    driver.cuModuleLoadData(&module, ptx_textures);
    driver.cuModuleGetTexRef(&reference, module, "image");
    driver.cuModuleGetSurfRef(&surface, module, "canvas");
    driver.cuModuleGetFunction(&reads, module, "read");
    driver.cuModuleGetFunction(&writes, module, "write");
    CUdeviceptr out = device_alloc(64);
    CUarray array = array_new(16, 8, 0, F32, 1, CUDA_ARRAY3D_SURFACE_LDST), got = NULL;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = pixels,
                          .srcPitch = 64,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 64,
                          .Height = 8};
    for (int i = 0; i < 128; i++)
        pixels[i / 16][i % 16] = (float)i;
    cuda.cuMemcpy2D(&copy);
    if (!reads || !reference)
        setup_failed("module", CUDA_ERROR_NOT_FOUND);
    read_record("unbound", reads, out, 1.5f, 2.5f);
    CHECK("bind", driver.cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
    read_record("bound", reads, out, 1.5f, 2.5f);
    driver.cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR);
    read_record("linear", reads, out, 2, 2.5f);
    driver.cuTexRefSetFlags(reference, CU_TRSF_NORMALIZED_COORDINATES);
    read_record("normalized", reads, out, 0.5f, 0.5f);
    read_record("wrapped", reads, out, 1.5f, 0.5f);
    driver.cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_CLAMP);
    read_record("clamped", reads, out, 1.5f, 0.5f);
    CHECK("param-set-texref", driver.cuParamSetTexRef(reads, -1, reference));
    CHECK("surface-unset-get", driver.cuSurfRefGetArray(&got, surface), "null=%d", got == NULL);
    CHECK("surface-flags", driver.cuSurfRefSetArray(surface, array, 1));
    CHECK("surface-null", driver.cuSurfRefSetArray(surface, NULL, 0));
    CUarray plain = array_new(16, 8, 0, F32, 1, 0);
    CHECK("surface-plain-array", driver.cuSurfRefSetArray(surface, plain, 0));
    CHECK("surface", driver.cuSurfRefSetArray(surface, array, 0));
    CHECK("surface-get", driver.cuSurfRefGetArray(&got, surface), "same=%d", got == array);
    unsigned x = 24, y = 4, value = 0x42280000;
    void *parameters[] = {&x, &y, &value};
    CHECK("write", driver.cuLaunchKernel(writes, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL),
          "sync=%s", sync_context());
    read_record("read-back", reads, out, 6.5f / 16, 4.5f / 8);
}

/* Accesses that end the context, each in a group of its own. */
static void object_run(const char *name, const char *kernel, int texture, unsigned x, unsigned y,
                       int destroy)
{
    use_textures();
    CUmodule module = NULL;
    CUfunction function = NULL;
    driver.cuModuleLoadData(&module, ptx_textures);
    driver.cuModuleGetFunction(&function, module, kernel);
    CUarray array = array_new(16, 8, 0, F32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC resource = resource_of_array(array);
    CUDA_TEXTURE_DESC desc = plain_texture();
    unsigned long long object = 0xdeadbeef;
    unsigned value = 5;
    CUdeviceptr out = device_alloc(64);
    if (destroy < 2 && (texture ? driver.cuTexObjectCreate(&object, &resource, &desc, NULL)
                                : driver.cuSurfObjectCreate(&object, &resource)))
        setup_failed("object", CUDA_ERROR_INVALID_VALUE);
    if (destroy == 1)
        texture ? driver.cuTexObjectDestroy(object) : driver.cuSurfObjectDestroy(object);
    void *store[] = {&object, &x, &y, &value}, *load[] = {&object, &x, &y, &out};
    keep_after_sticky = 1;
    CHECK(name,
          driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL,
                                strcmp(kernel, "write_object") ? load : store, NULL),
          "sync=%s", sync_context());
    CHECK(format("%s-after", name), cuda.cuMemsetD8(out, 0, 4));
}

GROUP(813, surface_trap_store, "surface/trap-store")
{
    object_run("outside", "write_object", 0, 64, 0, 0);
}
GROUP(813, surface_trap_load, "surface/trap-load")
{
    object_run("outside", "load_object", 0, 0, 8, 0);
}
GROUP(813, surface_trap_inside, "surface/trap-inside")
{
    object_run("inside", "write_object", 0, 60, 7, 0);
}
GROUP(813, surface_misaligned, "surface/misaligned")
{
    object_run("misaligned", "write_object", 0, 2, 0, 0);
}
GROUP(813, surface_negative, "surface/negative")
{
    object_run("negative", "load_object", 0, (unsigned)-4, 0, 0);
}
GROUP(813, surface_stale, "surface/stale")
{
    object_run("stale", "load_object", 0, 0, 0, 1);
}
GROUP(813, surface_garbage, "surface/garbage")
{
    object_run("garbage", "load_object", 0, 0, 0, 2);
}
GROUP(813, texture_stale, "texture/stale")
{
    object_run("stale", "read_object", 1, 0, 0, 1);
}
GROUP(813, texture_garbage, "texture/garbage")
{
    object_run("garbage", "read_object", 1, 0, 0, 2);
}
GROUP(813, texture_plain, "texture/plain")
{
    object_run("plain", "read_object", 1, 0, 0, 0);
}
