/* SPDX-License-Identifier: MIT */
/* One hash table for all scopes; an entry knows its depth. The entries of a scope form a list;
 * they are removed with the scope and reused for the next one. Entries of a bucket are chained,
 * because a look-up compares all entries of a name: with core/hashmap.h it reads twice the slots,
 * and a text takes a tenth longer to parse. */
#include "ptx/symbols.h"

#include "core/compiler.h"
#include "ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 1024 };

bool ptx_symbols_init(struct ptx_symbols *symbols)
{
    *symbols = (struct ptx_symbols){.bucket_count = FIRST_BUCKETS};
    symbols->arena = ptx_arena_create();
    symbols->buckets = calloc(FIRST_BUCKETS, sizeof(*symbols->buckets));
    return symbols->arena && symbols->buckets;
}

void ptx_symbols_finish(struct ptx_symbols *symbols)
{
    free(symbols->buckets);
    ptx_arena_destroy(symbols->arena);
}

bool ptx_symbols_enter_scope(struct ptx_symbols *symbols)
{
    if (symbols->depth + 1 == PTX_MAX_DEPTH)
        return false;
    symbols->depth++;
    symbols->scopes[symbols->depth] = NULL;
    symbols->ranges[symbols->depth] = 0;
    return true;
}

static struct ptx_symbol **bucket_of(struct ptx_symbols *symbols, uint64_t hash)
{
    return &symbols->buckets[hash & (symbols->bucket_count - 1)];
}

void ptx_symbols_leave_scope(struct ptx_symbols *symbols)
{
    struct ptx_symbol *next;

    for (struct ptx_symbol *symbol = symbols->scopes[symbols->depth]; symbol; symbol = next) {
        struct ptx_symbol **link = bucket_of(symbols, symbol->hash);

        while (*link != symbol)
            link = &(*link)->next_in_bucket;
        *link = symbol->next_in_bucket;
        next = symbol->next_in_scope;
        symbol->next_in_scope = symbols->spare;
        symbols->spare = symbol;
        symbols->count--;
    }
    symbols->depth--;
    while (symbols->deepest_range > symbols->depth ||
           (symbols->deepest_range && !symbols->ranges[symbols->deepest_range]))
        symbols->deepest_range--;
}

struct ptx_symbol *ptx_symbols_find(struct ptx_symbols *symbols, const char *name, size_t length,
                                    uint64_t hash, bool range)
{
    struct ptx_symbol *best = NULL;

    for (struct ptx_symbol *s = *bucket_of(symbols, hash); s; s = s->next_in_bucket)
        if (s->hash == hash && s->length == length && (s->kind == PTX_SYMBOL_RANGE) == range &&
            (!best || s->depth > best->depth) && !memcmp(s->name, name, length))
            best = s;
    return best;
}

struct ptx_symbol *ptx_symbols_find_outermost(struct ptx_symbols *symbols, const char *name,
                                              size_t length, uint64_t hash)
{
    for (struct ptx_symbol *s = *bucket_of(symbols, hash); s; s = s->next_in_bucket)
        if (s->hash == hash && s->length == length && s->depth == 0 &&
            s->kind != PTX_SYMBOL_RANGE && !memcmp(s->name, name, length))
            return s;
    return NULL;
}

struct ptx_symbol *ptx_symbols_find_range(struct ptx_symbols *symbols, const char *name,
                                          size_t length, int above)
{
    struct ptx_symbol *best = NULL;
    uint64_t number = 0, unit = 1;

    for (size_t prefix = length - 1; prefix > 0 && length - prefix <= 9; prefix--, unit *= 10) {
        struct ptx_symbol *range;
        char digit = name[prefix];

        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * unit;
        if (digit == '0' && prefix != length - 1)
            continue;
        range = ptx_symbols_find(symbols, name, prefix, ptx_hash_word(name, prefix), true);
        if (range && range->depth > above && number < range->index &&
            (!best || range->depth > best->depth))
            best = range;
    }
    return best;
}

static void grow(struct ptx_symbols *symbols)
{
    size_t old_count = symbols->bucket_count;
    struct ptx_symbol **old = symbols->buckets,
                      **buckets = calloc(old_count * 2, sizeof(*symbols->buckets));

    if (!buckets)
        return;
    symbols->buckets = buckets;
    symbols->bucket_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++) {
        struct ptx_symbol *next;

        for (struct ptx_symbol *s = old[i]; s; s = next) {
            struct ptx_symbol **bucket = bucket_of(symbols, s->hash);

            next = s->next_in_bucket;
            s->next_in_bucket = *bucket;
            *bucket = s;
        }
    }
    free(old);
}

struct ptx_symbol *ptx_symbols_add(struct ptx_symbols *symbols, const char *name, size_t length,
                                   uint64_t hash, enum ptx_symbol_kind kind, unsigned depth)
{
    struct ptx_symbol *symbol = symbols->spare, **bucket;

    if (symbol)
        symbols->spare = symbol->next_in_scope;
    else
        symbol = ptx_arena_take(symbols->arena, sizeof(*symbol));
    if (!symbol)
        return NULL;
    if (++symbols->count > symbols->bucket_count)
        grow(symbols);
    bucket = bucket_of(symbols, hash);
    *symbol = (struct ptx_symbol){.name = name,
                                  .length = (uint32_t)length,
                                  .kind = (uint8_t)kind,
                                  .depth = (uint8_t)depth,
                                  .hash = hash,
                                  .next_in_bucket = *bucket,
                                  .next_in_scope = symbols->scopes[depth]};
    *bucket = symbol;
    symbols->scopes[depth] = symbol;
    if (kind == PTX_SYMBOL_RANGE) {
        symbols->ranges[depth]++;
        if (depth > symbols->deepest_range)
            symbols->deepest_range = depth;
    }
    return symbol;
}
