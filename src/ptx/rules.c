/* SPDX-License-Identifier: MIT */
/* The rules that forms.def cannot express: words that require or exclude each other, limits of
 * vectors, operands that depend on a word, instructions that a target has lost. */
#include "ptx/rules.h"

#include "core/compiler.h"
#include "ptx/matrix.h"
#include "ptx/needs.h"
#include "ptx/parser.h"

#include <string.h>

static bool has_any(const struct ptx_instruction *instruction, const enum ptx_modifier *modifiers,
                    size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ptx_has(instruction, modifiers[i]))
            return true;
    return false;
}

static const enum ptx_modifier evictions[] = {PTX_MOD_L1_EVICT_NORMAL, PTX_MOD_L1_EVICT_UNCHANGED,
                                              PTX_MOD_L1_EVICT_FIRST, PTX_MOD_L1_EVICT_LAST,
                                              PTX_MOD_L1_NO_ALLOCATE};
static const enum ptx_modifier l2_evictions[] = {PTX_MOD_L2_EVICT_NORMAL, PTX_MOD_L2_EVICT_FIRST,
                                                 PTX_MOD_L2_EVICT_LAST};
static const enum ptx_modifier caches[] = {PTX_MOD_CA, PTX_MOD_CG, PTX_MOD_CS, PTX_MOD_CV,
                                           PTX_MOD_LU, PTX_MOD_WB, PTX_MOD_WT};
static const enum ptx_modifier prefetches[] = {PTX_MOD_L2_64B, PTX_MOD_L2_128B, PTX_MOD_L2_256B};

static const char *const unshared[] = {
    [PTX_CONST] = "const", [PTX_LOCAL] = "local", [PTX_PARAM] = "param", [PTX_SHARED] = NULL};

/* Checks cache operators, eviction priorities and hints of ld, st, atom and red. */
static bool check_hints(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    bool global = instruction->space == PTX_SPACE_NONE || instruction->space == PTX_GLOBAL;
    bool evicts = has_any(instruction, evictions, CUP_ARRAY_COUNT(evictions)),
         l2_evicts = has_any(instruction, l2_evictions, CUP_ARRAY_COUNT(l2_evictions)),
         cached = has_any(instruction, caches, CUP_ARRAY_COUNT(caches)),
         prefetches_l2 = has_any(instruction, prefetches, CUP_ARRAY_COUNT(prefetches)),
         hinted = ptx_has(instruction, PTX_MOD_CACHE_HINT),
         is_volatile = ptx_has(instruction, PTX_MOD_VOLATILE);
    unsigned bits = ptx_type_bits(instruction->types[0]) * instruction->width;

    if (!global && (evicts || l2_evicts || prefetches_l2 || hinted))
        return ptx_fail(
            parser, "eviction and cache hints are allowed for .global and generic addresses only");
    if (evicts && cached)
        return ptx_fail(parser, "an eviction priority excludes a cache operator");
    if (is_volatile && (cached || hinted || (instruction->op == PTX_OP_st && evicts)))
        return ptx_fail(parser, ".volatile excludes cache operators and hints");
    if (is_volatile && unshared[instruction->space] &&
        !(instruction->space == PTX_LOCAL && parser->version >= 91))
        return ptx_fail(parser, "Modifier '.volatile' cannot be applied to '.%s' space",
                        unshared[instruction->space]);
    if (l2_evicts && (bits != 256 || ptx_type_bits(instruction->types[0]) < 32))
        return ptx_fail(parser, "an L2 eviction priority needs .v8.b32 or .v4.b64");
    return true;
}

static bool check_width(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    unsigned bits = ptx_type_bits(instruction->types[0]) * instruction->width;
    bool memory = instruction->op == PTX_OP_ld || instruction->op == PTX_OP_st;

    if (memory && instruction->width == 8 && bits != 256)
        return ptx_fail(parser, ".v8 needs a type of 32 bits");
    if (instruction->width == 1 || bits <= 128)
        return true;
    if (!memory || bits > 256 || instruction->types[0] == PTX_B128 ||
        (instruction->space != PTX_SPACE_NONE && instruction->space != PTX_GLOBAL))
        return ptx_fail(parser, "a vector of %u bits: the maximum is 128 here", bits);
    if (parser->target < 100 || parser->version < 88)
        return ptx_fail(parser,
                        "a vector of 256 bits needs .target sm_100 or higher and .version 8.8");
    return true;
}

/* Whether an integer type represents all values of another. */
static bool integer_fits(enum ptx_type from, enum ptx_type to)
{
    bool from_signed = ptx_type_is_signed(from), to_signed = ptx_type_is_signed(to);
    unsigned from_bits = ptx_type_bits(from) - from_signed, to_bits = ptx_type_bits(to) - to_signed;

    return from_bits <= to_bits && (!from_signed || to_signed);
}

static bool check_cvt(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    if (ptx_has(instruction, PTX_MOD_SAT) && !ptx_has(instruction, PTX_MOD_PACK) &&
        instruction->type_count == 2 && ptx_type_is_integer(instruction->types[0]) &&
        ptx_type_is_integer(instruction->types[1]) &&
        integer_fits(instruction->types[1], instruction->types[0]))
        return ptx_fail(parser, "'.sat' is not allowed from .%s to .%s: the value always fits",
                        ptx_type_name(instruction->types[1]), ptx_type_name(instruction->types[0]));
    return true;
}

static bool check_minimum(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    bool xorsign = ptx_has(instruction, PTX_MOD_XORSIGN),
         absolute = ptx_has(instruction, PTX_MOD_ABS);

    return xorsign == absolute || ptx_fail(parser, "'.xorsign' and '.abs' need each other");
}

/* Multiplying and adding floats without saying how to round is from before there was a fused way to
 * do it. */
static bool check_mad(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    static const enum ptx_modifier roundings[] = {PTX_MOD_RN, PTX_MOD_RZ, PTX_MOD_RM, PTX_MOD_RP};

    if (!ptx_type_is_float(instruction->types[0]) || parser->version < 40 || parser->target < 20)
        return true;
    return has_any(instruction, roundings, CUP_ARRAY_COUNT(roundings)) ||
           ptx_fail(parser, "'mad' needs a rounding modifier: .rn, .rz, .rm or .rp");
}

/* Checks the shape of wgmma. Integers have fewer widths. */
static bool check_group_shape(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    struct ptx_matrices matrices;
    bool whole = instruction->types[0] == PTX_S32;

    if (!ptx_matrices_of(instruction, &matrices))
        return true;
    return (matrices.n >= 8 && matrices.n <= 256 && instruction->depth == matrices.k &&
            matrices.n % (whole && matrices.n > 32 ? 16 : 8) == 0) ||
           ptx_fail(parser, "'wgmma' has no shape .m64n%uk%u for these types", matrices.n,
                    instruction->depth);
}

/* multimem and bulk copies have an order and a scope, or neither. */
static bool check_order(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    static const enum ptx_modifier orders[] = {PTX_MOD_RELAXED, PTX_MOD_ACQUIRE, PTX_MOD_RELEASE};
    static const enum ptx_modifier scopes[] = {PTX_MOD_SCOPE_CTA, PTX_MOD_SCOPE_CLUSTER,
                                               PTX_MOD_SCOPE_GPU, PTX_MOD_SCOPE_SYS};
    bool order = has_any(instruction, orders, CUP_ARRAY_COUNT(orders)),
         scope = has_any(instruction, scopes, CUP_ARRAY_COUNT(scopes));

    return order == scope || ptx_fail(parser,
                                      order ? "the order needs a scope with '%s'"
                                            : "the scope needs an order with '%s'",
                                      ptx_opcode_name(instruction->op));
}

static bool check_multimem(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    bool ordered = ptx_has(instruction, PTX_MOD_WEAK) || ptx_has(instruction, PTX_MOD_RELAXED);

    if (ordered && ptx_has(instruction, PTX_MOD_COPY_ALL) &&
        !ptx_check_age(parser, "the order of 'multimem.cp'", 93, 90))
        return false;
    return check_order(parser, instruction);
}

static bool is_video(enum ptx_opcode op)
{
    return ptx_opcode_name(op)[0] == 'v' && op != PTX_OP_vote;
}

bool ptx_check_words(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    switch (instruction->op) {
    case PTX_OP_ld:
    case PTX_OP_st:
        if (!check_hints(parser, instruction))
            return false;
        if (instruction->op == PTX_OP_st &&
            (instruction->space == PTX_CONST || ptx_has(instruction, PTX_MOD_PARAM_ENTRY)))
            return ptx_fail(parser, "this state space cannot be stored to");
        return check_width(parser, instruction);
    case PTX_OP_atom:
    case PTX_OP_red:
        return check_hints(parser, instruction) && check_width(parser, instruction);
    case PTX_OP_ldu:
    case PTX_OP_mov:
    case PTX_OP_suld:
    case PTX_OP_sust:
        return check_width(parser, instruction);
    case PTX_OP_cvt:
        return check_cvt(parser, instruction);
    case PTX_OP_mad:
        return check_mad(parser, instruction);
    case PTX_OP_wgmma:
        return check_group_shape(parser, instruction);
    case PTX_OP_multimem:
        return check_multimem(parser, instruction);
    case PTX_OP_cp:
        return check_order(parser, instruction);
    case PTX_OP_min:
    case PTX_OP_max:
        return check_minimum(parser, instruction);
    case PTX_OP_shfl:
    case PTX_OP_vote:
        if (!ptx_has(instruction, PTX_MOD_SYNC) && parser->target >= 70 && parser->version >= 64)
            return ptx_fail(parser, "'%s' without '.sync' is not supported from .target sm_70 on",
                            ptx_opcode_name(instruction->op));
        return true;
    default:
        if (is_video(instruction->op) && ptx_has(instruction, PTX_MOD_SAT) &&
            ptx_has(instruction, PTX_MOD_ADD) && strpbrk(ptx_opcode_name(instruction->op), "24"))
            return ptx_fail(parser, "'.sat' and '.add' exclude each other");
        return true;
    }
}

/* A cache policy operand must be present exactly if .L2::cache_hint is. without: the number of
 * sources without it. */
static bool check_policy(struct ptx_parser *parser, const struct ptx_instruction *instruction,
                         unsigned without)
{
    bool hinted = ptx_has(instruction, PTX_MOD_CACHE_HINT);

    if (hinted ? instruction->source_count > without : instruction->source_count <= without)
        return true;
    return ptx_fail(parser, hinted ? "'.L2::cache_hint' needs a cache policy as last operand"
                                   : "a cache policy needs '.L2::cache_hint'");
}

/* Checks the third source of a video instruction, with which .add, .min, .max or a selector of the
 * destination combine the result. */
static bool check_video(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    static const enum ptx_modifier second[] = {PTX_MOD_ADD, PTX_MOD_MIN, PTX_MOD_MAX};
    bool needs =
        instruction->dst[0].selector || has_any(instruction, second, CUP_ARRAY_COUNT(second));

    if (strpbrk(ptx_opcode_name(instruction->op), "24") || instruction->op == PTX_OP_vmad)
        return true;
    if (needs && instruction->source_count < 3)
        return ptx_fail(parser, "a third source is expected");
    if (instruction->dst[0].selector && has_any(instruction, second, CUP_ARRAY_COUNT(second)))
        return ptx_fail(parser, "a selector of the destination excludes a second operation");
    if (!needs)
        instruction->source_count = 2; /* ignored, as it has no effect */
    return true;
}

static unsigned coordinate_count(const struct ptx_instruction *instruction)
{
    if (ptx_has(instruction, PTX_MOD_G1D))
        return 1;
    return ptx_has(instruction, PTX_MOD_G2D) || ptx_has(instruction, PTX_MOD_A1D) ? 2 : 4;
}

/* Checks the coordinates of tex and tld4, the optional operands after `first` (an offset, a depth),
 * and the predicate for residency. */
static bool check_sample(struct ptx_parser *parser, struct ptx_instruction *instruction,
                         unsigned first)
{
    struct ptx_operand *coordinates = &instruction->src[2];
    bool cube = ptx_has(instruction, PTX_MOD_CUBE) || ptx_has(instruction, PTX_MOD_ACUBE);
    unsigned count = coordinates->kind == PTX_OPERAND_VECTOR ? coordinates->count : 1;
    bool more = instruction->source_count > first;
    bool offset = more && instruction->src[first].kind == PTX_OPERAND_VECTOR;
    bool depth = instruction->source_count > first + offset;

    if (count < coordinate_count(instruction) || count == 3)
        return ptx_fail(parser, "the wrong number of coordinates for this geometry");
    if (coordinates->kind == PTX_OPERAND_VECTOR)
        coordinates->count = (uint8_t)coordinate_count(instruction); /* more have no effect */
    if (more && parser->version < 43)
        return ptx_fail(parser, "offsets and depths need .version 4.3 or later");
    if (offset && cube)
        return ptx_fail(parser, "cube textures cannot have offsets");
    if (depth && ptx_has(instruction, PTX_MOD_G3D))
        return ptx_fail(parser, "textures of three dimensions have no depth comparison");
    if (instruction->dst[1].kind != PTX_OPERAND_NONE &&
        (parser->version < 71 || parser->target < 60))
        return ptx_fail(parser, "this result needs .version 7.1 and .target sm_60 or higher");
    return true;
}

static bool check_texture(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    unsigned needed = ptx_has(instruction, PTX_MOD_LEVEL)  ? 1
                      : ptx_has(instruction, PTX_MOD_GRAD) ? 2
                                                           : 0;

    bool cube = ptx_has(instruction, PTX_MOD_CUBE) || ptx_has(instruction, PTX_MOD_ACUBE),
         samples = ptx_has(instruction, PTX_MOD_G2DMS) || ptx_has(instruction, PTX_MOD_A2DMS);

    if (cube && instruction->types[1] != PTX_F32)
        return ptx_fail(parser, "a cube needs coordinates of type .f32");
    if (samples && (needed || instruction->types[1] != PTX_S32))
        return ptx_fail(parser,
                        "multisampled textures need coordinates of type .s32 and have no levels");
    if (instruction->source_count < 3 + needed || instruction->source_count > 5 + needed)
        return ptx_fail(parser, "the wrong number of operands for this form of 'tex'");
    for (unsigned i = 0; needed == 2 && i < 2; i++)
        if (instruction->src[3 + i].kind != PTX_OPERAND_VECTOR)
            return ptx_fail(parser, "gradients must be vectors");
    return check_sample(parser, instruction, 3 + needed);
}

/* Checks a barrier: its number is 0 to 15, and its threads are whole warps. */
static bool check_barrier(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    const struct ptx_operand *number = &instruction->src[0], *threads = &instruction->src[1];
    bool counted = ptx_has(instruction, PTX_MOD_RED) ? instruction->source_count == 3
                                                     : instruction->source_count == 2;

    if (ptx_has(instruction, PTX_MOD_WARP) || instruction->source_count == 0)
        return true;
    if (number->kind == PTX_OPERAND_IMMEDIATE && number->value > 15)
        return ptx_fail(parser, "the barrier must be 0 to 15, not %llu",
                        (unsigned long long)number->value);
    if (counted && threads->kind == PTX_OPERAND_IMMEDIATE && threads->value % 32)
        return ptx_fail(parser, "%llu threads are not a multiple of the warp size",
                        (unsigned long long)threads->value);
    return true;
}

/* Whether cp.async has an ignore-src predicate after the size. */
static bool is_ignored(const struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    const struct ptx_operand *operand = &instruction->src[3];

    return instruction->source_count > 3 && operand->kind == PTX_OPERAND_REGISTER &&
           ((const struct ptx_register *)parser->registers.items)[operand->index].type == PTX_PRED;
}

/* Checks that a source that is a number is at most `most`. */
static bool check_range(struct ptx_parser *parser, const struct ptx_instruction *instruction,
                        unsigned source, unsigned most)
{
    const struct ptx_operand *operand = &instruction->src[source];

    return operand->kind != PTX_OPERAND_IMMEDIATE || operand->value <= most ||
           ptx_fail(parser,
                    "Argument %u of instruction '%s': value '%d' out of range, expected to be in "
                    "range [0..%u]",
                    source + 1, ptx_opcode_name(instruction->op), (int)operand->value, most);
}

static unsigned tensor_rank(const struct ptx_instruction *instruction)
{
    return instruction->src[ptx_has(instruction, PTX_MOD_PREFETCH) ? 1 : 2].count;
}

/* Bulk copies, with the number of operands before the cache policy. A tensor has two. */
static bool check_copy_bulk(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    bool tensor = ptx_has(instruction, PTX_MOD_TENSOR),
         im2col = ptx_has(instruction, PTX_MOD_IM2COL);
    unsigned sources = ptx_has(instruction, PTX_MOD_BULK_GROUP)          ? 3
                       : ptx_has(instruction, PTX_MOD_COMPLETE_TX_BYTES) ? 4
                                                                         : 2;
    const struct ptx_operand *offsets =
        &instruction->src[ptx_has(instruction, PTX_MOD_PREFETCH) ? 2 : 4];

    if (ptx_has(instruction, PTX_MOD_COMMIT_GROUP) || ptx_has(instruction, PTX_MOD_WAIT_GROUP))
        return true;
    if (tensor && im2col && offsets->count + 2u != tensor_rank(instruction))
        return ptx_fail(parser, "im2col has two offsets less than the tensor has dimensions");
    sources += im2col + (ptx_has(instruction, PTX_MOD_MULTICAST) ||
                         ptx_has(instruction, PTX_MOD_MULTICAST_16B));
    if (ptx_has(instruction, PTX_MOD_IGNORE_OOB)) {
        sources += 2;
        for (unsigned s = 3; s < 5; s++)
            if (!check_range(parser, instruction, s, 15))
                return false;
    }
    return check_policy(parser, instruction, sources);
}

/* tensormap.cp_fenceproxy and fence.proxy.tensormap: the size of a map. */
static bool check_tensor_map(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    bool ordinal = instruction->source_count == 3 && ptx_has(instruction, PTX_MOD_REPLACE);

    if (ordinal)
        return instruction->src[1].value < 5 || ptx_fail(parser, "the ordinal must be 0 to 4");
    if (instruction->source_count == 0 || ptx_has(instruction, PTX_MOD_REPLACE))
        return true;
    return instruction->src[instruction->source_count - 1].value == 128 ||
           ptx_fail(parser, "the size must be 128 here");
}

static bool check_copy_async(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    uint64_t size = instruction->src[2].value;

    if (ptx_has(instruction, PTX_MOD_BULK))
        return check_copy_bulk(parser, instruction);
    if (instruction->source_count < 3) /* commit_group and the like */
        return true;
    if (size != 16 && (ptx_has(instruction, PTX_MOD_CG) || (size != 4 && size != 8)))
        return ptx_fail(parser, "cp.async copies %s bytes, not %llu",
                        ptx_has(instruction, PTX_MOD_CG) ? "16" : "4, 8 or 16",
                        (unsigned long long)size);
    if (is_ignored(parser, instruction) && parser->version < 75)
        return ptx_fail(parser, "a predicate that ignores the source needs .version 7.5 or later");
    return check_policy(parser, instruction, ptx_has(instruction, PTX_MOD_CACHE_HINT) ? 3 : 4);
}

/* An arrival in the memory of a cluster gives no state. */
static bool check_mbarrier(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    bool arrives =
        ptx_has(instruction, PTX_MOD_ARRIVE) || ptx_has(instruction, PTX_MOD_ARRIVE_DROP);

    if (arrives && instruction->source_count == 2 && !ptx_has(instruction, PTX_MOD_NO_COMPLETE) &&
        !ptx_check_age(parser, "a count without '.noComplete'", 78, 90))
        return false;
    if (ptx_has(instruction, PTX_MOD_SHARED_CLUSTER) && ptx_has(instruction, PTX_MOD_NO_COMPLETE))
        return ptx_fail(parser, "Modifier '.shared::cluster' cannot be combined with modifier "
                                "'.noComplete'");
    return !ptx_has(instruction, PTX_MOD_SHARED_CLUSTER) ||
           instruction->dst[0].kind != PTX_OPERAND_REGISTER ||
           ptx_fail(parser, "the destination must be '_' with '.shared::cluster'");
}

/* The position and length of a bit field, the last two sources, have 8 bits. */
static bool check_field(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    for (unsigned s = instruction->source_count - 2; s < instruction->source_count; s++)
        if (!check_range(parser, instruction, s, 255))
            return false;
    return true;
}

static bool check_registers(struct ptx_parser *parser, const struct ptx_operand *operand,
                            unsigned wanted)
{
    return operand->count == wanted ||
           ptx_fail(parser, "a vector of %u registers is expected, not of %u", wanted,
                    operand->count);
}

/* Checks that the selector of mma.sp names lanes: one or two of each four, or all. */
static bool check_selector(struct ptx_parser *parser, const struct ptx_instruction *instruction,
                           const struct ptx_matrices *matrices)
{
    unsigned bits = ptx_type_bits(matrices->types[PTX_MATRIX_A]);
    unsigned nibbles = matrices->k / (bits == 32 ? 2u : bits == 4 ? 8u : 4u);

    return instruction->src[4].value < 16 / nibbles ||
           ptx_fail(parser, "the selector must be less than %u here", 16 / nibbles);
}

static bool check_matrices(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    struct ptx_matrices matrices;
    enum ptx_matrix_part part;

    if (!ptx_matrices_of(instruction, &matrices))
        return ptx_fail(parser, "the shape is missing");
    if (instruction->op == PTX_OP_wmma && !ptx_has(instruction, PTX_MOD_MMA)) {
        part = ptx_matrix_moved(instruction);
        return check_registers(parser,
                               ptx_has(instruction, PTX_MOD_LOAD) ? &instruction->dst[0]
                                                                  : &instruction->src[1],
                               ptx_matrix_registers(instruction, &matrices, part));
    }
    if (ptx_matrix_is_sparse(instruction) && !check_selector(parser, instruction, &matrices))
        return false;
    for (part = PTX_MATRIX_A; part <= PTX_MATRIX_C; part++)
        if (!check_registers(parser, &instruction->src[part],
                             ptx_matrix_registers(instruction, &matrices, part)))
            return false;
    return check_registers(parser, &instruction->dst[0],
                           ptx_matrix_registers(instruction, &matrices, PTX_MATRIX_D));
}

/* Checks the operands of wgmma: A is a vector or a descriptor; only elements of 16 bits in shared
 * memory can be transposed. */
static bool check_group(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    struct ptx_matrices matrices;
    bool in_registers = instruction->src[0].kind == PTX_OPERAND_VECTOR;
    bool sparse = ptx_matrix_is_sparse(instruction);
    unsigned first = sparse ? 5 : 3, count = instruction->source_count;

    if (!ptx_matrices_of(instruction, &matrices))
        return true;
    if (sparse &&
        instruction->src[3].value >= (ptx_type_bits(matrices.types[PTX_MATRIX_A]) >= 16 ? 2 : 1))
        return ptx_fail(parser, "the selector of the metadata is too large");
    if (in_registers &&
        !check_registers(parser, &instruction->src[0],
                         ptx_matrix_registers(instruction, &matrices, PTX_MATRIX_A)))
        return false;
    for (unsigned i = first; i < count; i++) {
        uint64_t value = instruction->src[i].value;

        if (i < first + 2 ? value != 1 && value != UINT32_MAX : value > 1)
            return ptx_fail(parser, i < first + 2 ? "a scale must be 1 or -1"
                                                  : "a transposition must be 0 or 1");
    }
    if (count > first + 2 && count != first + 4 - in_registers)
        return ptx_fail(parser, "the wrong number of operands for this form of 'wgmma'");
    return check_registers(parser, &instruction->dst[0],
                           ptx_matrix_registers(instruction, &matrices, PTX_MATRIX_D));
}

static bool check_small_matrices(struct ptx_parser *parser,
                                 const struct ptx_instruction *instruction)
{
    unsigned wanted = ptx_has(instruction, PTX_MOD_X4)   ? 4
                      : ptx_has(instruction, PTX_MOD_X2) ? 2
                                                         : 1;

    return check_registers(
        parser, instruction->op == PTX_OP_ldmatrix ? &instruction->dst[0] : &instruction->src[1],
        wanted);
}

bool ptx_check_instruction(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    bool has_bool = ptx_has(instruction, PTX_MOD_AND) || ptx_has(instruction, PTX_MOD_OR) ||
                    ptx_has(instruction, PTX_MOD_XOR);

    switch (instruction->op) {
    case PTX_OP_setp:
    case PTX_OP_set:
        return has_bool == (instruction->source_count == 3) ||
               ptx_fail(parser, has_bool ? "a predicate is expected as last operand"
                                         : "there is one source too many");
    case PTX_OP_min:
    case PTX_OP_max:
        return instruction->source_count < 3 || parser->target >= 100 ||
               ptx_fail(parser, "three sources need .target sm_100 or higher");
    case PTX_OP_ld:
        return check_policy(parser, instruction, 1);
    case PTX_OP_st:
    case PTX_OP_red:
        return ptx_has(instruction, PTX_MOD_ASYNC) || check_policy(parser, instruction, 2);
    case PTX_OP_fence:
    case PTX_OP_tensormap:
        return check_tensor_map(parser, instruction);
    case PTX_OP_atom:
        return check_policy(parser, instruction, ptx_has(instruction, PTX_MOD_CAS) ? 3 : 2);
    case PTX_OP_cp:
        return check_copy_async(parser, instruction);
    case PTX_OP_bfe:
    case PTX_OP_bfi:
        return check_field(parser, instruction);
    case PTX_OP_mbarrier:
        return check_mbarrier(parser, instruction);
    case PTX_OP_setmaxnreg:
        return (instruction->src[0].value % 8 == 0 && instruction->src[0].value >= 24 &&
                instruction->src[0].value <= 256) ||
               ptx_fail(parser, "the registers must be a multiple of 8 from 24 to 256");
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return check_barrier(parser, instruction);
    case PTX_OP_applypriority:
    case PTX_OP_discard:
        return instruction->src[1].value == 128 || ptx_fail(parser, "the size must be 128 here");
    case PTX_OP_tex:
        return check_texture(parser, instruction);
    case PTX_OP_tld4:
        return check_sample(parser, instruction, 3);
    case PTX_OP_mma:
    case PTX_OP_wmma:
        return check_matrices(parser, instruction);
    case PTX_OP_wgmma:
        return check_group(parser, instruction);
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
        return check_small_matrices(parser, instruction);
    default:
        return !is_video(instruction->op) || check_video(parser, instruction);
    }
}
