/* SPDX-License-Identifier: MIT */
/* Builds a function for each row and lane count, runs it over many values, compares with the model.
 * The function reads its sources as 64-bit numbers, source after source, lane after lane, and
 * writes its results so. Arguments of the program: a table's name or "all", then words a row must
 * hold. */
#include "harness.h"

#include "jit/lower/lower.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 1024, LANES_MAX = 32 };

typedef void compiled(const uint64_t *sources, uint64_t *results);

struct shape {
    enum ptx_type sources[JIT_LOWER_MAX_OPERANDS], results[JIT_LOWER_MAX_OPERANDS];
    unsigned source_count, result_count;
};

static void die(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static LLVMTypeRef over_lanes(LLVMTypeRef type, unsigned lanes)
{
    return lanes == 1 ? type : LLVMVectorType(type, lanes);
}

static LLVMValueRef load_source(struct jit_lower *l, LLVMValueRef base, unsigned k,
                                enum ptx_type type)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef index = LLVMConstInt(i64, (uint64_t)k * l->lanes, false);
    LLVMValueRef at = LLVMBuildGEP2(l->builder, i64, base, &index, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(l->builder, over_lanes(i64, l->lanes), at, "");
    unsigned bits = model_bits(type);

    LLVMSetAlignment(value, 8);
    if (bits < 64)
        value = LLVMBuildTrunc(l->builder, value,
                               over_lanes(LLVMIntTypeInContext(l->context, bits), l->lanes), "");
    if (type == PTX_F32 || type == PTX_F64) {
        LLVMTypeRef element = type == PTX_F32 ? LLVMFloatTypeInContext(l->context)
                                              : LLVMDoubleTypeInContext(l->context);

        value = LLVMBuildBitCast(l->builder, value, over_lanes(element, l->lanes), "");
    }
    return value;
}

static void store_result(struct jit_lower *l, LLVMValueRef base, unsigned k, LLVMValueRef value,
                         enum ptx_type type)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef index = LLVMConstInt(i64, (uint64_t)k * l->lanes, false);
    LLVMValueRef at = LLVMBuildGEP2(l->builder, i64, base, &index, 1, "");
    unsigned bits = model_bits(type);

    value = LLVMBuildBitCast(l->builder, value,
                             over_lanes(LLVMIntTypeInContext(l->context, bits), l->lanes), "");
    if (bits < 64)
        value = LLVMBuildZExt(l->builder, value, over_lanes(i64, l->lanes), "");
    LLVMSetAlignment(LLVMBuildStore(l->builder, value, at), 8);
}

static LLVMValueRef constant(struct jit_lower *l, uint64_t value, LLVMTypeRef type)
{
    LLVMValueRef elements[LANES_MAX];

    if (l->lanes == 1)
        return LLVMConstInt(type, value, false);
    for (unsigned k = 0; k < l->lanes; k++)
        elements[k] = LLVMConstInt(LLVMGetElementType(type), value, false);
    return LLVMConstVector(elements, l->lanes);
}

static bool add_function(LLVMModuleRef module, LLVMContextRef context, const char *name,
                         const struct ptx_instruction *i, const struct shape *shape, unsigned lanes)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context),
                                        (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef function = LLVMAddFunction(module, name, type);
    LLVMValueRef sources[JIT_LOWER_MAX_OPERANDS], results[JIT_LOWER_MAX_OPERANDS] = {NULL};
    /* The models have the bounds of PTX; tests/approximations holds exact math to a card's bits. */
    struct jit_lower l = {.context = context, .module = module, .lanes = lanes, .fast_math = true};

    l.builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(l.builder, LLVMAppendBasicBlockInContext(context, function, ""));
    for (unsigned k = 0; k < shape->source_count; k++) {
        sources[k] = load_source(&l, LLVMGetParam(function, 0), k, shape->sources[k]);
        if (i->src[k].kind == PTX_OPERAND_IMMEDIATE)
            sources[k] = constant(&l, i->src[k].value, LLVMTypeOf(sources[k]));
    }
    if (!jit_lower_emit(&l, i, sources, results))
        return false;
    for (unsigned k = 0; k < shape->result_count; k++)
        store_result(&l, LLVMGetParam(function, 1), k, results[k], shape->results[k]);
    LLVMBuildRetVoid(l.builder);
    LLVMDisposeBuilder(l.builder);
    return true;
}

/* What we compile for: the one we run on is for running too. */
static const struct target {
    const char *triple, *cpu;
} targets[] = {
    {"aarch64-unknown-linux-gnu", "generic"},
    {"x86_64-unknown-linux-gnu", "x86-64-v3"},
};
#if defined __x86_64__
static const struct target *const host = &targets[1];
#else
static const struct target *const host = &targets[0];
#endif

static LLVMTargetMachineRef make_machine(const struct target *t)
{
    LLVMTargetRef target;
    char *message = NULL;

    if (LLVMGetTargetFromTriple(t->triple, &target, &message))
        die("no target", message);
    return LLVMCreateTargetMachine(target, t->triple, t->cpu, "", LLVMCodeGenLevelDefault,
                                   LLVMRelocPIC, LLVMCodeModelSmall);
}

static void check_error(LLVMErrorRef error)
{
    if (error)
        die("LLVM", LLVMGetErrorMessage(error));
}

static LLVMOrcLLJITRef make_jit(void)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITRef jit;

    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(make_machine(host)));
    check_error(LLVMOrcCreateLLJIT(&jit, builder));
    return jit;
}

/* An object for the target must name nothing that it does not have: kernels are linked to nothing.
 * LLVM calls functions of the C library where it finds no instruction. */
static bool names_nothing(LLVMModuleRef original, const struct target *t, const char *text)
{
    static LLVMTargetMachineRef machines[2];
    LLVMTargetMachineRef *machine = &machines[t - targets];
    LLVMModuleRef module = LLVMCloneModule(original);
    LLVMMemoryBufferRef object;
    LLVMBinaryRef binary;
    LLVMSymbolIteratorRef symbol;
    char *message = NULL;
    bool nothing = true;

    if (!*machine)
        *machine = make_machine(t);
    LLVMSetTarget(module, t->triple);
    LLVMSetModuleDataLayout(module, LLVMCreateTargetDataLayout(*machine));
    if (LLVMTargetMachineEmitToMemoryBuffer(*machine, module, LLVMObjectFile, &message, &object))
        die(text, message);
    LLVMDisposeModule(module);
    binary = LLVMCreateBinary(object, NULL, &message);
    symbol = LLVMObjectFileCopySymbolIterator(binary);
    for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol)) {
        LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
        const char *name = LLVMGetSymbolName(symbol);

        LLVMMoveToContainingSection(section, symbol);
        if (*name && LLVMObjectFileIsSectionIteratorAtEnd(binary, section) && !strstr(name, ".c") &&
            strcmp(name, "test")) {
            printf("# %s: %s names %s\n", text, t->triple, name);
            nothing = false;
        }
        LLVMDisposeSectionIterator(section);
    }
    LLVMDisposeSymbolIterator(symbol);
    LLVMDisposeBinary(binary);
    LLVMDisposeMemoryBuffer(object);
    return nothing;
}

static bool compile(LLVMOrcLLJITRef jit, const struct lower_row *row,
                    const struct ptx_instruction *i, const struct shape *shape, unsigned number)
{
    static const unsigned lanes[] = {1, 4, 32};
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(safe);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    char *message = NULL, name[64];

    LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit));
    LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit));
    for (unsigned k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "f%u_%u", number, lanes[k]);
        if (!add_function(module, context, name, i, shape, lanes[k]))
            return false;
    }
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
        printf("# %s: %s\n", row->text, message);
        return false;
    }
    check_error(LLVMRunPasses(module, "default<O1>", NULL, options));
    LLVMDisposePassBuilderOptions(options);
    if (getenv("LOWER_DUMP"))
        LLVMDumpModule(module);
    if (!names_nothing(module, &targets[0], row->text) ||
        !names_nothing(module, &targets[1], row->text))
        return false;
    check_error(LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit),
                                            LLVMOrcCreateNewThreadSafeModule(module, safe)));
    LLVMOrcDisposeThreadSafeContext(safe);
    return true;
}

/* Runs `sets` sets of sources, `lanes` at a time. */
static bool run_over(LLVMOrcLLJITRef jit, const struct lower_row *row,
                     const struct ptx_instruction *i, const struct shape *shape, unsigned number,
                     unsigned lanes, uint64_t (*values)[JIT_LOWER_MAX_OPERANDS])
{
    uint64_t sources[JIT_LOWER_MAX_OPERANDS * LANES_MAX];
    uint64_t results[JIT_LOWER_MAX_OPERANDS * LANES_MAX], expected[JIT_LOWER_MAX_OPERANDS];
    LLVMOrcExecutorAddress address;
    unsigned wrong = 0;
    char name[64];

    snprintf(name, sizeof name, "f%u_%u", number, lanes);
    check_error(LLVMOrcLLJITLookup(jit, &address, name));
    for (unsigned set = 0; set < SETS; set += lanes) {
        for (unsigned k = 0; k < shape->source_count; k++)
            for (unsigned lane = 0; lane < lanes; lane++)
                sources[k * lanes + lane] = values[set + lane][k];
        ((compiled *)(uintptr_t)address)(sources, results);
        for (unsigned lane = 0; lane < lanes; lane++) {
            const uint64_t *s = values[set + lane];
            bool right = true;

            if (row->judge) {
                right = row->judge(i, s, expected[0] = results[lane]);
            } else {
                row->model(i, s, expected);
                for (unsigned k = 0; k < shape->result_count; k++)
                    right = right && results[k * lanes + lane] == expected[k];
            }
            if (right || wrong++ > 3)
                continue;
            printf("# %s over %u lanes: %llx %llx %llx %llx gives %llx %llx, should be %llx %llx\n",
                   row->text, lanes, (long long)s[0], (long long)s[1], (long long)s[2],
                   (long long)s[3], (long long)results[lane],
                   shape->result_count > 1 ? (long long)results[lanes + lane] : 0,
                   (long long)expected[0], shape->result_count > 1 ? (long long)expected[1] : 0);
        }
    }
    if (wrong > 4)
        printf("# %s over %u lanes: %u wrong\n", row->text, lanes, wrong);
    return !wrong;
}

static bool check_row(LLVMOrcLLJITRef jit, const struct lower_row *row, unsigned number)
{
    static uint64_t values[SETS][JIT_LOWER_MAX_OPERANDS];
    struct ptx_instruction i = read_instruction(row);
    struct shape shape;
    bool right;

    if (!jit_lower_shape(&i, shape.sources, &shape.source_count, shape.results,
                         &shape.result_count) ||
        !compile(jit, row, &i, &shape, number))
        return false;
    for (unsigned set = 0; set < SETS; set++)
        for (unsigned k = 0; k < shape.source_count; k++)
            values[set][k] = i.src[k].kind == PTX_OPERAND_IMMEDIATE ? i.src[k].value
                             : k && next_random() % 8 == 0 && shape.sources[k] == shape.sources[0]
                                 ? values[set][0]
                                 : make_value(shape.sources[k]);
    right = run_over(jit, row, &i, &shape, number, 1, values);
    right = run_over(jit, row, &i, &shape, number, 4, values) && right;
    return run_over(jit, row, &i, &shape, number, 32, values) && right;
}

static bool wanted(const struct lower_row *row, int argc, char **argv)
{
    for (int k = 2; k < argc; k++)
        if (!strstr(row->text, argv[k]))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const struct lower_row *rows;
    } tables[] = {
        {"integer", integer_rows},
        {"bits", bits_rows},
        {"float", float_rows},
        {"half", half_rows},
        {"compare", compare_rows},
        {"convert", convert_rows},
        {"approximate", approximate_rows},
        {"video", video_rows},
    };
    const char *table = argc > 1 ? argv[1] : "all";
    unsigned number = 0, failed = 0;
    LLVMOrcLLJITRef jit;

    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    jit = make_jit();
    for (unsigned k = 0; k < sizeof tables / sizeof tables[0]; k++)
        for (const struct lower_row *row = tables[k].rows; row->text; row++) {
            bool right;

            if ((strcmp(table, "all") && strcmp(table, tables[k].name)) || !wanted(row, argc, argv))
                continue;
            right = check_row(jit, row, ++number);
            printf("%sok %u - %s\n", right ? "" : "not ", number, row->text);
            failed += !right;
        }
    printf("1..%u\n", number);
    return failed != 0 || number == 0;
}
