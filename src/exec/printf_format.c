/* SPDX-License-Identifier: MIT */
/* Each conversion is parsed and validated here and passed to libc one at a time, with an argument
 * of the right type: a kernel's format never reaches libc as a whole. */
#include "exec/printf_format.h"

#include "core/align.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES_MAX = 1 << 20, FIELD_MAX = 4096 };

void cup_printf_text_init(struct cup_printf_text *text)
{
    text->bytes = text->small;
    text->length = 0;
    text->capacity = sizeof(text->small);
    text->truncated = false;
}

void cup_printf_text_finish(struct cup_printf_text *text)
{
    if (text->bytes != text->small)
        free(text->bytes);
}

static bool reserve(struct cup_printf_text *text, size_t more)
{
    size_t capacity = text->capacity;

    if (text->length + more <= capacity)
        return true;
    while (capacity < text->length + more)
        capacity *= 2;
    char *bytes = capacity > TEXT_BYTES_MAX
                      ? NULL
                      : realloc(text->bytes == text->small ? NULL : text->bytes, capacity);
    if (!bytes) {
        text->truncated = true;
        return false;
    }
    if (text->bytes == text->small)
        memcpy(bytes, text->small, text->length);
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

static void append(struct cup_printf_text *text, const char *bytes, size_t count)
{
    if (reserve(text, count)) {
        memcpy(text->bytes + text->length, bytes, count);
        text->length += count;
    }
}

struct reader {
    const uint8_t *at;
    int taken;
};

static uint64_t next_argument(struct reader *reader, unsigned bytes)
{
    uint64_t value = 0;
    uintptr_t at = cup_align_up((uintptr_t)reader->at, bytes);

    memcpy(&value, (const void *)at, bytes);
    reader->at = (const uint8_t *)at + bytes;
    reader->taken++;
    return value;
}

/* One conversion: the part between % and the letter. */
struct conversion {
    char flags[8];
    int width;       /* -1: none */
    int precision;   /* -1: none */
    unsigned bytes;  /* size of an integer argument */
    unsigned narrow; /* bytes of it that are printed: h, hh */
    char letter;
};

static int read_number(const char **at, struct reader *reader)
{
    int number = 0;

    if (**at == '*') {
        (*at)++;
        return (int)(int32_t)next_argument(reader, 4);
    }
    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = number > FIELD_MAX ? number : number * 10 + (**at - '0');
    return number;
}

static const char *read_length(const char *at, struct conversion *conversion)
{
    for (; *at && strchr("hlLqjzt", *at); at++) {
        if (*at == 'h')
            conversion->narrow /= 2;
        else if (*at != 'L')
            conversion->bytes = conversion->narrow = 8;
    }
    return at;
}

static const char *read_conversion(const char *at, struct conversion *conversion,
                                   struct reader *reader)
{
    size_t flags = 0;

    *conversion = (struct conversion){.width = -1, .precision = -1, .bytes = 4, .narrow = 4};
    for (; *at && strchr("-+ #0", *at); at++) {
        if (flags + 1 < sizeof(conversion->flags) && !strchr(conversion->flags, *at))
            conversion->flags[flags++] = *at;
    }
    if (*at == '*' || (*at >= '1' && *at <= '9'))
        conversion->width = read_number(&at, reader);
    if (conversion->width < -1 && flags + 1 < sizeof(conversion->flags)) {
        conversion->flags[flags] = '-'; /* a negative width is a flag and a width */
        conversion->width = conversion->width == INT32_MIN ? FIELD_MAX : -conversion->width;
    }
    if (*at == '.') {
        at++;
        conversion->precision = read_number(&at, reader);
    }
    at = read_length(at, conversion);
    conversion->letter = *at;
    if (conversion->width > FIELD_MAX)
        conversion->width = FIELD_MAX;
    if (conversion->precision > FIELD_MAX)
        conversion->precision = FIELD_MAX;
    return at;
}

/* Builds the conversion for libc: `%`, flags, *, .*, length and letter. */
static void build_conversion(const struct conversion *conversion, const char *length, char out[24])
{
    snprintf(out, 24, "%%%s%s%s%s%c", conversion->flags, conversion->width >= 0 ? "*" : "",
             conversion->precision >= 0 ? ".*" : "", length, conversion->letter);
}

/* Prints a string of the kernel; reads no further than the precision allows. */
static void print_string(struct cup_printf_text *text, const struct conversion *conversion,
                         const char *string)
{
    if (!string)
        string = "(null)";
    size_t most = conversion->precision >= 0 ? (size_t)conversion->precision : TEXT_BYTES_MAX;
    size_t length = strnlen(string, most);
    size_t width = conversion->width > 0 ? (size_t)conversion->width : 0;
    size_t padding = width > length ? width - length : 0;
    bool left = strchr(conversion->flags, '-') != NULL;

    for (size_t i = 0; !left && i < padding; i++)
        append(text, " ", 1);
    append(text, string, length);
    for (size_t i = 0; left && i < padding; i++)
        append(text, " ", 1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define PRINT(value)                                                                               \
    (conversion->width >= 0 && conversion->precision >= 0                                          \
         ? snprintf(field, size, spelled, conversion->width, conversion->precision, value)         \
     : conversion->width >= 0     ? snprintf(field, size, spelled, conversion->width, value)       \
     : conversion->precision >= 0 ? snprintf(field, size, spelled, conversion->precision, value)   \
                                  : snprintf(field, size, spelled, value))

static void print_number(struct cup_printf_text *text, const struct conversion *conversion,
                         uint64_t bits)
{
    char spelled[24];
    char field[2 * FIELD_MAX + 512];
    const size_t size = sizeof(field);
    int length;

    if (strchr("eEfFgGaA", conversion->letter)) {
        double value;
        memcpy(&value, &bits, sizeof(value));
        build_conversion(conversion, "", spelled);
        length = PRINT(value);
    } else if (conversion->letter == 'p') {
        build_conversion(conversion, "", spelled);
        length = PRINT((void *)(uintptr_t)bits);
    } else if (conversion->letter == 'c') {
        build_conversion(conversion, "", spelled);
        length = PRINT((int)bits);
    } else {
        bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
        unsigned unused = 64 - 8 * (conversion->narrow ? conversion->narrow : 1);
        long long value = is_signed ? (long long)(bits << unused) >> unused
                                    : (long long)(bits << unused >> unused);
        build_conversion(conversion, "ll", spelled);
        length = PRINT(value);
    }
    if (length > 0)
        append(text, field, (size_t)length < size ? (size_t)length : size - 1);
}

#pragma GCC diagnostic pop

static void convert(struct cup_printf_text *text, const struct conversion *conversion,
                    struct reader *reader)
{
    if (conversion->letter == 's')
        print_string(text, conversion, (const char *)(uintptr_t)next_argument(reader, 8));
    else if (conversion->letter == 'p' || strchr("eEfFgGaA", conversion->letter))
        print_number(text, conversion, next_argument(reader, 8));
    else if (conversion->letter == 'c')
        print_number(text, conversion, next_argument(reader, 4));
    else
        print_number(text, conversion, next_argument(reader, conversion->bytes));
}

int cup_printf_format(struct cup_printf_text *text, const char *format, const uint8_t *arguments)
{
    struct reader reader = {.at = arguments};
    const char *at = format;

    while (*at && !text->truncated) {
        size_t plain = strcspn(at, "%");
        append(text, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == '%') {
            append(text, "%", 1);
            at += 2;
            continue;
        }
        struct conversion conversion;
        const char *end = read_conversion(at + 1, &conversion, &reader);
        if (conversion.letter && strchr("diouxXeEfFgGaAcsp", conversion.letter)) {
            convert(text, &conversion, &reader);
            at = end + 1;
        } else {
            append(text, at, 1); /* not a conversion: printed literally */
            at++;
        }
    }
    return reader.taken;
}
