/* SPDX-License-Identifier: MIT */
/* Prefetches of loads in short loops. */
#include "jit/emit/memory.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/variants/barrier_regions.h"

/* Prefetches in a short loop, at the address extrapolated from how far it moved in the last
 * iteration. A warp that walks through an array in grid-sized steps touches a new page each time,
 * which hardware prefetchers do not predict. Prefetching a few iterations ahead into the second-
 * level cache is best: less comes too late, and steps of a page map to few sets of the first-level
 * cache. */
void jit_emit_prefetch(struct jit_body *body, const struct jit_access *access)
{
    enum { SHORT_NODE = 16, LINE_BYTES = 64 };
    unsigned rounds = 4;
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct jit_node *node = &body->cfg.nodes[body->node];
    const struct jit_component *loop =
        node->component == JIT_NO_BLOCK ? NULL : &body->cfg.components[node->component];
    LLVMBasicBlockRef some = NULL, none = NULL;
    LLVMValueRef last, step, ahead, arguments[4];
    bool interleaved = body->interleaving.any && jit_region_is_interleaved(body, body->node);

    if (jit_body_is_masked(body) || access->strong || (access->invariant && !interleaved) ||
        !loop || loop->end - loop->first != 1 || node->end - node->first > SHORT_NODE)
        return;
    last = jit_build_alloca(body, unit->i64, 1, "last");
    step = LLVMBuildSub(b, access->address.value, LLVMBuildLoad2(b, unit->i64, last, ""), "");
    LLVMBuildStore(b, access->address.value, last);
    if (interleaved) { /* before a round's first iteration, the address was another warp's */
        LLVMValueRef before = jit_build_alloca(body, unit->i64, 1, "step"), first;
        unsigned bytes = body->width * access->bytes * access->count;

        while (body->interleaving.iterations > 1 &&
               body->interleaving.iterations * bytes > JIT_INTERLEAVED_BYTES)
            body->interleaving.iterations /= 2;

        first = LLVMBuildLoad2(b, unit->i32, body->interleaving.iterations_left, "");
        first =
            LLVMBuildICmp(b, LLVMIntEQ, first, jit_i32(unit, body->interleaving.iterations), "");
        step = LLVMBuildSelect(b, first, LLVMBuildLoad2(b, unit->i64, before, ""), step, "");
        LLVMBuildStore(b, step, before);
    }
    body->interleaving.address_step = step;
    if (interleaved) {
        some = jit_build_block(body, "ahead");
        none = jit_build_block(body, "ahead.end");
        rounds = body->interleaving.iterations; /* reaches into the warp's next round */
        ahead = LLVMBuildLoad2(b, unit->i32, body->interleaving.level, "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, ahead, jit_i32(unit, 1), ""), some, none);
        jit_build_at(body, some);
    }
    ahead = LLVMBuildAdd(b, access->address.value, LLVMBuildMul(b, step, jit_i64(unit, rounds), ""),
                         "");
    for (unsigned at = 0; at < body->width * access->bytes * access->count; at += LINE_BYTES) {
        arguments[0] = LLVMBuildIntToPtr(
            b, at ? LLVMBuildAdd(b, ahead, jit_i64(unit, at), "") : ahead, unit->ptr, "");
        arguments[1] = jit_i32(unit, 0);
        arguments[2] = jit_i32(unit, 2);
        arguments[3] = jit_i32(unit, 1);
        jit_build_call(body, "llvm.prefetch", unit->ptr, arguments, 4);
    }
    if (none) {
        LLVMBuildBr(b, none);
        jit_build_at(body, none);
    }
}
