/* SPDX-License-Identifier: MIT */
/* Appends JSON values to a fixed buffer. Numbers are formatted by hand, because this runs for every
 * argument of every traced call. */
#include "core/strbuf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRING_LIMIT 200
#define BYTES_LIMIT 64

static const char digits[] = "0123456789abcdef";

void cup_strbuf_put_bytes(struct cup_strbuf *text, const char *bytes, size_t count)
{
    if (count > text->size - text->used) {
        text->overflow = true;
        return;
    }
    memcpy(text->start + text->used, bytes, count);
    text->used += count;
}

void cup_strbuf_put(struct cup_strbuf *text, const char *literal)
{
    cup_strbuf_put_bytes(text, literal, strlen(literal));
}

void cup_strbuf_cut(struct cup_strbuf *text, size_t used)
{
    text->used = used;
    text->overflow = false;
}

static void put_escaped(struct cup_strbuf *text, unsigned char byte)
{
    char escape[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};

    if (byte == '"' || byte == '\\') {
        escape[1] = (char)byte;
        cup_strbuf_put_bytes(text, escape, 2);
    } else if (byte < 0x20 || byte > 0x7e) {
        cup_strbuf_put_bytes(text, escape, sizeof escape);
    } else {
        cup_strbuf_put_bytes(text, (const char *)&byte, 1);
    }
}

/* The bytes of the character of UTF-8, outside ASCII, that begins here; 0: there is none. */
static size_t utf8_bytes(const char *string)
{
    const unsigned char first = (unsigned char)string[0];
    size_t count = first >= 0xc2 && first < 0xe0   ? 2
                   : first >= 0xe0 && first < 0xf0 ? 3
                   : first >= 0xf0 && first < 0xf5 ? 4
                                                   : 0;

    for (size_t i = 1; i < count; i++)
        if (((unsigned char)string[i] & 0xc0) != 0x80)
            return 0;
    return count;
}

static void put_quoted(struct cup_strbuf *text, const char *string, size_t limit)
{
    size_t i, count;

    cup_strbuf_put(text, "\"");
    for (i = 0; i < limit && string[i]; i += count ? count : 1) {
        count = utf8_bytes(string + i);
        if (count)
            cup_strbuf_put_bytes(text, string + i, count);
        else
            put_escaped(text, (unsigned char)string[i]);
    }
    cup_strbuf_put(text, string[0] && i >= limit ? "...\"" : "\"");
}

void cup_strbuf_put_json(struct cup_strbuf *text, const char *json)
{
    for (size_t count; *json; json += count) {
        count = utf8_bytes(json);
        cup_strbuf_put_bytes(text, count || (signed char)*json >= 0 ? json : "?",
                             count ? count : 1);
        count = count ? count : 1;
    }
}

void cup_strbuf_put_string(struct cup_strbuf *text, const char *string)
{
    put_quoted(text, string, STRING_LIMIT);
}

void cup_strbuf_put_whole_string(struct cup_strbuf *text, const char *string)
{
    put_quoted(text, string, SIZE_MAX);
}

void cup_strbuf_print(struct cup_strbuf *text, const char *format, ...)
{
    va_list arguments;
    size_t left = text->size - text->used;

    va_start(arguments, format);
    int length = vsnprintf(text->start + text->used, left, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= left)
        text->overflow = true;
    else
        text->used += (size_t)length;
}

void cup_strbuf_put_unsigned(struct cup_strbuf *text, uint64_t value)
{
    char number[20];
    size_t i = sizeof number;

    do {
        number[--i] = digits[value % 10];
        value /= 10;
    } while (value);
    cup_strbuf_put_bytes(text, number + i, sizeof number - i);
}

void cup_strbuf_put_signed(struct cup_strbuf *text, int64_t value)
{
    if (value < 0)
        cup_strbuf_put(text, "-");
    cup_strbuf_put_unsigned(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void cup_strbuf_put_float(struct cup_strbuf *text, uint32_t bits)
{
    char number[48];
    float value;

    memcpy(&value, &bits, sizeof value);
    /* JSON cannot represent infinities. */
    snprintf(number, sizeof number, isfinite(value) ? "%.9g" : "\"%g\"", (double)value);
    cup_strbuf_put(text, number);
}

void cup_strbuf_put_hex(struct cup_strbuf *text, uint64_t value)
{
    char number[16];
    size_t i = sizeof number;

    do {
        number[--i] = digits[value & 15];
        value >>= 4;
    } while (value);
    cup_strbuf_put(text, "\"0x");
    cup_strbuf_put_bytes(text, number + i, sizeof number - i);
    cup_strbuf_put(text, "\"");
}

void cup_strbuf_put_hex_bytes(struct cup_strbuf *text, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    size_t shown = count < BYTES_LIMIT ? count : BYTES_LIMIT;

    cup_strbuf_put(text, "\"");
    for (size_t i = 0; i < shown; i++) {
        char pair[2] = {digits[byte[i] >> 4], digits[byte[i] & 15]};

        cup_strbuf_put_bytes(text, pair, sizeof pair);
    }
    cup_strbuf_put(text, shown < count ? "...\"" : "\"");
}

void cup_strbuf_put_microseconds(struct cup_strbuf *text, uint64_t value_ns)
{
    unsigned fraction = (unsigned)(value_ns % 1000);
    char tail[4] = {'.', digits[fraction / 100], digits[fraction / 10 % 10], digits[fraction % 10]};

    cup_strbuf_put_unsigned(text, value_ns / 1000);
    cup_strbuf_put_bytes(text, tail, sizeof tail);
}
