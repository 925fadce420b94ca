/* SPDX-License-Identifier: MIT */
/* The entry point of the compiler: compiles one kernel of a program to an object file. Every call
 * has an LLVM context of its own, so threads share nothing. */
#include "jit/jit.h"

#include "abi/kernel.h"
#include "jit/analysis/function.h"
#include "jit/analysis/plan.h"
#include "jit/codegen/object.h"
#include "jit/codegen/target.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/emit/calls.h"
#include "jit/emit/matrix.h"
#include "jit/instrument/counters.h"
#include "jit/llvm/out_of_memory.h"
#include "jit/transform/fma_contraction.h"
#include "jit/transform/load_narrowing.h"
#include "jit/unit.h"
#include "jit/variants/kernel_function.h"
#include "jit/workspace.h"

#include "jit_shared.h"
#include "jit_sources.h"

#include <llvm-c/ErrorHandling.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT jit_compile_function jit_compile;
EXPORT jit_compile_outlined_function jit_compile_outlined;
EXPORT jit_free_function jit_free;
EXPORT jit_identity_function jit_identity;
EXPORT jit_interface_function jit_interface;
EXPORT jit_on_fatal_error_function jit_on_fatal_error;

static void make_types(struct jit_unit *unit)
{
    LLVMContextRef context = unit->context;

    unit->i1 = LLVMInt1TypeInContext(context);
    unit->i8 = LLVMInt8TypeInContext(context);
    unit->i16 = LLVMInt16TypeInContext(context);
    unit->i32 = LLVMInt32TypeInContext(context);
    unit->i64 = LLVMInt64TypeInContext(context);
    unit->i128 = LLVMInt128TypeInContext(context);
    unit->f32 = LLVMFloatTypeInContext(context);
    unit->f64 = LLVMDoubleTypeInContext(context);
    unit->ptr = LLVMPointerTypeInContext(context, 0);
    unit->nothing = LLVMVoidTypeInContext(context);
    unit->invariant_kind = LLVMGetMDKindIDInContext(context, "invariant.load", 14);
    unit->invariant = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
}

static bool make_machine(struct jit_unit *unit)
{
    LLVMTargetDataRef layout;

    unit->machine = jit_target_make(unit);
    if (!unit->machine) {
        jit_unit_fail(unit, NULL, "LLVM has no target for this machine");
        return false;
    }
    layout = LLVMCreateTargetDataLayout(unit->machine);
    LLVMSetModuleDataLayout(unit->module, layout);
    LLVMDisposeTargetData(layout);
    return true;
}

/* The stack that is needed is known when code is generated (stack_frames.c); until then it is an
 * estimate: a frame has the registers of all lanes. */
static void fill_info(struct jit_unit *unit)
{
    uint64_t stack = 8192, registers = 0;

    for (uint32_t f = 0; f < unit->program->function_count; f++) {
        const struct ptx_function *function = &unit->program->functions[f];

        if (!unit->reached[f])
            continue;
        stack += 4096 + jit_matrix_stack_bytes(function);
        registers += (uint64_t)function->register_count * unit->width * 8;
        for (uint32_t v = 0; v < function->variable_count; v++)
            registers += jit_variable_stride(&function->variables[v]) * unit->width;
    }
    unit->stack_besides_frames = stack;
    stack += registers;
    unit->info.abi_version = CUP_ABI_VERSION;
    unit->info.size_bytes = sizeof(unit->info);
    unit->info.waiting = unit->waiting;
    unit->info.looped = unit->looped;
    unit->info.clusters = unit->clusters;
    unit->info.width = unit->width;
    unit->info.shared_bytes = unit->shared_static;
    unit->info.local_bytes = unit->local_bytes;
    unit->info.stack_bytes = (uint32_t)(stack > (1u << 28) ? 1u << 28 : stack);
    unit->info.recursive = unit->recursive;
}

static bool emit_all(struct jit_unit *unit)
{
    jit_debug_begin(unit);
    for (uint32_t f = 0; f < unit->program->function_count; f++)
        if (unit->reached[f] && f != unit->request->function)
            jit_unit_declare_function(unit, f);
    for (uint32_t f = 0; f < unit->program->function_count && !unit->failed; f++)
        if (unit->reached[f] && f != unit->request->function)
            jit_unit_emit_function(unit, f);
    if (!unit->failed)
        jit_unit_emit_kernel(unit);
    jit_debug_end(unit);
    jit_counters_end(unit);
    fill_info(unit);
    return !unit->failed;
}

/* Frees LLVM's objects. If LLVM was left by longjmp, they may be inconsistent and are leaked. */
static void dispose(struct jit_unit *unit)
{
    jit_debug_dispose(unit);
    if (unit->workspace.llvm_unusable)
        return;
    if (unit->builder)
        LLVMDisposeBuilder(unit->builder);
    if (unit->machine)
        LLVMDisposeTargetMachine(unit->machine);
    if (unit->module)
        LLVMDisposeModule(unit->module);
    if (unit->context)
        LLVMContextDispose(unit->context);
}

static void begin_unit(struct jit_unit *unit)
{
    unit->context = LLVMContextCreate();
    unit->module = LLVMModuleCreateWithNameInContext("kernel", unit->context);
    unit->builder = LLVMCreateBuilderInContext(unit->context);
    make_types(unit);
}

/* Returns false if the compilation ran out of memory. */
static bool compile(struct jit_unit *unit, struct jit_result *result)
{
    if (setjmp(unit->workspace.out))
        return false;
    begin_unit(unit);
    if (!unit->request->debugger) {
        jit_unit_contract(unit);
        jit_unit_narrow_loads(unit);
    }
    if (make_machine(unit) && jit_unit_plan(unit) && emit_all(unit) &&
        jit_unit_optimize(unit, result) && jit_unit_object(unit, result))
        result->info = unit->info;
    return true;
}

int jit_compile(const struct jit_request *request, struct jit_result *result, struct ptx_log *log)
{
    struct jit_unit unit = {
        .request = request, .program = request->program, .log = log, .shape = request->shape};
    uint64_t start = jit_clock_ns();
    bool finished = false;

    memset(result, 0, sizeof(*result));
    if (!jit_workspace_init(&unit.workspace))
        return JIT_NO_MEMORY;
    if (jit_out_of_memory_watch(&unit.workspace))
        finished = compile(&unit, result);
    jit_target_give_up(&unit);
    dispose(&unit);
    jit_out_of_memory_watch(NULL);
    jit_workspace_finish(&unit.workspace);
    result->total_ns = jit_clock_ns() - start;
    return !finished ? JIT_NO_MEMORY : unit.failed ? -1 : 0;
}

/* Emits one kernel into the library's module, of which only its outlined operations stay. */
static bool collect(struct jit_unit *library, const struct ptx_program *program, uint32_t function,
                    enum jit_block_shape shape)
{
    struct jit_request request = *library->request;
    struct jit_unit unit = *library;

    request.program = program;
    request.function = function;
    request.shape = shape;
    unit.request = &request;
    unit.program = program;
    unit.shape = shape;
    if (!jit_unit_plan(&unit) || !emit_all(&unit))
        return false;
    library->outlined = unit.outlined;
    library->fake_use_count = unit.fake_use_count;
    memcpy(library->fake_uses, unit.fake_uses, sizeof(unit.fake_uses));
    return true;
}

/* LLVM removes what is no outlined operation and is not used by one. */
static void hide_bodies(struct jit_unit *library)
{
    for (LLVMValueRef function = LLVMGetFirstFunction(library->module); function;
         function = LLVMGetNextFunction(function)) {
        size_t length;

        if (LLVMGetFirstBasicBlock(function) &&
            strncmp(LLVMGetValueName2(function, &length), JIT_OUTLINED_PREFIX,
                    strlen(JIT_OUTLINED_PREFIX)) != 0)
            LLVMSetLinkage(function, LLVMInternalLinkage);
    }
}

static void add_identity(struct jit_unit *library)
{
    const char *text = jit_identity();
    LLVMValueRef string =
        LLVMConstStringInContext2(library->context, text, strlen(text), /* ends with 0 */ false);
    LLVMValueRef global =
        LLVMAddGlobal(library->module, LLVMTypeOf(string), JIT_OUTLINED_IDENTITY_SYMBOL);

    LLVMSetInitializer(global, string);
    LLVMSetGlobalConstant(global, true);
}

static bool collect_all(struct jit_unit *library, const char *text)
{
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text, strlen(text), library->log, &failure);
    bool fine = program != NULL;

    for (uint32_t f = 0; fine && f < program->function_count; f++)
        if (program->functions[f].is_kernel)
            fine = collect(library, program, f, CUP_SHAPE_ROWS);
    ptx_program_free(program);
    return fine;
}

int jit_compile_outlined(const struct jit_outlined_request *request, struct jit_result *result,
                         struct ptx_log *log)
{
    struct jit_request first = {.tier = JIT_TIER_FIRST, .cpu_features = request->cpu_features};
    struct jit_unit library = {.request = &first, .log = log, .outlined.is_library = true};
    bool fine;

    memset(result, 0, sizeof(*result));
    if (!jit_workspace_init(&library.workspace) || setjmp(library.workspace.out))
        return JIT_NO_MEMORY;
    begin_unit(&library);
    fine = make_machine(&library);
    for (uint32_t t = 0; fine && t < request->text_count; t++)
        fine = collect_all(&library, request->texts[t]);
    hide_bodies(&library);
    add_identity(&library);
    fine = fine && jit_unit_optimize(&library, result) && jit_unit_object(&library, result);
    dispose(&library);
    jit_workspace_finish(&library.workspace);
    return fine ? 0 : -1;
}

void jit_free(struct jit_result *result)
{
    free(result->object);
    memset(result, 0, sizeof(*result));
}

const char *jit_identity(void)
{
    return "cupipe-jit " JIT_SOURCES_HASH ", LLVM " LLVM_VERSION_STRING;
}

const char *jit_interface(void)
{
    return "cupipe-jit interface " JIT_SHARED_HASH;
}

void jit_on_fatal_error(void (*handler)(const char *reason))
{
    LLVMInstallFatalErrorHandler(handler);
}
