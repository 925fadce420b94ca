/* SPDX-License-Identifier: MIT */
/* Calls about textures, surfaces and what OpenGL and EGL have. In some programs one thread has a
 * context of Mesa's without a surface, with a few objects whose names are the small numbers that
 * the calls made by the table draw; the others have none. */
#include "api_images.h"

#include "../tests/interop/opengl.h"

#include <string.h>

enum { OBJECTS = 6, IMAGES = 2 };

static __thread struct opengl *gl; /* this thread's */
static __thread void *egl_images[IMAGES];

static void make_texture(unsigned name)
{
    gl->BindTexture(O_TEXTURE_2D, name);
    gl->TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, 16 << name % 3, 16, 0, O_RGBA, O_UNSIGNED_BYTE, NULL);
    gl->TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl->TexParameteri(O_TEXTURE_2D, O_TEXTURE_MIN_FILTER, O_NEAREST);
}

bool images_open_gl(void)
{
    static __thread struct opengl opened;
    unsigned buffers[OBJECTS], textures[OBJECTS], renderbuffers[OBJECTS];

    if (opengl_open_egl(&opened, OPENGL_CORE))
        return false;
    gl = &opened;
    gl->GenBuffers(OBJECTS, buffers);
    gl->GenTextures(OBJECTS, textures);
    gl->GenRenderbuffers(OBJECTS, renderbuffers);
    for (int i = 0; i < OBJECTS; i++) {
        gl->BindBuffer(O_ARRAY_BUFFER, buffers[i]);
        gl->BufferData(O_ARRAY_BUFFER, 4096 << i, NULL, O_DYNAMIC_DRAW);
        make_texture(textures[i]);
        gl->BindRenderbuffer(O_RENDERBUFFER, renderbuffers[i]);
        gl->RenderbufferStorage(O_RENDERBUFFER, O_RGBA8, 32, 32);
    }
    for (int i = 0; i < IMAGES; i++)
        egl_images[i] = opengl_egl_image(gl, textures[i]);
    return true;
}

static CUresult register_gl(struct draw *draw)
{
    CUgraphicsResource resource;
    unsigned name = draw_below(draw, OBJECTS + 2), flags = draw_below(draw, 4) == 0;
    CUresult result;

    switch (draw_below(draw, 3)) {
    case 0:
        result = cuGraphicsGLRegisterBuffer(&resource, name, flags);
        break;
    case 1:
        result = cuGraphicsGLRegisterImage(&resource, name, O_TEXTURE_2D, flags);
        break;
    default:
        result = cuGraphicsGLRegisterImage(&resource, name, O_RENDERBUFFER, flags);
    }
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUgraphicsResource, (uintptr_t)resource);
    return result;
}

static CUresult register_egl(struct draw *draw)
{
    CUgraphicsResource resource;
    CUresult result = cuGraphicsEGLRegisterImage(
        &resource, draw_below(draw, 8) ? egl_images[draw_below(draw, IMAGES)] : NULL,
        draw_below(draw, 4));

    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUgraphicsResource, (uintptr_t)resource);
    return result;
}

/* Maps, looks at what there is, and unmaps, each of which may fail. */
static CUresult map_graphics(struct draw *draw)
{
    CUgraphicsResource resource = draw_handle(draw, KIND_CUgraphicsResource);
    CUstream stream = draw_handle(draw, KIND_CUstream);
    CUresult result = cuGraphicsMapResources(1, &resource, stream);
    CUdeviceptr pointer;
    CUeglFrame frame;
    CUarray array;
    size_t bytes;

    if (cuGraphicsResourceGetMappedPointer_v2(&pointer, &bytes, resource) == CUDA_SUCCESS) {
        keep(draw, KIND_ADDRESS, pointer);
        cuMemsetD8Async(pointer, 7, bytes, stream);
    }
    if (cuGraphicsSubResourceGetMappedArray(&array, resource, 0, draw_below(draw, 2)) ==
        CUDA_SUCCESS)
        keep(draw, KIND_CUarray, (uintptr_t)array);
    if (cuGraphicsResourceGetMappedEglFrame(&frame, resource, draw_below(draw, 2), 0) ==
        CUDA_SUCCESS)
        keep(draw, KIND_CUarray, (uintptr_t)frame.frame.pArray[0]);
    if (draw_below(draw, 4))
        cuGraphicsUnmapResources(1, &resource, stream);
    return result;
}

/* OpenGL's own calls in between. */
static CUresult use_gl(struct draw *draw)
{
    unsigned name = 1 + draw_below(draw, OBJECTS);

    if (!gl)
        return CUDA_ERROR_NOT_SUPPORTED;
    switch (draw_below(draw, 4)) {
    case 0:
        gl->DeleteBuffers(1, &name);
        break;
    case 1:
        gl->BindBuffer(O_ARRAY_BUFFER, name);
        gl->BufferData(O_ARRAY_BUFFER, 1 + draw_below(draw, 1 << 16), NULL, O_DYNAMIC_DRAW);
        break;
    case 2:
        gl->DeleteTextures(1, &name);
        break;
    default:
        make_texture(name);
    }
    return CUDA_SUCCESS;
}

static CUresult make_texture_object(struct draw *draw)
{
    CUDA_RESOURCE_DESC resource = {.resType = (CUresourcetype)draw_below(draw, 4)};
    CUDA_TEXTURE_DESC texture = {.filterMode = (CUfilter_mode)draw_below(draw, 2),
                                 .flags = draw_below(draw, 8)};
    CUtexObject texobject;
    CUsurfObject surfobject;

    for (int i = 0; i < 3; i++)
        texture.addressMode[i] = (CUaddress_mode)draw_below(draw, 5);
    switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        resource.res.array.hArray = draw_handle(draw, KIND_CUarray);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        resource.res.mipmap.hMipmappedArray = draw_handle(draw, KIND_CUmipmappedArray);
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        resource.res.linear.devPtr = draw_address(draw);
        resource.res.linear.format = CU_AD_FORMAT_FLOAT;
        resource.res.linear.numChannels = 1u << draw_below(draw, 3);
        resource.res.linear.sizeInBytes = draw_size(draw);
        break;
    default:
        resource.res.pitch2D.devPtr = draw_address(draw);
        resource.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
        resource.res.pitch2D.numChannels = 1;
        resource.res.pitch2D.width = draw_size(draw);
        resource.res.pitch2D.height = draw_number(draw);
        resource.res.pitch2D.pitchInBytes = draw_size(draw);
    }
    if (draw_below(draw, 3) == 0 && cuSurfObjectCreate(&surfobject, &resource) == CUDA_SUCCESS)
        keep(draw, KIND_CUsurfObject, surfobject);
    CUresult result = cuTexObjectCreate(&texobject, &resource, &texture, NULL);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUtexObject, texobject);
    return result;
}

static CUresult get_references(struct draw *draw)
{
    CUmodule module = draw_handle(draw, KIND_CUmodule);
    CUsurfref surface;
    CUtexref texture;
    CUresult result = cuModuleGetTexRef(&texture, module, "picture");

    if (result == CUDA_SUCCESS) {
        keep(draw, KIND_CUtexref, (uintptr_t)texture);
        cuTexRefSetArray(texture, draw_handle(draw, KIND_CUarray), CU_TRSA_OVERRIDE_FORMAT);
    }
    if (cuModuleGetSurfRef(&surface, module, "canvas") == CUDA_SUCCESS) {
        keep(draw, KIND_CUsurfref, (uintptr_t)surface);
        cuSurfRefSetArray(surface, draw_handle(draw, KIND_CUarray), 0);
    }
    return result;
}

const struct call image_calls[] = {
    {"register gl", register_gl}, {"register egl", register_egl},   {"map graphics", map_graphics},
    {"use gl", use_gl},           {"texture", make_texture_object}, {"references", get_references},
};
const unsigned image_call_count = sizeof(image_calls) / sizeof(image_calls[0]);
