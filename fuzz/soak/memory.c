/* SPDX-License-Identifier: MIT */
/* Memory that moves: managed memory that is advised, prefetched and touched by the host, memory
 * mapped to tiles of sparse arrays, virtual memory with several views, and compressed streams. */
#include "soak.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void soak_managed(void)
{
    enum { STEPS = 12 };
    size_t bytes = draw_size(one_in(10) ? 3 << 20 : 200000);
    unsigned char *model = room(bytes), *memory;
    CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, soak->device},
                  host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUdeviceptr at;
    CUstream stream;

    must(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    must(cuMemAllocManaged(&at, bytes, CU_MEM_ATTACH_GLOBAL));
    memory = (unsigned char *)(uintptr_t)at;
    fill(model, bytes, draw(1 << 30));
    memcpy(memory, model, bytes);
    for (unsigned i = 0; i < STEPS; i++) {
        size_t count = 1 + draw(bytes), from = draw(bytes - count + 1);
        unsigned char value = (unsigned char)draw(256);

        switch (draw(6)) {
        case 0:
            must(cuMemPrefetchAsync(at, bytes, one_in(2) ? place : host, 0, stream));
            break;
        case 1:
            must(cuMemAdvise(at, bytes,
                             one_in(2) ? CU_MEM_ADVISE_SET_READ_MOSTLY
                                       : CU_MEM_ADVISE_UNSET_READ_MOSTLY,
                             place));
            break;
        case 2:
            must(cuMemAdvise(at, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
                             one_in(2) ? place : host));
            break;
        case 3:
            must(cuMemsetD8Async(at + from, value, count, stream));
            memset(model + from, value, count);
            break;
        case 4:
            must(cuStreamAttachMemAsync(stream, at, 0,
                                        one_in(2) ? CU_MEM_ATTACH_GLOBAL : CU_MEM_ATTACH_SINGLE));
            break;
        default:
            must(cuStreamSynchronize(stream));
            memset(memory + from, value, count);
            memset(model + from, value, count);
        }
    }
    must(cuStreamSynchronize(stream));
    same(memory, model, bytes, "managed memory");
    must(cuMemFree(at));
    must(cuStreamDestroy(stream));
    free(model);
}

/* Tiles of 128 x 128 words, mapped to pages of a pool; what is not mapped reads as zero. */
enum { TILE_SIDE = 128, TILE_BYTES = TILE_SIDE * TILE_SIDE * 4, SIDE = 256 };

static void map_tile(CUarray array, unsigned tile, CUmemGenericAllocationHandle memory,
                     unsigned page)
{
    CUarrayMapInfo info = {
        .resourceType = CU_RESOURCE_TYPE_ARRAY,
        .resource.array = array,
        .subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
        .subresource.sparseLevel = {0, 0, tile % 2 * TILE_SIDE, tile / 2 * TILE_SIDE, 0, TILE_SIDE,
                                    TILE_SIDE, 1},
        .memOperationType = memory ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP,
        .memHandleType = CU_MEM_HANDLE_TYPE_GENERIC,
        .memHandle.memHandle = memory,
        .offset = (unsigned long long)page * TILE_BYTES,
        .deviceBitMask = 1u << soak->device,
    };

    must(cuMemMapArrayAsync(&info, 1, NULL));
}

static void clear_tile(uint32_t *model, unsigned tile)
{
    for (unsigned y = 0; y < TILE_SIDE; y++)
        memset(model + (tile / 2 * TILE_SIDE + y) * SIDE + tile % 2 * TILE_SIDE, 0, TILE_SIDE * 4);
}

void soak_sparse(void)
{
    enum { TILES = 4, BYTES = SIDE * SIDE * 4 };
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        SIDE, SIDE, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SPARSE};
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = soak->device},
        .allocFlags = {.usage = CU_MEM_CREATE_USAGE_TILE_POOL},
    };
    uint32_t *model = room(BYTES), *came = room(BYTES);
    CUmemGenericAllocationHandle memory;
    bool mapped[TILES];
    CUarray array;

    must(cuArray3DCreate(&array, &shape));
    must(cuMemCreate(&memory, 2 << 20, &properties, 0));
    fill(model, BYTES, draw(1 << 30));
    for (unsigned tile = 0; tile < TILES; tile++) {
        mapped[tile] = !one_in(4);
        if (mapped[tile])
            map_tile(array, tile, memory, 3 * tile);
    }
    CUDA_MEMCPY2D in = whole_array(array, model, SIDE * 4, SIDE, true),
                  out = whole_array(array, came, SIDE * 4, SIDE, false);
    must(cuMemcpy2D(&in));
    for (unsigned tile = 0; tile < TILES; tile++) {
        if (mapped[tile] && one_in(4)) {
            map_tile(array, tile, 0, 0); /* the bytes stay with the memory */
            if (one_in(2))
                map_tile(array, tile, memory, 3 * tile);
            else
                mapped[tile] = false;
        }
        if (!mapped[tile])
            clear_tile(model, tile);
    }
    must(cuMemcpy2D(&out));
    same(came, model, BYTES, "a sparse array");
    for (unsigned tile = 0; tile < TILES; tile++) {
        if (mapped[tile])
            map_tile(array, tile, 0, 0);
    }
    must(cuCtxSynchronize());
    must(cuArrayDestroy(array));
    must(cuMemRelease(memory));
    free(model);
    free(came);
}

/* Reserved addresses, with memory mapped at some of them, twice at others. */
void soak_virtual(void)
{
    enum { UNITS = 6, MEMORIES = 3, UNIT = 2 << 20, LOOK = 70000 };
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = soak->device},
    };
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memories[MEMORIES];
    unsigned char *models[MEMORIES], *came = room(LOOK);
    unsigned what[UNITS];
    CUdeviceptr space;

    must(cuMemAddressReserve(&space, UNITS * (size_t)UNIT, 0, 0, 0));
    for (unsigned i = 0; i < MEMORIES; i++) {
        must(cuMemCreate(&memories[i], UNIT, &properties, 0));
        if (one_in(3)) { /* the same memory, by way of a descriptor */
            CUmemGenericAllocationHandle imported;
            int fd;

            must(cuMemExportToShareableHandle(&fd, memories[i],
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
            must(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
            close(fd);
            must(cuMemRelease(memories[i]));
            memories[i] = imported;
        }
        models[i] = room(LOOK);
    }
    for (unsigned unit = 0; unit < UNITS; unit++) {
        what[unit] = unit < MEMORIES ? unit : (unsigned)draw(MEMORIES);
        must(cuMemMap(space + unit * (size_t)UNIT, UNIT, 0, memories[what[unit]], 0));
    }
    must(cuMemSetAccess(space, UNITS * (size_t)UNIT, &access, 1));
    for (unsigned i = 0; i < MEMORIES; i++) {
        fill(models[i], LOOK, draw(1 << 30));
        must(cuMemcpyHtoD(space + i * (size_t)UNIT, models[i], LOOK));
    }
    for (unsigned i = 0; i < 8; i++) {
        unsigned unit = (unsigned)draw(UNITS);
        size_t count = 1 + draw(LOOK), at = draw(LOOK - count + 1);
        unsigned char value = (unsigned char)draw(256);

        must(cuMemsetD8(space + unit * (size_t)UNIT + at, value, count));
        memset(models[what[unit]] + at, value, count);
    }
    must(cuCtxSynchronize());
    for (unsigned unit = 0; unit < UNITS; unit++) {
        must(cuMemcpyDtoH(came, space + unit * (size_t)UNIT, LOOK));
        same(came, models[what[unit]], LOOK, "a view of memory");
        must(cuMemUnmap(space + unit * (size_t)UNIT, UNIT));
    }
    for (unsigned i = 0; i < MEMORIES; i++) {
        must(cuMemRelease(memories[i]));
        free(models[i]);
    }
    must(cuMemAddressFree(space, UNITS * (size_t)UNIT));
    free(came);
}

/* Bytes as they are, in the frame of each format: what a compressor does with noise. */
static size_t pack_lz4(unsigned char *to, const unsigned char *from, size_t count)
{
    unsigned char *start = to;
    size_t rest = count;

    *to++ = (unsigned char)((rest < 15 ? rest : 15) << 4);
    if (rest >= 15) {
        for (rest -= 15; rest >= 255; rest -= 255)
            *to++ = 255;
        *to++ = (unsigned char)rest;
    }
    memcpy(to, from, count);
    return (size_t)(to - start) + count;
}

static size_t pack_deflate(unsigned char *to, const unsigned char *from, size_t count)
{
    unsigned char *start = to;

    while (count) {
        size_t piece = count < 65535 ? count : 65535;
        *to++ = piece == count;
        *to++ = (unsigned char)piece;
        *to++ = (unsigned char)(piece >> 8);
        *to++ = (unsigned char)~piece;
        *to++ = (unsigned char)(~piece >> 8);
        memcpy(to, from, piece);
        to += piece;
        from += piece;
        count -= piece;
    }
    return (size_t)(to - start);
}

/* The device's engine is libraries, which may not be here. */
static bool is_able(void)
{
    const int wanted = CU_MEM_DECOMPRESS_ALGORITHM_LZ4 | CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE;
    void *lz4 = dlopen("liblz4.so.1", RTLD_LAZY), *deflate = dlopen("libdeflate.so.0", RTLD_LAZY);
    bool here = lz4 && deflate;
    int mask;

    if (lz4)
        dlclose(lz4);
    if (deflate)
        dlclose(deflate);
    must(cuDeviceGetAttribute(&mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK,
                              soak->device));
    return here && (mask & wanted) == wanted;
}

void soak_decompress(void)
{
    enum { PIECES = 4 };
    CUmemDecompressParams entries[PIECES] = {0};
    size_t bytes = draw_size(100000), room_bytes = bytes + bytes / 200 + 64;
    unsigned char *plain[PIECES], *packed = room(room_bytes), *came = room(bytes);
    cuuint32_t written[PIECES];
    CUdeviceptr counts;
    bool able = is_able();

    must(cuMemAlloc(&counts, sizeof(written)));
    for (unsigned i = 0; i < PIECES; i++) {
        bool lz4 = one_in(2);
        CUdeviceptr source, target;

        plain[i] = room(bytes);
        fill(plain[i], bytes, draw(1 << 30));
        entries[i].algo =
            lz4 ? CU_MEM_DECOMPRESS_ALGORITHM_LZ4 : CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE;
        entries[i].srcNumBytes =
            lz4 ? pack_lz4(packed, plain[i], bytes) : pack_deflate(packed, plain[i], bytes);
        must(cuMemAlloc(&source, room_bytes));
        must(cuMemAlloc(&target, bytes));
        must(cuMemcpyHtoD(source, packed, entries[i].srcNumBytes));
        entries[i].src = (void *)(uintptr_t)source;
        entries[i].dst = (void *)(uintptr_t)target;
        entries[i].dstNumBytes = bytes;
        entries[i].dstActBytes = (cuuint32_t *)(uintptr_t)counts + i;
    }
    if (able)
        must(cuMemBatchDecompressAsync(entries, PIECES, 0, NULL, NULL));
    must(cuMemcpyDtoH(written, counts, sizeof(written)));
    for (unsigned i = 0; i < PIECES; i++) {
        if (able) {
            must_be(written[i] == bytes);
            must(cuMemcpyDtoH(came, address_of(entries[i].dst), bytes));
            same(came, plain[i], bytes, "what came out of a compressed stream");
        }
        must(cuMemFree(address_of(entries[i].src)));
        must(cuMemFree(address_of(entries[i].dst)));
        free(plain[i]);
    }
    must(cuMemFree(counts));
    free(packed);
    free(came);
}
