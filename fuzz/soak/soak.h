/* SPDX-License-Identifier: MIT */
/* What the parts of the soak share. A part does a round of one capability, sizes and bytes drawn
 * from a seed, compares every byte that comes back and gives back all it took. The first thing that
 * is not as it should be ends the soak, and says which round of which part it was: so nothing needs
 * to be undone after a failure. */
#ifndef SOAK_H
#define SOAK_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread's. */
struct soak {
    const char *part;
    uint64_t seed, random; /* of this round, and the state of the draw */
    uint64_t bytes;        /* compared in this round */
    CUdevice device;
    CUcontext context; /* the primary one of the device, current in the thread */
    void *opengl;      /* opengl.c's */
};

extern _Thread_local struct soak *soak;

struct part {
    const char *name;
    void (*run)(void);
    unsigned weight;
    bool needs_opengl;
};

extern const struct part parts[];
extern const unsigned part_count;

uint64_t draw(uint64_t below);
size_t draw_size(size_t at_most); /* at least 1; small ones are as likely as large ones */
bool one_in(unsigned count);
void fill(void *bytes, size_t count, uint64_t seed);
void *room(size_t bytes); /* of the program's own memory, which is not at stake */

/* Counts the bytes, and ends the soak where they differ. */
void same(const void *came, const void *wanted, size_t count, const char *what);

__attribute__((noreturn, format(printf, 3, 4))) void soak_fail(const char *file, int line,
                                                               const char *format, ...);
void soak_must(CUresult result, const char *call, const char *file, int line);

#define must(call) soak_must((call), #call, __FILE__, __LINE__)
#define must_be(condition)                                                                         \
    ((condition) ? (void)0 : soak_fail(__FILE__, __LINE__, "not so: %s", #condition))

static inline CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* All of an array of two dimensions, in from the host or out to it. */
static inline CUDA_MEMCPY2D whole_array(CUarray array, void *host, size_t row_bytes, size_t rows,
                                        bool in)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
                          .dstMemoryType = in ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
                          .srcHost = host,
                          .dstHost = host,
                          .srcArray = array,
                          .dstArray = array,
                          .srcPitch = row_bytes,
                          .dstPitch = row_bytes,
                          .WidthInBytes = row_bytes,
                          .Height = rows};

    return copy;
}

/* The parts. */
void soak_copies(void);
void soak_managed(void);
void soak_sparse(void);
void soak_decompress(void);
void soak_order(void);
void soak_graphs(void);
void soak_virtual(void);
void soak_external(void);
void soak_kernels(void);
void soak_links(void);
void soak_textures(void);
void soak_print(void);
void soak_contexts(void);
void soak_processes(void);
void soak_opengl(void);

/* The other side of soak_processes: a program of its own, which answers what it is sent. */
int soak_peer(int socket);

/* A kernel's assertion fails, which costs the device. For a process that ends. */
void soak_assert(void);

/* A thread's OpenGL, from its first round on; false where there is none. */
bool soak_opengl_open(void);
void soak_opengl_close(void);

#endif
