/* SPDX-License-Identifier: MIT */
#include "exec/matrix/operands.h"

#include "core/compiler.h"
#include "core/thread.h"

#include <stdlib.h>
#include <string.h>

static void thread_ends(struct cup_thread *self)
{
    free(self->matrix_operands);
    self->matrix_operands = NULL;
}

struct cup_matrix_operands *cup_matrix_operands_get(void)
{
    struct cup_thread *self = cup_thread_self();
    struct cup_matrix_operands *operands = self->matrix_operands;

    if (cup_likely(operands != NULL))
        return operands;
    if (!cup_thread_at_end(CUP_END_MATRIX_OPERANDS, thread_ends))
        return NULL;
    operands = aligned_alloc(_Alignof(struct cup_matrix_operands), sizeof(*operands));
    if (!operands)
        return NULL;
    memset(operands->places, 0, sizeof(operands->places));
    operands->kind = 0;
    operands->last = (struct cup_matrix_batch){.step_count = 0};
    self->matrix_operands = operands;
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
    cup_mma_amx_wake(&cup_thread_self()->has_matrix_shapes);
}
