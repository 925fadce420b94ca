/* SPDX-License-Identifier: MIT */
/* Each conversion is parsed and validated here and passed to libc one at a time, with an argument
 * of the right type: a kernel's format never reaches libc as a whole.
 *
 * NVIDIA's device and host each read the format. The device copies the arguments of the conversions
 * that it knows into slots of 8 bytes, behind which the text of the format lies; the host takes one
 * after the other. The device does not know `hh`, so a conversion with it takes the next one's
 * argument, and the last takes the text.
 *
 * Lengths other than h, l and hh and a precision of * are unknown to both: they have no argument.
 * The host gives libc a piece of the format at a time, up to a conversion that it knows, with that
 * one's argument. So the first conversion of the piece takes the argument, and those behind it
 * print what lies in registers there, and 0 here. Behind the last conversion that it knows, the
 * format is printed as it is. */
#include "exec/services/printf_format.h"

#include "core/align.h"
#include "core/compiler.h"

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

/* One conversion: the part between % and the letter. */
struct conversion {
    char flags[8];
    int width;     /* -1: none */
    int precision; /* -1: none */
    bool width_argument, precision_argument;
    unsigned bytes;  /* size of an integer argument */
    unsigned narrow; /* bytes of it that are printed: h, hh */
    bool wide;       /* l: of characters */
    bool foreign;    /* it has a length that only libc knows */
    bool long_real;  /* of real numbers, a long double */
    char letter;
};

static int read_number(const char **at, bool *argument)
{
    int number = 0;

    if (**at == '*') {
        (*at)++;
        *argument = true;
        return 0;
    }
    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = number > FIELD_MAX ? number : number * 10 + (**at - '0');
    return number > FIELD_MAX ? FIELD_MAX : number;
}

static const char *read_length(const char *at, struct conversion *conversion)
{
    char letter = *at;

    if (!letter || !strchr("hlLqjzt", letter))
        return at;
    at++;
    if (letter == 'h') {
        conversion->narrow = *at == 'h' ? 1 : 2;
    } else {
        conversion->bytes = conversion->narrow = 8;
        conversion->foreign = letter != 'l';
        conversion->long_real = letter == 'L' || letter == 'q';
        conversion->wide = true;
    }
    return at + ((letter == 'h' || letter == 'l') && *at == letter);
}

/* Reads what follows a %, and the letter, whatever it is. */
static const char *read_conversion(const char *at, struct conversion *conversion)
{
    size_t flags = 0;

    *conversion = (struct conversion){.width = -1, .precision = -1, .bytes = 4, .narrow = 4};
    for (; *at && strchr("-+ #0", *at); at++) {
        if (!strchr(conversion->flags, *at))
            conversion->flags[flags++] = *at;
    }
    if (*at == '*' || (*at >= '1' && *at <= '9'))
        conversion->width = read_number(&at, &conversion->width_argument);
    if (*at == '.') {
        at++;
        conversion->precision = read_number(&at, &conversion->precision_argument);
    }
    at = read_length(at, conversion);
    conversion->letter = *at;
    return at;
}

/* Whether libc knows it. */
static bool is_conversion(const struct conversion *conversion)
{
    return conversion->letter && strchr("diouxXeEfFgGaAcsp", conversion->letter);
}

/* Whether NVIDIA's driver knows it. */
static bool is_known(const struct conversion *conversion)
{
    return is_conversion(conversion) && !conversion->foreign && !conversion->precision_argument;
}

static bool is_real(const struct conversion *conversion)
{
    return strchr("eEfFgGaA", conversion->letter) != NULL;
}

/* The bytes of its argument. */
static unsigned argument_bytes(const struct conversion *conversion)
{
    if (strchr("speEfFgGaA", conversion->letter))
        return 8;
    return conversion->letter == 'c' && !conversion->wide ? 4 : conversion->bytes;
}

/* The arguments as the host takes them. */
struct slots {
    uint64_t *values;
    unsigned count, capacity, taken;
    const char *format;
    uint64_t small[32];
};

static const uint8_t *fill_slot(struct slots *slots, const uint8_t *arguments, unsigned bytes)
{
    const uint8_t *at = (const uint8_t *)cup_align_up((uintptr_t)arguments, bytes);

    if (slots->count == slots->capacity) {
        uint64_t *more = malloc(2 * slots->capacity * sizeof(*more));

        if (!more)
            return at + bytes;
        memcpy(more, slots->values, slots->count * sizeof(*more));
        if (slots->values != slots->small)
            free(slots->values);
        slots->values = more;
        slots->capacity *= 2;
    }
    slots->values[slots->count] = 0;
    memcpy(&slots->values[slots->count++], at, bytes);
    return at + bytes;
}

static void slots_init(struct slots *slots, const char *format, const uint8_t *arguments)
{
    *slots = (struct slots){.capacity = CUP_ARRAY_COUNT(slots->small), .format = format};
    slots->values = slots->small;
    for (const char *at = format; (at = strchr(at, '%'));) {
        struct conversion conversion;
        const char *end = read_conversion(at + 1, &conversion);

        at = *end ? end + 1 : end;
        if (!is_known(&conversion) || conversion.narrow == 1)
            continue;
        if (conversion.width_argument)
            arguments = fill_slot(slots, arguments, 4);
        arguments = fill_slot(slots, arguments, argument_bytes(&conversion));
    }
}

static void slots_finish(struct slots *slots)
{
    if (slots->values != slots->small)
        free(slots->values);
}

static uint64_t next_slot(struct slots *slots)
{
    unsigned number = slots->taken++;
    size_t at = (size_t)(number - slots->count) * 8, length;
    uint64_t text = 0;

    if (number < slots->count)
        return slots->values[number];
    length = strlen(slots->format);
    if (at < length)
        memcpy(&text, slots->format + at, length - at < 8 ? length - at : 8);
    return text;
}

/* The argument of a piece of the format. The first conversion takes it that looks for a number of
 * its kind. */
struct format_piece {
    const struct conversion *known; /* the last of the piece */
    struct slots *slots;
    bool taken;
};

static uint64_t next_argument(struct format_piece *piece, bool real)
{
    unsigned unused = 64 - 8 * argument_bytes(piece->known);

    if (piece->taken || real != is_real(piece->known))
        return 0;
    piece->taken = true;
    return next_slot(piece->slots) << unused >> unused;
}

/* Takes the width and the precision from the arguments. A negative width is a flag and a width, a
 * negative precision is none. */
static void take_numbers(struct conversion *conversion, struct format_piece *piece)
{
    if (conversion->width_argument) {
        int width = (int)(int32_t)(conversion == piece->known ? next_slot(piece->slots)
                                                              : next_argument(piece, false));

        if (width < 0 && !strchr(conversion->flags, '-'))
            conversion->flags[strlen(conversion->flags)] = '-';
        if (width < 0)
            width = width < -FIELD_MAX ? FIELD_MAX : -width;
        conversion->width = width > FIELD_MAX ? FIELD_MAX : width;
    }
    if (conversion->precision_argument) {
        int precision = (int)(int32_t)next_argument(piece, false);

        conversion->precision = precision < 0 ? -1 : precision > FIELD_MAX ? FIELD_MAX : precision;
    }
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

    if (is_real(conversion)) {
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
        unsigned unused = 64 - 8 * conversion->narrow;
        long long value = is_signed ? (long long)(bits << unused) >> unused
                                    : (long long)(bits << unused >> unused);
        build_conversion(conversion, "ll", spelled);
        length = PRINT(value);
    }
    if (length > 0)
        append(text, field, (size_t)length < size ? (size_t)length : size - 1);
}

#pragma GCC diagnostic pop

/* Prints a character of the C locale; false: it has none. */
static bool print_wide(struct cup_printf_text *text, struct conversion *conversion, uint64_t bits)
{
    if ((uint32_t)bits > 127)
        return false;
    print_number(text, conversion, bits);
    return true;
}

static bool convert(struct cup_printf_text *text, struct conversion *conversion,
                    struct format_piece *piece)
{
    take_numbers(conversion, piece);
    bool real = is_real(conversion);
    uint64_t bits = real && conversion->long_real ? 0 : next_argument(piece, real);

    if (conversion->letter == 's' && conversion->foreign)
        bits = 0; /* there it is read as text, wherever it points */
    if (conversion->letter == 'c' && conversion->wide)
        return print_wide(text, conversion, bits);
    if (conversion->letter == 's')
        print_string(text, conversion, (const char *)(uintptr_t)bits);
    else
        print_number(text, conversion, bits);
    return true;
}

/* Prints what is no conversion as libc does: without its length. */
static void print_unknown(struct cup_printf_text *text, const struct conversion *conversion)
{
    static const char order[] = "#+ -0";
    bool plus = strchr(conversion->flags, '+') != NULL;
    char spelled[64] = "%";
    int length = 1;

    if (conversion->letter == '%') {
        append(text, "%", 1);
        return;
    }
    for (const char *flag = order; *flag; flag++)
        if (strchr(conversion->flags, *flag) && !(*flag == ' ' && plus))
            spelled[length++] = *flag;
    if (conversion->width > 0)
        length +=
            snprintf(spelled + length, sizeof(spelled) - (size_t)length, "%d", conversion->width);
    if (conversion->precision >= 0)
        length += snprintf(spelled + length, sizeof(spelled) - (size_t)length, ".%d",
                           conversion->precision);
    append(text, spelled, (size_t)length);
    if (conversion->letter)
        append(text, &conversion->letter, 1);
}

/* Finds the next conversion that NVIDIA's driver knows. */
static bool find_known(const char *at, struct conversion *known)
{
    while ((at = strchr(at, '%'))) {
        at = read_conversion(at + 1, known);
        if (is_known(known))
            return true;
        at += *at != 0;
    }
    return false;
}

/* Prints what stands behind the last conversion: as it is, but for percent signs. */
static void print_rest(struct cup_printf_text *text, const char *at)
{
    while (*at) {
        size_t plain = strcspn(at, "%") + 1;

        if (!at[plain - 1]) {
            append(text, at, plain - 1);
            return;
        }
        append(text, at, plain);
        at += plain;
        at += *at == '%';
    }
}

/* Prints up to the next conversion that NVIDIA's driver knows, and that one. Returns what is behind
 * it. A conversion that fails takes the piece with it. */
static const char *print_piece(struct cup_printf_text *text, const char *at,
                               struct conversion *known, struct slots *slots)
{
    struct format_piece piece = {.known = known, .slots = slots};
    size_t before = text->length;
    bool failed = false, last = false;

    while (!last && *at) {
        size_t plain = strcspn(at, "%");
        struct conversion conversion;

        append(text, at, plain);
        at = read_conversion(at + plain + 1, &conversion);
        last = is_known(&conversion);
        if (!is_conversion(&conversion))
            print_unknown(text, &conversion);
        else
            failed |= !convert(text, last ? known : &conversion, &piece);
        at += *at != 0;
    }
    if (!piece.taken)
        next_slot(slots);
    if (failed)
        text->length = before;
    return at;
}

int cup_printf_format(struct cup_printf_text *text, const char *format, const uint8_t *arguments)
{
    struct conversion known;
    struct slots slots;
    const char *at = format;

    slots_init(&slots, format, arguments);
    while (!text->truncated && find_known(at, &known))
        at = print_piece(text, at, &known, &slots);
    print_rest(text, at);
    slots_finish(&slots);
    return (int)slots.count;
}
