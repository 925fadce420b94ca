/* SPDX-License-Identifier: MIT */
/* Decompression of one stream of bytes in the calling thread, by libdeflate, snappy and lz4. Each
 * library is loaded on first use, so that a program that decompresses nothing needs none of them.
 * This code does not know CUDA's streams; the fault guard covers the memory that the libraries
 * touch.
 *
 * Deflate data is a raw stream (RFC 1951) without a zlib or gzip frame; bytes after its end are
 * ignored. LZ4 data is one block without a frame. Snappy data is one block, with or without the
 * leading length: snappy_compress writes that length, but programs written for a card's engine omit
 * it. A block that is valid with the length is read that way; otherwise it is read without. */
#ifndef CUP_MEMORY_DECOMPRESS_LIBRARIES_H
#define CUP_MEMORY_DECOMPRESS_LIBRARIES_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

struct cup_packed {
    CUmemDecompressAlgorithm algorithm;
    const void *source;
    size_t source_bytes;
    void *destination;
    size_t room_bytes; /* size of the destination; nothing is written after it */
    bool exact_end;    /* nothing is written after the last decompressed byte either */
};

enum cup_unpack_result {
    CUP_UNPACK_DONE,
    CUP_UNPACK_CORRUPT,   /* for LZ4 also: too large for the destination */
    CUP_UNPACK_TOO_LARGE, /* for the destination */
    CUP_UNPACK_FAULT,     /* unmapped memory was accessed */
    CUP_UNPACK_NO_MEMORY,
    CUP_UNPACK_RESULTS
};

bool cup_unpack_knows(CUmemDecompressAlgorithm algorithm);

/* Loads the library for the algorithm. Returns false if it is not installed; the log then says once
 * what to install. */
bool cup_unpack_load(CUmemDecompressAlgorithm algorithm);

/* Decompresses. The library must be loaded. On failure the contents of the destination are
 * undefined. Nothing outside the destination is written, even if the source changes meanwhile. */
enum cup_unpack_result cup_unpack(const struct cup_packed *packed, size_t *written_bytes);

#endif
