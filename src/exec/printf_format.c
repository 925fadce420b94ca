/* SPDX-License-Identifier: MIT */
/* Each conversion is checked and taken apart here, and handed to libc one at a time with an
 * argument of the right type: a kernel's format never reaches libc as it is. */
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
    text->room = sizeof(text->small);
    text->cut = false;
}

void cup_printf_text_finish(struct cup_printf_text *text)
{
    if (text->bytes != text->small)
        free(text->bytes);
}

static bool make_room(struct cup_printf_text *text, size_t more)
{
    size_t room = text->room;

    if (text->length + more <= room)
        return true;
    while (room < text->length + more)
        room *= 2;
    char *bytes = room > TEXT_BYTES_MAX
                      ? NULL
                      : realloc(text->bytes == text->small ? NULL : text->bytes, room);
    if (!bytes) {
        text->cut = true;
        return false;
    }
    if (text->bytes == text->small)
        memcpy(bytes, text->small, text->length);
    text->bytes = bytes;
    text->room = room;
    return true;
}

static void append(struct cup_printf_text *text, const char *bytes, size_t count)
{
    if (make_room(text, count)) {
        memcpy(text->bytes + text->length, bytes, count);
        text->length += count;
    }
}

struct reader {
    const uint8_t *at;
    int taken;
};

static uint64_t take(struct reader *reader, unsigned bytes)
{
    uint64_t value = 0;
    uintptr_t at = cup_align_up((uintptr_t)reader->at, bytes);

    memcpy(&value, (const void *)at, bytes);
    reader->at = (const uint8_t *)at + bytes;
    reader->taken++;
    return value;
}

/* One conversion: what is between % and the letter. */
struct conversion {
    char flags[8];
    int width;       /* -1: none */
    int precision;   /* -1: none */
    unsigned bytes;  /* of an integer argument */
    unsigned narrow; /* how many of them count: h, hh */
    char letter;
};

static int read_number(const char **at, struct reader *reader)
{
    int number = 0;

    if (**at == '*') {
        (*at)++;
        return (int)(int32_t)take(reader, 4);
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

/* The conversion again, as libc is to see it: `%`, flags, *, .*, length and letter. */
static void spell(const struct conversion *conversion, const char *length, char out[24])
{
    snprintf(out, 24, "%%%s%s%s%s%c", conversion->flags, conversion->width >= 0 ? "*" : "",
             conversion->precision >= 0 ? ".*" : "", length, conversion->letter);
}

/* A string of the kernel's, no further than the precision allows. */
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
        spell(conversion, "", spelled);
        length = PRINT(value);
    } else if (conversion->letter == 'p') {
        spell(conversion, "", spelled);
        length = PRINT((void *)(uintptr_t)bits);
    } else if (conversion->letter == 'c') {
        spell(conversion, "", spelled);
        length = PRINT((int)bits);
    } else {
        bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
        unsigned unused = 64 - 8 * (conversion->narrow ? conversion->narrow : 1);
        long long value = is_signed ? (long long)(bits << unused) >> unused
                                    : (long long)(bits << unused >> unused);
        spell(conversion, "ll", spelled);
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
        print_string(text, conversion, (const char *)(uintptr_t)take(reader, 8));
    else if (conversion->letter == 'p' || strchr("eEfFgGaA", conversion->letter))
        print_number(text, conversion, take(reader, 8));
    else if (conversion->letter == 'c')
        print_number(text, conversion, take(reader, 4));
    else
        print_number(text, conversion, take(reader, conversion->bytes));
}

int cup_printf_format(struct cup_printf_text *text, const char *format, const uint8_t *arguments)
{
    struct reader reader = {.at = arguments};
    const char *at = format;

    while (*at && !text->cut) {
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
            append(text, at, 1); /* no conversion: printed as it stands */
            at++;
        }
    }
    return reader.taken;
}
