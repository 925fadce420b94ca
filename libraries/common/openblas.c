/* SPDX-License-Identifier: MIT */
/* Finds OpenBLAS' functions by name, with and without the prefix of PyPI's build. */
#include "openblas.h"

#include "backend.h"
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"libopenblas.so.0", "scipy_openblas32/lib/libscipy_openblas.so",
                                    "libopenblas.so", NULL};
/* Its threads spin after work, for 2 to the power of the value cycles: more than a tenth of a
 * millisecond would take processors from the work that follows. */
static struct lib_backend_setting settings[] = {
    {"OPENBLAS_CORETYPE", NULL}, {"OPENBLAS_THREAD_TIMEOUT", "18"}, {NULL, NULL}};
static const struct lib_backend backend = {
    .name = "OpenBLAS",
    .variable = "CUPIPE_OPENBLAS",
    .files = files,
    .install = "Install Debian's libopenblas0-pthread or PyPI's scipy-openblas32.",
    .settings = settings,
};

/* The threads of OpenBLAS' own: their number is one variable of the process. */
static struct {
    pthread_mutex_t lock;
    void (*set)(int count);
    int count;         /* outside of products that use the driver's */
    unsigned products; /* that use the driver's now */
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct openblas functions;
static const struct openblas *loaded; /* NULL: OpenBLAS is missing */
static void *library;
static const char *prefix;

struct name {
    size_t offset; /* in struct openblas */
    const char *base, *types;
};

static const struct name fortran_names[] = {
#define OPENBLAS(prototype, field, types) {offsetof(struct openblas, field), #field, types},
#include "openblas.def"
#undef OPENBLAS
};

static const struct name c_names[] = {
    {offsetof(struct openblas, sdot), "cblas_sdot", NULL},
    {offsetof(struct openblas, ddot), "cblas_ddot", NULL},
    {offsetof(struct openblas, complex_dot[0][0]), "cblas_cdotu_sub", NULL},
    {offsetof(struct openblas, complex_dot[0][1]), "cblas_cdotc_sub", NULL},
    {offsetof(struct openblas, complex_dot[1][0]), "cblas_zdotu_sub", NULL},
    {offsetof(struct openblas, complex_dot[1][1]), "cblas_zdotc_sub", NULL},
    {offsetof(struct openblas, single_norm[0]), "cblas_snrm2", NULL},
    {offsetof(struct openblas, single_norm[1]), "cblas_scnrm2", NULL},
    {offsetof(struct openblas, double_norm[0]), "cblas_dnrm2", NULL},
    {offsetof(struct openblas, double_norm[1]), "cblas_dznrm2", NULL},
    {offsetof(struct openblas, single_sum[0]), "cblas_sasum", NULL},
    {offsetof(struct openblas, single_sum[1]), "cblas_scasum", NULL},
    {offsetof(struct openblas, double_sum[0]), "cblas_dasum", NULL},
    {offsetof(struct openblas, double_sum[1]), "cblas_dzasum", NULL},
};

static void *function_named(const char *name)
{
    char symbol[64];

    snprintf(symbol, sizeof(symbol), "%s%s", prefix, name);
    return dlsym(library, symbol);
}

static bool find(const char *name, size_t offset)
{
    void *function = function_named(name);

    if (!function)
        fprintf(stderr, "cupipe: OpenBLAS has no function %s%s.\n", prefix, name);
    memcpy((char *)&functions + offset, &function, sizeof(function));
    return function != NULL;
}

static bool find_all(void)
{
    static const char letters[] = "sdcz";
    bool complete = true;

    for (size_t i = 0; i < sizeof(c_names) / sizeof(*c_names); i++)
        complete &= find(c_names[i].base, c_names[i].offset);
    for (size_t i = 0; i < sizeof(fortran_names) / sizeof(*fortran_names); i++) {
        const struct name *name = &fortran_names[i];

        for (const char *type = name->types; *type; type++) {
            size_t index = (size_t)(strchr(letters, *type) - letters);
            char symbol[32];

            snprintf(symbol, sizeof(symbol), "%c%s_", *type, name->base);
            complete &= find(symbol, name->offset + index * sizeof(void *));
        }
    }
    return complete;
}

/* OpenBLAS takes a processor that is newer than itself for a very old one, and is then four times
 * as slow. Returns the name of its kernels for what the processor has; NULL: it may choose. */
static const char *kernels_of_processor(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return "SKYLAKEX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "HASWELL";
#endif
    return NULL;
}

/* Products can have the driver's threads if OpenBLAS has threads of its own that can be turned off,
 * or none; not if it has OpenMP's, whose number belongs to each thread. */
static void find_threads(void)
{
    enum { PARALLEL_OPENMP = 2 };
    int (*parallel)(void) = (int (*)(void))function_named("openblas_get_parallel");
    int (*count)(void) = (int (*)(void))function_named("openblas_get_num_threads");
    int (*processors)(void) = (int (*)(void))function_named("openblas_get_num_procs");
    void (*set)(int) = (void (*)(int))function_named("openblas_set_num_threads");

    if (!parallel || !count || !processors || !set || parallel() == PARALLEL_OPENMP)
        return;
    threads.set = set;
    threads.count = count();
    /* Another library of ours may have turned them off for the moment. */
    if (threads.count == 1 && !secure_getenv("OPENBLAS_NUM_THREADS") &&
        !secure_getenv("OMP_NUM_THREADS"))
        threads.count = processors();
}

bool openblas_begin_serial(void)
{
    if (!threads.set)
        return false;
    pthread_mutex_lock(&threads.lock);
    if (threads.products++ == 0)
        threads.set(1);
    pthread_mutex_unlock(&threads.lock);
    return true;
}

struct serial_parts {
    size_t count;
    void (*part)(void *arguments, size_t index);
    void *arguments;
};

static void run_parts(void *arguments)
{
    const struct serial_parts *parts = arguments;

    lib_parallel(parts->count, parts->part, parts->arguments);
}

static void end_serial(void *arguments)
{
    (void)arguments;
    pthread_mutex_lock(&threads.lock);
    if (--threads.products == 0)
        threads.set(threads.count);
    pthread_mutex_unlock(&threads.lock);
}

void openblas_run_serial(size_t count, void (*part)(void *arguments, size_t index), void *arguments)
{
    lib_finally(run_parts, end_serial, &(struct serial_parts){count, part, arguments});
}

static void load(void)
{
    settings[0].value = kernels_of_processor();
    library = lib_backend_load(&backend);
    prefix = library && dlsym(library, "scipy_sgemm_") ? "scipy_" : "";
    if (library && find_all()) {
        find_threads();
        loaded = &functions;
    }
}

const struct openblas *openblas(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded;
}

void *openblas_function(const char *name)
{
    return openblas() ? function_named(name) : NULL;
}

const char *cupipe_openblas(void)
{
    const struct openblas *blas = openblas();
    Dl_info info;

    return blas && dladdr((void *)blas->gemm[OPENBLAS_S], &info) ? info.dli_fname : NULL;
}
