/* SPDX-License-Identifier: MIT */
/* Texture and surface instructions. */
#ifndef CUP_JIT_EMIT_TEXTURE_H
#define CUP_JIT_EMIT_TEXTURE_H

#include "ptx/program.h"

struct jit_emitter;

/* Returns false if the instruction is none of them. */
bool jit_emit_texture(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_surface(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* txq and suq; istypep. */
void jit_emit_image_query(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_image_type(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif
