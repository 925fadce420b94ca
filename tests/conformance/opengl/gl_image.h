/* SPDX-License-Identifier: MIT */
/* Images registered, mapped and looked at in a word. */
#ifndef GL_IMAGE_H
#define GL_IMAGE_H

#include "opengl.h"

static inline CUgraphicsResource image_register(GLuint t, GLenum tgt, unsigned fl)
{
    CUgraphicsResource r = 0;
    CUresult x = more.cuGraphicsGLRegisterImage(&r, t, tgt, fl);
    if (x && 1)
        setup_note(format("setup-register-image=%s", result_name(x)));
    return x ? 0 : r;
}

static inline CUarray mapped_array(CUgraphicsResource r, unsigned i, unsigned l)
{
    CUarray a = 0;
    CUresult x = cuda.cuGraphicsSubResourceGetMappedArray(&a, r, i, l);
    if (x && 1)
        setup_note(format("setup-getarray=%s", result_name(x)));
    return x ? 0 : a;
}

/* register; full: map, array 0 level 0, data both ways, unmap, unregister */
static inline void check_image(const char *name, struct texture *t, GLenum tgt, unsigned fl,
                               int full)
{
    char nm[150];
    snprintf(nm, sizeof nm, "%s", name);
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    const char *pre = gl_error();
    char pe[40];
    snprintf(pe, sizeof pe, "%s", pre);
    if (CHECK(nm, more.cuGraphicsGLRegisterImage(&r, t->gl_name, tgt, fl),
              "out=%s gl_setup=%s glerr=%s", out_state_of(AS_BITS(r)), pe, gl_error()))
        return;
    if (full) {
        if (!CHECK(format("%s-map", nm), resource_map(r), "glerr=%s", gl_error())) {
            CUarray a = UNTOUCHED_ARRAY;
            CUresult x = CHECK(format("%s-array", nm),
                               cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0), "out=%s %s",
                               out_state_of(AS_BITS(a)), a == UNTOUCHED_ARRAY ? "" : array_text(a));
            if (!x) {
                int d = t->target == GL_TEXTURE_3D ? t->depth : 1;
                size_t row = (size_t)t->width * t->texels->texel_bytes;
                if (t->target == GL_TEXTURE_2D_ARRAY) {
                    CUDA_ARRAY3D_DESCRIPTOR q;
                    memset(&q, 0, sizeof q);
                    cuda.cuArray3DGetDescriptor(&q, a);
                    if (q.Depth > 1)
                        d = (int)q.Depth;
                }
                RECORD(format("%s-read", nm), "data=%s",
                       array_check(a, row, t->height, d, t->texels, t->seed));
                CHECK(format("%s-write", nm),
                      array_fill(a, row, t->height, d, t->texels, t->seed + 100));
            }
            CHECK(format("%s-unmap", nm), resource_unmap(r), "gl_old=%s gl_sees=%s",
                  texture_check(t, 0, 0, t->seed),
                  with_gl_error(texture_check(t, 0, 0, t->seed + 100)));
        }
    }
    CHECK(format("%s-unregister", nm), resource_unregister(r));
}

#endif
