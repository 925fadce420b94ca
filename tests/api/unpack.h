/* SPDX-License-Identifier: MIT */
/* Shared by the tests of decompression: memory for one compressed buffer, and a batch entry for
 * it. */
#ifndef UNPACK_H
#define UNPACK_H

#include "test.h"

#include <dlfcn.h>
#include <string.h>

enum { FILLING = 0x5a };

#define PACKED(array) array, sizeof(array)

/* Compressed bytes in the device's memory, room for what comes out, and for how much that is. */
struct place {
    CUdeviceptr source, destination, written;
    size_t source_bytes;
};

/* On cupipe the engine is three libraries, and a machine may lack one. */
static inline void need_libraries(void)
{
    static const char *const libraries[] = {"libdeflate.so.0", "libsnappy.so.1", "liblz4.so.1"};
    char name[64] = "";

    check_success(cuDeviceGetName(name, sizeof(name), 0));
    for (int i = 0; i < 3 && strstr(name, "cupipe"); i++) {
        if (!dlopen(libraries[i], RTLD_LAZY))
            skip("a decompression library is not installed");
    }
}

/* Like with_context, and skips the test where the device does not know the algorithm. */
static inline void with_engine(CUmemDecompressAlgorithm algorithm)
{
    int mask = 0;

    with_context();
    check_success(
        cuDeviceGetAttribute(&mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0));
    if (!(mask & (int)algorithm))
        skip("the device does not decompress that");
    need_libraries();
}

static inline struct place new_place(const unsigned char *packed, size_t packed_bytes,
                                     size_t room_bytes)
{
    struct place place = {.source_bytes = packed_bytes};

    check_success(cuMemAlloc(&place.source, packed_bytes));
    check_success(cuMemAlloc(&place.destination, room_bytes));
    check_success(cuMemAlloc(&place.written, sizeof(cuuint32_t)));
    check_success(cuMemcpyHtoD(place.source, packed, packed_bytes));
    check_success(cuMemsetD8(place.destination, FILLING, room_bytes));
    check_success(cuMemsetD8(place.written, 0xff, sizeof(cuuint32_t)));
    return place;
}

static inline CUmemDecompressParams entry_of(const struct place *place,
                                             CUmemDecompressAlgorithm algorithm, size_t told_bytes)
{
    return (CUmemDecompressParams){
        .srcNumBytes = place->source_bytes,
        .dstNumBytes = told_bytes,
        .dstActBytes = (cuuint32_t *)(uintptr_t)place->written,
        .src = (const void *)(uintptr_t)place->source,
        .dst = (void *)(uintptr_t)place->destination,
        .algo = algorithm,
    };
}

static inline size_t written_bytes(const struct place *place)
{
    cuuint32_t bytes;

    check_success(cuMemcpyDtoH(&bytes, place->written, sizeof(bytes)));
    return bytes;
}

#endif
