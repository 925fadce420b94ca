/* SPDX-License-Identifier: MIT */
/* Types of variables, from the CUDA compiler's description to LLVM's. */
#ifndef CUP_JIT_DEBUGINFO_TYPES_H
#define CUP_JIT_DEBUGINFO_TYPES_H

#include "jit/workspace.h"
#include "ptx/debug_info.h"

#include <llvm-c/DebugInfo.h>

struct jit_debug_types {
    struct jit_workspace *workspace;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit, file;
    const struct ptx_debug_info *info;
    struct jit_debug_known_type *known;
};

/* The type at this offset of the description; NULL if it cannot be described. */
LLVMMetadataRef jit_debug_type(struct jit_debug_types *types, uint32_t at);
/* Its size; 0 if it has none. */
uint64_t jit_debug_type_bytes(const struct ptx_debug_info *info, uint32_t at);

#endif
