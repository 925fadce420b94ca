/* SPDX-License-Identifier: MIT */
/* Counters are numbered as code is emitted. Nodes count inline, with atomic additions, because
 * blocks run in several threads; accesses to memory call a service with the addresses of all
 * lanes. */
#include "jit/instrument/counters.h"

#include "abi/launch.h"
#include "abi/profile.h"
#include "abi/services.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/transform/fma_contraction.h"

#include <stddef.h>
#include <string.h>

static uint32_t add_counter(struct jit_unit *unit, struct cup_abi_counter counter)
{
    if (unit->counters.count == unit->counters.capacity) {
        uint32_t capacity = unit->counters.capacity ? 2 * unit->counters.capacity : 64;

        unit->counters.list = jit_workspace_grow(&unit->workspace, unit->counters.list,
                                                 unit->counters.capacity * sizeof(counter),
                                                 capacity * sizeof(counter));
        unit->counters.capacity = capacity;
    }
    unit->counters.list[unit->counters.count] = counter;
    return unit->counters.count++;
}

static void add_to(struct jit_emitter *e, uint32_t counter, size_t field, LLVMValueRef value)
{
    LLVMValueRef counts = jit_build_field(e, e->abi.launch, offsetof(struct cup_abi_launch, counts),
                                          e->unit->ptr, true, "counts");
    uint64_t at = counter * sizeof(struct cup_abi_count) + field;

    LLVMBuildAtomicRMW(e->builder, LLVMAtomicRMWBinOpAdd,
                       jit_build_offset(e, counts, jit_i64(e->unit, at)), value,
                       LLVMAtomicOrderingMonotonic, false);
}

/* Where the instructions before an index end in the program of the request. A product that became
 * part of a sum is in that sum's node. */
static uint32_t end_before(const struct jit_emitter *e, uint32_t index)
{
    return index ? jit_unit_origin(e->unit, e->function->index, index - 1) + 1 : 0;
}

/* A node that only exits is counted in several places: where lanes leave for it. */
static uint32_t node_counter(struct jit_emitter *e, uint32_t n, uint32_t end)
{
    struct jit_unit *unit = e->unit;
    struct cup_abi_counter wanted = {CUP_ABI_COUNT_NODE, e->function->index,
                                     end_before(e, e->function->cfg.nodes[n].first),
                                     end_before(e, end)};

    if (jit_node_is_exit(&e->function->cfg, n))
        for (uint32_t c = 0; c < unit->counters.count; c++)
            if (memcmp(&unit->counters.list[c], &wanted, sizeof(wanted)) == 0)
                return c;
    return add_counter(unit, wanted);
}

void jit_count_node(struct jit_emitter *e, uint32_t n, LLVMValueRef lanes)
{
    struct jit_unit *unit = e->unit;
    const struct jit_node *node = &e->function->cfg.nodes[n];
    uint32_t end = node->last < e->function->ptx->instruction_count ? node->last + 1 : node->end;
    uint32_t counter;

    if (!unit->request->counted || end <= node->first)
        return;
    counter = node_counter(e, n, end);
    lanes = jit_build_call(e, "llvm.ctpop", unit->i32, &lanes, 1);
    add_to(e, counter, offsetof(struct cup_abi_count, executions), jit_i64(unit, 1));
    add_to(e, counter, offsetof(struct cup_abi_count, lanes),
           LLVMBuildZExt(e->builder, lanes, unit->i64, ""));
}

static bool is_access(const struct ptx_instruction *i)
{
    bool memory = i->op == PTX_OP_ld || i->op == PTX_OP_ldu || i->op == PTX_OP_st ||
                  i->op == PTX_OP_atom || i->op == PTX_OP_red;

    return memory &&
           (i->space == PTX_GLOBAL || i->space == PTX_SPACE_NONE || i->space == PTX_SHARED);
}

void jit_count_access(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    uint32_t index =
        jit_unit_origin(unit, e->function->index, (uint32_t)(i - e->function->ptx->instructions));
    uint32_t counter;
    unsigned bytes;
    LLVMValueRef addresses, memory;

    if (!unit->request->counted || !is_access(i))
        return;
    bytes = ptx_access_bytes(i);
    counter =
        add_counter(unit, (struct cup_abi_counter){i->space == PTX_SHARED ? CUP_ABI_COUNT_SHARED
                                                                          : CUP_ABI_COUNT_GLOBAL,
                                                   e->function->index, index, index + 1});
    addresses = jit_value_vector(e, jit_emit_address(e, &i->src[0], i->space));
    memory = jit_build_alloca(e, LLVMTypeOf(addresses), 1, "addresses");
    LLVMBuildStore(e->builder, addresses, memory);
    LLVMValueRef arguments[] = {
        e->abi.block,         jit_mask_bits(e),       memory,
        jit_i32(unit, bytes), jit_i32(unit, counter), jit_i32(unit, i->space == PTX_SHARED)};
    jit_build_service(e, offsetof(struct cup_abi_services, count_access), unit->nothing, arguments,
                      6);
}

void jit_counters_end(struct jit_unit *unit)
{
    enum { WORDS = sizeof(struct cup_abi_counter) / sizeof(uint32_t) };
    uint32_t count = unit->counters.count * WORDS;
    const uint32_t *words = (const uint32_t *)unit->counters.list;
    LLVMValueRef *values, global;

    unit->info.counters = unit->counters.count;
    if (!count)
        return;
    values = jit_workspace_zeros(&unit->workspace, count, sizeof(*values));
    for (uint32_t w = 0; w < count; w++)
        values[w] = jit_i32(unit, words[w]);
    global = LLVMAddGlobal(unit->module, LLVMArrayType2(unit->i32, count), "cup_abi_counters");
    LLVMSetInitializer(global, LLVMConstArray2(unit->i32, values, count));
    LLVMSetGlobalConstant(global, true);
}
