/* SPDX-License-Identifier: MIT */
/* The divergent variant of a whole warp. A value of 32 lanes takes eight vector registers of a
 * small processor, which makes too much code and takes too long to compile. So varying registers
 * are arrays in memory, and a run of pure instructions is a loop over chunks of lanes that fit the
 * processor's registers. Values that are used only inside the run are never stored. */
#include "jit/emit/chunks.h"

#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/registers.h"

struct kinds {
    const struct jit_emitter *e;
    bool scalar, varying;
};

static void add_kind(void *context, uint32_t reg)
{
    struct kinds *kinds = context;

    if (kinds->e->function->uniformity[1][reg].kind == JIT_VARYING)
        kinds->varying = true;
    else
        kinds->scalar = true;
}

static struct kinds kinds_of(const struct jit_emitter *e, uint32_t at)
{
    struct kinds kinds = {e, false, false};

    jit_instruction_defines(&e->function->cfg, &e->function->ptx->instructions[at], add_kind,
                            &kinds);
    return kinds;
}

/* Emits a run of instructions: first those with scalar results, once, as they depend on scalars
 * only; then the loop over chunks for the others. */
static void emit_run(struct jit_emitter *e, uint32_t first, uint32_t end)
{
    uint64_t *live = e->registers->set;
    bool varying = false;

    for (uint32_t i = first; i < end; i++) {
        struct kinds kinds = kinds_of(e, i);

        varying |= kinds.varying;
        if (kinds.scalar)
            jit_emit_pure(e, &e->function->ptx->instructions[i]);
    }
    if (!varying)
        return;
    jit_chunks_begin(e);
    for (uint32_t i = first; i < end; i++)
        if (kinds_of(e, i).varying)
            jit_emit_pure(e, &e->function->ptx->instructions[i]);
    jit_dataflow_live_at(&e->function->cfg, e->node, end, live);
    /* Debuggers read dead ones, too; other instructions that share an outlined operation
     * may have live results. */
    jit_chunks_end(e, e->unit->request->debugger || e->outlined ? NULL : live);
}

void jit_chunks_emit(struct jit_emitter *e, uint32_t first, uint32_t end)
{
    uint32_t start = first;

    for (uint32_t i = first; i < end; i++) {
        struct kinds kinds = kinds_of(e, i);

        if (!kinds.scalar || !kinds.varying)
            continue;
        /* an instruction with scalar and varying results is emitted alone, for all lanes */
        emit_run(e, start, i);
        jit_emit_pure(e, &e->function->ptx->instructions[i]);
        start = i + 1;
    }
    if (start < end)
        emit_run(e, start, end);
}
