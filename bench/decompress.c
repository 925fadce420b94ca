/* SPDX-License-Identifier: MIT */
/* A batch of decompressions against the library itself, called by as many threads as there are
 * processors. The library also packs the data, text of made-up words, before anything is timed. */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES = 64,
    PLAIN_BYTES = 256 << 10,
    ROOM_BYTES = 2 * PLAIN_BYTES, /* for what is packed, whatever it is */
    WORDS = 4096,
    WORD_BYTES_MAX = 12,
    LEVEL = 6,
};

/* As their headers have them. */
static struct {
    void *(*make_packer)(int level);
    size_t (*deflate)(void *packer, const void *in, size_t in_bytes, void *out, size_t room);
    void *(*make_unpacker)(void);
    int (*inflate)(void *unpacker, const void *in, size_t in_bytes, void *out, size_t room,
                   size_t *out_bytes);
} deflate;

static struct {
    int (*pack)(const char *in, size_t in_bytes, char *out, size_t *out_bytes);
    int (*unpack)(const char *in, size_t in_bytes, char *out, size_t *out_bytes);
} snappy;

static struct {
    int (*pack)(const char *in, char *out, int in_bytes, int room);
    int (*unpack)(const char *in, char *out, int in_bytes, int room);
} lz4;

static size_t deflate_pack(const char *in, char *out)
{
    static void *packer;

    if (!packer)
        packer = deflate.make_packer(LEVEL);
    return deflate.deflate(packer, in, PLAIN_BYTES, out, ROOM_BYTES);
}

static size_t deflate_unpack(const char *in, size_t in_bytes, char *out)
{
    static _Thread_local void *unpacker;
    size_t out_bytes = 0;

    if (!unpacker)
        unpacker = deflate.make_unpacker();
    deflate.inflate(unpacker, in, in_bytes, out, PLAIN_BYTES, &out_bytes);
    return out_bytes;
}

static size_t snappy_pack(const char *in, char *out)
{
    size_t out_bytes = ROOM_BYTES;

    return snappy.pack(in, PLAIN_BYTES, out, &out_bytes) == 0 ? out_bytes : 0;
}

static size_t snappy_unpack(const char *in, size_t in_bytes, char *out)
{
    size_t out_bytes = PLAIN_BYTES;

    return snappy.unpack(in, in_bytes, out, &out_bytes) == 0 ? out_bytes : 0;
}

static size_t lz4_pack(const char *in, char *out)
{
    return (size_t)lz4.pack(in, out, PLAIN_BYTES, ROOM_BYTES);
}

static size_t lz4_unpack(const char *in, size_t in_bytes, char *out)
{
    return (size_t)lz4.unpack(in, out, (int)in_bytes, PLAIN_BYTES);
}

static const struct method {
    CUmemDecompressAlgorithm algorithm;
    const char *file;
    size_t (*pack)(const char *in, char *out); /* 0 when it fails, as below */
    size_t (*unpack)(const char *in, size_t in_bytes, char *out);
    struct {
        const char *name;
        void *slot;
    } symbols[4];
} methods[] = {
    {CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE,
     "libdeflate.so.0",
     deflate_pack,
     deflate_unpack,
     {{"libdeflate_alloc_compressor", &deflate.make_packer},
      {"libdeflate_deflate_compress", &deflate.deflate},
      {"libdeflate_alloc_decompressor", &deflate.make_unpacker},
      {"libdeflate_deflate_decompress", &deflate.inflate}}},
    {CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY,
     "libsnappy.so.1",
     snappy_pack,
     snappy_unpack,
     {{"snappy_compress", &snappy.pack}, {"snappy_uncompress", &snappy.unpack}}},
    {CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
     "liblz4.so.1",
     lz4_pack,
     lz4_unpack,
     {{"LZ4_compress_default", &lz4.pack}, {"LZ4_decompress_safe", &lz4.unpack}}},
};

static const struct method *method;
static struct {
    char *plain, *packed, *out;
    size_t bytes;
} host[ENTRIES];
static CUmemDecompressParams entries[ENTRIES];
static CUstream stream;

static bool load(void)
{
    void *library = dlopen(method->file, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < 4 && method->symbols[i].name; i++) {
        void *address = dlsym(library, method->symbols[i].name);

        if (!address)
            return false;
        memcpy(method->symbols[i].slot, &address, sizeof(address));
    }
    return library != NULL;
}

static bool device_knows(void)
{
    int mask = 0;

    return cuDeviceGetAttribute(&mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0) ==
               CUDA_SUCCESS &&
           mask & (int)method->algorithm;
}

/* A few words come often and many rarely, as in a language. */
static void write_text(char *to, uint64_t *random)
{
    for (size_t at = 0; at < PLAIN_BYTES;) {
        uint64_t drawn = bench_random(random);
        uint64_t word = (drawn % WORDS) * (drawn >> 32 & 0xffff) >> 16;
        size_t length = 2 + word * 7919 % (WORD_BYTES_MAX - 1);

        for (size_t i = 0; i < length && at < PLAIN_BYTES; i++)
            to[at++] = (char)('a' + (word + 1) * (i * i + 17) % 26);
        if (at < PLAIN_BYTES)
            to[at++] = ' ';
    }
}

static char *touched(size_t bytes)
{
    char *memory = malloc(bytes);

    if (!memory)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    memset(memory, 1, bytes);
    return memory;
}

static void entry_create(size_t i, uint64_t *random)
{
    CUdeviceptr from, to, written;

    host[i].plain = touched(PLAIN_BYTES);
    host[i].packed = touched(ROOM_BYTES);
    host[i].out = touched(PLAIN_BYTES);
    write_text(host[i].plain, random);
    host[i].bytes = method->pack(host[i].plain, host[i].packed);
    must(cuMemAlloc(&from, host[i].bytes));
    must(cuMemAlloc(&to, PLAIN_BYTES));
    must(cuMemAlloc(&written, sizeof(cuuint32_t)));
    must(cuMemcpyHtoD(from, host[i].packed, host[i].bytes));
    must(cuMemsetD8(to, 1, PLAIN_BYTES));
    entries[i] = (CUmemDecompressParams){
        .srcNumBytes = host[i].bytes,
        .dstNumBytes = PLAIN_BYTES,
        .dstActBytes = (cuuint32_t *)(uintptr_t)written,
        .src = (const void *)(uintptr_t)from,
        .dst = (void *)(uintptr_t)to,
        .algo = method->algorithm,
    };
}

static void entry_destroy(size_t i)
{
    must(cuMemFree((CUdeviceptr)(uintptr_t)entries[i].src));
    must(cuMemFree((CUdeviceptr)(uintptr_t)entries[i].dst));
    must(cuMemFree((CUdeviceptr)(uintptr_t)entries[i].dstActBytes));
    free(host[i].out);
    free(host[i].packed);
    free(host[i].plain);
}

static void unpack_share(unsigned index, unsigned count)
{
    for (size_t i = index; i < ENTRIES; i += count) {
        if (method->unpack(host[i].packed, host[i].bytes, host[i].out) != PLAIN_BYTES)
            bench_fail(CUDA_ERROR_UNKNOWN, method->file);
    }
}

static void unpack_batch(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemBatchDecompressAsync(entries, ENTRIES, 0, NULL, stream));
    must(cuStreamSynchronize(stream));
}

static void check_unpacked(size_t i)
{
    must(cuMemcpyDtoH(host[i].out, (CUdeviceptr)(uintptr_t)entries[i].dst, PLAIN_BYTES));
    if (memcmp(host[i].out, host[i].plain, PLAIN_BYTES) != 0)
        bench_fail(CUDA_ERROR_UNKNOWN, "cuMemBatchDecompressAsync");
}

static struct bench_result measure(const struct bench_row *row)
{
    struct bench_result result = {0};
    uint64_t random = 0x9e3779b97f4a7c15u;

    method = &methods[row->bytes];
    if (!load() || !device_knows()) {
        snprintf(result.note, sizeof(result.note), "no %s, or the device does not know it",
                 method->file);
        return result;
    }
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (size_t i = 0; i < ENTRIES; i++)
        entry_create(i, &random);
    bench_team_start(unpack_share);
    result = bench_long((struct bench_side){unpack_batch, NULL},
                        (struct bench_side){bench_team_turn, NULL});
    bench_team_end();
    for (size_t i = 0; i < ENTRIES; i++) {
        check_unpacked(i);
        entry_destroy(i);
    }
    must(cuStreamDestroy(stream));
    double bytes = (double)ENTRIES * PLAIN_BYTES;
    result.subject = bytes / result.subject;
    result.reference = bytes / result.reference;
    return result;
}

/* `bytes` is the place among the methods. */
#define AGAINST(what)                                                                              \
    .reference = (what), .unit = BENCH_GB_A_SECOND, .goal = BENCH_RATIO_AT_LEAST, .limit = 0.95,   \
    .measure = measure

const struct bench_row bench_decompress_rows[] = {
    {"decompress Deflate 64 x 256 KiB", AGAINST("libdeflate"), .bytes = 0},
    {"decompress Snappy 64 x 256 KiB", AGAINST("snappy"), .bytes = 1},
    {"decompress LZ4 64 x 256 KiB", AGAINST("lz4"), .bytes = 2},
    {.name = NULL},
};
