/* SPDX-License-Identifier: MIT */
#include "exec/matrix/operands.h"

#include "core/compiler.h"
#include "core/thread.h"
#include "exec/sched/worker.h"

#include <stdlib.h>
#include <string.h>

CUP_THREAD_STATE(matrix_operands, struct cup_matrix_operands *); /* NULL: none yet */

static void thread_ends(struct cup_thread *self)
{
    free(*cup_thread_matrix_operands(self));
    *cup_thread_matrix_operands(self) = NULL;
}

struct cup_matrix_operands *cup_matrix_operands_get(void)
{
    struct cup_matrix_operands **own = cup_thread_matrix_operands(cup_thread_self());
    struct cup_matrix_operands *operands = *own;

    if (cup_likely(operands != NULL))
        return operands;
    if (!cup_thread_at_end(CUP_SLOT_matrix_operands, thread_ends))
        return NULL;
    operands = aligned_alloc(_Alignof(struct cup_matrix_operands), sizeof(*operands));
    if (!operands)
        return NULL;
    memset(operands->places, 0, sizeof(operands->places));
    operands->kind = 0;
    operands->last = (struct cup_matrix_batch){.step_count = 0};
    *own = operands;
    return operands;
}

bool cup_matrix_decode_a(struct cup_matrix_operands *o, unsigned at, const uint8_t *cores)
{
    const struct cup_mma_source source = {.rows = cores};

    if (o->form == CUP_MATRIX_FORM_AMX)
        return cup_mma_amx_decode_a(&o->rule, &source, o->a_tiles[at]);
    cup_mma_decode_a(&o->rule, cores, &o->a[at]);
    return true;
}

bool cup_matrix_decode_b(struct cup_matrix_operands *o, unsigned at, const uint8_t *cores)
{
    const struct cup_mma_source source = {.rows = cores};

    o->places[at].known = CUP_MATRIX_UNKNOWN;
    o->last.step_count = 0;
    if (o->form == CUP_MATRIX_FORM_AMX)
        return cup_mma_amx_decode_b(&o->rule, &source, o->b_tiles[at]);
    cup_mma_decode_b(&o->rule, cores, &o->b[at]);
    return true;
}

void cup_matrix_wake(void)
{
    cup_mma_amx_wake(&cup_thread_worker(cup_thread_self())->has_matrix_shapes);
}
