/* SPDX-License-Identifier: MIT */
#include "jit/codegen/stack_frames.h"

#include "abi/kernel.h"
#include "jit/unit.h"

#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Smaller frames are in what fill_info() (jit.c) has for each function. */
#define TOLD_FROM_BYTES "4096"

/* LLVM's words: "stack frame size (459264) exceeds limit (4096) in function 'name'". */
static uint64_t frame_of(const char *description)
{
    const char *words = strstr(description, "stack frame size (");

    return words ? strtoull(strchr(words, '(') + 1, NULL, 10) : 0;
}

static void on_diagnostic(LLVMDiagnosticInfoRef diagnostic, void *user)
{
    struct jit_unit *unit = user;
    char *description = LLVMGetDiagInfoDescription(diagnostic);

    if (LLVMGetDiagInfoSeverity(diagnostic) == LLVMDSError)
        jit_unit_fail(unit, NULL, "LLVM could not generate code: %.400s", description);
    unit->frames_bytes += frame_of(description);
    LLVMDisposeMessage(description);
}

void jit_stack_frames_watch(struct jit_unit *unit)
{
    static const char name[] = "warn-stack-size";
    LLVMAttributeRef watched =
        LLVMCreateStringAttribute(unit->context, name, (unsigned)strlen(name), TOLD_FROM_BYTES,
                                  (unsigned)strlen(TOLD_FROM_BYTES));

    LLVMContextSetDiagnosticHandler(unit->context, on_diagnostic, unit);
    for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function;
         function = LLVMGetNextFunction(function))
        if (LLVMGetFirstBasicBlock(function))
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, watched);
}

/* Returns where the object has the kernel's info, or NULL. */
static char *find_info(LLVMBinaryRef binary)
{
    LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
    char *found = NULL;

    while (!found && !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol)) {
        if (strcmp(LLVMGetSymbolName(symbol), "cup_abi_kernel_info") == 0) {
            LLVMMoveToContainingSection(section, symbol);
            found = (char *)(uintptr_t)LLVMGetSectionContents(section) +
                    LLVMGetSymbolAddress(symbol) - LLVMGetSectionAddress(section);
        }
        LLVMMoveToNextSymbol(symbol);
    }
    LLVMDisposeSectionIterator(section);
    LLVMDisposeSymbolIterator(symbol);
    return found;
}

bool jit_stack_frames_settle(struct jit_unit *unit, LLVMMemoryBufferRef object)
{
    uint64_t stack = unit->stack_besides_frames + unit->frames_bytes;
    char *message = NULL, *info = NULL;
    LLVMBinaryRef binary;

    if (stack <= unit->info.stack_bytes)
        return true;
    unit->info.stack_bytes = (uint32_t)(stack > (1u << 28) ? 1u << 28 : stack);
    binary = LLVMCreateBinary(object, NULL, &message);
    if (binary)
        info = find_info(binary);
    if (info)
        memcpy(info + offsetof(struct cup_abi_kernel_info, stack_bytes), &unit->info.stack_bytes,
               sizeof(unit->info.stack_bytes));
    if (binary)
        LLVMDisposeBinary(binary);
    LLVMDisposeMessage(message);
    if (!info)
        jit_unit_fail(unit, NULL, "internal error: the object lacks the kernel's info");
    return info != NULL;
}
