/* SPDX-License-Identifier: MIT */
/* Checks the operands of an instruction against the rules of its form. */
#include "ptx/check.h"

#include "core/compiler.h"
#include "ptx/forms.h"
#include "ptx/parser.h"
#include "ptx/sums.h"

#include <string.h>

static enum ptx_type twice(enum ptx_type type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    default:
        return PTX_S64;
    }
}

static enum ptx_type type_of(const struct ptx_check *check, const struct ptx_rule *rule)
{
    switch (rule->source) {
    case PTX_TYPE_WRITTEN:
        return check->instruction->types[rule->type];
    case PTX_TYPE_WIDE:
        return twice(check->instruction->types[0]);
    case PTX_TYPE_ADDRESS:
        return PTX_U64;
    default:
        return rule->type;
    }
}

/* Checks a selector: a byte or a half, or for SIMD instructions one digit per lane. */
static bool check_selector(const struct ptx_check *check, const struct ptx_rule *rule,
                           struct ptx_raw *raw)
{
    const char *name = ptx_opcode_name(check->instruction->op);
    struct ptx_operand *operand = &raw->operand;
    char last = name[strlen(name) - 1];
    unsigned lanes = last == '2' ? 2 : last == '4' ? 4 : 1, mask = 0;
    bool halves = operand->selector == 5;

    if (!operand->selector)
        return true;
    if (!(rule->flags & PTX_RULE_SELECTOR))
        return ptx_fail(check->parser, "'%.*s' takes no selector here", (int)raw->length,
                        raw->text);
    if (lanes == 1) {
        if (operand->count != 1 || operand->value >= (halves ? 2 : 4))
            return ptx_fail(check->parser, "a selector is one of .b0 to .b3, .h0 and .h1");
        operand->selector = (uint8_t)(operand->selector + operand->value);
        operand->value = 0;
        operand->count = 0;
        return true;
    }
    if (halves != (lanes == 2) || (rule->role == PTX_ROLE_SOURCE && operand->count != lanes))
        return ptx_fail(check->parser, "the selector of '%.*s' has %u digits after .%c",
                        (int)raw->length, raw->text, lanes, lanes == 2 ? 'h' : 'b');
    if (rule->role == PTX_ROLE_DESTINATION) {
        for (unsigned i = 0; i < operand->count; i++) {
            unsigned lane = operand->value >> 4 * i & 15;

            if (lane >= lanes || mask >> lane & 1)
                return ptx_fail(check->parser,
                                "the mask of '%.*s' names a lane twice, or one that does not exist",
                                (int)raw->length, raw->text);
            mask |= 1u << lane;
        }
        operand->value = mask;
    }
    operand->selector = 7;
    operand->count = 0;
    return true;
}

static bool check_destination(const struct ptx_check *check, const struct ptx_rule *rule,
                              struct ptx_raw *raw)
{
    enum ptx_type type = type_of(check, rule);
    bool wider = rule->flags & PTX_RULE_WIDER;

    if (raw->operand.negated)
        return ptx_fail(check->parser, "a destination cannot be negated");
    if (raw->operand.kind == PTX_OPERAND_SINK && rule->flags & PTX_RULE_SINK)
        return true;
    if (rule->flags & PTX_RULE_FRAGMENT)
        return ptx_check_vector(check, raw, type, 0, true, false);
    if (rule->flags & PTX_RULE_VECTOR && check->instruction->width > 1)
        return ptx_check_vector(check, raw, type, check->instruction->width, true, wider);
    if (raw->operand.kind != PTX_OPERAND_REGISTER || raw->is_sum)
        return ptx_fail(check->parser, "a destination register is expected, not '%.*s'",
                        (int)raw->length, raw->text);
    return check_selector(check, rule, raw) && ptx_check_register(check, raw, type, wider);
}

static bool check_source(const struct ptx_check *check, const struct ptx_rule *rule,
                         struct ptx_raw *raw)
{
    enum ptx_type type = type_of(check, rule);
    bool wider = rule->flags & PTX_RULE_WIDER;

    if (raw->operand.negated && type != PTX_PRED && check->instruction->op != PTX_OP_vmad)
        return ptx_fail(check->parser, "'%.*s': only predicates can be negated", (int)raw->length,
                        raw->text);
    if (check->instruction->op == PTX_OP_wgmma && rule->flags & PTX_RULE_FRAGMENT &&
        raw->operand.kind == PTX_OPERAND_REGISTER)
        return ptx_check_register(check, raw, PTX_B64,
                                  false); /* a descriptor instead of registers */
    if (rule->flags & PTX_RULE_FRAGMENT)
        return ptx_check_vector(check, raw, type, 0, false, false);
    if (rule->flags & PTX_RULE_VECTOR && check->instruction->width > 1)
        return ptx_check_vector(check, raw, type, check->instruction->width, false, wider);
    if (raw->operand.kind == PTX_OPERAND_VECTOR && ptx_is_sampled(check)) {
        /* Gradients have the type of coordinates; offsets are integers. */
        const struct ptx_raw *first = &check->parser->parts[raw->first_part];

        if (first->operand.kind == PTX_OPERAND_REGISTER &&
            !ptx_registers_fit(ptx_register_of(check, first)->type, type, false))
            type = PTX_S32;
        else if (first->operand.kind == PTX_OPERAND_IMMEDIATE && !first->constant.is_float)
            type = PTX_S32;
        return ptx_check_vector(check, raw, type, 0, false, false);
    }
    if (check->instruction->op == PTX_OP_cp && raw->operand.kind == PTX_OPERAND_REGISTER &&
        ptx_register_of(check, raw)->type == PTX_PRED)
        return true; /* cp.async's ignore-src predicate */
    return check_selector(check, rule, raw) && ptx_check_scalar(check, raw, type, wider);
}

/* mov also packs elements into a register and unpacks a register. */
static bool check_move_vector(const struct ptx_check *check, struct ptx_raw *raw, bool destination)
{
    enum ptx_type type = check->instruction->types[0], part = PTX_TYPE_NONE;
    unsigned bits = ptx_type_bits(type), count = raw->operand.count;

    if (check->instruction->width > 1)
        return ptx_check_vector(check, raw, type, check->instruction->width, destination, false);
    switch (count ? bits / count : 0) {
    case 8:
        part = PTX_B8;
        break;
    case 16:
        part = PTX_B16;
        break;
    case 32:
        part = PTX_B32;
        break;
    case 64:
        part = PTX_B64;
        break;
    }
    if (part == PTX_TYPE_NONE || !ptx_type_is_bits(type) || (count != 2 && count != 4))
        return ptx_fail(check->parser, "mov.%s cannot pack or unpack %u elements",
                        ptx_type_name(type), count);
    return ptx_check_vector(check, raw, part, count, destination, false);
}

static bool check_move(const struct ptx_check *check, const struct ptx_rule *rule,
                       struct ptx_raw *raw)
{
    bool destination = rule->role == PTX_ROLE_MOVE_TO;
    enum ptx_type type = check->instruction->types[0];

    if (raw->operand.kind == PTX_OPERAND_VECTOR)
        return check_move_vector(check, raw, destination);
    if (destination)
        return check_destination(check, rule, raw);
    if (raw->operand.kind == PTX_OPERAND_SPECIAL && check->instruction->width > 1) {
        if (!raw->operand.special_component || ptx_type_bits(type) != 32 ||
            check->instruction->width != 4)
            return ptx_fail_type(check, raw, type);
        raw->operand.count = 0;
        return true;
    }
    if (check->instruction->width > 1)
        return ptx_fail(check->parser, "a vector is expected, not '%.*s'", (int)raw->length,
                        raw->text);
    return check_source(check, rule, raw);
}

/* A kernel cannot write its parameters. Accesses to arguments and results of a call are part of the
 * call and cannot be guarded. */
static bool check_parameter(const struct ptx_check *check, const struct ptx_raw *raw)
{
    const struct ptx_parser *parser = check->parser;
    bool own = raw->operand.index < parser->own_locals;

    if (own && check->instruction->op == PTX_OP_st &&
        ((const struct ptx_function *)parser->functions.items)[parser->function].is_kernel)
        return ptx_fail(check->parser, "a kernel cannot write its parameter '%.*s'",
                        (int)raw->length, raw->text);
    if (!own && check->instruction->guard != PTX_NO_REGISTER)
        return ptx_fail(check->parser, "'%.*s' is part of a call: a guard is not allowed here",
                        (int)raw->length, raw->text);
    return true;
}

/* Whether the address that is checked now is in the second of two spaces: cp.async has the
 * destination first, and a tensor counts as two operands; so has tensormap.cp_fenceproxy. */
static bool is_second_address(const struct ptx_instruction *instruction)
{
    if (instruction->op == PTX_OP_cp && ptx_has(instruction, PTX_MOD_TENSOR))
        return instruction->space == PTX_GLOBAL;
    return (instruction->op == PTX_OP_cp || ptx_has(instruction, PTX_MOD_CP_FENCEPROXY) ||
            ptx_has(instruction, PTX_MOD_COPY_ALL)) &&
           instruction->source_count == 1;
}

/* Checks the state space of an address. */
static bool check_address_space(const struct ptx_check *check, const struct ptx_raw *raw)
{
    const struct ptx_instruction *instruction = check->instruction;
    uint8_t space = instruction->space, found;

    if (is_second_address(instruction))
        space = instruction->space_to;
    if (raw->operand.base == PTX_BASE_NONE)
        return space == PTX_LOCAL ||
               ptx_fail(check->parser, "a number can be an address in .local only");
    if (raw->operand.base == PTX_BASE_REGISTER) {
        enum ptx_type type = ptx_register_of(check, raw)->type;
        unsigned bits = ptx_type_bits(type);

        if (ptx_type_is_float(type) || type == PTX_PRED || (bits != 64 && bits != 32))
            return ptx_fail(check->parser, "a register of type .%s is not an address",
                            ptx_type_name(type));
        /* These take addresses of shared memory in any case. */
        if (bits == 32 && space == PTX_SPACE_NONE &&
            (ptx_has(instruction, PTX_MOD_MBARRIER) || instruction->op == PTX_OP_ldmatrix ||
             instruction->op == PTX_OP_stmatrix ||
             ((instruction->op == PTX_OP_st || instruction->op == PTX_OP_red) &&
              ptx_has(instruction, PTX_MOD_ASYNC)))) {
            check->instruction->space = PTX_SHARED;
            return true;
        }
        if (bits == 32 && (space == PTX_SPACE_NONE || space == PTX_GLOBAL))
            return ptx_fail(check->parser, "an address has 64 bits here, '%.*s' has 32",
                            (int)raw->length, raw->text);
        return true;
    }
    found = ((const struct ptx_variable *)(raw->operand.local ? check->parser->locals
                                                              : check->parser->variables)
                 .items)[raw->operand.index]
                .space;
    if (found == PTX_PARAM && found == space)
        return check_parameter(check, raw);
    if (space == PTX_SPACE_NONE &&
        (found == PTX_GLOBAL || found == PTX_LOCAL || found == PTX_SHARED)) {
        check->instruction->space = found; /* the variable's declaration gives the space */
        return true;
    }
    if (found == space)
        return true;
    return ptx_fail(check->parser, "'%.*s' is not in the instruction's state space",
                    (int)raw->length, raw->text);
}

static bool check_address(const struct ptx_check *check, struct ptx_raw *raw)
{
    if (raw->operand.kind == PTX_OPERAND_SYMBOL && raw->is_indexed) {
        raw->operand.kind = PTX_OPERAND_ADDRESS;
        raw->operand.base = PTX_BASE_VARIABLE;
    }
    if (raw->operand.kind != PTX_OPERAND_ADDRESS || raw->is_image)
        return ptx_fail(check->parser, "an address is expected, not '%.*s'", (int)raw->length,
                        raw->text);
    if (!check_address_space(check, raw))
        return false;
    if (raw->has_index_register) {
        ptx_lower_symbol(check->parser, raw, 64);
        raw->operand.kind = PTX_OPERAND_ADDRESS;
        raw->operand.base = PTX_BASE_REGISTER;
    }
    return true;
}

static bool check_table(const struct ptx_check *check, const struct ptx_raw *raw)
{
    const struct ptx_table *table;
    struct ptx_call *call;

    if (raw->operand.kind != PTX_OPERAND_LABEL)
        return ptx_fail(check->parser, "'%.*s' is not a list of .branchtargets", (int)raw->length,
                        raw->text);
    table = (const struct ptx_table *)check->parser->tables.items + raw->operand.index;
    call = ptx_parser_take(check->parser, sizeof(*call));
    call->targets = table->targets;
    call->target_count = table->count;
    call->prototype = PTX_NO_INDEX;
    check->instruction->call = call;
    return true;
}

static bool check_source_role(const struct ptx_check *check, const struct ptx_rule *rule,
                              struct ptx_raw *raw)
{
    bool good;

    switch (rule->role) {
    case PTX_ROLE_SOURCE:
        good = check_source(check, rule, raw);
        break;
    case PTX_ROLE_MOVE_FROM:
        good = check_move(check, rule, raw);
        break;
    case PTX_ROLE_IMMEDIATE:
        if (raw->operand.kind != PTX_OPERAND_IMMEDIATE)
            return ptx_fail(check->parser, "a number is expected, not '%.*s'", (int)raw->length,
                            raw->text);
        good = check_source(check, rule, raw);
        break;
    case PTX_ROLE_ADDRESS:
        good = check_address(check, raw);
        break;
    case PTX_ROLE_IMAGE:
        return ptx_check_image(check, raw);
    case PTX_ROLE_TENSOR:
        return ptx_check_tensor(check, raw);
    default:
        return check_table(check, raw);
    }
    if (good && !ptx_add_source(check->instruction, &raw->operand))
        return ptx_fail(check->parser, "too many operands");
    return good;
}

/* Checks the second destination of p|q. */
static bool check_pair(const struct ptx_check *check, const struct ptx_rule *rule,
                       struct ptx_raw *raw)
{
    static const struct ptx_rule predicate = {.role = PTX_ROLE_DESTINATION,
                                              .flags = PTX_RULE_SINK,
                                              .source = PTX_TYPE_FIXED,
                                              .type = PTX_PRED};

    if (!raw->has_pair && rule->flags & PTX_RULE_PAIR_NEEDED)
        return ptx_fail(check->parser, "two destinations are expected: '%.*s|...'",
                        (int)raw->length, raw->text);
    if (!raw->has_pair)
        return true;
    if (!(rule->flags & PTX_RULE_PAIR))
        return ptx_fail(check->parser, "'|' is not allowed after '%.*s'", (int)raw->length,
                        raw->text);
    if (!check_destination(check, &predicate, raw + 1))
        return false;
    check->instruction->dst[1] = raw[1].operand;
    return true;
}

/* Whether {r} may be written for r, as surface instructions do. */
static bool takes_braces(const struct ptx_check *check, const struct ptx_rule *rule)
{
    return rule->flags & PTX_RULE_VECTOR ||
           (check->instruction->op == PTX_OP_mov && ptx_type_is_bits(check->instruction->types[0]));
}

static bool check_rule(const struct ptx_check *check, const struct ptx_rule *rule,
                       struct ptx_raw *raw)
{
    bool destination = rule->role == PTX_ROLE_DESTINATION || rule->role == PTX_ROLE_MOVE_TO;

    if (cup_unlikely(raw->is_image && rule->role != PTX_ROLE_IMAGE &&
                     rule->role != PTX_ROLE_TENSOR))
        return ptx_fail(check->parser, "a list in brackets is not allowed here");
    if (!check_pair(check, rule, raw))
        return false;
    if (raw->operand.kind == PTX_OPERAND_VECTOR && raw->operand.count == 1 &&
        check->instruction->width == 1 && takes_braces(check, rule)) {
        bool has_pair = raw->has_pair;

        *raw = check->parser->parts[raw->first_part];
        raw->has_pair = has_pair;
    }
    if (!destination)
        return check_source_role(check, rule, raw);
    if (rule->role == PTX_ROLE_MOVE_TO ? !check_move(check, rule, raw)
                                       : !check_destination(check, rule, raw))
        return false;
    check->instruction->dst[rule->flags & PTX_RULE_OPTIONAL ? 2 : 0] = raw->operand;
    return true;
}

static unsigned count_operands(const struct ptx_parser *parser)
{
    unsigned count = parser->raw_count;

    for (unsigned i = 0; i < parser->raw_count; i++)
        count -= parser->raws[i].has_pair;
    return count;
}

/* Whether a form has a second destination, which is optional, and an address is in its place. */
static bool lacks_destination(const struct ptx_form *form, const struct ptx_parser *parser)
{
    const struct ptx_rule *second = &form->rules[1];
    unsigned at = 1 + parser->raws[0].has_pair;

    return form->rule_count > 1 && second->role == PTX_ROLE_DESTINATION &&
           second->flags & PTX_RULE_OPTIONAL && at < parser->raw_count &&
           parser->raws[at].operand.kind == PTX_OPERAND_ADDRESS;
}

/* The set of omitted optional operands: a second destination, and the last ones that may be
 * omitted. A cache policy is the last operand and is present if there is a .L2::cache_hint. */
static unsigned missing_rules(const struct ptx_form *form, const struct ptx_parser *parser,
                              const struct ptx_instruction *instruction, unsigned count)
{
    unsigned missing = lacks_destination(form, parser) ? 2 : 0;
    unsigned left = form->rule_count - count - (missing != 0), last = form->rule_count;

    if (ptx_has(instruction, PTX_MOD_CACHE_HINT))
        last--;
    for (unsigned i = last; i-- > 0 && left;)
        if (form->rules[i].flags & PTX_RULE_OPTIONAL && !(missing >> i & 1)) {
            missing |= 1u << i;
            left--;
        }
    if (left)
        missing |= 1u << last;
    return missing;
}

/* Of an immediate amount ptxas keeps 16 bits where numbers of 16 bits are shifted. */
static void cut_amount(struct ptx_instruction *instruction)
{
    bool shifts = instruction->op == PTX_OP_shl || instruction->op == PTX_OP_shr;

    if (shifts && ptx_type_bits(instruction->types[0]) == 16 &&
        instruction->src[1].kind == PTX_OPERAND_IMMEDIATE)
        instruction->src[1].value &= UINT16_MAX;
}

bool ptx_check_operands(struct ptx_parser *parser, const struct ptx_form *form,
                        struct ptx_instruction *instruction)
{
    struct ptx_check check = {parser, instruction};
    unsigned count = count_operands(parser), missing = 0, at = 0;

    if (count < form->required_rules || count > form->rule_count)
        return ptx_fail(parser, "'%s' takes %u%s operands here, not %u",
                        ptx_opcode_name(instruction->op), form->required_rules,
                        form->rule_count > form->required_rules ? " or more" : "", count);
    if (count < form->rule_count)
        missing = missing_rules(form, parser, instruction, count);
    for (unsigned i = 0; i < form->rule_count; i++) {
        if (missing >> i & 1)
            continue;
        if (!check_rule(&check, &form->rules[i], &parser->raws[at]))
            return false;
        at += 1 + parser->raws[at].has_pair;
    }
    if (instruction->op == PTX_OP_lop3)
        instruction->lut = (uint8_t)instruction->src[3].value;
    cut_amount(instruction);
    return true;
}
