/* SPDX-License-Identifier: MIT */
/* Writes a picture as PNG, without a library: the pixels are stored, not compressed. */
#ifndef EXAMPLES_PNG_H
#define EXAMPLES_PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t png_crc(uint32_t crc, const uint8_t *bytes, size_t count)
{
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void png_put_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool png_chunk(FILE *file, const char *type, const uint8_t *bytes, size_t count)
{
    uint8_t head[8], tail[4];

    png_put_u32(head, (uint32_t)count);
    memcpy(head + 4, type, 4);
    png_put_u32(tail, png_crc(png_crc(0, head + 4, 4), bytes, count));
    return fwrite(head, 1, 8, file) == 8 && fwrite(bytes, 1, count, file) == count &&
           fwrite(tail, 1, 4, file) == 4;
}

/* zlib's frame around stored blocks of at most 65535 bytes. Returns its length. */
static size_t png_store(uint8_t *out, const uint8_t *bytes, size_t count)
{
    uint32_t a = 1, b = 0;
    size_t used = 0;

    out[used++] = 0x78;
    out[used++] = 0x01;
    for (size_t at = 0; at < count;) {
        size_t part = count - at < 65535 ? count - at : 65535;
        out[used++] = at + part == count;
        out[used++] = part & 0xff;
        out[used++] = (uint8_t)(part >> 8);
        out[used++] = ~part & 0xff;
        out[used++] = (uint8_t)(~part >> 8);
        memcpy(out + used, bytes + at, part);
        used += part;
        at += part;
    }
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    png_put_u32(out + used, b << 16 | a);
    return used + 4;
}

/* Rows of RGBA pixels, the top one first. False when the file cannot be written. */
static bool png_write(const char *path, const uint8_t *pixels, unsigned width, unsigned height)
{
    size_t row = (size_t)width * 4 + 1, count = row * height;
    uint8_t header[13] = {[8] = 8, [9] = 6}, *rows = malloc(count);
    uint8_t *packed = malloc(count + count / 65535 * 5 + 64);
    FILE *file = rows && packed ? fopen(path, "wb") : NULL;
    bool written = file != NULL;

    png_put_u32(header, width);
    png_put_u32(header + 4, height);
    for (unsigned y = 0; written && y < height; y++) {
        rows[y * row] = 0;
        memcpy(rows + y * row + 1, pixels + (size_t)y * width * 4, (size_t)width * 4);
    }
    written = written && fwrite("\211PNG\r\n\032\n", 1, 8, file) == 8 &&
              png_chunk(file, "IHDR", header, sizeof header) &&
              png_chunk(file, "IDAT", packed, png_store(packed, rows, count)) &&
              png_chunk(file, "IEND", header, 0);
    if (file)
        written = fclose(file) == 0 && written;
    free(rows);
    free(packed);
    return written;
}

#endif
