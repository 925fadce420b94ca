/* SPDX-License-Identifier: MIT */
/* cuMemBatchDecompressAsync: the output for data that other programs compressed, and the rules for
 * arguments. Corrupt data is in test_decompress_errors.c. */
#include "hold.h"
#include "packed_text.h"
#include "unpack.h"

#include <sys/stat.h>

enum { PLAIN_CHUNKS_BYTES = 6 << 20 };

/* Decompresses one stream of a text and compares. */
static void check_text(CUmemDecompressAlgorithm algorithm, const unsigned char *packed,
                       size_t packed_bytes, size_t told_bytes)
{
    struct place place = new_place(packed, packed_bytes, PLAIN_BYTES + 100);
    CUmemDecompressParams entry = entry_of(&place, algorithm, told_bytes);
    char plain[PLAIN_BYTES + 1], got[PLAIN_BYTES + 100];

    plain_text(plain);
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL));
    check_success(cuStreamSynchronize(NULL));
    check(written_bytes(&place) == PLAIN_BYTES);
    check_success(cuMemcpyDtoH(got, place.destination, sizeof(got)));
    check(memcmp(got, plain, PLAIN_BYTES) == 0);
    size_t untouched = told_bytes > PLAIN_BYTES ? told_bytes : PLAIN_BYTES;
    for (size_t i = untouched; i < sizeof(got); i++)
        check(got[i] == FILLING);
}

TEST(deflate)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, PACKED(packed_deflate_dynamic), PLAIN_BYTES);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, PACKED(packed_deflate_fixed), PLAIN_BYTES);
}

TEST(lz4)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PACKED(packed_lz4), PLAIN_BYTES);
}

TEST(snappy_without_its_length)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, packed_snappy + 2, sizeof(packed_snappy) - 2,
               PLAIN_BYTES);
}

TEST(snappy_with_its_length)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY);
    only_cupipe();
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, PACKED(packed_snappy), PLAIN_BYTES);
}

TEST(the_size_of_the_destination_is_optional)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, PACKED(packed_deflate_dynamic), 0);
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PACKED(packed_lz4), 0);
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, packed_snappy + 2, sizeof(packed_snappy) - 2, 0);
    only_cupipe();
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, PACKED(packed_snappy), 0);
}

TEST(the_destination_may_be_larger)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, PACKED(packed_deflate_fixed), PLAIN_BYTES + 50);
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PACKED(packed_lz4), PLAIN_BYTES + 50);
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY);
    check_text(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, packed_snappy + 2, sizeof(packed_snappy) - 2,
               PLAIN_BYTES + 50);
}

TEST(nobody_need_ask_how_many_bytes_came_out)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    struct place place = new_place(PACKED(packed_lz4), PLAIN_BYTES);
    CUmemDecompressParams entry = entry_of(&place, CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PLAIN_BYTES);
    char plain[PLAIN_BYTES + 1], got[PLAIN_BYTES];

    only_cupipe();
    plain_text(plain);
    entry.dstActBytes = NULL;
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, NULL));
    check_success(cuMemcpyDtoH(got, place.destination, sizeof(got)));
    check(memcmp(got, plain, PLAIN_BYTES) == 0);
}

TEST(in_the_order_of_the_stream)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE);
    struct place place = new_place(PACKED(packed_deflate_fixed), PLAIN_BYTES);
    CUmemDecompressParams entry =
        entry_of(&place, CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, PLAIN_BYTES);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *words = pinned_words(1);
    char plain[PLAIN_BYTES + 1];
    unsigned char *pinned;

    plain_text(plain);
    check_success(cuMemHostAlloc((void **)&pinned, PLAIN_BYTES + sizeof(packed_deflate_fixed), 0));
    memcpy(pinned + PLAIN_BYTES, packed_deflate_fixed, sizeof(packed_deflate_fixed));
    check_success(cuMemsetD8(place.source, 0xff, sizeof(packed_deflate_fixed)));
    check_success(cuCtxSynchronize());
    hold_until(stream, words);
    check_success(cuMemcpyHtoDAsync(place.source, pinned + PLAIN_BYTES,
                                    sizeof(packed_deflate_fixed), stream));
    check_success(cuMemBatchDecompressAsync(&entry, 1, 0, NULL, stream));
    memset(&entry, 0xff, sizeof(entry)); /* the call has read it */
    check_success(cuMemcpyDtoHAsync(pinned, place.destination, PLAIN_BYTES, stream));
    check_success(cuMemsetD8Async(place.destination, 0, PLAIN_BYTES, stream));
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(words, 1);
    check_success(cuStreamSynchronize(stream));
    check(memcmp(pinned, plain, PLAIN_BYTES) == 0);
}

/* Something like real data: text, numbers, noise and nothing, in turns. */
static void make_plain(unsigned char *to, size_t bytes)
{
    uint64_t noise = 88172645463325252u;

    for (size_t i = 0; i < bytes; i++) {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        switch (i >> 17 & 3) {
        case 0:
            to[i] = (unsigned char)"memory of a device, in bytes "[(i + (noise >> 60)) % 29];
            break;
        case 1:
            to[i] = (unsigned char)(i % 8 < 6 ? 0 : i >> 8);
            break;
        case 2:
            to[i] = (unsigned char)noise;
            break;
        default:
            to[i] = noise % 97 ? 0 : (unsigned char)i;
        }
    }
}

static void *read_file(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    struct stat facts;

    check(file && fstat(fileno(file), &facts) == 0);
    *bytes = (size_t)facts.st_size;
    unsigned char *content = malloc(*bytes);
    check(content && fread(content, 1, *bytes, file) == *bytes);
    fclose(file);
    return content;
}

/* Lets pack.py compress; the result is what it wrote. */
static unsigned char *pack(const char *algorithm, size_t chunk_bytes, const unsigned char *plain,
                           size_t plain_bytes, size_t *packed_bytes)
{
    char folder[] = "/tmp/cupipe_pack_XXXXXX", in[64], out[64], command[1024];

    check(mkdtemp(folder) != NULL);
    snprintf(in, sizeof(in), "%s/in", folder);
    snprintf(out, sizeof(out), "%s/out", folder);
    FILE *file = fopen(in, "wb");
    check(file && fwrite(plain, 1, plain_bytes, file) == plain_bytes && fclose(file) == 0);
    snprintf(command, sizeof(command), "python3 '%.*spack.py' %s %zu %s %s",
             (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__, algorithm, chunk_bytes, in,
             out);
    int status = system(command);
    bool packed = status == 0;
    unsigned char *content = packed ? read_file(out, packed_bytes) : NULL;
    unlink(in);
    unlink(out);
    rmdir(folder);
    if (!packed)
        skip("nobody here compresses that (needs python3 and the compressor's library)");
    return content;
}

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* Fills in a batch from what pack.py wrote, which lies at `source` too; answers how many entries.
 */
static size_t fill_batch(CUmemDecompressParams *entries, CUmemDecompressAlgorithm algorithm,
                         const unsigned char *packed, size_t packed_bytes, CUdeviceptr source,
                         CUdeviceptr destination, CUdeviceptr written)
{
    size_t count = 0;

    for (size_t at = 0; at < packed_bytes; count++) {
        uint32_t plain_bytes = word_at(packed + at), bytes = word_at(packed + at + 4);

        entries[count] = (CUmemDecompressParams){
            .srcNumBytes = bytes,
            .dstNumBytes = plain_bytes,
            .dstActBytes = (cuuint32_t *)(uintptr_t)(written + 4 * count),
            .src = (const void *)(uintptr_t)(source + at + 8),
            .dst = (void *)(uintptr_t)destination,
            .algo = algorithm,
        };
        destination += plain_bytes;
        at += 8 + bytes;
    }
    return count;
}

static void check_round_trip(const char *name, CUmemDecompressAlgorithm algorithm,
                             size_t chunk_bytes)
{
    size_t count = (PLAIN_CHUNKS_BYTES + chunk_bytes - 1) / chunk_bytes, packed_bytes;
    unsigned char *plain = malloc(PLAIN_CHUNKS_BYTES), *got = calloc(1, PLAIN_CHUNKS_BYTES);
    CUmemDecompressParams *entries = calloc(count, sizeof(*entries));
    CUdeviceptr source, destination, written;

    check(plain && got && entries);
    make_plain(plain, PLAIN_CHUNKS_BYTES);
    unsigned char *packed = pack(name, chunk_bytes, plain, PLAIN_CHUNKS_BYTES, &packed_bytes);
    check_success(cuMemAlloc(&source, packed_bytes));
    check_success(cuMemAlloc(&destination, PLAIN_CHUNKS_BYTES));
    check_success(cuMemAlloc(&written, 4 * count));
    check_success(cuMemcpyHtoD(source, packed, packed_bytes));
    check(fill_batch(entries, algorithm, packed, packed_bytes, source, destination, written) ==
          count);
    check_success(cuMemBatchDecompressAsync(entries, count, 0, NULL, NULL));
    check_success(cuMemcpyDtoH(got, destination, PLAIN_CHUNKS_BYTES));
    check(memcmp(got, plain, PLAIN_CHUNKS_BYTES) == 0);
    check_success(cuMemcpyDtoH(got, written, 4 * count));
    for (size_t i = 0; i < count; i++)
        check(word_at(got + 4 * i) == entries[i].dstNumBytes);
}

TEST(what_zlib_packed)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE);
    check_round_trip("deflate", CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, 64 << 10);
}

TEST(what_snappy_packed)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY);
    only_cupipe();
    check_round_trip("snappy", CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, 64 << 10);
}

TEST(what_lz4_packed)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    check_round_trip("lz4", CU_MEM_DECOMPRESS_ALGORITHM_LZ4, 64 << 10);
}

TEST(streams_of_all_sizes)
{
    with_engine(CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    check_round_trip("lz4", CU_MEM_DECOMPRESS_ALGORITHM_LZ4, 1000);
    check_round_trip("lz4", CU_MEM_DECOMPRESS_ALGORITHM_LZ4, 4 << 20);
}

TEST(of_several_kinds_at_once)
{
    enum { COUNT = 300 };
    static const struct {
        CUmemDecompressAlgorithm algorithm;
        const unsigned char *packed;
        size_t bytes;
    } kinds[3] = {
        {CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, PACKED(packed_deflate_dynamic)},
        {CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, packed_snappy + 2, sizeof(packed_snappy) - 2},
        {CU_MEM_DECOMPRESS_ALGORITHM_LZ4, PACKED(packed_lz4)}};
    struct place places[3];
    CUmemDecompressParams entries[COUNT];
    CUdeviceptr destination, written;
    char plain[PLAIN_BYTES + 1], got[PLAIN_BYTES];

    plain_text(plain);
    for (int i = 0; i < 3; i++) {
        with_engine(kinds[i].algorithm);
        places[i] = new_place(kinds[i].packed, kinds[i].bytes, PLAIN_BYTES);
    }
    check_success(cuMemAlloc(&destination, COUNT * PLAIN_BYTES));
    check_success(cuMemAlloc(&written, COUNT * sizeof(cuuint32_t)));
    for (size_t i = 0; i < COUNT; i++) {
        entries[i] = entry_of(&places[i % 3], kinds[i % 3].algorithm, i % 2 ? PLAIN_BYTES : 0);
        entries[i].dst = (void *)(uintptr_t)(destination + i * PLAIN_BYTES);
        entries[i].dstActBytes = (cuuint32_t *)(uintptr_t)(written + 4 * i);
    }
    check_success(cuMemBatchDecompressAsync(entries, COUNT, 0, NULL, CU_STREAM_PER_THREAD));
    check_success(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    for (size_t i = 0; i < COUNT; i++) {
        check_success(cuMemcpyDtoH(got, destination + i * PLAIN_BYTES, PLAIN_BYTES));
        check(memcmp(got, plain, PLAIN_BYTES) == 0);
    }
}
