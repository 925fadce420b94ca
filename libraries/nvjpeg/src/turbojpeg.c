/* SPDX-License-Identifier: MIT */
/* Finds TurboJPEG's functions. */
#include "turbojpeg.h"

#include <common/backend.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const files[] = {
    "libturbojpeg.so.0", "turbojpeg.libs/libturbojpeg-dd00d054.so.0.3.0", "libturbojpeg.so", NULL};
static const struct lib_backend backend = {
    .name = "libjpeg-turbo",
    .variable = "CUPIPE_TURBOJPEG",
    .files = files,
    .install = "Install the package libturbojpeg0 (Ubuntu: libturbojpeg) or PyPI's turbojpeg.",
};

static const struct {
    const char *name;
    size_t offset;
} names[] = {
    {"tjInitCompress", offsetof(struct turbo_functions, init_compress)},
    {"tjInitDecompress", offsetof(struct turbo_functions, init_decompress)},
    {"tjDestroy", offsetof(struct turbo_functions, destroy)},
    {"tjDecompressHeader3", offsetof(struct turbo_functions, decompress_header)},
    {"tjDecompressToYUVPlanes", offsetof(struct turbo_functions, decompress_planes)},
    {"tjDecompress2", offsetof(struct turbo_functions, decompress)},
    {"tjCompressFromYUVPlanes", offsetof(struct turbo_functions, compress_planes)},
    {"tjGetErrorCode", offsetof(struct turbo_functions, error_code)},
    {"tjFree", offsetof(struct turbo_functions, free)},
};

static struct turbo_functions functions;
static const struct turbo_functions *loaded; /* NULL: it is missing */

static void load(void)
{
    void *library = lib_backend_load(&backend);

    if (!library)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        void *function = dlsym(library, names[i].name);

        if (!function) {
            fprintf(stderr, "cupipe: libjpeg-turbo has no function %s.\n", names[i].name);
            return;
        }
        memcpy((char *)&functions + names[i].offset, &function, sizeof(function));
    }
    loaded = &functions;
}

const struct turbo_functions *turbo(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded;
}
