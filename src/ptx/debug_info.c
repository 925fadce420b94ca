/* SPDX-License-Identifier: MIT */
/* A reader of the part of DWARF 2 to 4 that CUDA compilers write. Every number is checked against
 * the bytes there are; a description that makes no sense ends the reading. */
#include "ptx/debug_info.h"

#include "core/byte_reader.h"
#include <stdlib.h>
#include <string.h>

enum {
    TAG_ARRAY = 0x01,
    TAG_PARAMETER = 0x05,
    TAG_BLOCK = 0x0b,
    TAG_INLINED = 0x1d,
    TAG_SUBRANGE = 0x21,
    TAG_FUNCTION = 0x2e,
    TAG_VARIABLE = 0x34,
};

enum {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTES = 0x0b,
    AT_LOW = 0x11,
    AT_HIGH = 0x12,
    AT_UPPER_BOUND = 0x2f,
    AT_COUNT = 0x37,
    AT_MEMBER = 0x38,
    AT_ENCODING = 0x3e,
    AT_TYPE = 0x49,
    AT_LINKAGE_NAME = 0x6e,
    AT_LINKAGE_NAME_OLD = 0x2007,
};

enum {
    FORM_ADDRESS = 0x01,
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_FLAG = 0x0c,
    FORM_SDATA = 0x0d,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_REF1 = 0x11,
    FORM_REF2 = 0x12,
    FORM_REF4 = 0x13,
    FORM_REF8 = 0x14,
    FORM_OFFSET = 0x17,
    FORM_EXPRESSION = 0x18,
    FORM_PRESENT = 0x19,
};

enum { OP_ADDRESS = 0x03, OP_PLUS_CONSTANT = 0x23, OP_REGISTER = 0x90 };

enum { UNIT_HEADER_BYTES = 11, DEEPEST = 64, MOST_CODES = 4096 };

struct ptx_debug_info {
    struct ptx_debug_sections sections;
    uint32_t *codes; /* offset of each abbreviation in .debug_abbrev; 0: none */
};

/* A place in a section. */
struct cursor {
    const struct ptx_debug_bytes *section;
    struct cup_byte_reader reader;
};

/* An attribute: a number, a string, an address, or a block of bytes in the section. */
struct attribute {
    uint64_t number;
    const char *string;
    const struct ptx_debug_address *address;
    size_t block, block_bytes;
    bool is_block;
};

/* One entry: its tag, what was asked for, and where its children and the next entry are. */
struct entry {
    uint16_t tag; /* 0: the end of a list of children */
    bool has_children;
    size_t after; /* its attributes */
    const char *name, *linkage_name;
    struct attribute location, low, high;
    uint64_t bytes, encoding, type, count, member;
};

static struct cursor cursor_at(const struct ptx_debug_bytes *section, size_t at)
{
    return (struct cursor){section, {section->bytes, section->count, at, false}};
}

static const struct ptx_debug_address *address_at(const struct cursor *cursor, size_t further)
{
    return ptx_debug_address_at(cursor->section, cursor->reader.at + further);
}

static void read_block(struct cursor *cursor, uint64_t bytes, struct attribute *attribute)
{
    attribute->is_block = true;
    attribute->block = cursor->reader.at;
    attribute->block_bytes = bytes;
    cup_read_skip(&cursor->reader, bytes);
}

static const char *string_at(const struct ptx_debug_bytes *section, size_t at)
{
    struct cursor cursor = cursor_at(section, at);

    return cup_read_string(&cursor.reader);
}

static struct attribute read_attribute(const struct ptx_debug_info *info, struct cursor *cursor,
                                       unsigned form)
{
    struct attribute attribute = {.address = address_at(cursor, 0)};

    switch (form) {
    case FORM_ADDRESS:
    case FORM_DATA8:
    case FORM_REF8:
        attribute.number = cup_read_number(&cursor->reader, 8);
        break;
    case FORM_DATA4:
    case FORM_REF4:
    case FORM_OFFSET:
        attribute.number = cup_read_number(&cursor->reader, 4);
        break;
    case FORM_DATA2:
    case FORM_REF2:
        attribute.number = cup_read_number(&cursor->reader, 2);
        break;
    case FORM_DATA1:
    case FORM_FLAG:
    case FORM_REF1:
        attribute.number = cup_read_number(&cursor->reader, 1);
        break;
    case FORM_SDATA:
    case FORM_UDATA:
        attribute.number = cup_read_leb(&cursor->reader);
        break;
    case FORM_STRING:
        attribute.string = cup_read_string(&cursor->reader);
        break;
    case FORM_STRP:
        attribute.number = cup_read_number(&cursor->reader, 4) +
                           (attribute.address ? attribute.address->offset : 0);
        attribute.string = string_at(&info->sections.of[PTX_DEBUG_STR], attribute.number);
        break;
    case FORM_BLOCK:
    case FORM_EXPRESSION:
        read_block(cursor, cup_read_leb(&cursor->reader), &attribute);
        break;
    case FORM_BLOCK1:
        read_block(cursor, cup_read_number(&cursor->reader, 1), &attribute);
        break;
    case FORM_BLOCK2:
        read_block(cursor, cup_read_number(&cursor->reader, 2), &attribute);
        break;
    case FORM_BLOCK4:
        read_block(cursor, cup_read_number(&cursor->reader, 4), &attribute);
        break;
    case FORM_PRESENT:
        attribute.number = 1;
        break;
    default:
        cursor->reader.bad = true;
    }
    return attribute;
}

/* The offset of a member: a number, or an expression that adds one. */
static uint64_t member_offset(struct cursor *cursor, const struct attribute *attribute)
{
    struct cursor inside = cursor_at(cursor->section, attribute->block);

    if (!attribute->is_block)
        return attribute->number;
    return cup_read_number(&inside.reader, 1) == OP_PLUS_CONSTANT ? cup_read_leb(&inside.reader)
                                                                  : 0;
}

static void keep_attribute(struct cursor *cursor, struct entry *entry, unsigned name,
                           const struct attribute *value)
{
    switch (name) {
    case AT_NAME:
        entry->name = value->string;
        break;
    case AT_LINKAGE_NAME:
    case AT_LINKAGE_NAME_OLD:
        entry->linkage_name = value->string;
        break;
    case AT_LOCATION:
        entry->location = *value;
        break;
    case AT_LOW:
        entry->low = *value;
        break;
    case AT_HIGH:
        entry->high = *value;
        break;
    case AT_BYTES:
        entry->bytes = value->number;
        break;
    case AT_ENCODING:
        entry->encoding = value->number;
        break;
    case AT_TYPE:
        entry->type = value->number;
        break;
    case AT_COUNT:
        entry->count = value->number;
        break;
    case AT_UPPER_BOUND:
        entry->count = value->number + 1;
        break;
    case AT_MEMBER:
        entry->member = member_offset(cursor, value);
        break;
    default:
        break;
    }
}

static bool read_entry(const struct ptx_debug_info *info, size_t at, struct entry *entry)
{
    struct cursor cursor = cursor_at(&info->sections.of[PTX_DEBUG_INFO], at);
    struct cursor shape = cursor_at(&info->sections.of[PTX_DEBUG_ABBREV], 0);
    uint64_t code = at < cursor.section->count ? cup_read_leb(&cursor.reader) : 0;

    *entry = (struct entry){.after = cursor.reader.at};
    if (code == 0 || code >= MOST_CODES || !info->codes[code])
        return code == 0 && at < cursor.section->count;
    shape.reader.at = info->codes[code];
    entry->tag = (uint16_t)cup_read_leb(&shape.reader);
    entry->has_children = cup_read_number(&shape.reader, 1);
    for (;;) {
        unsigned name = (unsigned)cup_read_leb(&shape.reader),
                 form = (unsigned)cup_read_leb(&shape.reader);

        if ((!name && !form) || shape.reader.bad)
            break;
        struct attribute value = read_attribute(info, &cursor, form);
        keep_attribute(&cursor, entry, name, &value);
        if (cursor.reader.bad)
            break;
    }
    entry->after = cursor.reader.at;
    return !cursor.reader.bad && !shape.reader.bad;
}

/* Finds where each abbreviation begins. */
static bool read_codes(struct ptx_debug_info *info)
{
    struct cursor cursor = cursor_at(&info->sections.of[PTX_DEBUG_ABBREV], 0);

    info->codes = calloc(MOST_CODES, sizeof(*info->codes));
    if (!info->codes)
        return false;
    for (;;) {
        uint64_t code = cup_read_leb(&cursor.reader);
        unsigned name, form;

        if (code == 0 || code >= MOST_CODES || cursor.reader.bad)
            return true;
        info->codes[code] = (uint32_t)cursor.reader.at;
        cup_read_leb(&cursor.reader);
        cup_read_number(&cursor.reader, 1);
        do {
            name = (unsigned)cup_read_leb(&cursor.reader);
            form = (unsigned)cup_read_leb(&cursor.reader);
        } while ((name || form) && !cursor.reader.bad);
    }
}

struct ptx_debug_info *ptx_debug_info_read(const struct ptx_text *text)
{
    struct ptx_debug_info *info = calloc(1, sizeof(*info));

    if (!info)
        return NULL;
    if (ptx_debug_sections_read(&info->sections, text) &&
        info->sections.of[PTX_DEBUG_INFO].count > UNIT_HEADER_BYTES && read_codes(info))
        return info;
    ptx_debug_info_free(info);
    return NULL;
}

void ptx_debug_info_free(struct ptx_debug_info *info)
{
    if (!info)
        return;
    ptx_debug_sections_finish(&info->sections);
    free(info->codes);
    free(info);
}

/* A register's name is a number whose bytes are its characters, the last one lowest. */
static void name_register(uint64_t number, char name[PTX_DEBUG_REGISTER_BYTES])
{
    unsigned length = 0;

    for (int byte = 7; byte >= 0; byte--)
        if (number >> (8 * byte) & 0xff)
            name[length++] = (char)(number >> (8 * byte));
    name[length] = 0;
}

static bool read_place(struct cursor cursor, struct ptx_debug_place *place)
{
    uint64_t operation = cup_read_number(&cursor.reader, 1);
    const struct ptx_debug_address *address;

    if (operation == OP_REGISTER) {
        name_register(cup_read_leb(&cursor.reader), place->reg);
        return !cursor.reader.bad && place->reg[0] == '%';
    }
    address = operation == OP_ADDRESS ? address_at(&cursor, 0) : NULL;
    if (!address)
        return false;
    place->variable = address->name;
    place->offset = address->offset;
    cup_read_number(&cursor.reader, 8);
    if (cup_read_number(&cursor.reader, 1) == OP_PLUS_CONSTANT)
        place->offset += cup_read_leb(&cursor.reader);
    return true;
}

static uint32_t line_of(const struct ptx_debug_info *info, const struct ptx_debug_address *address)
{
    return address ? ptx_debug_label_line(&info->sections, &address->name) : 0;
}

/* A list in .debug_loc: pairs of labels, each with an expression. */
static void read_places(const struct ptx_debug_info *info, uint64_t at,
                        struct ptx_debug_variable *variable)
{
    struct cursor cursor = cursor_at(&info->sections.of[PTX_DEBUG_LOC], at);

    while (variable->place_count < PTX_DEBUG_PLACES && cup_read_left(&cursor.reader)) {
        const struct ptx_debug_address *from = address_at(&cursor, 0), *to = address_at(&cursor, 8);
        struct ptx_debug_place place = {line_of(info, from), line_of(info, to), "", {0}, 0};
        uint64_t bytes;

        cup_read_number(&cursor.reader, 8);
        cup_read_number(&cursor.reader, 8);
        if (!from || !to || cursor.reader.bad)
            return;
        bytes = cup_read_number(&cursor.reader, 2);
        if (read_place(cursor, &place))
            variable->places[variable->place_count++] = place;
        cup_read_skip(&cursor.reader, bytes);
    }
}

struct scope {
    uint32_t from_line, to_line;
};

static void describe(const struct ptx_debug_info *info, const struct entry *entry,
                     struct scope scope, struct ptx_debug_variable *variable)
{
    struct ptx_debug_place place = {scope.from_line, scope.to_line, "", {0}, 0};

    *variable = (struct ptx_debug_variable){.name = entry->name,
                                            .type = (uint32_t)entry->type,
                                            .is_parameter = entry->tag == TAG_PARAMETER,
                                            .from_line = scope.from_line,
                                            .to_line = scope.to_line};
    if (!entry->location.is_block) {
        if (entry->location.address)
            read_places(info, entry->location.number + entry->location.address->offset, variable);
        return;
    }
    struct cursor cursor = cursor_at(&info->sections.of[PTX_DEBUG_INFO], entry->location.block);
    if (read_place(cursor, &place))
        variable->places[variable->place_count++] = place;
}

static struct scope scope_of(const struct ptx_debug_info *info, const struct entry *entry,
                             struct scope outer)
{
    struct scope scope = {line_of(info, entry->low.address), line_of(info, entry->high.address)};

    return scope.from_line && scope.to_line ? scope : outer;
}

/* Visits the entries below a unit. Functions of other names are passed over with all they have. */
void ptx_debug_variables(const struct ptx_debug_info *info, const char *function,
                         void (*visit)(const struct ptx_debug_variable *variable, void *argument),
                         void *argument)
{
    struct scope scopes[DEEPEST] = {{0}};
    struct ptx_debug_variable variable;
    size_t at = UNIT_HEADER_BYTES;
    unsigned depth = 0, inside = 0; /* inside: the depth of the function's children; 0: elsewhere */
    struct entry entry;

    while (read_entry(info, at, &entry)) {
        at = entry.after;
        if (entry.tag == 0) {
            if (depth == 0)
                return;
            if (depth-- == inside)
                inside = 0;
            if (depth == 0)
                return;
            continue;
        }
        if (inside && (entry.tag == TAG_VARIABLE || entry.tag == TAG_PARAMETER) && entry.name) {
            describe(info, &entry, scopes[depth], &variable);
            if (variable.place_count)
                visit(&variable, argument);
        }
        if (!entry.has_children)
            continue;
        if (++depth >= DEEPEST)
            return;
        scopes[depth] = scope_of(info, &entry, scopes[depth - 1]);
        if (entry.tag == TAG_FUNCTION && entry.linkage_name &&
            strcmp(entry.linkage_name, function) == 0)
            inside = depth;
        else if (entry.tag == TAG_FUNCTION && entry.name && !entry.linkage_name &&
                 strcmp(entry.name, function) == 0)
            inside = depth;
    }
}

/* The entry behind one and all it contains. */
static size_t skip_entry(const struct ptx_debug_info *info, const struct entry *first)
{
    struct entry entry = *first;
    unsigned depth = 0;

    do {
        if (entry.tag == 0)
            depth--;
        else if (entry.has_children)
            depth++;
        if (depth == 0)
            break;
    } while (read_entry(info, entry.after, &entry));
    return entry.after;
}

static uint64_t count_elements(const struct ptx_debug_info *info, size_t at)
{
    uint64_t count = 1;
    struct entry entry;

    while (read_entry(info, at, &entry) && entry.tag) {
        if (entry.tag == TAG_SUBRANGE)
            count *= entry.count;
        at = skip_entry(info, &entry);
    }
    return count;
}

bool ptx_debug_type_read(const struct ptx_debug_info *info, uint32_t at,
                         struct ptx_debug_type *type)
{
    struct entry entry;
    size_t next;

    if (at < UNIT_HEADER_BYTES || !read_entry(info, at, &entry) || entry.tag == 0)
        return false;
    next = skip_entry(info, &entry);
    *type = (struct ptx_debug_type){
        .tag = entry.tag,
        .name = entry.name ? entry.name : "",
        .bytes = entry.bytes,
        .encoding = (uint32_t)entry.encoding,
        .type = (uint32_t)entry.type,
        .offset = entry.member,
        .count =
            entry.tag == TAG_ARRAY && entry.has_children ? count_elements(info, entry.after) : 0,
        .first_child = entry.has_children ? (uint32_t)entry.after : 0,
        .next = (uint32_t)next,
    };
    return true;
}
