/* SPDX-License-Identifier: MIT */
/* Payloads as JSON: a layout's members by name, numbers, texts, arrays, layouts within layouts.
 * What a layout does not say clearly (unions, offsets within a payload) is left out. A text has a
 * limit, and arrays are cut, because a payload may be as large as the program's data. */
#include "payload_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 4096, STRING_BYTES = 512, ELEMENTS_SHOWN = 32, LENGTHS_MAX = 64 };

struct text {
    char bytes[TEXT_BYTES];
    size_t used;
    bool is_full;
};

/* Data of a payload. `bytes` is SIZE_MAX where nobody knows. */
struct view {
    const unsigned char *data;
    size_t bytes;
};

struct reader {
    const struct nvtx_domain *domain;
    struct text *text;
    char **message; /* the first message that a member has goes there */
};

enum format { SIGNED = 1, UNSIGNED, FLOAT, CHARACTER, ADDRESS, BYTE, COLOR, STRING };

static const struct {
    uint8_t bytes, format;
} types[] = {
    [1] = {sizeof(char), CHARACTER},
    [2] = {sizeof(char), UNSIGNED},
    [3] = {sizeof(short), SIGNED},
    [4] = {sizeof(short), UNSIGNED},
    [5] = {sizeof(int), SIGNED},
    [6] = {sizeof(int), UNSIGNED},
    [7] = {sizeof(long), SIGNED},
    [8] = {sizeof(long), UNSIGNED},
    [9] = {8, SIGNED},
    [10] = {8, UNSIGNED},
    [11] = {1, SIGNED},
    [12] = {1, UNSIGNED},
    [13] = {2, SIGNED},
    [14] = {2, UNSIGNED},
    [15] = {4, SIGNED},
    [16] = {4, UNSIGNED},
    [17] = {8, SIGNED},
    [18] = {8, UNSIGNED},
    [19] = {sizeof(float), FLOAT},
    [20] = {sizeof(double), FLOAT},
    [22] = {sizeof(size_t), UNSIGNED},
    [23] = {sizeof(void *), ADDRESS},
    [24] = {sizeof(wchar_t), CHARACTER},
    [25] = {1, CHARACTER},
    [26] = {2, CHARACTER},
    [27] = {4, CHARACTER},
    [32] = {1, BYTE},
    [43] = {4, FLOAT},
    [44] = {8, FLOAT},
    [68] = {4, UNSIGNED},
    [69] = {4, COLOR},
    [70] = {8, UNSIGNED},
    [71] = {4, UNSIGNED},
    [72] = {8, UNSIGNED},
    [73] = {4, UNSIGNED},
    [74] = {8, UNSIGNED},
    [80] = {sizeof(void *), STRING},
};

size_t nvtx_type_bytes(uint64_t type)
{
    return type < sizeof(types) / sizeof(*types) ? types[type].bytes : 0;
}

static int format_of(uint64_t type)
{
    return type < sizeof(types) / sizeof(*types) ? types[type].format : 0;
}

static uint64_t read_bits(const void *data, size_t bytes)
{
    uint64_t bits = 0;

    memcpy(&bits, data, bytes < sizeof(bits) ? bytes : sizeof(bits));
    return bits;
}

static int64_t read_signed(const void *data, size_t bytes)
{
    unsigned unused_bits = 64 - 8 * (unsigned)bytes;

    return (int64_t)(read_bits(data, bytes) << unused_bits) >> unused_bits;
}

static double read_float(const void *data, size_t bytes)
{
    float narrow;
    double wide;

    if (bytes == sizeof(narrow)) {
        memcpy(&narrow, data, sizeof(narrow));
        return (double)narrow;
    }
    memcpy(&wide, data, sizeof(wide));
    return wide;
}

bool nvtx_read_number(uint64_t type, const void *data, double *value)
{
    size_t bytes = nvtx_type_bytes(type);

    switch (format_of(type)) {
    case SIGNED:
        *value = (double)read_signed(data, bytes);
        return true;
    case UNSIGNED:
        *value = (double)read_bits(data, bytes);
        return true;
    case FLOAT:
        *value = read_float(data, bytes);
        return true;
    default:
        return false;
    }
}

static void put(struct text *text, const char *bytes, size_t count)
{
    /* Some bytes are kept back for the brackets that close what is open. */
    if (text->is_full || count > sizeof(text->bytes) - 4 * NVTX_DEPTH_MAX - text->used) {
        text->is_full = true;
        return;
    }
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
}

static void put_text(struct text *text, const char *string)
{
    put(text, string, strlen(string));
}

/* Takes back what did not fit as a whole; true if so. */
static bool cut_if_full(struct text *text, size_t before)
{
    if (text->is_full)
        text->used = before;
    return text->is_full;
}

static void close_with(struct text *text, char bracket)
{
    text->bytes[text->used++] = bracket;
}

static void put_quoted(struct text *text, const char *string, size_t count)
{
    char escaped[8];

    put(text, "\"", 1);
    for (size_t i = 0; i < count && i < STRING_BYTES && string[i]; i++) {
        if (string[i] == '"' || string[i] == '\\' || (unsigned char)string[i] < ' ') {
            snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned char)string[i]);
            put_text(text, escaped);
        } else {
            put(text, &string[i], 1);
        }
    }
    put(text, "\"", 1);
}

/* A float that JSON has no word for is a text. */
static void put_float(struct text *text, double value)
{
    char number[40];

    snprintf(number, sizeof(number), isfinite(value) ? "%.9g" : "\"%g\"", value);
    put_text(text, number);
}

static void put_registered(struct text *text, const void *data)
{
    const struct nvtx_string *string;

    memcpy(&string, data, sizeof(string));
    put_quoted(text, string ? string->text : "", string ? strlen(string->text) : 0);
}

static void put_scalar(struct text *text, uint64_t type, const void *data)
{
    size_t bytes = nvtx_type_bytes(type);
    uint64_t bits = read_bits(data, bytes);
    char number[40] = "";

    switch (format_of(type)) {
    case SIGNED:
        snprintf(number, sizeof(number), "%lld", (long long)read_signed(data, bytes));
        break;
    case UNSIGNED:
        snprintf(number, sizeof(number), "%llu", (unsigned long long)bits);
        break;
    case CHARACTER:
        if (bits < 0x80) {
            number[0] = (char)bits;
            put_quoted(text, number, 1);
            return;
        }
        snprintf(number, sizeof(number), "%llu", (unsigned long long)bits);
        break;
    case ADDRESS:
    case BYTE:
        snprintf(number, sizeof(number), "\"0x%llx\"", (unsigned long long)bits);
        break;
    case COLOR:
        snprintf(number, sizeof(number), "\"#%06llx\"", (unsigned long long)bits & 0xffffff);
        break;
    case FLOAT:
        put_float(text, read_float(data, bytes));
        return;
    case STRING:
        put_registered(text, data);
        return;
    }
    put_text(text, number);
}

static void put_enumerator(struct text *text, const struct nvtx_schema *schema, const void *data)
{
    uint64_t value = read_bits(data, schema->bytes);
    char number[24];

    for (size_t i = 0; i < schema->count; i++) {
        uint64_t mask = schema->bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * schema->bytes) - 1;
        const struct nvtx_enumerator *each = &schema->enumerators[i];

        if (each->name && (each->value & mask) == value) {
            put_quoted(text, each->name, strlen(each->name));
            return;
        }
    }
    snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
    put_text(text, number);
}

static void put_schema(const struct reader *reader, const struct nvtx_schema *schema,
                       struct view view, int depth);

static bool is_union(const struct nvtx_schema *schema)
{
    return schema->type == NVTX_SCHEMA_UNION || schema->type == NVTX_SCHEMA_UNION_SELECTED;
}

static void put_element(const struct reader *reader, uint64_t type, struct view view, int depth)
{
    const struct nvtx_schema *schema;
    size_t bytes = nvtx_element_bytes(reader->domain, type, depth);

    if (bytes == 0 || bytes > view.bytes) {
        put_text(reader->text, "null");
        return;
    }
    if (nvtx_type_bytes(type)) {
        put_scalar(reader->text, type, view.data);
        return;
    }
    schema = nvtx_find_schema(reader->domain, type);
    if (schema->enumerators)
        put_enumerator(reader->text, schema, view.data);
    else if (depth + 1 < NVTX_DEPTH_MAX && !is_union(schema))
        put_schema(reader, schema, (struct view){view.data, bytes}, depth + 1);
    else
        put_text(reader->text, "null");
}

/* Texts of wide units are shown as far as they are ASCII. */
static void put_string(const struct reader *reader, const struct nvtx_entry *entry,
                       struct view view, uint64_t length)
{
    char shown[256];
    size_t unit = nvtx_unit_bytes(entry->type), used = 0;

    for (uint64_t i = 0; i < length && used < sizeof(shown) - 1; i++) {
        if (view.bytes != SIZE_MAX && (i + 1) * unit > view.bytes)
            break;
        uint64_t character = read_bits(view.data + i * unit, unit);
        if (character == 0)
            break;
        shown[used++] = (char)(unit == 1 || character < 0x80 ? character : '?');
    }
    shown[used] = '\0';
    put_quoted(reader->text, shown, used);
    if ((entry->flags & NVTX_ENTRY_EVENT) == NVTX_ENTRY_MESSAGE && !*reader->message)
        *reader->message = strdup(shown);
}

static bool is_zero(const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i])
            return false;
    return true;
}

/* The view from a place on. */
static struct view rest_of(struct view view, size_t place)
{
    if (view.bytes == SIZE_MAX)
        return (struct view){view.data + place, SIZE_MAX};
    return place < view.bytes ? (struct view){view.data + place, view.bytes - place}
                              : (struct view){view.data, 0};
}

static void put_array(const struct reader *reader, const struct nvtx_entry *entry, struct view view,
                      uint64_t length, int depth)
{
    size_t bytes = nvtx_element_bytes(reader->domain, entry->type, depth);
    bool ends_with_zero = (entry->flags & NVTX_ENTRY_ARRAY) == NVTX_ENTRY_ZERO_TERMINATED;

    put(reader->text, "[", 1);
    for (uint64_t i = 0; bytes && i < length && i < ELEMENTS_SHOWN; i++) {
        struct view element = rest_of(view, i * bytes);
        size_t before = reader->text->used;

        if (element.bytes < bytes || (ends_with_zero && is_zero(element.data, bytes)))
            break;
        put_text(reader->text, i ? ", " : "");
        put_element(reader, entry->type, element, depth);
        if (cut_if_full(reader->text, before))
            break;
    }
    if (length != UINT64_MAX && length > ELEMENTS_SHOWN && bytes)
        put_text(reader->text, ", \"...\"");
    close_with(reader->text, ']');
}

static struct view follow(const struct nvtx_entry *entry, struct view view)
{
    const unsigned char *data;

    if (!nvtx_entry_is_indirect(entry))
        return view;
    if (view.bytes < sizeof(data))
        return (struct view){NULL, 0};
    memcpy(&data, view.data, sizeof(data));
    return (struct view){data, data ? SIZE_MAX : 0};
}

/* How many elements an entry has, or characters; UINT64_MAX: up to a zero. */
static uint64_t length_of(const struct nvtx_entry *entry, const uint64_t *lengths)
{
    switch (entry->flags & NVTX_ENTRY_ARRAY) {
    case NVTX_ENTRY_ZERO_TERMINATED:
        return UINT64_MAX;
    case NVTX_ENTRY_LENGTH_INDEX:
        return entry->detail < LENGTHS_MAX ? lengths[entry->detail] : 0;
    case NVTX_ENTRY_FIXED:
        return entry->detail;
    default:
        return nvtx_is_string(entry->type) ? entry->detail ? entry->detail : UINT64_MAX : 1;
    }
}

static bool is_shown(const struct nvtx_entry *entry)
{
    return !(entry->flags & (NVTX_ENTRY_FROM_BASE | NVTX_ENTRY_FROM_HERE | NVTX_ENTRY_HIDE)) &&
           (entry->flags & NVTX_ENTRY_ARRAY) <= NVTX_ENTRY_LENGTH_INDEX;
}

static void put_entry(const struct reader *reader, const struct nvtx_entry *entry, struct view view,
                      uint64_t length, int depth)
{
    struct view data = follow(entry, view);

    if (!data.data)
        put_text(reader->text, "null");
    else if (nvtx_is_string(entry->type))
        put_string(reader, entry, data, length);
    else if (entry->flags & NVTX_ENTRY_ARRAY)
        put_array(reader, entry, data, length, depth);
    else
        put_element(reader, entry->type, data, depth);
}

/* The bytes that a text or array takes in place, where it ends with a zero. */
static uint64_t count_to_zero(const struct reader *reader, const struct nvtx_entry *entry,
                              struct view view, int depth)
{
    size_t bytes = nvtx_is_string(entry->type)
                       ? nvtx_unit_bytes(entry->type)
                       : nvtx_element_bytes(reader->domain, entry->type, depth);
    uint64_t count = 0;

    while (bytes && (count + 1) * bytes <= view.bytes && !is_zero(view.data + count * bytes, bytes))
        count++;
    return count + 1;
}

static void put_member(const struct reader *reader, const struct nvtx_entry *entry,
                       struct view view, uint64_t length, int depth)
{
    const char *name = entry->name ? entry->name : "";

    put_quoted(reader->text, name, strlen(name));
    put_text(reader->text, ": ");
    put_entry(reader, entry, view, length, depth);
}

/* The number that another entry's length is, if it is one. */
static uint64_t read_length(const struct nvtx_entry *entry, struct view view)
{
    size_t bytes = nvtx_type_bytes(entry->type);

    return bytes && view.bytes >= bytes && !nvtx_entry_is_indirect(entry)
               ? read_bits(view.data, bytes)
               : 0;
}

static void put_schema(const struct reader *reader, const struct nvtx_schema *schema,
                       struct view view, int depth)
{
    uint64_t lengths[LENGTHS_MAX] = {0};
    size_t end = 0, first = reader->text->used + 1;

    put(reader->text, "{", 1);
    for (size_t i = 0; i < schema->count && !reader->text->is_full; i++) {
        const struct nvtx_entry *entry = &schema->entries[i];
        uint64_t length = length_of(entry, lengths);
        size_t place = nvtx_entry_place(reader->domain, schema, i, end, depth);
        struct view rest = rest_of(view, place);
        size_t before = reader->text->used;

        if (i < LENGTHS_MAX)
            lengths[i] = read_length(entry, rest);
        if (is_shown(entry)) {
            put_text(reader->text, before > first ? ", " : "");
            put_member(reader, entry, rest, length, depth);
            cut_if_full(reader->text, before);
        }
        if (length == UINT64_MAX && !nvtx_entry_is_indirect(entry))
            length = count_to_zero(reader, entry, rest, depth);
        end = place + nvtx_entry_bytes(reader->domain, entry, length, depth);
    }
    close_with(reader->text, '}');
}

static void put_blob(const struct reader *reader, const struct nvtx_blob *blob)
{
    const struct nvtx_entry whole = {.type = blob->schema};
    struct view view = {blob->data, blob->bytes};
    const struct nvtx_schema *schema = nvtx_find_schema(reader->domain, blob->schema);

    if (!blob->data)
        put_text(reader->text, "null");
    else if (schema && schema->entries && !is_union(schema))
        put_schema(reader, schema, view, 0);
    else if (nvtx_is_string(blob->schema))
        put_string(reader, &whole, view, UINT64_MAX);
    else if (schema || nvtx_type_bytes(blob->schema))
        put_element(reader, blob->schema, view, 0);
    else
        put_text(reader->text, "null");
}

char *nvtx_describe_blobs(const struct nvtx_domain *domain, const struct nvtx_blob *blobs,
                          size_t count, char **message)
{
    struct text *text = calloc(1, sizeof(*text));
    const struct reader reader = {domain, text, message};
    char *described = NULL;

    if (text && blobs && count > 0) {
        if (count > 1)
            put(text, "[", 1);
        for (size_t i = 0; i < count && !text->is_full; i++) {
            size_t before = text->used;

            put_text(text, i ? ", " : "");
            put_blob(&reader, &blobs[i]);
            if (count > 1)
                cut_if_full(text, before);
        }
        if (count > 1)
            close_with(text, ']');
        text->bytes[text->used] = '\0';
        described = text->used ? strdup(text->bytes) : NULL;
    }
    free(text);
    return described;
}
