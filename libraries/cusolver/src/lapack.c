/* SPDX-License-Identifier: MIT */
/* Finds LAPACK's routines in OpenBLAS, once. */
#include "lapack.h"

#include "lapack_memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct lapack routines;
static const struct lapack *loaded;

static const struct {
    size_t offset; /* in struct lapack */
    const char *real, *complex;
} names[] = {
#define LAPACK(prototype, field, real, complex) {offsetof(struct lapack, field), real, complex},
#include "lapack.def"
#undef LAPACK
};

static bool find(const char *name, size_t offset)
{
    void *routine = openblas_function(name);

    if (!routine)
        fprintf(stderr, "cupipe: OpenBLAS has no LAPACK routine %s, and cuSOLVER needs it.\n",
                name);
    memcpy((char *)&routines + offset, &routine, sizeof(routine));
    return routine != NULL;
}

static void load(void)
{
    bool complete = openblas() != NULL;

    if (!complete)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (int type = 0; type < OPENBLAS_TYPES; type++) {
            const char *base = lapack_is_complex(type) ? names[i].complex : names[i].real;
            char symbol[32];

            snprintf(symbol, sizeof(symbol), "%c%s_", "sdcz"[type], base);
            if (*base)
                complete &= find(symbol, names[i].offset + (size_t)type * sizeof(void *));
        }
    complete &= find("dsgesv_", offsetof(struct lapack, dsgesv));
    complete &= find("zcgesv_", offsetof(struct lapack, zcgesv));
    loaded = complete ? &routines : NULL;
}

const struct lapack *lapack(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded;
}

CUresult lapack_with_work(enum openblas_type type, lapack_call *call, const void *job,
                          openblas_int *info)
{
    struct lapack_memory memory = {0};
    openblas_int unasked;
    CUresult result = lapack_with_memory(&memory, type, call, job, info ? info : &unasked);

    lapack_memory_free(&memory);
    return result;
}

const void *lapack_number(enum openblas_type type, int value)
{
    static const float singles[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    static const double doubles[3][2] = {{-1, 0}, {0, 0}, {1, 0}};

    return lapack_is_double(type) ? (const void *)doubles[value + 1] : singles[value + 1];
}
