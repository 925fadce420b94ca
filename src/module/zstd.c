/* SPDX-License-Identifier: MIT */
/* Uses only ZSTD_decompress(), which all versions of libzstd have. */
#include "module/zstd.h"

#include "core/error.h"
#include "core/log.h"
#include "os/dynlib.h"

#include <pthread.h>

static size_t (*decompress)(void *output, size_t output_bytes, const void *packed,
                            size_t packed_bytes);
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
    const struct cup_dynlib_symbol symbol = {"ZSTD_decompress", &decompress};
    void *library = cup_dynlib_open("libzstd.so.1", CUP_DYNLIB_LOAD);

    if (!library || !cup_dynlib_resolve(library, &symbol, 1))
        cup_log(CUP_LOG_WARNING, "a fatbin is compressed by zstd, and libzstd.so.1 is not "
                                 "installed (Debian's package is libzstd1)");
}

CUresult cup_zstd_unpack(const void *packed, size_t packed_bytes, void *output, size_t output_bytes)
{
    pthread_once(&loaded, load);
    if (!decompress)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "libzstd is needed to decompress a fatbin");
    if (decompress(output, output_bytes, packed, packed_bytes) != output_bytes)
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "a fatbin's PTX is damaged");
    return CUDA_SUCCESS;
}
