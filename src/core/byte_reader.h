/* SPDX-License-Identifier: MIT */
/* Reads little-endian numbers, LEB128 numbers and strings from bytes of others. Behind the end
 * there is 0, and the reader is bad from then on. */
#ifndef CUP_CORE_BYTE_READER_H
#define CUP_CORE_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cup_byte_reader {
    const uint8_t *bytes;
    size_t count, at;
    bool bad;
};

static inline size_t cup_read_left(const struct cup_byte_reader *reader)
{
    return reader->bad || reader->at > reader->count ? 0 : reader->count - reader->at;
}

static inline void cup_read_skip(struct cup_byte_reader *reader, uint64_t bytes)
{
    if (bytes > cup_read_left(reader))
        reader->bad = true;
    else
        reader->at += bytes;
}

/* At most 8 bytes. */
static inline uint64_t cup_read_number(struct cup_byte_reader *reader, unsigned bytes)
{
    const uint8_t *from = reader->bytes + reader->at;
    uint64_t value = 0;

    cup_read_skip(reader, bytes);
    for (unsigned i = 0; i < bytes && !reader->bad; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static inline uint64_t cup_read_leb_of(struct cup_byte_reader *reader, bool is_signed)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;

    do {
        byte = cup_read_number(reader, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && (byte & 0x40))
        value |= ~UINT64_C(0) << shift;
    return value;
}

static inline uint64_t cup_read_leb(struct cup_byte_reader *reader)
{
    return cup_read_leb_of(reader, false);
}

static inline int64_t cup_read_signed_leb(struct cup_byte_reader *reader)
{
    return (int64_t)cup_read_leb_of(reader, true);
}

/* Returns NULL if the string has no end. */
static inline const char *cup_read_string(struct cup_byte_reader *reader)
{
    const char *string = (const char *)reader->bytes + reader->at;
    const char *end = cup_read_left(reader) ? memchr(string, 0, cup_read_left(reader)) : NULL;

    if (!end) {
        reader->bad = true;
        return NULL;
    }
    reader->at += (size_t)(end - string) + 1;
    return string;
}

#endif
