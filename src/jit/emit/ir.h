/* SPDX-License-Identifier: MIT */
/* Short names for building LLVM IR: types, constants, basic blocks, fields of the structures of
 * src/abi, calls of services, and vectors in the order of memory. */
#ifndef CUP_JIT_EMIT_IR_H
#define CUP_JIT_EMIT_IR_H

#include "ptx/program.h"

#include <llvm-c/Core.h>
#include <stddef.h>

struct jit_emitter;
struct jit_unit;

/* The type that represents a PTX type; lower.h says which. */
LLVMTypeRef jit_type_of(struct jit_unit *unit, enum ptx_type type);
LLVMTypeRef jit_vector_type(struct jit_emitter *e, LLVMTypeRef element);
LLVMValueRef jit_i32(struct jit_unit *unit, uint32_t value);
LLVMValueRef jit_i64(struct jit_unit *unit, uint64_t value);

LLVMValueRef jit_build_alloca(struct jit_emitter *e, LLVMTypeRef type, unsigned count,
                              const char *name);
/* Keeps an alloca from being made values: an empty asm statement has its address. */
void jit_keep_in_memory(struct jit_emitter *e, LLVMValueRef place);
LLVMBasicBlockRef jit_build_block(struct jit_emitter *e, const char *name);
void jit_build_at(struct jit_emitter *e, LLVMBasicBlockRef block);
LLVMBasicBlockRef jit_build_here(struct jit_emitter *e);
/* A conditional branch to `likely` that is weighted `times` to 1, so that the code of the other
 * block does not take registers from it. */
void jit_build_likely(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef likely,
                      LLVMBasicBlockRef other, unsigned times);
LLVMValueRef jit_build_splat(struct jit_emitter *e, LLVMValueRef scalar);
/* Loads a field of a structure of src/abi. */
LLVMValueRef jit_build_field(struct jit_emitter *e, LLVMValueRef base, size_t offset,
                             LLVMTypeRef type, bool invariant, const char *name);
LLVMValueRef jit_build_offset(struct jit_emitter *e, LLVMValueRef base, LLVMValueRef offset);
LLVMValueRef jit_build_load(struct jit_emitter *e, LLVMTypeRef type, LLVMValueRef pointer,
                            unsigned align);
LLVMValueRef jit_build_store(struct jit_emitter *e, LLVMValueRef value, LLVMValueRef pointer,
                             unsigned align);
/* Stores a constant of `size` bytes, a multiple of 8, in memory of the frame. The memory is *place,
 * which is made when it is NULL. */
void jit_build_constant(struct jit_emitter *e, LLVMValueRef *place, const void *constant,
                        size_t size, const char *name);
/* A constant array of the module. */
LLVMValueRef jit_build_words(struct jit_emitter *e, LLVMValueRef *words, unsigned count,
                             const char *name);
/* Gives a function an attribute of LLVM; `value`: 0 for those that have none. */
void jit_build_attribute(struct jit_unit *unit, LLVMValueRef function, const char *name,
                         uint64_t value);
/* Calls an intrinsic that is overloaded on one type, or on none (NULL); on several. */
LLVMValueRef jit_build_call(struct jit_emitter *e, const char *intrinsic, LLVMTypeRef overload,
                            LLVMValueRef *arguments, unsigned count);
LLVMValueRef jit_build_overloaded(struct jit_emitter *e, const char *intrinsic,
                                  LLVMTypeRef *overloads, unsigned overload_count,
                                  LLVMValueRef *arguments, unsigned count);
/* Calls the service whose pointer is at `offset` of struct cup_abi_services. */
LLVMValueRef jit_build_service(struct jit_emitter *e, size_t offset, LLVMTypeRef result,
                               LLVMValueRef *arguments, unsigned count);
/* Calls a service that is seldom called, and returns nothing. The call changes no general register,
 * so that LLVM does not spill those of the code around it. */
void jit_build_rare_service(struct jit_emitter *e, size_t offset, LLVMValueRef *arguments,
                            unsigned count);
/* Lets other warps run; only in a kernel in which warps wait. */
void jit_build_yield(struct jit_emitter *e);
/* Ends the launch with an error (enum cup_abi_trap) of these lanes. */
void jit_build_trap(struct jit_emitter *e, LLVMValueRef lanes, uint32_t reason, uint32_t line);

/* Converts a mask from <W x i1> to i32, and back. */
LLVMValueRef jit_build_bits(struct jit_emitter *e, LLVMValueRef lanes);
LLVMValueRef jit_build_lanes(struct jit_emitter *e, LLVMValueRef bits);

/* Joins four vectors of bytes into a vector of words, and back. */
LLVMValueRef jit_build_words_of_bytes(struct jit_emitter *e, const LLVMValueRef *parts);
void jit_build_bytes_of_words(struct jit_emitter *e, LLVMValueRef words, LLVMValueRef *parts);
/* Joins `count` vectors over the lanes into one vector in which the elements of a lane follow each
 * other, as in memory; and takes one of the parts out of such a vector. */
LLVMValueRef jit_parts_join(struct jit_emitter *e, const LLVMValueRef *parts, unsigned count);
LLVMValueRef jit_parts_take(struct jit_emitter *e, LLVMValueRef all, unsigned part, unsigned count);
/* The integer of so many bytes that `count` elements make in memory, of one lane or of vectors over
 * the lanes; and the elements of such an integer. */
LLVMTypeRef jit_word_type(struct jit_emitter *e, unsigned bytes);
LLVMValueRef jit_word_join(struct jit_emitter *e, const LLVMValueRef *parts, unsigned count,
                           unsigned bytes);
void jit_word_split(struct jit_emitter *e, LLVMValueRef word, LLVMTypeRef element, unsigned count,
                    LLVMValueRef *parts);

#endif
