/* SPDX-License-Identifier: MIT */
/* Fuzzes decompression: whatever the stream is, nothing is touched outside the source and the
 * destination.
 *
 * Both end at a page that nobody may touch, so that a byte too many is a fault, which cup_unpack
 * answers and this program dies of. Before the destination lie bytes that are looked at afterwards.
 * Where nothing may be written behind the data that comes out, the room behind it is looked at,
 * too.
 *
 * An input is a byte that chooses (algorithm, whether the room is exact), two bytes of room, and
 * the stream. The corpus begins with streams that are good. */
#include "memory/decompress_libraries.h"
#include "os/guard.h"
#include "packed_text.h"
#include "os/upcalls.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void ignore_fault(uint64_t address)
{
    (void)address;
}

const struct cup_os_upcalls cup_os_upcalls = {ignore_fault};

enum {
    PAGE_BYTES = 65536, /* or a part of it: no system has larger ones that matters here */
    HEAD_BYTES = 3,
    STREAM_BYTES_MAX = 1 << 16,
    ROOM_BYTES_MAX = 1 << 16,
    MARGIN_BYTES = 64,
    FILLING = 0xa5,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const CUmemDecompressAlgorithm algorithms[] = {CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE,
                                                      CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY,
                                                      CU_MEM_DECOMPRESS_ALGORITHM_LZ4};
enum { ALGORITHM_COUNT = 3 };

static void die(const char *why)
{
    fprintf(stderr, "fuzz_decompress: %s\n", why);
    abort();
}

/* Memory that ends at the address answered, at a page that nobody may touch. */
static unsigned char *fenced_end(size_t bytes)
{
    size_t whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    unsigned char *pages =
        mmap(NULL, whole + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED || mprotect(pages + whole, PAGE_BYTES, PROT_NONE) != 0)
        die("no memory");
    return pages + whole;
}

static void check_filled(const unsigned char *at, size_t bytes, const char *where)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != FILLING)
            die(where);
    }
}

static void unpack_one(unsigned choice, size_t room_bytes, const uint8_t *stream, size_t size)
{
    static unsigned char *source_end, *destination_end;

    if (!source_end) {
        cup_guard_install();
        source_end = fenced_end(STREAM_BYTES_MAX);
        destination_end = fenced_end(ROOM_BYTES_MAX + MARGIN_BYTES);
    }
    struct cup_packed packed = {
        .algorithm = algorithms[choice % ALGORITHM_COUNT],
        .source = source_end - size,
        .source_bytes = size,
        .destination = destination_end - room_bytes,
        .room_bytes = room_bytes,
        .exact_end = choice / ALGORITHM_COUNT % 2,
    };
    unsigned char *destination = packed.destination;
    size_t written_bytes;

    if (!cup_unpack_load(packed.algorithm))
        return;
    memcpy(source_end - size, stream, size);
    memset(destination - MARGIN_BYTES, FILLING, MARGIN_BYTES + room_bytes);
    enum cup_unpack_result result = cup_unpack(&packed, &written_bytes);
    if (result == CUP_UNPACK_FAULT)
        die("memory outside was touched");
    if (written_bytes > room_bytes || (result != CUP_UNPACK_DONE && written_bytes != 0))
        die("a wrong length");
    if (memcmp(source_end - size, stream, size) != 0)
        die("the source was written to");
    check_filled(destination - MARGIN_BYTES, MARGIN_BYTES, "written before the destination");
    if (packed.exact_end)
        check_filled(destination + written_bytes, room_bytes - written_bytes,
                     "written behind the end");
}

static const struct {
    unsigned algorithm;
    const unsigned char *stream;
    size_t bytes;
} valid[] = {
    {0, packed_deflate_dynamic, sizeof(packed_deflate_dynamic)},
    {0, packed_deflate_fixed, sizeof(packed_deflate_fixed)},
    {1, packed_snappy, sizeof(packed_snappy)},
    {1, packed_snappy + 2, sizeof(packed_snappy) - 2},
    {2, packed_lz4, sizeof(packed_lz4)},
};
enum { VALID_COUNT = sizeof(valid) / sizeof(valid[0]), SKIPPED_STATUS = 77 };

/* Good streams are decompressed, so that what was mutated is known to begin at something that
 * works. */
static void check_valid(void)
{
    char plain[PLAIN_BYTES + 1], got[PLAIN_BYTES];
    size_t written_bytes;

    plain_text(plain);
    for (size_t i = 0; i < VALID_COUNT; i++) {
        struct cup_packed packed = {algorithms[valid[i].algorithm],
                                    valid[i].stream,
                                    valid[i].bytes,
                                    got,
                                    PLAIN_BYTES,
                                    i % 2};

        if (!cup_unpack_load(packed.algorithm))
            exit(SKIPPED_STATUS); /* the log has said why */
        if (cup_unpack(&packed, &written_bytes) != CUP_UNPACK_DONE ||
            written_bytes != PLAIN_BYTES || memcmp(got, plain, PLAIN_BYTES) != 0)
            die("a valid stream was not decompressed");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool checked;

    if (!checked)
        check_valid();
    checked = true;
    if (size <= HEAD_BYTES || size - HEAD_BYTES > STREAM_BYTES_MAX)
        return 0;
    unpack_one(data[0], 1 + (data[1] | (size_t)data[2] << 8), data + HEAD_BYTES, size - HEAD_BYTES);
    return 0;
}
