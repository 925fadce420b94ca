/* SPDX-License-Identifier: MIT */
/* Fake uses. The value of each demanded load is an argument of a call of which the optimiser knows
 * only that it does not access memory. Before machine code is generated the calls are removed, and
 * loads without another use in their block become volatile, since code generation could remove or
 * move them. Other loads cost nothing. */
#include "jit/emit/fake_uses.h"

#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"

#include <stdio.h>

/* The function that is called as a fake use of values of a type. */
static LLVMValueRef fake_use_of(struct jit_unit *unit, LLVMTypeRef type)
{
    enum { WRITES_INACCESSIBLE = 2 << 2 }; /* memory(inaccessiblemem: write) */
    LLVMTypeRef signature = LLVMFunctionType(unit->nothing, &type, 1, false);
    LLVMValueRef function;
    char name[32];

    for (unsigned k = 0; k < unit->fake_use_count; k++)
        if (LLVMGlobalGetValueType(unit->fake_uses[k]) == signature)
            return unit->fake_uses[k];
    if (unit->fake_use_count == JIT_FAKE_USES)
        return NULL;
    snprintf(name, sizeof(name), "keep.%u", unit->fake_use_count);
    function = LLVMAddFunction(unit->module, name, signature);
    jit_build_attribute(unit, function, "nounwind", 0);
    jit_build_attribute(unit, function, "willreturn", 0);
    jit_build_attribute(unit, function, "nosync", 0);
    jit_build_attribute(unit, function, "nofree", 0);
    jit_build_attribute(unit, function, "nocallback", 0);
    jit_build_attribute(unit, function, "memory", WRITES_INACCESSIBLE);
    return unit->fake_uses[unit->fake_use_count++] = function;
}

void jit_fake_use_add(struct jit_emitter *e, LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMValueRef fake_use = fake_use_of(e->unit, type);

    if (!fake_use) { /* cannot happen with the types there are; costs only an unoptimised load */
        LLVMSetVolatile(load, true);
        return;
    }
    LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(fake_use), fake_use, &load, 1, "");
}

/* Whether the load has a use in its own block. A load that is only used in other blocks may be
 * moved there. */
static bool is_used_here(LLVMValueRef load)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(load);

    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) == block)
            return true;
    }
    return false;
}

/* Whether all uses extract single lanes: code generation may then load only those lanes. */
static bool is_only_extracted(LLVMValueRef load)
{
    if (LLVMGetTypeKind(LLVMTypeOf(load)) != LLVMVectorTypeKind)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAExtractElementInst(LLVMGetUser(use)))
            return false;
    return true;
}

/* Deletes unused instructions recursively. Loads stay, and become volatile if code generation could
 * remove or move them. */
static void remove_unused(LLVMValueRef value)
{
    LLVMValueRef operands[8];
    int count;

    if (!LLVMIsAInstruction(value))
        return;
    if (LLVMIsALoadInst(value)) {
        if (!is_used_here(value) || is_only_extracted(value))
            LLVMSetVolatile(value, true);
        return;
    }
    count = LLVMGetNumOperands(value);
    if (LLVMGetFirstUse(value) || LLVMIsACallInst(value) || LLVMIsATerminatorInst(value) ||
        LLVMIsAAllocaInst(value) || LLVMIsAAtomicRMWInst(value) ||
        LLVMIsAAtomicCmpXchgInst(value) || count > (int)(sizeof(operands) / sizeof(*operands)))
        return;
    for (int o = 0; o < count; o++)
        operands[o] = LLVMGetOperand(value, (unsigned)o);
    LLVMInstructionEraseFromParent(value);
    for (int o = 0; o < count; o++) {
        bool repeated = false;

        for (int before = 0; before < o; before++)
            repeated |= operands[before] == operands[o];
        if (!repeated)
            remove_unused(operands[o]);
    }
}

void jit_fake_uses_remove(struct jit_unit *unit)
{
    for (unsigned k = 0; k < unit->fake_use_count; k++) {
        LLVMUseRef use;

        while ((use = LLVMGetFirstUse(unit->fake_uses[k]))) {
            LLVMValueRef call = LLVMGetUser(use), value = LLVMGetOperand(call, 0);

            LLVMInstructionEraseFromParent(call);
            remove_unused(value);
        }
        LLVMDeleteFunction(unit->fake_uses[k]);
    }
    unit->fake_use_count = 0;
}
