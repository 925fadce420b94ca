/* SPDX-License-Identifier: MIT */
/* A registered fat binary: its image, its registered kernels and variables, and its library once it
 * is loaded. */
#ifndef RT_FATBIN_H
#define RT_FATBIN_H

#include "driver.h"
#include "host_table.h"

#include <pthread.h>

struct rt_fatbin;

struct rt_kernel {
    struct rt_host host;
    struct rt_kernel *next;
    struct rt_fatbin *fatbin;
    const char *name;
    _Atomic(CUkernel) handle; /* NULL until it is first used */
};

struct rt_variable {
    struct rt_host host; /* of a managed variable: its memory, once it is known */
    struct rt_variable *next;
    struct rt_fatbin *fatbin;
    const char *name;
    size_t size;
    void **managed; /* the pointer that the program reads; NULL for other variables */
};

/* The wrapper that nvcc and clang generate; part of their ABI. */
struct rt_fatbin_wrapper {
    int magic;
    int version;
    const void *image;
    const void *const *objects; /* version 2: the relocatable images that were linked, then NULL */
};

struct rt_fatbin {
    const struct rt_fatbin_wrapper *wrapper;
    struct rt_kernel *kernels;
    struct rt_variable *variables;
    struct rt_fatbin *next, **previous;
    pthread_mutex_t lock;
    cudaError_t result;         /* guarded by lock: the reason why it cannot be loaded */
    _Atomic(CUlibrary) library; /* set under lock */
};

/* The library of a fat binary; loads it if needed. */
cudaError_t rt_fatbin_library(struct rt_fatbin *fatbin, CUlibrary *library);

#endif
