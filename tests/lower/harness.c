/* SPDX-License-Identifier: MIT */
/* Builds a function for each row and lane count, runs it over many values, compares with the model.
 * The function reads its sources as 64-bit numbers, source after source, lane after lane, and
 * writes its results so. Arguments of the program: a table's name or "all", then words a row must
 * hold. */
#include "harness.h"

#include "jit/lower.h"

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
    enum ptx_type sources[CUP_LOWER_MAX_OPERANDS], results[CUP_LOWER_MAX_OPERANDS];
    unsigned source_count, result_count;
};

static const struct {
    const char *name;
    uint8_t type;
} type_names[] = {
    {"b8", PTX_B8},         {"b16", PTX_B16},       {"b32", PTX_B32},   {"b64", PTX_B64},
    {"u8", PTX_U8},         {"u16", PTX_U16},       {"u32", PTX_U32},   {"u64", PTX_U64},
    {"s8", PTX_S8},         {"s16", PTX_S16},       {"s32", PTX_S32},   {"s64", PTX_S64},
    {"u16x2", PTX_U16X2},   {"s16x2", PTX_S16X2},   {"f16", PTX_F16},   {"f16x2", PTX_F16X2},
    {"bf16", PTX_BF16},     {"bf16x2", PTX_BF16X2}, {"tf32", PTX_TF32}, {"e4m3x2", PTX_E4M3X2},
    {"e5m2x2", PTX_E5M2X2}, {"f32", PTX_F32},       {"f64", PTX_F64},   {"pred", PTX_PRED},
    {"f32x2", PTX_F32X2},   {"u4", PTX_U4},         {"s4", PTX_S4},     {"u2", PTX_U2},
    {"s2", PTX_S2},
};

static const char *const opcode_names[] = {
#define PTX_OPCODE(name) #name,
#include "ptx/opcodes.def"
#undef PTX_OPCODE
};

static const char *const modifier_names[] = {
#define PTX_MODIFIER(name, text) text,
#include "ptx/modifiers.def"
#undef PTX_MODIFIER
};

float as_float(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float value;

    memcpy(&value, &narrow, 4);
    return value;
}

double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

uint64_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, 4);
    return bits;
}

uint64_t double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, 8);
    return bits;
}

uint64_t mask_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

int64_t sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static void die(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

unsigned model_bits(enum ptx_type type)
{
    for (unsigned k = 0; k < sizeof type_names / sizeof type_names[0]; k++) {
        const char *digits = type_names[k].name + strcspn(type_names[k].name, "0123456789");

        if (type_names[k].type != type)
            continue;
        if (type == PTX_E4M3X2 || type == PTX_E5M2X2)
            return 16;
        if (type == PTX_PRED)
            return 1;
        return (unsigned)atoi(digits) * (strstr(digits, "x2") ? 2 : 1);
    }
    return 0;
}

bool model_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64 ||
           type == PTX_S4 || type == PTX_S2;
}

static void read_word(struct ptx_instruction *i, const char *word, const char *text)
{
    for (unsigned k = 0; k < sizeof type_names / sizeof type_names[0]; k++)
        if (!strcmp(word, type_names[k].name)) {
            i->types[i->type_count++] = type_names[k].type;
            return;
        }
    for (unsigned k = 0; k < PTX_MODIFIER_COUNT; k++)
        if (!strcmp(word, modifier_names[k])) {
            i->modifiers[k / 64] |= UINT64_C(1) << (k % 64);
            return;
        }
    die("unknown word", text);
}

/* "a.b1" and "d.h0"; of SIMD forms "a=0x3210" and "d=0x5"; "-a". */
static void read_extra(struct ptx_instruction *i, const char *word, const char *text)
{
    bool negated = word[0] == '-';
    struct ptx_operand *o;

    word += negated;
    o = word[0] == 'd' ? &i->dst[0] : &i->src[word[0] - 'a'];
    if (word[0] != 'd' && (word[0] < 'a' || word[0] > 'c'))
        die("unknown operand", text);
    o->negated = negated;
    if (word[1] == '.')
        o->selector = (uint8_t)((word[2] == 'b' ? 1 : 5) + (word[3] - '0'));
    if (word[1] == '=') {
        o->selector = 7;
        o->value = strtoull(word + 2, NULL, 16);
    }
}

static struct ptx_instruction read_instruction(const struct lower_row *row)
{
    struct ptx_instruction i = {.width = 1, .guard = PTX_NO_REGISTER};
    char text[128], *rest, *word;

    snprintf(text, sizeof text, "%s", row->text);
    rest = strchr(text, ' ');
    if (rest)
        *rest++ = 0;
    word = strtok(text, ".");
    for (i.op = 0; i.op < PTX_OPCODE_COUNT; i.op++)
        if (!strcmp(word, opcode_names[i.op]))
            break;
    while ((word = strtok(NULL, ".")))
        read_word(&i, word, row->text);
    i.source_count = (uint8_t)row->source_count;
    i.dst[0].kind = PTX_OPERAND_REGISTER;
    for (unsigned k = 0; k < row->source_count; k++)
        i.src[k].kind = PTX_OPERAND_REGISTER;
    for (word = rest ? strtok(rest, " ") : NULL; word; word = strtok(NULL, " ")) {
        if (!strncmp(word, "lut=", 4))
            i.lut = (uint8_t)strtoul(word + 4, NULL, 0);
        else if (!strcmp(word, "q"))
            i.dst[1].kind = PTX_OPERAND_REGISTER;
        else
            read_extra(&i, word, row->text);
    }
    return i;
}

/* Values. */

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static const uint64_t float_specials[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f800000, 0xff800000, 0x7fc00000,
    0x7fffffff, 0xffc12345, 0x7f800001, 0xff801234, 1,          0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b800000, 0x4f000000,
    0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000, 0x5f800000, 0x7e800000, 0x7e800001, 0x40490fdb,
    0x3fc00000, 0x40200000, 0xbf000000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x33000001,
};
static const uint64_t double_specials[] = {
    0,
    0x8000000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fe0000000000000,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7fffffffffffffff,
    0xfff8000000012345,
    0x7ff0000000000001,
    1,
    0x8000000000000001,
    0x000fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x41e0000000000000,
    0xc1e0000000000000,
    0x41dfffffffc00000,
    0x43e0000000000000,
    0x43f0000000000000,
    0x43dfffffffffffff,
    0x3ff8000000000000,
    0x4004000000000000,
    0x47efffffe0000000,
    0x47effffff0000000,
    0x36a0000000000000,
    0x3690000000000000,
    0x3690000000000001,
    0x380fffffffffffff,
};
static const uint64_t half_specials[] = {
    0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe12, 0x7c01, 1,
    0x8001, 0x03ff, 0x0400, 0x8400, 0x7bff, 0xfbff, 0x3bff, 0x3c01, 0x3f80, 0xbf80, 0x7f80,
    0xff80, 0x7f7f, 0xff7f, 0x0080, 0x007f, 0x807f, 0x3800, 0x4248, 0x6400, 0x5bff, 0xffff,
};
static const uint64_t integer_specials[] = {
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    UINT64_C(1) << 53,
    (UINT64_C(1) << 53) + 1,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX,
    UINT64_MAX - 1,
    0x1000001,
    0x1000003,
    UINT64_C(0xffffff8000000000),
    UINT64_C(0x7fffffbfffffffff),
    0x80808080,
    0x7f7f7f7f,
};

#define PICK(table) table[next_random() % (sizeof table / sizeof table[0])]

static uint64_t half_value(void)
{
    return next_random() % 3 ? next_random() & 0xffff : PICK(half_specials);
}

static uint64_t float_value(void)
{
    switch (next_random() % 5) {
    case 0:
    case 1:
        return PICK(float_specials);
    case 2: /* small whole numbers and halves */
        return float_bits((float)((int)(next_random() % 2001) - 1000) / 2);
    case 3: /* near one */
        return 0x3e000000 + next_random() % 0x3000000;
    default:
        return next_random() & 0xffffffff;
    }
}

static uint64_t double_value(void)
{
    switch (next_random() % 5) {
    case 0:
    case 1:
        return PICK(double_specials);
    case 2:
        return double_bits((double)((int)(next_random() % 2001) - 1000) / 2);
    case 3: /* of the size of .f32, with few or many digits */
        return double_bits((double)as_float(next_random()) *
                           (next_random() % 2 ? 1 : 1 + (double)(next_random() >> 32) * 0x1p-52));
    default:
        return next_random();
    }
}

static uint64_t make_value(enum ptx_type type)
{
    unsigned bits = model_bits(type);

    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return half_value();
    case PTX_F16X2:
    case PTX_BF16X2:
        return half_value() << 16 | half_value();
    case PTX_F32:
        return float_value();
    case PTX_F32X2:
        return float_value() << 32 | float_value();
    case PTX_F64:
        return double_value();
    default:
        if (next_random() % 2)
            return mask_bits(PICK(integer_specials), bits);
        return mask_bits(next_random() >> next_random() % 64, bits);
    }
}

/* Code. */

static LLVMTypeRef over_lanes(LLVMTypeRef type, unsigned lanes)
{
    return lanes == 1 ? type : LLVMVectorType(type, lanes);
}

static LLVMValueRef load_source(struct cup_lower *l, LLVMValueRef base, unsigned k,
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

static void store_result(struct cup_lower *l, LLVMValueRef base, unsigned k, LLVMValueRef value,
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

static bool add_function(LLVMModuleRef module, LLVMContextRef context, const char *name,
                         const struct ptx_instruction *i, const struct shape *shape, unsigned lanes)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context),
                                        (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef function = LLVMAddFunction(module, name, type);
    LLVMValueRef sources[CUP_LOWER_MAX_OPERANDS], results[CUP_LOWER_MAX_OPERANDS] = {NULL};
    struct cup_lower l = {.context = context, .module = module, .lanes = lanes};

    l.builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(l.builder, LLVMAppendBasicBlockInContext(context, function, ""));
    for (unsigned k = 0; k < shape->source_count; k++)
        sources[k] = load_source(&l, LLVMGetParam(function, 0), k, shape->sources[k]);
    if (!cup_lower_emit(&l, i, sources, results))
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
                     unsigned lanes, uint64_t (*values)[CUP_LOWER_MAX_OPERANDS])
{
    uint64_t sources[CUP_LOWER_MAX_OPERANDS * LANES_MAX];
    uint64_t results[CUP_LOWER_MAX_OPERANDS * LANES_MAX], expected[CUP_LOWER_MAX_OPERANDS];
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
    static uint64_t values[SETS][CUP_LOWER_MAX_OPERANDS];
    struct ptx_instruction i = read_instruction(row);
    struct shape shape;
    bool right;

    if (!cup_lower_shape(&i, shape.sources, &shape.source_count, shape.results,
                         &shape.result_count) ||
        !compile(jit, row, &i, &shape, number))
        return false;
    for (unsigned set = 0; set < SETS; set++)
        for (unsigned k = 0; k < shape.source_count; k++)
            values[set][k] = k && next_random() % 8 == 0 && shape.sources[k] == shape.sources[0]
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
