/* SPDX-License-Identifier: MIT */
/* Kernels of twenty kinds, each as one writes it in CUDA, against the same in C with OpenMP. A kind
 * makes its data, runs once on either side, and compares what both computed. */
#ifndef BENCH_KINDS_H
#define BENCH_KINDS_H

#include "../bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kind {
    const char *name;
    void (*open)(void);   /* makes and copies the data */
    void (*cuda)(void);   /* starts the kernels */
    void (*native)(void); /* the same in C */
    bool (*agree)(void);  /* after both */
};

/* Each ends with a kind without a name. */
extern const struct kind image_kinds[], irregular_kinds[], sorting_kinds[], number_kinds[],
    cipher_kinds[], layer_kinds[];

/* Data that both sides have. All of a kind's is freed behind it. */
struct data {
    size_t bytes;
    void *host;
    CUdeviceptr device;
};

struct data data_create(size_t bytes); /* zeros */
struct data data_of_floats(size_t count, float low, float high);
struct data data_of_words(size_t count);
void data_upload(struct data data);
void data_free_all(void);

/* The function of the module of that file, which is loaded once. */
CUfunction kernel_named(const char *file, const char *name);
void set_constant(const char *file, const char *name, const void *value, size_t bytes);

/* A launch of a function: arguments are addresses, with NULL behind the last. */
struct launch {
    CUfunction function;
    unsigned grid[3], block[3];
};

void run_kernel(struct launch launch, void **arguments);
#define RUN(launch, ...) run_kernel((launch), (void *[]){__VA_ARGS__, NULL})

/* Does the device have what the host has? Floats may differ by that much, relative to 1 or to the
 * value if that is larger. */
bool same_words(struct data data);
bool same_floats(struct data data, float tolerance);

#endif
