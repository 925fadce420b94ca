/* SPDX-License-Identifier: MIT */
/* The prototypes are declared here, so that building needs no headers of the libraries; these
 * interfaces have not changed since the libraries exist.
 *
 * The libraries may write anywhere in the destination size that they are given, also after the end
 * of the decompressed data. Where that is not allowed they write to a buffer, from which the valid
 * bytes are copied. Snappy is an exception: it knows the length in advance and does not exceed
 * it. */
#include "memory/decompress_libraries.h"

#include "core/compiler.h"
#include "core/log.h"
#include "os/dynlib.h"
#include "os/guard.h"
#include "os/mutex.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = 3, SPARE_DECOMPRESSORS = 16, SNAPPY_LENGTH_BYTES_MAX = 5 };

struct libdeflate_decompressor;

enum { LIBDEFLATE_SUCCESS = 0, LIBDEFLATE_INSUFFICIENT_SPACE = 3 };

static struct {
    struct libdeflate_decompressor *(*create)(void);
    int (*decompress)(struct libdeflate_decompressor *decompressor, const void *in, size_t in_bytes,
                      void *out, size_t out_room, size_t *out_bytes);
    void (*destroy)(struct libdeflate_decompressor *decompressor);
} deflate;

static struct {
    int (*length)(const char *in, size_t in_bytes, size_t *out_bytes);
    int (*validate)(const char *in, size_t in_bytes);
    int (*decompress)(const char *in, size_t in_bytes, char *out, size_t *out_bytes);
} snappy;

static struct {
    int (*decompress)(const char *in, char *out, int in_bytes, int out_room);
} lz4;

enum library_state { NOT_TRIED, LOADED, MISSING };

static struct library {
    CUmemDecompressAlgorithm algorithm;
    const char *title, *file, *package;
    struct cup_dynlib_symbol symbols[SYMBOLS_MAX];
    size_t symbol_count;
    _Atomic(enum library_state) state;
} libraries[] = {
    {CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE,
     "Deflate",
     "libdeflate.so.0",
     "libdeflate0",
     {{"libdeflate_alloc_decompressor", &deflate.create},
      {"libdeflate_deflate_decompress", &deflate.decompress},
      {"libdeflate_free_decompressor", &deflate.destroy}},
     3,
     NOT_TRIED},
    {CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY,
     "Snappy",
     "libsnappy.so.1",
     "libsnappy1v5",
     {{"snappy_uncompressed_length", &snappy.length},
      {"snappy_validate_compressed_buffer", &snappy.validate},
      {"snappy_uncompress", &snappy.decompress}},
     3,
     NOT_TRIED},
    {CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
     "LZ4",
     "liblz4.so.1",
     "liblz4-1",
     {{"LZ4_decompress_safe", &lz4.decompress}},
     1,
     NOT_TRIED},
};

/* Leaf mutex: guards loading the decompression libraries. */
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;

static struct library *find_library(CUmemDecompressAlgorithm algorithm)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(libraries); i++) {
        if (libraries[i].algorithm == algorithm)
            return &libraries[i];
    }
    return NULL;
}

bool cup_unpack_knows(CUmemDecompressAlgorithm algorithm)
{
    return find_library(algorithm) != NULL;
}

static enum library_state load_locked(struct library *library)
{
    cup_mutex_assert_held(&load_lock);
    void *handle = cup_dynlib_open(library->file, CUP_DYNLIB_LOAD);

    if (handle && cup_dynlib_resolve(handle, library->symbols, library->symbol_count))
        return LOADED;
    const char *why = dlerror();
    cup_log(CUP_LOG_ERROR, "%s cannot be decompressed without %s; install the package %s (%s)",
            library->title, library->file, library->package, why ? why : "unknown reason");
    return MISSING;
}

bool cup_unpack_load(CUmemDecompressAlgorithm algorithm)
{
    struct library *library = find_library(algorithm);

    if (!library)
        return false;
    if (atomic_load(&library->state) == NOT_TRIED) {
        pthread_mutex_lock(&load_lock);
        if (atomic_load(&library->state) == NOT_TRIED)
            atomic_store(&library->state, load_locked(library));
        pthread_mutex_unlock(&load_lock);
    }
    return atomic_load(&library->state) == LOADED;
}

/* One call of a library. */
struct call {
    const char *from;
    size_t from_bytes;
    char *to;
    size_t room_bytes;
    bool exact_end;
    struct libdeflate_decompressor *decompressor;
    size_t length_bytes; /* snappy's leading length */
    size_t written_bytes;
    enum cup_unpack_result result;
};

static enum cup_unpack_result run_guarded(void (*action)(void *argument), struct call *call)
{
    return cup_guard_run(action, call) ? call->result : CUP_UNPACK_FAULT;
}

static void copy_body(void *argument)
{
    struct call *call = argument;

    memcpy(call->to, call->from, call->from_bytes);
    call->result = CUP_UNPACK_DONE;
}

/* Decompressors are cached for the next stream of bytes. */
static _Atomic(struct libdeflate_decompressor *) spare[SPARE_DECOMPRESSORS];

static struct libdeflate_decompressor *take_decompressor(void)
{
    for (size_t i = 0; i < SPARE_DECOMPRESSORS; i++) {
        struct libdeflate_decompressor *taken = atomic_load(&spare[i]);

        if (taken && (taken = atomic_exchange(&spare[i], NULL)))
            return taken;
    }
    return deflate.create();
}

static void give_decompressor(struct libdeflate_decompressor *decompressor)
{
    for (size_t i = 0; i < SPARE_DECOMPRESSORS; i++) {
        struct libdeflate_decompressor *nobody = NULL;

        if (atomic_compare_exchange_strong(&spare[i], &nobody, decompressor))
            return;
    }
    deflate.destroy(decompressor);
}

static void deflate_body(void *argument)
{
    struct call *call = argument;
    int status = deflate.decompress(call->decompressor, call->from, call->from_bytes, call->to,
                                    call->room_bytes, &call->written_bytes);

    call->result = status == LIBDEFLATE_SUCCESS              ? CUP_UNPACK_DONE
                   : status == LIBDEFLATE_INSUFFICIENT_SPACE ? CUP_UNPACK_TOO_LARGE
                                                             : CUP_UNPACK_CORRUPT;
}

static enum cup_unpack_result unpack_deflate(struct call *call)
{
    call->decompressor = take_decompressor();
    if (!call->decompressor)
        return CUP_UNPACK_NO_MEMORY;
    enum cup_unpack_result result = run_guarded(deflate_body, call);
    if (result == CUP_UNPACK_FAULT)
        deflate.destroy(call->decompressor); /* abandoned in whatever state it was */
    else
        give_decompressor(call->decompressor);
    return result;
}

static void lz4_body(void *argument)
{
    struct call *call = argument;
    int room = call->room_bytes < INT_MAX ? (int)call->room_bytes : INT_MAX;
    int written = call->from_bytes <= INT_MAX
                      ? lz4.decompress(call->from, call->to, (int)call->from_bytes, room)
                      : -1;

    call->written_bytes = written < 0 ? 0 : (size_t)written;
    call->result = written < 0 ? CUP_UNPACK_CORRUPT : CUP_UNPACK_DONE;
}

static enum cup_unpack_result unpack_lz4(struct call *call)
{
    return run_guarded(lz4_body, call);
}

/* Reads a block with its leading length. If nothing may be written after the end, the block is
 * validated first, because a wrong length would make the library write too far. */
static void snappy_body(void *argument)
{
    struct call *call = argument;

    call->result = CUP_UNPACK_CORRUPT;
    if (snappy.length(call->from, call->from_bytes, &call->length_bytes) != 0) {
        call->length_bytes = 0;
        return;
    }
    if (call->length_bytes > call->room_bytes) {
        call->result = CUP_UNPACK_TOO_LARGE;
        return;
    }
    if (call->exact_end && snappy.validate(call->from, call->from_bytes) != 0)
        return;
    call->written_bytes = call->room_bytes;
    if (snappy.decompress(call->from, call->from_bytes, call->to, &call->written_bytes) == 0)
        call->result = CUP_UNPACK_DONE;
}

/* Adds up the lengths of a block's elements. An element is a tag byte with kind and length, up to
 * four bytes of length or distance, and for a literal the data. Returns false if the last element
 * does not end where the block does. */
static bool snappy_measure(const unsigned char *at, size_t left, size_t *total_bytes)
{
    size_t total = 0;

    while (left > 0) {
        unsigned tag = *at++;
        size_t length = (tag >> 2) + 1, skip = 0;

        left--;
        switch (tag & 3) {
        case 0:
            if (length > 60) {
                size_t extra = length - 60, value = 0;

                if (extra > left)
                    return false;
                for (size_t i = 0; i < extra; i++)
                    value |= (size_t)at[i] << (8 * i);
                at += extra;
                left -= extra;
                length = value + 1;
            }
            skip = length;
            break;
        case 1:
            length = (tag >> 2 & 7) + 4;
            skip = 1;
            break;
        default:
            skip = (tag & 3) == 2 ? 2 : 4;
        }
        if (skip > left)
            return false;
        at += skip;
        left -= skip;
        total += length;
    }
    *total_bytes = total;
    return true;
}

static void measure_body(void *argument)
{
    struct call *call = argument;
    bool whole =
        snappy_measure((const unsigned char *)call->from, call->from_bytes, &call->written_bytes);

    call->result = !whole                                   ? CUP_UNPACK_CORRUPT
                   : call->written_bytes > call->room_bytes ? CUP_UNPACK_TOO_LARGE
                   : call->written_bytes > UINT32_MAX       ? CUP_UNPACK_CORRUPT
                                                            : CUP_UNPACK_DONE;
}

static size_t put_snappy_length(char *to, size_t length)
{
    size_t count = 0;

    for (; length > 127; length >>= 7)
        to[count++] = (char)(128 | (length & 127));
    to[count++] = (char)length;
    return count;
}

/* Reads a block without a length. The library needs one, so the block is copied to a buffer after a
 * length of our own. */
static enum cup_unpack_result unpack_bare_snappy(struct call *call)
{
    struct call measured = *call;
    enum cup_unpack_result result = run_guarded(measure_body, &measured);

    if (result != CUP_UNPACK_DONE)
        return result;
    char *block = malloc(SNAPPY_LENGTH_BYTES_MAX + call->from_bytes);
    if (!block)
        return CUP_UNPACK_NO_MEMORY;
    size_t head_bytes = put_snappy_length(block, measured.written_bytes);
    struct call fetch = {
        .from = call->from, .from_bytes = call->from_bytes, .to = block + head_bytes};
    result = run_guarded(copy_body, &fetch);
    if (result == CUP_UNPACK_DONE) {
        call->from = block;
        call->from_bytes += head_bytes;
        result = run_guarded(snappy_body, call);
    }
    free(block);
    return result;
}

/* A destination of exactly the leading length shows that it is a length. A block that then fails is
 * corrupt; it is not retried as one without a length. */
static enum cup_unpack_result unpack_private_snappy(struct call *call)
{
    enum cup_unpack_result result = run_guarded(snappy_body, call);

    if (result != CUP_UNPACK_CORRUPT && result != CUP_UNPACK_TOO_LARGE)
        return result;
    struct call bare = *call;
    enum cup_unpack_result bare_result = unpack_bare_snappy(&bare);
    if (bare_result == CUP_UNPACK_CORRUPT || bare_result == CUP_UNPACK_TOO_LARGE ||
        (!call->exact_end && call->length_bytes == call->room_bytes &&
         bare.written_bytes != call->room_bytes))
        return result;
    call->written_bytes = bare.written_bytes;
    return bare_result;
}

/* Snappy reads the leading length twice and writes as many bytes as the second read says. It gets a
 * private copy of the block, so that the length cannot change in between. */
static enum cup_unpack_result unpack_snappy(struct call *call)
{
    struct call inner = *call;
    char *block = malloc(call->from_bytes);

    if (!block)
        return CUP_UNPACK_NO_MEMORY;
    struct call fetch = {.from = call->from, .from_bytes = call->from_bytes, .to = block};
    enum cup_unpack_result result = run_guarded(copy_body, &fetch);
    if (result == CUP_UNPACK_DONE) {
        inner.from = block;
        result = unpack_private_snappy(&inner);
        call->written_bytes = inner.written_bytes;
    }
    free(block);
    return result;
}

/* Decompresses through a buffer, so that bytes after the end stay unchanged. */
static enum cup_unpack_result unpack_buffered(enum cup_unpack_result (*unpack)(struct call *call),
                                              struct call *call)
{
    struct call inner = *call;

    inner.to = malloc(call->room_bytes);
    if (!inner.to)
        return CUP_UNPACK_NO_MEMORY;
    enum cup_unpack_result result = unpack(&inner);
    if (result == CUP_UNPACK_DONE) {
        struct call copy = {.from = inner.to, .from_bytes = inner.written_bytes, .to = call->to};

        call->written_bytes = inner.written_bytes;
        result = run_guarded(copy_body, &copy);
    }
    free(inner.to);
    return result;
}

enum cup_unpack_result cup_unpack(const struct cup_packed *packed, size_t *written_bytes)
{
    struct call call = {
        .from = packed->source,
        .from_bytes = packed->source_bytes,
        .to = packed->destination,
        .room_bytes = packed->room_bytes,
        .exact_end = packed->exact_end,
    };
    enum cup_unpack_result result;

    if (packed->algorithm == CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY)
        result = unpack_snappy(&call);
    else {
        enum cup_unpack_result (*unpack)(struct call *) =
            packed->algorithm == CU_MEM_DECOMPRESS_ALGORITHM_LZ4 ? unpack_lz4 : unpack_deflate;
        result = packed->exact_end ? unpack_buffered(unpack, &call) : unpack(&call);
    }
    *written_bytes = result == CUP_UNPACK_DONE ? call.written_bytes : 0;
    return result;
}
