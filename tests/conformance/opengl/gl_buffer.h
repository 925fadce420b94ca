/* SPDX-License-Identifier: MIT */
/* Buffers registered, mapped and looked at in a word. */
#ifndef GL_BUFFER_H
#define GL_BUFFER_H

#include "opengl.h"

#define BUFFER_SIZE 5000
static inline const char *alignment_text(CUdeviceptr p)
{
    return format("a256=%d a512=%d a4k=%d a64k=%d a2m=%d", p % 256 == 0, p % 512 == 0,
                  p % 4096 == 0, p % 65536 == 0, p % (2 * MB) == 0);
}

static inline CUgraphicsResource buffer_register(GLuint b, unsigned fl)
{
    CUgraphicsResource r = 0;
    CUresult x = more.cuGraphicsGLRegisterBuffer(&r, b, fl);
    if (x && 1)
        setup_note(format("setup-register=%s", result_name(x)));
    return x ? 0 : r;
}

static inline CUdeviceptr mapped_pointer(CUgraphicsResource r, size_t *n)
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
static inline void check_buffer(const char *name, GLuint b, unsigned fl, size_t n, unsigned seed)
{
    char nm[150];
    snprintf(nm, sizeof nm, "%s", name);
    CUgraphicsResource r = UNTOUCHED_RESOURCE;
    CUdeviceptr p = UNTOUCHED;
    size_t z = 777;
    if (gl.GetError())
        gl_error();
    if (CHECK(nm, more.cuGraphicsGLRegisterBuffer(&r, b, fl), "out=%s glerr=%s",
              out_state_of(AS_BITS(r)), gl_error()))
        return;
    if (!CHECK(format("%s-map", nm), resource_map(r), "glerr=%s", gl_error())) {
        CUresult x = CHECK(format("%s-ptr", nm), cuda.cuGraphicsResourceGetMappedPointer(&p, &z, r),
                           "out=%s size=%zu %s", out_state_of(p), z, alignment_text(p));
        if (!x && n) {
            RECORD(format("%s-read", nm), "data=%s", device_check(p, n, seed));
            unsigned char *d = malloc(n);
            pattern_fill(d, n, seed + 50);
            CHECK(format("%s-write", nm), cuda.cuMemcpyHtoD(p, d, n));
            free(d);
        }
        CHECK(format("%s-unmap", nm), resource_unmap(r), "gl_sees_write=%s",
              with_gl_error(n ? gl_buffer_check(b, n, seed + 50) : "-"));
    }
    CHECK(format("%s-unregister", nm), resource_unregister(r));
}

#endif
