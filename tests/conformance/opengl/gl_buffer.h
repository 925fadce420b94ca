/* SPDX-License-Identifier: MIT */
/* Buffers registered, mapped and looked at in a word. */
#ifndef GL_BUFFER_H
#define GL_BUFFER_H

#include "opengl.h"

typedef CUgraphicsResource gr;
#define RS0 ((gr)UNTOUCHED)
#define U(x) ((uint64_t)(uintptr_t)(x))
#define N1 5000
static inline const char *al(CUdeviceptr p)
{
    return format("a256=%d a512=%d a4k=%d a64k=%d a2m=%d", p % 256 == 0, p % 512 == 0,
                  p % 4096 == 0, p % 65536 == 0, p % (2 * MB) == 0);
}
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
static inline gr rg(GLuint b, unsigned fl)
{
    gr r = 0;
    CUresult x = more.cuGraphicsGLRegisterBuffer(&r, b, fl);
    if (x && 1)
        setup_note(format("setup-register=%s", result_name(x)));
    return x ? 0 : r;
}
static inline CUdeviceptr gp(gr r, size_t *n)
{
    CUdeviceptr p = 0;
    size_t z = 0;
    CUresult x = cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r);
    if (x && 1)
        setup_note(format("setup-getptr=%s", result_name(x)));
    if (n)
        *n = z;
    return x ? 0 : p;
}
/* register, map, pointer, data both ways, unmap, unregister */
static inline void cycle(const char *name, GLuint b, unsigned fl, size_t n, unsigned seed)
{
    char nm[150];
    snprintf(nm, sizeof nm, "%s", name);
    gr r = RS0;
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    if (gl.GetError())
        gerr();
    if (CHECK(nm, more.cuGraphicsGLRegisterBuffer(&r, b, fl), "out=%s glerr=%s", out_state_of(U(r)),
              gerr()))
        return;
    if (!CHECK(format("%s-map", nm), mp(r), "glerr=%s", gerr())) {
        CUresult x = CHECK(format("%s-ptr", nm), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
                           "out=%s size=%zu %s", out_state_of(p), z, al(p));
        if (!x && n) {
            RECORD(format("%s-read", nm), "data=%s", device_check(p, n, seed));
            unsigned char *d = malloc(n);
            pattern_fill(d, n, seed + 50);
            CHECK(format("%s-write", nm), cuda.cuMemcpyHtoD(p, d, n));
            free(d);
        }
        CHECK(format("%s-unmap", nm), um(r), "gl_sees_write=%s",
              wg(n ? bsame(b, n, seed + 50) : "-"));
    }
    CHECK(format("%s-unregister", nm), un(r));
}

#endif
