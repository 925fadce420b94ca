/* SPDX-License-Identifier: MIT */
/* Labels may be used before they are declared, so a use stays unresolved until its scope ends.
 * Then the labels of that scope resolve the uses of their name inside it, and the other uses pass
 * to the enclosing scope. A use is visited once for each label of its name, so this is linear: the
 * uses of a bucket are chained from the newest to the oldest, and a search ends at those of outer
 * scopes, which core/hashmap.h cannot do. */
#include "ptx/labels.h"

#include "ptx/declare.h"
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

static struct ptx_label_use *use_at(struct ptx_parser *parser, uint32_t number)
{
    return (struct ptx_label_use *)parser->labels.uses.items + number;
}

static void grow(struct ptx_parser *parser)
{
    struct ptx_labels *labels = &parser->labels;
    size_t count = labels->bucket_count ? labels->bucket_count * 2 : 256;
    uint32_t *buckets = calloc(count, sizeof(*buckets));

    if (!buckets)
        longjmp(parser->out_of_memory, 1);
    free(labels->buckets);
    labels->buckets = buckets;
    labels->bucket_count = count;
    for (uint32_t i = 0; i < labels->uses.count; i++) {
        struct ptx_label_use *use = use_at(parser, i);

        if (use->done)
            continue;
        use->older = buckets[use->hash & (count - 1)];
        buckets[use->hash & (count - 1)] = i + 1;
    }
}

/* Labels have their own name space: a register may have the same name. In the symbol table their
 * hashes differ. */
static uint64_t label_hash(const struct ptx_token *name)
{
    return name->hash ^ 0x9e3779b97f4a7c15;
}

bool ptx_label_declare(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_token label = *name;
    struct ptx_symbol *symbol;

    label.hash = label_hash(name);
    symbol = ptx_declare(parser, &label, PTX_SYMBOL_LABEL);

    if (!symbol)
        return false;
    symbol->index = (uint32_t)parser->instructions.count;
    return true;
}

void ptx_use_label(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *target)
{
    struct ptx_labels *labels = &parser->labels;
    struct ptx_label_use *use;
    uint32_t *bucket;

    if (labels->uses.count >= labels->bucket_count)
        grow(parser);
    use = ptx_vector_add(parser, &labels->uses, sizeof(*use));
    bucket = &labels->buckets[label_hash(name) & (labels->bucket_count - 1)];
    *use = (struct ptx_label_use){.name = name->text,
                                  .length = name->length,
                                  .line = name->line,
                                  .hash = label_hash(name),
                                  .target = target,
                                  .instruction = (uint32_t)parser->instructions.count,
                                  .older = *bucket};
    *bucket = (uint32_t)labels->uses.count;
}

void ptx_labels_enter_scope(struct ptx_parser *parser)
{
    parser->labels.first_use[parser->symbols.depth] = (uint32_t)parser->labels.uses.count;
}

static void resolve(struct ptx_parser *parser, const struct ptx_symbol *label)
{
    struct ptx_labels *labels = &parser->labels;
    uint32_t *link, first = labels->first_use[parser->symbols.depth];

    if (labels->bucket_count == 0)
        return;
    link = &labels->buckets[label->hash & (labels->bucket_count - 1)];
    while (*link > first) {
        struct ptx_label_use *use = use_at(parser, *link - 1);

        if (use->length != label->length || memcmp(use->name, label->name, use->length) != 0) {
            link = &use->older;
            continue;
        }
        if (use->target)
            *use->target = label->index;
        /* the instruction is missing after an error */
        else if (use->instruction < parser->instructions.count)
            ((struct ptx_instruction *)parser->instructions.items)[use->instruction].src[0].index =
                label->index;
        use->done = true;
        *link = use->older;
    }
}

void ptx_labels_leave_scope(struct ptx_parser *parser)
{
    for (const struct ptx_symbol *symbol = parser->symbols.scopes[parser->symbols.depth]; symbol;
         symbol = symbol->next_in_scope)
        if (symbol->kind == PTX_SYMBOL_LABEL)
            resolve(parser, symbol);
}

void ptx_labels_end(struct ptx_parser *parser, bool complain)
{
    for (uint32_t i = 0; i < parser->labels.uses.count; i++) {
        const struct ptx_label_use *use = use_at(parser, i);

        if (!use->done && complain && !ptx_too_many_errors(parser))
            ptx_fail_as(parser, PTX_SYNTAX, use->line, "label '%.*s' is not declared",
                        (int)use->length, use->name);
        parser->labels.buckets[use->hash & (parser->labels.bucket_count - 1)] = 0;
    }
    parser->labels.uses.count = 0;
}
