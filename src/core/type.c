/* SPDX-License-Identifier: MIT */
/* Formats structures by the tables of their members. A structure is copied under the fault guard
 * before it is read, because the pointer is the program's and the call may have refused it. */
#include "core/type.h"

#include "core/call.h"
#include "core/error.h"
#include "os/guard.h"

#include <string.h>

enum { SHOWN_ELEMENTS = 8 };

struct copy {
    const void *source;
    void *destination;
    size_t size_bytes;
};

static void copy_bytes(void *argument)
{
    const struct copy *copy = argument;

    memcpy(copy->destination, copy->source, copy->size_bytes);
}

static void put_object(struct cup_strbuf *text, const struct cup_type *type, const char *bytes,
                       int64_t key);

void cup_type_put_enum(struct cup_strbuf *text, unsigned type, int64_t value)
{
    const struct cup_type *enumeration = &cup_types[type];
    const struct cup_type_constant *constants = &cup_type_constants[enumeration->first];

    for (unsigned i = 0; i < enumeration->count; i++) {
        if (constants[i].value == value) {
            cup_strbuf_put_string(text, cup_type_names + constants[i].name);
            return;
        }
    }
    cup_strbuf_put_signed(text, value);
}

static int64_t read_integer(const char *bytes, unsigned size_bytes, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 64 - 8 * size_bytes;

    memcpy(&value, bytes, size_bytes);
    if (!is_signed || shift == 0)
        return (int64_t)value;
    return (int64_t)(value << shift) >> shift;
}

static int64_t read_member(const struct cup_type_member *member, const char *bytes)
{
    bool is_signed = member->kind == CUP_ARGUMENT_SIGNED || member->kind == CUP_ARGUMENT_ENUM;

    return read_integer(bytes, member->size_bytes, is_signed);
}

static void put_element(struct cup_strbuf *text, const struct cup_type_member *member,
                        const char *bytes, int64_t key)
{
    switch (member->kind) {
    case CUP_ARGUMENT_STRUCT:
        put_object(text, &cup_types[member->type], bytes, key);
        break;
    case CUP_ARGUMENT_ENUM:
        cup_type_put_enum(text, member->type, read_member(member, bytes));
        break;
    case CUP_ARGUMENT_SIGNED:
        cup_strbuf_put_signed(text, read_member(member, bytes));
        break;
    case CUP_ARGUMENT_UNSIGNED:
        cup_strbuf_put_unsigned(text, (uint64_t)read_member(member, bytes));
        break;
    case CUP_ARGUMENT_FLOAT:
        cup_strbuf_put_float(text, (uint32_t)read_member(member, bytes));
        break;
    case CUP_ARGUMENT_BYTES:
        cup_strbuf_put_hex_bytes(text, bytes, member->size_bytes);
        break;
    default:
        cup_strbuf_put_hex(text, (uint64_t)read_member(member, bytes));
        break;
    }
}

static void put_value(struct cup_strbuf *text, const struct cup_type_member *member,
                      const char *bytes, int64_t key)
{
    if (member->kind == CUP_ARGUMENT_POINTER && member->type != CUP_TYPE_NONE) {
        cup_type_put_array(text, member->type, (uint64_t)read_member(member, bytes), (uint64_t)key);
        return;
    }
    if (member->count == 0) {
        put_element(text, member, bytes, key);
        return;
    }
    cup_strbuf_put(text, "[");
    for (unsigned i = 0; i < member->count; i++) {
        if (i)
            cup_strbuf_put(text, ",");
        put_element(text, member, bytes + (size_t)i * member->size_bytes, key);
    }
    cup_strbuf_put(text, "]");
}

static bool is_zero(const char *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    return count == 0;
}

static const struct cup_type_member *find_selected(const struct cup_type *type, int64_t key)
{
    const struct cup_type_member *members = &cup_type_members[type->first];

    for (unsigned i = 0; i < type->count; i++)
        if (members[i].selector == key)
            return &members[i];
    return NULL;
}

static void put_named(struct cup_strbuf *text, const struct cup_type_member *member,
                      const char *bytes, int64_t key)
{
    cup_strbuf_put_string(text, cup_type_names + member->name);
    cup_strbuf_put(text, ":");
    put_value(text, member, bytes, key);
}

/* An anonymous union appears as its selected member; without one it is left out. */
static const struct cup_type_member *resolve(const struct cup_type_member *member, int64_t key)
{
    return member->name ? member : find_selected(&cup_types[member->type], key);
}

static void put_members(struct cup_strbuf *text, const struct cup_type *type, const char *bytes)
{
    const struct cup_type_member *members = &cup_type_members[type->first];
    bool first = true;

    for (unsigned i = 0; i < type->count; i++) {
        const struct cup_type_member *holder = members[i].key ? &members[members[i].key - 1] : NULL;
        int64_t key = holder ? read_member(holder, bytes + holder->offset_bytes) : 0;
        const struct cup_type_member *member = resolve(&members[i], key);
        const char *start = bytes + members[i].offset_bytes;
        size_t elements;

        if (!member)
            continue;
        elements = member->count ? member->count : 1;
        if (member->reserved && is_zero(start, elements * member->size_bytes))
            continue;
        if (!first)
            cup_strbuf_put(text, ",");
        put_named(text, member, start, key);
        first = false;
    }
}

static void put_object(struct cup_strbuf *text, const struct cup_type *type, const char *bytes,
                       int64_t key)
{
    const struct cup_type_member *selected = NULL;

    if (type->form == CUP_TYPE_UNION) {
        selected = find_selected(type, type->has_own_key ? read_integer(bytes, 4, true) : key);
        if (!selected) {
            cup_strbuf_put_hex_bytes(text, bytes, type->size_bytes);
            return;
        }
    }
    cup_strbuf_put(text, "{");
    if (selected)
        put_named(text, selected, bytes, key);
    else
        put_members(text, type, bytes);
    cup_strbuf_put(text, "}");
}

void cup_type_put(struct cup_strbuf *text, unsigned type, uint64_t address, int64_t key)
{
    char bytes[CUP_TYPE_BYTES];
    struct copy copy = {(const void *)(uintptr_t)address, bytes, cup_types[type].size_bytes};

    if (!cup_guard_run(copy_bytes, &copy))
        cup_strbuf_put(text, "\"unreadable\"");
    else
        put_object(text, &cup_types[type], bytes, key);
}

void cup_type_put_array(struct cup_strbuf *text, unsigned type, uint64_t address, uint64_t count)
{
    if (!address) {
        cup_strbuf_put_hex(text, address);
        return;
    }
    cup_strbuf_put(text, "[");
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            cup_strbuf_put(text, ",");
        if (i == SHOWN_ELEMENTS) {
            cup_strbuf_put(text, "\"...\"");
            break;
        }
        cup_type_put(text, type, address + i * cup_types[type].size_bytes, 0);
    }
    cup_strbuf_put(text, "]");
}
