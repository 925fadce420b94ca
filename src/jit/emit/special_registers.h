/* SPDX-License-Identifier: MIT */
/* Special registers: %tid, %ctaid, %laneid, %clock and so on. */
#ifndef CUP_JIT_EMIT_SPECIAL_REGISTERS_H
#define CUP_JIT_EMIT_SPECIAL_REGISTERS_H

#include "jit/analysis/uniformity.h"
#include "jit/emit/value.h"

struct jit_value jit_special_read(struct jit_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type);
struct jit_uniformity jit_special_uniformity(const struct jit_body *body, uint32_t special,
                                             bool divergent);
/* %tid.x, .y or .z as a vector. */
LLVMValueRef jit_thread_lanes(struct jit_body *body, unsigned axis);

#endif
