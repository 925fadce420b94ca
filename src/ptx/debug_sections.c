/* SPDX-License-Identifier: MIT */
/* Reads .section { .b8 1,2  .b32 label+4 … } and the labels of functions in one pass. Labels inside
 * sections are not needed: sections refer to each other by offset. */
#include "ptx/debug_sections.h"

#include <stdlib.h>
#include <string.h>

struct section_reader {
    struct ptx_lexer lexer;
    struct ptx_debug_sections *sections;
    bool no_memory;
};

static const char *const names[PTX_DEBUG_SECTION_COUNT] = {"debug_info", "debug_abbrev",
                                                           "debug_loc", "debug_str"};

static struct ptx_token *token_of(struct section_reader *reader)
{
    return &reader->lexer.token;
}

static bool at_end(struct section_reader *reader)
{
    return token_of(reader)->kind == PTX_TOKEN_END || token_of(reader)->kind == PTX_TOKEN_BAD ||
           reader->no_memory;
}

static void add_bytes(struct section_reader *reader, struct ptx_debug_bytes *section,
                      uint64_t value, unsigned count)
{
    if (!cup_dynarray_reserve(&section->array, count, 1)) {
        reader->no_memory = true;
        return;
    }
    for (unsigned i = 0; i < count; i++)
        section->bytes[section->count++] = (uint8_t)(i < 8 ? value >> (8 * i) : 0);
}

static void add_address(struct section_reader *reader, struct ptx_debug_bytes *section)
{
    struct ptx_debug_address *address =
        cup_dynarray_add(&section->addresses.array, sizeof(*address));

    reader->no_memory |= !address;
    if (address)
        *address = (struct ptx_debug_address){.at = section->count, .name = *token_of(reader)};
    ptx_lexer_next(&reader->lexer);
    if (address && token_of(reader)->kind == '+') {
        ptx_lexer_next(&reader->lexer);
        address->offset = strtoull(token_of(reader)->text, NULL, 0);
        ptx_lexer_next(&reader->lexer);
    }
}

/* Values of `width` bytes, separated by commas. */
static void read_values(struct section_reader *reader, struct ptx_debug_bytes *section,
                        unsigned width)
{
    bool more = true;

    while (more && !at_end(reader)) {
        bool negative = token_of(reader)->kind == '-';
        uint64_t value = 0;

        if (negative)
            ptx_lexer_next(&reader->lexer);
        if (token_of(reader)->kind == PTX_TOKEN_NUMBER) {
            value = strtoull(token_of(reader)->text, NULL, 0);
            ptx_lexer_next(&reader->lexer);
        } else if (token_of(reader)->kind == PTX_TOKEN_WORD ||
                   token_of(reader)->kind == PTX_TOKEN_DOT) {
            add_address(reader, section);
        }
        add_bytes(reader, section, negative ? -value : value, width);
        more = token_of(reader)->kind == ',';
        if (more)
            ptx_lexer_next(&reader->lexer);
    }
}

static void read_section(struct section_reader *reader)
{
    static const struct {
        const char *word;
        unsigned width;
    } widths[] = {{"b8", 1}, {"b16", 2}, {"b32", 4}, {"b64", 8}};
    struct ptx_debug_bytes ignored = {0}, *section = &ignored;

    for (unsigned i = 0; i < PTX_DEBUG_SECTION_COUNT; i++)
        if (ptx_token_is(token_of(reader), PTX_TOKEN_DOT, names[i]))
            section = &reader->sections->of[i];
    while (!at_end(reader) && token_of(reader)->kind != '}') {
        struct ptx_token word = *token_of(reader);

        ptx_lexer_next(&reader->lexer);
        for (size_t w = 0; section != &ignored && w < sizeof(widths) / sizeof(*widths); w++)
            if (ptx_token_is(&word, PTX_TOKEN_DOT, widths[w].word))
                read_values(reader, section, widths[w].width);
    }
    ptx_lexer_next(&reader->lexer);
}

static void add_label(struct section_reader *reader, const struct ptx_token *name)
{
    struct ptx_debug_label *label =
        cup_dynarray_add(&reader->sections->labels.array, sizeof(*label));

    reader->no_memory |= !label;
    if (label)
        *label = (struct ptx_debug_label){name->hash, name->line};
}

static int by_hash(const void *one, const void *other)
{
    uint64_t a = ((const struct ptx_debug_label *)one)->hash,
             b = ((const struct ptx_debug_label *)other)->hash;

    return a < b ? -1 : a > b;
}

bool ptx_debug_sections_read(struct ptx_debug_sections *sections, const struct ptx_text *text)
{
    struct section_reader reader = {.sections = sections};

    ptx_lexer_start(&reader.lexer, text->bytes, text->length);
    ptx_lexer_next(&reader.lexer);
    while (!at_end(&reader)) {
        struct ptx_token token = *token_of(&reader);

        ptx_lexer_next(&reader.lexer);
        if (token.kind == PTX_TOKEN_WORD && token_of(&reader)->kind == ':')
            add_label(&reader, &token);
        else if (ptx_token_is(&token, PTX_TOKEN_DOT, "section"))
            read_section(&reader);
    }
    if (sections->labels.count)
        qsort(sections->labels.list, sections->labels.count, sizeof(*sections->labels.list),
              by_hash);
    return !reader.no_memory;
}

void ptx_debug_sections_finish(struct ptx_debug_sections *sections)
{
    for (unsigned i = 0; i < PTX_DEBUG_SECTION_COUNT; i++) {
        free(sections->of[i].bytes);
        free(sections->of[i].addresses.list);
    }
    free(sections->labels.list);
    memset(sections, 0, sizeof(*sections));
}

const struct ptx_debug_address *ptx_debug_address_at(const struct ptx_debug_bytes *section,
                                                     size_t at)
{
    size_t low = 0, high = section->addresses.count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (section->addresses.list[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < section->addresses.count && section->addresses.list[low].at == at
               ? &section->addresses.list[low]
               : NULL;
}

uint32_t ptx_debug_label_line(const struct ptx_debug_sections *sections,
                              const struct ptx_token *name)
{
    struct ptx_debug_label wanted = {.hash = name->hash};
    const struct ptx_debug_label *found =
        sections->labels.count ? bsearch(&wanted, sections->labels.list, sections->labels.count,
                                         sizeof(wanted), by_hash)
                               : NULL;

    return found ? found->line : 0;
}
