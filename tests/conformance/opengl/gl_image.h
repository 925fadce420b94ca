/* SPDX-License-Identifier: MIT */
/* Images registered, mapped and looked at in a word. */
#ifndef GL_IMAGE_H
#define GL_IMAGE_H

#include "opengl.h"

typedef CUgraphicsResource gr;
#define RS0 ((gr)UNTOUCHED)
#define AS0 ((CUarray)UNTOUCHED)
#define MS0 ((CUmipmappedArray)UNTOUCHED)
#define U(x) ((uint64_t)(uintptr_t)(x))
static inline CUresult mp(gr r)
{
    return cuda.cuGraphicsMapResources(1, &r, 0);
}
static inline CUresult um(gr r)
{
    return cuda.cuGraphicsUnmapResources(1, &r, 0);
}
static inline CUresult un(gr r)
{
    return cuda.cuGraphicsUnregisterResource(r);
}
static inline gr rgi(GLuint t, GLenum tgt, unsigned fl)
{
    gr r = 0;
    CUresult x = more.cuGraphicsGLRegisterImage(&r, t, tgt, fl);
    if (x && 1)
        setup_note(format("setup-register-image=%s", result_name(x)));
    return x ? 0 : r;
}
static inline CUarray ga(gr r, unsigned i, unsigned l)
{
    CUarray a = 0;
    CUresult x = cuda.cuGraphicsSubResourceGetMappedArray(&a, r, i, l);
    if (x && 1)
        setup_note(format("setup-getarray=%s", result_name(x)));
    return x ? 0 : a;
}
static inline void deltex(struct tx *t)
{
    gl.DeleteTextures(1, &t->t);
}
/* register; full: map, array 0 level 0, data both ways, unmap, unregister */
static inline void cyc(const char *name, struct tx *t, GLenum tgt, unsigned fl, int full)
{
    char nm[150];
    snprintf(nm, sizeof nm, "%s", name);
    gr r = RS0;
    const char *pre = gerr();
    char pe[40];
    snprintf(pe, sizeof pe, "%s", pre);
    if (CHECK(nm, more.cuGraphicsGLRegisterImage(&r, t->t, tgt, fl), "out=%s gl_setup=%s glerr=%s",
              out_state_of(U(r)), pe, gerr()))
        return;
    if (full) {
        if (!CHECK(format("%s-map", nm), mp(r), "glerr=%s", gerr())) {
            CUarray a = AS0;
            CUresult x =
                CHECK(format("%s-array", nm), cuda.cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0),
                      "out=%s %s", out_state_of(U(a)), a == AS0 ? "" : adesc(a));
            if (!x) {
                int d = t->tgt == GL_TEXTURE_3D ? t->d : 1;
                size_t row = (size_t)t->w * t->f->bpp;
                if (t->tgt == GL_TEXTURE_2D_ARRAY) {
                    CUDA_ARRAY3D_DESCRIPTOR q;
                    memset(&q, 0, sizeof q);
                    cuda.cuArray3DGetDescriptor(&q, a);
                    if (q.Depth > 1)
                        d = (int)q.Depth;
                }
                RECORD(format("%s-read", nm), "data=%s", acheck(a, row, t->h, d, t->f, t->seed));
                CHECK(format("%s-write", nm), afill(a, row, t->h, d, t->f, t->seed + 100));
            }
            CHECK(format("%s-unmap", nm), um(r), "gl_old=%s gl_sees=%s", tsame(t, 0, 0, t->seed),
                  wg(tsame(t, 0, 0, t->seed + 100)));
        }
    }
    CHECK(format("%s-unregister", nm), un(r));
}
#define T8 tfind("RGBA8")

#endif
