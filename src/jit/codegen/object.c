/* SPDX-License-Identifier: MIT */
/* From LLVM IR to an object file: passes, the symbol with the kernel's info, code generation, and
 * dumps. */
#include "jit/codegen/object.h"

#include "abi/kernel.h"
#include "jit/codegen/stack_frames.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/ir.h"
#include "jit/unit.h"
#include "jit/workspace.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *tier_name(const struct jit_unit *unit)
{
    static const char *const names[] = {
        [JIT_TIER_FIRST] = "first", [JIT_TIER_OPTIMISED] = "", [JIT_TIER_HOT] = "hot"};

    return names[unit->request->tier];
}

/* If a folder is asked for (CUPIPE_DUMP), writes the module to
 * <folder>/<kernel>.<shape>.<stage>.ll, and the optimised one also as assembly (.s). */
void jit_unit_dump(struct jit_unit *unit, const char *stage)
{
    const char *folder = unit->request->dump_path;
    char path[512], *message = NULL;

    if (!folder)
        return;
    mkdir(folder, 0777);
    snprintf(path, sizeof(path), "%s/%.200s.%d.%s%s%s.ll", folder,
             unit->program->functions[unit->request->function].name, (int)unit->shape,
             tier_name(unit), tier_name(unit)[0] ? "." : "", stage);
    LLVMPrintModuleToFile(unit->module, path, &message);
    LLVMDisposeMessage(message);
    if (strcmp(stage, "optimized") != 0)
        return;
    snprintf(path, sizeof(path), "%s/%.200s.%d%s%s.s", folder,
             unit->program->functions[unit->request->function].name, (int)unit->shape,
             tier_name(unit)[0] ? "." : "", tier_name(unit));
    LLVMModuleRef copy = LLVMCloneModule(unit->module);
    message = NULL;
    if (LLVMTargetMachineEmitToFile(unit->machine, copy, path, LLVMAssemblyFile, &message))
        LLVMDisposeMessage(message);
    LLVMDisposeModule(copy);
}

static void add_info(struct jit_unit *unit)
{
    enum { WORDS = sizeof(struct cup_abi_kernel_info) / sizeof(uint32_t) };
    uint32_t words[WORDS];
    LLVMValueRef values[WORDS], global;
    LLVMTypeRef type = LLVMArrayType2(unit->i32, WORDS);

    memcpy(words, &unit->info, sizeof(words));
    for (unsigned w = 0; w < WORDS; w++)
        values[w] = jit_i32(unit, words[w]);
    global = LLVMAddGlobal(unit->module, type, "cup_abi_kernel_info");
    LLVMSetInitializer(global, LLVMConstArray2(unit->i32, values, WORDS));
    LLVMSetGlobalConstant(global, true);
}

static const char *passes_for(const struct jit_unit *unit)
{
    if (unit->outlined.is_library)
        return "globaldce,function(sroa,early-cse<memssa>,simplifycfg,instcombine<max-iterations=1;"
               "no-verify-fixpoint>,loop(loop-unroll-full),early-cse<memssa>,instcombine<"
               "max-iterations=1;no-verify-fixpoint>,simplifycfg,adce)";
    /* Registers stay in memory: making values of them takes the register allocator longer than all
     * the rest. */
    if (unit->one_variant)
        return "function(early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";
    return "function(sroa,early-cse<memssa>,simplifycfg,instcombine<max-iterations=1;"
           "no-verify-fixpoint>,correlated-propagation,jump-threading,simplifycfg,"
           "loop-mssa(loop-rotate,licm),gvn,"
           "instcombine<max-iterations=1;no-verify-fixpoint>,dse,loop-mssa(licm),simplifycfg,adce)";
}

/* Whether an instruction without uses can be removed. A load that must happen has a use
 * (demanded_loads.c). */
static bool is_idle(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
        return !LLVMGetVolatile(instruction) &&
               LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic;
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMURem:
    case LLVMLShr:
    case LLVMAnd:
        return true;
    default:
        return false;
    }
}

/* Removes what the first tier emits for nodes in case they need it. */
static void sweep(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block;
         block = LLVMGetPreviousBasicBlock(block)) {
        LLVMValueRef next, instruction = LLVMGetLastInstruction(block);

        for (; instruction; instruction = next) {
            next = LLVMGetPreviousInstruction(instruction);
            if (!LLVMGetFirstUse(instruction) && is_idle(instruction))
                LLVMInstructionEraseFromParent(instruction);
        }
    }
}

static bool run_passes(struct jit_unit *unit)
{
    LLVMPassBuilderOptionsRef options;
    LLVMErrorRef error;
    char *message;

    /* The functions of the first tier are marked optnone; the library is optimised already. */
    if (unit->outlines && unit->outlined.own == 0)
        return true;
    options = LLVMCreatePassBuilderOptions();
    error = LLVMRunPasses(unit->module, passes_for(unit), unit->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    message = LLVMGetErrorMessage(error);
    jit_unit_fail(unit, NULL, "LLVM's passes failed: %.400s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

bool jit_unit_optimize(struct jit_unit *unit, struct jit_result *result)
{
    uint64_t start = jit_clock_ns();
    char *message = NULL;

    if (!unit->outlined.is_library)
        add_info(unit);
    jit_unit_dump(unit, "plain");
    if (unit->request->dump_path &&
        LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &message)) {
        jit_unit_fail(unit, NULL,
                      "internal error: LLVM's verifier rejects the generated code: %.400s",
                      message);
        LLVMDisposeMessage(message);
        return false;
    }
    LLVMDisposeMessage(message);
    if (unit->outlines)
        for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function;
             function = LLVMGetNextFunction(function))
            sweep(function);
    if (!unit->request->debugger && !run_passes(unit))
        return false;
    jit_fake_uses_remove(unit);
    jit_unit_dump(unit, "optimized");
    result->passes_ns = jit_clock_ns() - start;
    return true;
}

bool jit_unit_object(struct jit_unit *unit, struct jit_result *result)
{
    LLVMMemoryBufferRef buffer = NULL;
    uint64_t start = jit_clock_ns();
    char *message = NULL;

    if (!unit->outlined.is_library)
        jit_stack_frames_watch(unit);
    if (LLVMTargetMachineEmitToMemoryBuffer(unit->machine, unit->module, LLVMObjectFile, &message,
                                            &buffer)) {
        jit_unit_fail(unit, NULL, "LLVM could not generate an object: %.400s", message);
        LLVMDisposeMessage(message);
        return false;
    }
    if (unit->failed || (!unit->outlined.is_library && !jit_stack_frames_settle(unit, buffer))) {
        LLVMDisposeMemoryBuffer(buffer);
        return false;
    }
    result->object_bytes = LLVMGetBufferSize(buffer);
    result->object = malloc(result->object_bytes);
    if (result->object)
        memcpy(result->object, LLVMGetBufferStart(buffer), result->object_bytes);
    LLVMDisposeMemoryBuffer(buffer);
    if (!result->object)
        jit_workspace_leave(&unit->workspace);
    result->codegen_ns = jit_clock_ns() - start;
    return true;
}
