/* SPDX-License-Identifier: MIT */
/* Prefetches of loads in short loops. */
#include "jit/emit/memory.h"

#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/variants/barrier_regions.h"

/* Prefetches in a short loop, at the address extrapolated from how far it moved in the last
 * iteration. A warp that walks through an array in grid-sized steps touches a new page each time,
 * which hardware prefetchers do not predict. Prefetching a few iterations ahead into the second-
 * level cache is best: less comes too late, and steps of a page map to few sets of the first-level
 * cache. */
void jit_emit_prefetch(struct jit_emitter *e, const struct jit_access *access)
{
    enum { SHORT_NODE = 16, LINE_BYTES = 64 };
    unsigned rounds = 4;
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    const struct jit_node *node = &e->function->cfg.nodes[e->node];
    const struct jit_component *loop =
        node->component == JIT_NO_BLOCK ? NULL : &e->function->cfg.components[node->component];
    LLVMBasicBlockRef some = NULL, none = NULL;
    LLVMValueRef last, step, ahead, arguments[4];
    bool interleaved = e->regions->interleaving.any && jit_region_is_interleaved(e, e->node);

    if (jit_emitter_is_masked(e) || access->strong || (access->invariant && !interleaved) ||
        !loop || loop->end - loop->first != 1 || node->end - node->first > SHORT_NODE)
        return;
    last = jit_build_alloca(e, unit->i64, 1, "last");
    step = LLVMBuildSub(b, access->address.value, LLVMBuildLoad2(b, unit->i64, last, ""), "");
    LLVMBuildStore(b, access->address.value, last);
    if (interleaved) { /* before a round's first iteration, the address was another warp's */
        LLVMValueRef before = jit_build_alloca(e, unit->i64, 1, "step"), first;
        unsigned bytes = e->width * access->bytes * access->count;

        while (e->regions->interleaving.iterations > 1 &&
               e->regions->interleaving.iterations * bytes > JIT_INTERLEAVED_BYTES)
            e->regions->interleaving.iterations /= 2;

        first = LLVMBuildLoad2(b, unit->i32, e->regions->interleaving.iterations_left, "");
        first = LLVMBuildICmp(b, LLVMIntEQ, first,
                              jit_i32(unit, e->regions->interleaving.iterations), "");
        step = LLVMBuildSelect(b, first, LLVMBuildLoad2(b, unit->i64, before, ""), step, "");
        LLVMBuildStore(b, step, before);
    }
    e->regions->interleaving.address_step = step;
    if (interleaved) {
        some = jit_build_block(e, "ahead");
        none = jit_build_block(e, "ahead.end");
        rounds = e->regions->interleaving.iterations; /* reaches into the warp's next round */
        ahead = LLVMBuildLoad2(b, unit->i32, e->regions->interleaving.level, "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, ahead, jit_i32(unit, 1), ""), some, none);
        jit_build_at(e, some);
    }
    ahead = LLVMBuildAdd(b, access->address.value, LLVMBuildMul(b, step, jit_i64(unit, rounds), ""),
                         "");
    for (unsigned at = 0; at < e->width * access->bytes * access->count; at += LINE_BYTES) {
        arguments[0] = LLVMBuildIntToPtr(
            b, at ? LLVMBuildAdd(b, ahead, jit_i64(unit, at), "") : ahead, unit->ptr, "");
        arguments[1] = jit_i32(unit, 0);
        arguments[2] = jit_i32(unit, 2);
        arguments[3] = jit_i32(unit, 1);
        jit_build_call(e, "llvm.prefetch", unit->ptr, arguments, 4);
    }
    if (none) {
        LLVMBuildBr(b, none);
        jit_build_at(e, none);
    }
}
