/* SPDX-License-Identifier: MIT */
/* Prints an instruction as PTX text that parses to the same instruction. Labels are written as $N,
 * where N is the index of the instruction behind the label. */
#include "ptx/forms.h"
#include "ptx/program.h"
#include "ptx/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct output {
    const struct ptx_program *program;
    const struct ptx_function *function;
    const struct ptx_instruction *instruction;
    char *text;
    size_t size, length;
};

static void put(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct output *output, const char *format, ...)
{
    size_t left = output->length < output->size ? output->size - output->length : 0;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(left ? output->text + output->length : NULL, left, format, arguments);
    va_end(arguments);
    if (length > 0)
        output->length += (size_t)length;
}

/* second: copies from .shared::cta to .shared::cluster have both. */
static uint16_t space_word(const struct ptx_instruction *instruction, uint8_t space, bool second)
{
    static const char *const names[] = {"", "reg", "const", "global", "local", "param", "shared"};
    const char *name = names[space];

    if (space == PTX_SHARED && ptx_has(instruction, PTX_MOD_SHARED_CTA))
        name = "shared::cta";
    if (space == PTX_SHARED && ptx_has(instruction, PTX_MOD_SHARED_CLUSTER) &&
        !(second && ptx_has(instruction, PTX_MOD_SHARED_CTA)))
        name = "shared::cluster";
    if (space == PTX_PARAM && ptx_has(instruction, PTX_MOD_PARAM_ENTRY))
        name = "param::entry";
    if (space == PTX_PARAM && ptx_has(instruction, PTX_MOD_PARAM_FUNC))
        name = "param::func";
    return ptx_word_find(name, strlen(name));
}

/* Whether the modifier is printed as its own word, and not as part of a state space or another
 * word. */
static bool is_written(uint16_t modifier)
{
    const char *text = ptx_modifier_name(modifier);

    return !strchr(text, '.') && ptx_word_find(text, strlen(text)) == modifier;
}

enum { MAX_WORDS = 32 };

/* Collects the dot-words of an instruction as numbers; types keep their order. */
static size_t collect_words(const struct ptx_instruction *instruction, uint16_t words[MAX_WORDS])
{
    size_t count = 0;
    char width[4];

    for (uint16_t i = 0; i < PTX_MODIFIER_COUNT && count < MAX_WORDS - 8; i++)
        if (ptx_has(instruction, i) && is_written(i))
            words[count++] = i;
    if (instruction->space)
        words[count++] = space_word(instruction, instruction->space, false);
    if (instruction->space_to)
        words[count++] = space_word(instruction, instruction->space_to, true);
    if (instruction->width > 1) {
        snprintf(width, sizeof(width), "v%u", instruction->width % 10u);
        words[count++] = ptx_word_find(width, strlen(width));
    }
    for (unsigned i = 0; i < instruction->type_count && i < 4; i++) {
        const char *type = ptx_type_name(instruction->types[i]);

        words[count++] = ptx_word_find(type, strlen(type));
    }
    return count;
}

/* Prints the dot-words in the order of the matching form, or as collected if there is none. */
static void put_words(struct output *output)
{
    uint16_t words[MAX_WORDS];
    uint8_t slots[MAX_WORDS] = {0};
    size_t count = collect_words(output->instruction, words), matched;
    const struct ptx_form *form = ptx_form_first(output->instruction->op);
    int missing;

    while (form && !ptx_form_match(form, words, count, &matched, &missing, slots))
        form = ptx_form_next(form);
    put(output, "%s", ptx_opcode_name(output->instruction->op));
    for (unsigned slot = 0; slot <= PTX_FORM_SLOTS; slot++)
        for (size_t i = 0; i < count; i++)
            if ((form ? slots[i] : 0) == slot && words[i] == PTX_MOD_M64)
                put(output, ".m64n%uk%u", output->instruction->columns, output->instruction->depth);
            else if ((form ? slots[i] : 0) == slot && words[i] != PTX_NO_WORD)
                put(output, ".%s", ptx_find_word(words[i])->text);
}

static const char *register_name(const struct output *output, uint32_t index)
{
    return index < output->function->register_count ? output->function->registers[index].name : "?";
}

static const char *variable_name(const struct output *output, const struct ptx_operand *operand)
{
    if (operand->local)
        return operand->index < output->function->variable_count
                   ? output->function->variables[operand->index].name
                   : "?";
    return operand->index < output->program->variable_count
               ? output->program->variables[operand->index].name
               : "?";
}

static const char *const special_names[PTX_SR_COUNT] = {
    [PTX_SR_TID_X] = "%tid.x",
    [PTX_SR_TID_Y] = "%tid.y",
    [PTX_SR_TID_Z] = "%tid.z",
    [PTX_SR_NTID_X] = "%ntid.x",
    [PTX_SR_NTID_Y] = "%ntid.y",
    [PTX_SR_NTID_Z] = "%ntid.z",
    [PTX_SR_CTAID_X] = "%ctaid.x",
    [PTX_SR_CTAID_Y] = "%ctaid.y",
    [PTX_SR_CTAID_Z] = "%ctaid.z",
    [PTX_SR_NCTAID_X] = "%nctaid.x",
    [PTX_SR_NCTAID_Y] = "%nctaid.y",
    [PTX_SR_NCTAID_Z] = "%nctaid.z",
    [PTX_SR_CLUSTERID_X] = "%clusterid.x",
    [PTX_SR_CLUSTERID_Y] = "%clusterid.y",
    [PTX_SR_CLUSTERID_Z] = "%clusterid.z",
    [PTX_SR_NCLUSTERID_X] = "%nclusterid.x",
    [PTX_SR_NCLUSTERID_Y] = "%nclusterid.y",
    [PTX_SR_NCLUSTERID_Z] = "%nclusterid.z",
    [PTX_SR_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
    [PTX_SR_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
    [PTX_SR_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
    [PTX_SR_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
    [PTX_SR_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
    [PTX_SR_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
    [PTX_SR_CLUSTER_CTARANK] = "%cluster_ctarank",
    [PTX_SR_CLUSTER_NCTARANK] = "%cluster_nctarank",
    [PTX_SR_LANEID] = "%laneid",
    [PTX_SR_WARPID] = "%warpid",
    [PTX_SR_NWARPID] = "%nwarpid",
    [PTX_SR_SMID] = "%smid",
    [PTX_SR_NSMID] = "%nsmid",
    [PTX_SR_GRIDID] = "%gridid",
    [PTX_SR_LANEMASK_EQ] = "%lanemask_eq",
    [PTX_SR_LANEMASK_LE] = "%lanemask_le",
    [PTX_SR_LANEMASK_LT] = "%lanemask_lt",
    [PTX_SR_LANEMASK_GE] = "%lanemask_ge",
    [PTX_SR_LANEMASK_GT] = "%lanemask_gt",
    [PTX_SR_CLOCK] = "%clock",
    [PTX_SR_CLOCK_HI] = "%clock_hi",
    [PTX_SR_CLOCK64] = "%clock64",
    [PTX_SR_GLOBALTIMER] = "%globaltimer",
    [PTX_SR_GLOBALTIMER_LO] = "%globaltimer_lo",
    [PTX_SR_GLOBALTIMER_HI] = "%globaltimer_hi",
    [PTX_SR_TOTAL_SMEM_SIZE] = "%total_smem_size",
    [PTX_SR_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [PTX_SR_AGGR_SMEM_SIZE] = "%aggr_smem_size",
    [PTX_SR_CURRENT_GRAPH_EXEC] = "%current_graph_exec",
    [PTX_SR_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
};

static void put_special(struct output *output, const struct ptx_operand *operand)
{
    const char *name = operand->index < PTX_SR_COUNT ? special_names[operand->index] : NULL;

    if (operand->index == PTX_SR_ENVREG)
        put(output, "%%envreg%u", (unsigned)operand->value);
    else if (operand->index == PTX_SR_PM)
        put(output, "%%pm%u", (unsigned)operand->value);
    else if (!name)
        put(output, "?");
    else if (operand->special_component == 4)
        put(output, "%.*s", (int)(strchr(name, '.') - name), name);
    else
        put(output, "%s", name);
}

static void put_offset(struct output *output, uint64_t value)
{
    if (value)
        put(output, "+%lld", (long long)value);
}

/* Prints a selector as struct ptx_operand encodes it. */
static void put_selector(struct output *output, const struct ptx_operand *operand, bool destination)
{
    static const char *const names[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    const char *name = ptx_opcode_name(output->instruction->op);
    unsigned lanes = name[strlen(name) - 1] == '2' ? 2 : 4;

    if (operand->selector < 7) {
        put(output, "%s", names[operand->selector]);
        return;
    }
    put(output, lanes == 2 ? ".h" : ".b");
    for (unsigned lane = lanes; lane-- > 0;) {
        if (!destination)
            put(output, "%u", (unsigned)(operand->value >> 4 * lane & 15));
        else if (operand->value >> lane & 1)
            put(output, "%u", lane);
    }
}

/* Prints an immediate; floats are printed as bits (0f…, 0d…). */
static void put_immediate(struct output *output, const struct ptx_operand *operand,
                          enum ptx_type type)
{
    if (type == PTX_F32)
        put(output, "0f%08llX", (unsigned long long)operand->value);
    else if (type == PTX_F64)
        put(output, "0d%016llX", (unsigned long long)operand->value);
    else
        put(output, "%lld", (long long)operand->value);
}

static void put_base(struct output *output, const struct ptx_operand *operand)
{
    if (operand->base == PTX_BASE_REGISTER)
        put(output, "%s", register_name(output, operand->index));
    else if (operand->base == PTX_BASE_VARIABLE)
        put(output, "%s", variable_name(output, operand));
    if (operand->base == PTX_BASE_NONE)
        put(output, "%lld", (long long)operand->value);
    else
        put_offset(output, operand->value);
}

static void put_address(struct output *output, const struct ptx_operand *operand)
{
    put(output, "[");
    put_base(output, operand);
    put(output, "]");
}

static void put_scalar(struct output *output, const struct ptx_operand *operand, enum ptx_type type,
                       bool destination)
{
    if (operand->negated)
        put(output, output->instruction->op == PTX_OP_vmad ? "-" : "!");
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        put(output, "%s", register_name(output, operand->index));
        put_selector(output, operand, destination);
        break;
    case PTX_OPERAND_IMMEDIATE:
        put_immediate(output, operand, type);
        break;
    case PTX_OPERAND_SPECIAL:
        put_special(output, operand);
        break;
    case PTX_OPERAND_SYMBOL:
        put(output, "%s", variable_name(output, operand));
        put_offset(output, operand->value);
        break;
    case PTX_OPERAND_FUNCTION:
        put(output, "%s",
            operand->index < output->program->function_count
                ? output->program->functions[operand->index].name
                : "?");
        break;
    case PTX_OPERAND_ADDRESS:
        put_address(output, operand);
        break;
    case PTX_OPERAND_LABEL:
        put(output, "$%u", operand->index);
        break;
    default:
        put(output, "_");
    }
}

static void put_operand(struct output *output, const struct ptx_operand *operand,
                        enum ptx_type type, bool destination)
{
    if (operand->kind != PTX_OPERAND_VECTOR) {
        put_scalar(output, operand, type, destination);
        return;
    }
    put(output, "{");
    for (unsigned i = 0; i < operand->count; i++) {
        put(output, i ? ", " : "");
        put_scalar(output, &output->function->elements[operand->index + i], type, destination);
    }
    put(output, "}");
}

/* Whether source i is a tensor map, with its coordinates after it. */
static bool is_tensor(const struct ptx_instruction *instruction, unsigned i)
{
    return ptx_has(instruction, PTX_MOD_TENSOR) && i + 1u < instruction->source_count &&
           instruction->src[i].kind == PTX_OPERAND_ADDRESS &&
           instruction->src[i + 1].kind == PTX_OPERAND_VECTOR &&
           i == (ptx_has(instruction, PTX_MOD_COMPLETE_TX_BYTES) ? 1 : 0);
}

static void put_tensor(struct output *output, const struct ptx_operand *map)
{
    put(output, "[");
    put_base(output, map);
    put(output, ", ");
    put_operand(output, map + 1, PTX_S32, false);
    put(output, "]");
}

/* Prints [texture, sampler, coordinates]; returns the number of sources it printed. */
static unsigned put_image(struct output *output)
{
    const struct ptx_instruction *instruction = output->instruction;
    bool sampled = instruction->op == PTX_OP_tex || instruction->op == PTX_OP_tld4;
    bool query = instruction->op == PTX_OP_txq || instruction->op == PTX_OP_suq;
    unsigned count = query ? 1 : sampled ? 3 : 2;
    enum ptx_type type = sampled ? instruction->types[1] : PTX_S32;

    put(output, "[");
    for (unsigned i = 0; i < count; i++) {
        if (instruction->src[i].kind == PTX_OPERAND_NONE)
            continue;
        put(output, i ? ", " : "");
        put_operand(output, &instruction->src[i], type, false);
    }
    put(output, "]");
    return count;
}

static bool is_image(enum ptx_opcode op)
{
    switch (op) {
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_txq:
    case PTX_OP_suld:
    case PTX_OP_sust:
    case PTX_OP_sured:
    case PTX_OP_suq:
        return true;
    default:
        return false;
    }
}

/* The type of a source's immediate: the last type for conversions and comparisons. */
static enum ptx_type source_type(const struct ptx_instruction *instruction, unsigned source)
{
    unsigned first_offset = ptx_has(instruction, PTX_MOD_GRAD) ? 5 : 3;

    if (instruction->type_count == 0)
        return PTX_TYPE_NONE;
    if (instruction->op == PTX_OP_cp || ptx_has(instruction, PTX_MOD_COPY_ALL))
        return PTX_B64; /* a size; the type is that of elements in memory */
    if ((instruction->op == PTX_OP_tex || instruction->op == PTX_OP_tld4) &&
        source >= first_offset && instruction->src[source].kind == PTX_OPERAND_VECTOR)
        return PTX_S32; /* an offset */
    switch (instruction->op) {
    case PTX_OP_cvt:
    case PTX_OP_set:
    case PTX_OP_tex:
    case PTX_OP_tld4:
        return instruction->types[instruction->type_count - 1];
    case PTX_OP_slct:
        return instruction->types[source == 2];
    default:
        return instruction->types[0];
    }
}

static void put_list(struct output *output, const struct ptx_operand *operands, uint32_t count)
{
    put(output, "(");
    for (uint32_t i = 0; i < count; i++) {
        put(output, i ? ", " : "");
        put_scalar(output, &operands[i], PTX_B64, false);
    }
    put(output, ")");
}

static void put_call(struct output *output)
{
    const struct ptx_call *call = output->instruction->call;

    if (call->result_count) {
        put_list(output, call->results, call->result_count);
        put(output, ", ");
    }
    put_scalar(output, &call->target, PTX_B64, false);
    put(output, ", ");
    put_list(output, call->arguments, call->argument_count);
    if (call->target.kind == PTX_OPERAND_REGISTER)
        put(output, ", $signature");
}

static void put_operands(struct output *output)
{
    const struct ptx_instruction *instruction = output->instruction;
    const char *separator = " ";
    unsigned i = 0, sources = instruction->source_count;

    if (instruction->dst[0].kind != PTX_OPERAND_NONE) {
        put(output, " ");
        put_operand(output, &instruction->dst[0],
                    instruction->type_count ? instruction->types[0] : PTX_TYPE_NONE, true);
        if (instruction->dst[1].kind != PTX_OPERAND_NONE) {
            put(output, "|");
            put_operand(output, &instruction->dst[1], PTX_PRED, true);
        }
        if (instruction->dst[2].kind != PTX_OPERAND_NONE) {
            put(output, ", ");
            put_operand(output, &instruction->dst[2], PTX_B8, true);
        }
        separator = ", ";
    }
    if (is_image(instruction->op)) {
        put(output, "%s", separator);
        i = put_image(output);
        separator = ", ";
    }
    if (ptx_has(instruction, PTX_MOD_MMA_ASYNC))
        sources--; /* D, which stands first */
    for (; i < sources; i++) {
        put(output, "%s", separator);
        if (is_tensor(instruction, i))
            put_tensor(output, &instruction->src[i++]);
        else
            put_operand(output, &instruction->src[i], source_type(instruction, i), false);
        separator = ", ";
    }
    if (instruction->op == PTX_OP_brx)
        put(output, "%s$targets", separator);
}

size_t ptx_print_instruction(const struct ptx_program *program, const struct ptx_function *function,
                             const struct ptx_instruction *instruction, char *text, size_t size)
{
    struct output output = {program, function, instruction, text, size, 0};

    ptx_forms_prepare();
    if (size)
        *text = 0;
    if (instruction->guard != PTX_NO_REGISTER)
        put(&output, "@%s%s ", instruction->guard_negated ? "!" : "",
            register_name(&output, instruction->guard));
    put_words(&output);
    if (instruction->op == PTX_OP_call && instruction->call) {
        put(&output, " ");
        put_call(&output);
    } else {
        put_operands(&output);
    }
    put(&output, ";");
    return output.length;
}
