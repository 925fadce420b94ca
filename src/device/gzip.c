/* SPDX-License-Identifier: MIT */
#include "device/gzip.h"

#include "core/compiler.h"
#include "core/error.h"
#include "os/dynlib.h"

#include <pthread.h>
#include <stdlib.h>

enum { LEVEL = 6 }; /* libdeflate's middle between speed and size */

struct libdeflate_compressor;

static struct {
    bool is_loaded;
    struct libdeflate_compressor *(*create)(int level);
    size_t (*bound)(struct libdeflate_compressor *compressor, size_t in_bytes);
    size_t (*compress)(struct libdeflate_compressor *compressor, const void *in, size_t in_bytes,
                       void *out, size_t out_bytes);
    void (*destroy)(struct libdeflate_compressor *compressor);
} deflate;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    const struct cup_dynlib_symbol symbols[] = {{"libdeflate_alloc_compressor", &deflate.create},
                                                {"libdeflate_gzip_compress_bound", &deflate.bound},
                                                {"libdeflate_gzip_compress", &deflate.compress},
                                                {"libdeflate_free_compressor", &deflate.destroy}};
    void *library = cup_dynlib_open("libdeflate.so.0", CUP_DYNLIB_LOAD);

    deflate.is_loaded = library && cup_dynlib_resolve(library, symbols, CUP_ARRAY_COUNT(symbols));
    if (!deflate.is_loaded)
        cup_log(CUP_LOG_WARNING, "libdeflate.so.0, which compresses with gzip, is not installed "
                                 "(Debian's package is libdeflate0)");
}

bool cup_gzip_is_available(void)
{
    pthread_once(&once, load);
    return deflate.is_loaded;
}

void *cup_gzip_compress(const void *data, size_t size_bytes, size_t *compressed_bytes)
{
    struct libdeflate_compressor *compressor =
        cup_gzip_is_available() ? deflate.create(LEVEL) : NULL;

    if (!compressor)
        return NULL;
    size_t bound = deflate.bound(compressor, size_bytes);
    void *out = malloc(bound);
    if (out)
        *compressed_bytes = deflate.compress(compressor, data, size_bytes, out, bound);
    deflate.destroy(compressor);
    return out;
}
