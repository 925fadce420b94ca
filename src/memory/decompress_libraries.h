/* SPDX-License-Identifier: MIT */
/* Decompression of one stream, here and now, by the libraries that know how: libdeflate, snappy and
 * lz4. Each is loaded when it is first needed, so that a program that decompresses nothing needs
 * none of them. Knows nothing of CUDA's streams; the fault guard watches over what the libraries
 * touch.
 *
 * Deflate is a raw stream (RFC 1951), without the frame of zlib or gzip; bytes behind its end are
 * ignored. LZ4 is one block, without a frame. Snappy is one block, with the length of the data in
 * front or without it: what snappy_compress makes begins with that length, but programs written for
 * a card's engine leave it out. A stream that is valid with it is taken so, and only otherwise as
 * one without. */
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
    size_t room_bytes; /* nothing is written behind these */
    bool exact_end;    /* and nothing behind the last byte decompressed, whatever lies there */
};

enum cup_unpack_result {
    CUP_UNPACK_DONE,
    CUP_UNPACK_CORRUPT,   /* of LZ4 also: too large */
    CUP_UNPACK_TOO_LARGE, /* for the destination */
    CUP_UNPACK_FAULT,     /* memory that is not there was touched */
    CUP_UNPACK_NO_MEMORY,
    CUP_UNPACK_RESULTS
};

bool cup_unpack_knows(CUmemDecompressAlgorithm algorithm);

/* Loads what the algorithm needs. False when it is not installed; the log says once what to
 * install. */
bool cup_unpack_load(CUmemDecompressAlgorithm algorithm);

/* For an algorithm that is loaded. The destination may hold anything when it fails, and nothing
 * outside it is written, even when the source changes meanwhile. */
enum cup_unpack_result cup_unpack(const struct cup_packed *packed, size_t *written_bytes);

#endif
