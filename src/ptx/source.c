/* SPDX-License-Identifier: MIT */
/* One pass over the tokens: .loc and .file as they come, and .debug_str, which stands at the end of
 * a text and has the names of inlined functions. They are found by label, so names are resolved
 * after the pass. */
#include "ptx/source.h"

#include "ptx/lexer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label {
    struct ptx_token name;
    size_t at; /* in .debug_str */
};

/* A .loc whose inlined function is still only a label. */
struct pending {
    size_t location;
    struct ptx_token label;
    uint64_t offset;
};

struct source_reader {
    struct ptx_lexer lexer;
    struct ptx_source *source;
    CUP_DYNARRAY(struct label, labels);
    struct {
        CUP_DYNARRAY(struct pending, list);
    } pending;
    size_t function_first; /* the first location of the function */
    bool no_memory;
};

static void *add(struct source_reader *reader, struct cup_dynarray *array, size_t bytes)
{
    void *item = cup_dynarray_add(array, bytes);

    if (item)
        memset(item, 0, bytes);
    else
        reader->no_memory = true;
    return item;
}

static struct ptx_token *token_of(struct source_reader *reader)
{
    return &reader->lexer.token;
}

/* Takes a number; anything else is 0 and stays. */
static uint32_t take_number(struct source_reader *reader)
{
    uint32_t value = 0;

    if (token_of(reader)->kind != PTX_TOKEN_NUMBER)
        return 0;
    value = (uint32_t)strtoul(token_of(reader)->text, NULL, 0);
    ptx_lexer_next(&reader->lexer);
    return value;
}

static uint32_t find_file(const struct ptx_source *source, uint32_t number)
{
    for (size_t i = 0; i < source->files.count; i++)
        if (source->files.list[i].number == number)
            return (uint32_t)i;
    return PTX_NO_LOCATION;
}

/* Files are named before or behind the lines that refer to them: until the end of the pass, a
 * location has the number of its file. */
static uint32_t add_location(struct source_reader *reader, uint32_t ptx_line,
                             const uint32_t where[3])
{
    struct ptx_location *location =
        add(reader, &reader->source->locations.array, sizeof(*location));

    if (location)
        *location = (struct ptx_location){.ptx_line = ptx_line,
                                          .file = where[0],
                                          .line = where[1],
                                          .column = where[2],
                                          .inlined_at = PTX_NO_LOCATION};
    return (uint32_t)reader->source->locations.count - 1;
}

/* The location of a call, among those of the function so far: the call's own .loc comes before
 * those of what is inlined there. */
static uint32_t find_call(struct source_reader *reader, const uint32_t where[3])
{
    struct ptx_location *list = reader->source->locations.list;

    for (size_t i = reader->source->locations.count; i-- > reader->function_first;)
        if (list[i].file == where[0] && list[i].line == where[1] && list[i].column == where[2])
            return (uint32_t)i;
    return PTX_NO_LOCATION;
}

static bool accept_word(struct source_reader *reader, const char *word)
{
    if (!ptx_token_is(token_of(reader), PTX_TOKEN_WORD, word))
        return false;
    ptx_lexer_next(&reader->lexer);
    return true;
}

static void read_place(struct source_reader *reader, uint32_t where[3])
{
    for (int i = 0; i < 3; i++)
        where[i] = take_number(reader);
}

/* .loc 1 12 3, function_name $L+4, inlined_at 1 2 3 */
static void read_location(struct source_reader *reader, uint32_t ptx_line)
{
    struct pending pending = {0};
    uint32_t where[3], call[3] = {0}, inlined_at = PTX_NO_LOCATION, made;
    bool inlined = false;

    read_place(reader, where);
    while (token_of(reader)->kind == ',') {
        ptx_lexer_next(&reader->lexer);
        if (accept_word(reader, "function_name")) {
            pending.label = *token_of(reader);
            ptx_lexer_next(&reader->lexer);
            if (token_of(reader)->kind == '+') {
                ptx_lexer_next(&reader->lexer);
                pending.offset = take_number(reader);
            }
        } else if (accept_word(reader, "inlined_at")) {
            read_place(reader, call);
            inlined = true;
        } else {
            return;
        }
    }
    if (inlined) {
        inlined_at = find_call(reader, call);
        if (inlined_at == PTX_NO_LOCATION)
            inlined_at = add_location(reader, ptx_line, call);
    }
    made = add_location(reader, ptx_line, where);
    if (reader->no_memory || !inlined)
        return;
    reader->source->locations.list[made].inlined_at = inlined_at;
    pending.location = made;
    struct pending *kept = add(reader, &reader->pending.array, sizeof(*kept));
    if (kept)
        *kept = pending;
}

static void read_file(struct source_reader *reader)
{
    uint32_t number = take_number(reader);
    struct ptx_token *name = token_of(reader);
    struct ptx_source_file *file;

    if (name->kind != PTX_TOKEN_STRING || name->length < 2)
        return;
    file = add(reader, &reader->source->files.array, sizeof(*file));
    if (file)
        *file = (struct ptx_source_file){number, name->text + 1, name->length - 2};
}

static void add_string_byte(struct source_reader *reader)
{
    char *byte = add(reader, &reader->source->strings.array, 1);

    if (byte)
        *byte = (char)strtoul(token_of(reader)->text, NULL, 0);
}

/* The bytes of .debug_str, which are all .b8. */
static void read_strings(struct source_reader *reader)
{
    while (token_of(reader)->kind != '}' && token_of(reader)->kind != PTX_TOKEN_END &&
           !reader->no_memory) {
        if (token_of(reader)->kind == PTX_TOKEN_WORD) {
            struct label *label = add(reader, &reader->array, sizeof(*label));

            if (label)
                *label = (struct label){*token_of(reader), reader->source->strings.count};
        } else if (token_of(reader)->kind == PTX_TOKEN_NUMBER) {
            add_string_byte(reader);
        }
        ptx_lexer_next(&reader->lexer);
    }
}

static void skip_section(struct source_reader *reader)
{
    while (token_of(reader)->kind != '}' && token_of(reader)->kind != PTX_TOKEN_END)
        ptx_lexer_next(&reader->lexer);
}

static void read_section(struct source_reader *reader)
{
    bool is_strings = ptx_token_is(token_of(reader), PTX_TOKEN_DOT, "debug_str");

    while (token_of(reader)->kind != '{' && token_of(reader)->kind != PTX_TOKEN_END)
        ptx_lexer_next(&reader->lexer);
    ptx_lexer_next(&reader->lexer);
    if (is_strings)
        read_strings(reader);
    else
        skip_section(reader);
    ptx_lexer_next(&reader->lexer);
}

static void enter_function(struct source_reader *reader, uint32_t ptx_line)
{
    const uint32_t nowhere[3] = {PTX_NO_LOCATION, 0, 0};

    reader->function_first = reader->source->locations.count;
    add_location(reader, ptx_line, nowhere);
}

static void read_all(struct source_reader *reader)
{
    unsigned depth = 0;

    while (token_of(reader)->kind != PTX_TOKEN_END && token_of(reader)->kind != PTX_TOKEN_BAD &&
           !reader->no_memory) {
        struct ptx_token token = *token_of(reader);

        ptx_lexer_next(&reader->lexer);
        if (token.kind == '{' && depth++ == 0)
            enter_function(reader, token.line);
        else if (token.kind == '}' && depth)
            depth--;
        else if (ptx_token_is(&token, PTX_TOKEN_DOT, "loc"))
            read_location(reader, token.line);
        else if (ptx_token_is(&token, PTX_TOKEN_DOT, "file"))
            read_file(reader);
        else if (ptx_token_is(&token, PTX_TOKEN_DOT, "section"))
            read_section(reader);
    }
}

static const char *string_of(const struct source_reader *reader, const struct pending *pending)
{
    const struct ptx_source *source = reader->source;

    for (size_t i = 0; i < reader->count; i++) {
        const struct label *label = &reader->labels[i];
        uint64_t at = label->at + pending->offset;

        if (label->name.hash == pending->label.hash && at < source->strings.count &&
            memchr(source->strings.bytes + at, 0, source->strings.count - at))
            return source->strings.bytes + at;
    }
    return NULL;
}

static void resolve(struct source_reader *reader)
{
    struct ptx_source *source = reader->source;

    for (size_t i = 0; i < source->locations.count; i++)
        source->locations.list[i].file = find_file(source, source->locations.list[i].file);
    for (size_t i = 0; i < reader->pending.count; i++)
        source->locations.list[reader->pending.list[i].location].function =
            string_of(reader, &reader->pending.list[i]);
}

void ptx_text_name(const struct ptx_text *text, char name[PTX_TEXT_NAME_BYTES])
{
    snprintf(name, PTX_TEXT_NAME_BYTES, "%016llx%016llx.ptx", (unsigned long long)text->hash[0],
             (unsigned long long)text->hash[1]);
}

struct ptx_source *ptx_source_read(const struct ptx_text *text)
{
    struct source_reader reader = {.source = calloc(1, sizeof(*reader.source))};

    if (!reader.source)
        return NULL;
    ptx_lexer_start(&reader.lexer, text->bytes, text->length);
    ptx_lexer_next(&reader.lexer);
    read_all(&reader);
    resolve(&reader);
    free(reader.labels);
    free(reader.pending.list);
    if (reader.no_memory) {
        ptx_source_free(reader.source);
        return NULL;
    }
    return reader.source;
}

void ptx_source_free(struct ptx_source *source)
{
    if (!source)
        return;
    free(source->files.list);
    free(source->locations.list);
    free(source->strings.bytes);
    free(source);
}

uint32_t ptx_source_find(const struct ptx_source *source, uint32_t ptx_line)
{
    size_t low = 0, high = source->locations.count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (source->locations.list[middle].ptx_line <= ptx_line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || source->locations.list[low - 1].file == PTX_NO_LOCATION)
        return PTX_NO_LOCATION;
    return (uint32_t)low - 1;
}
