/* SPDX-License-Identifier: MIT */
/* A search through the instructions from one on. */
#include "check/sync/reach.h"

#include <stdlib.h>

struct site_search {
    const struct ptx_function *function;
    uint8_t *seen;
    uint32_t *open; /* instructions that were seen and not looked at */
    uint32_t open_count;
};

static void visit(struct site_search *search, uint32_t index)
{
    if (index >= search->function->instruction_count || search->seen[index])
        return;
    search->seen[index] = 1;
    search->open[search->open_count++] = index;
}

static bool ends(const struct ptx_instruction *i)
{
    return i->guard == PTX_NO_REGISTER &&
           (i->op == PTX_OP_ret || i->op == PTX_OP_exit || i->op == PTX_OP_trap ||
            i->op == PTX_OP_bra || i->op == PTX_OP_brx);
}

static void visit_next(struct site_search *search, uint32_t index)
{
    const struct ptx_instruction *i = &search->function->instructions[index];

    if (i->op == PTX_OP_bra)
        visit(search, i->src[0].index);
    for (uint32_t t = 0; i->op == PTX_OP_brx && i->call && t < i->call->target_count; t++)
        visit(search, i->call->targets[t]);
    if (!ends(i))
        visit(search, index + 1);
}

bool cup_site_reaches(const struct ptx_function *function, uint32_t from, uint32_t to)
{
    size_t count = function->instruction_count;
    struct site_search search = {
        .function = function, .seen = calloc(count, 1), .open = malloc(count * sizeof(uint32_t))};
    bool found = false;

    if (search.seen && search.open && from < count && to < count) {
        visit_next(&search, from);
        while (search.open_count)
            visit_next(&search, search.open[--search.open_count]);
        found = search.seen[to];
    }
    free(search.seen);
    free(search.open);
    return found;
}
