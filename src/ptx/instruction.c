/* SPDX-License-Identifier: MIT */
/* Instructions. An opcode with its dot-words ("ld.global.v2.f32") is decoded once and remembered by
 * its text, since a program has a few dozen of them and uses each thousands of times. */
#include "ptx/instruction.h"

#include "core/compiler.h"
#include "ptx/check.h"
#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/forms.h"
#include "ptx/function.h"
#include "ptx/labels.h"
#include "ptx/needs.h"
#include "ptx/operand.h"
#include "ptx/parser.h"
#include "ptx/rules.h"
#include "ptx/words.h"

#include <string.h>

enum { MAX_WORDS = 24 };

/* Adds a dot-word to the instruction. */
static bool set_word(struct ptx_parser *parser, struct ptx_instruction *instruction,
                     const struct ptx_word *word)
{
    switch (word->kind) {
    case PTX_WORD_TYPE:
        if (instruction->type_count == CUP_ARRAY_COUNT(instruction->types))
            return ptx_fail(parser, "too many types");
        instruction->types[instruction->type_count++] = word->value;
        break;
    case PTX_WORD_SPACE:
        if (instruction->space == PTX_SPACE_NONE)
            instruction->space = word->value;
        else
            instruction->space_to = word->value;
        break;
    case PTX_WORD_WIDTH:
        instruction->width = word->value;
        break;
    }
    if (word->modifier != PTX_NO_WORD)
        instruction->modifiers[word->modifier / 64] |= (uint64_t)1 << word->modifier % 64;
    return true;
}

static void set_modifier(struct ptx_instruction *instruction, enum ptx_modifier modifier)
{
    instruction->modifiers[modifier / 64] |= (uint64_t)1 << modifier % 64;
}

/* Reports why no form matches: the first word that the best form could not match, or a slot that is
 * not filled. */
static bool complain(struct ptx_parser *parser, enum ptx_opcode op, const uint16_t *words,
                     const char *const *texts, const size_t *lengths, size_t count)
{
    const struct ptx_form *best = NULL;
    size_t best_matched = 0, matched;
    int best_missing = -1, missing;
    char expected[300];

    for (const struct ptx_form *form = ptx_form_first(op); form; form = ptx_form_next(form)) {
        ptx_form_match(form, words, count, &matched, &missing, NULL);
        if (!best || matched > best_matched) {
            best = form;
            best_matched = matched;
            best_missing = missing;
        }
    }
    if (best_missing >= 0) {
        ptx_form_describe_slot(best, best_missing, expected, sizeof(expected));
        return ptx_fail(parser, "'%s' lacks a modifier or type; expected%s %s", ptx_opcode_name(op),
                        strchr(expected, ' ') ? " one of" : "", expected);
    }
    if (best_matched < count && words[best_matched] == PTX_NO_WORD)
        return ptx_fail(parser, "modifier '.%.*s' is not known", (int)lengths[best_matched],
                        texts[best_matched]);
    return ptx_fail(parser, "'.%.*s' is not allowed %s'%s'", (int)lengths[best_matched],
                    texts[best_matched], best_matched ? "here with " : "with ",
                    ptx_opcode_name(op));
}

static bool check_version(struct ptx_parser *parser, const struct ptx_form *form)
{
    if (form->version > parser->version)
        return ptx_fail(parser, "this form of '%s' needs .version %u.%u or later",
                        ptx_opcode_name(form->op), form->version / 10, form->version % 10);
    if (form->target > parser->target)
        return ptx_fail(parser, "this form of '%s' needs .target sm_%u%s or higher",
                        ptx_opcode_name(form->op), form->target, form->suffix ? "a" : "");
    if (form->suffix && !parser->target_suffix)
        return ptx_fail(parser, "this form of '%s' needs a .target with suffix, such as sm_%ua",
                        ptx_opcode_name(form->op), parser->target);
    if (form->support == PTX_LATER || (form->support == PTX_TEXTURE && !ptx_accept_textures))
        return ptx_fail_as(parser, PTX_UNSUPPORTED, 0, "this form of '%s' is not supported yet",
                           ptx_opcode_name(form->op));
    return true;
}

/* Modifiers whose meaning depends on the opcode. */
static void add_aliases(struct ptx_instruction *instruction)
{
    if (instruction->op == PTX_OP_shfl && ptx_has(instruction, PTX_MOD_IDX))
        set_modifier(instruction, PTX_MOD_SHFL_IDX);
    if (instruction->op == PTX_OP_fence && ptx_has(instruction, PTX_MOD_ASYNC))
        set_modifier(instruction, PTX_MOD_PROXY_ASYNC);
}

/* Sets the modifiers that say which of a matrix instruction's two layouts are .col. */
static void add_layouts(struct ptx_instruction *instruction, const uint16_t *words, size_t count)
{
    unsigned layouts = 0;

    if (instruction->op != PTX_OP_mma && instruction->op != PTX_OP_wmma)
        return;
    for (size_t i = 0; i < count; i++) {
        uint16_t modifier =
            words[i] == PTX_NO_WORD ? PTX_NO_WORD : ptx_find_word(words[i])->modifier;

        if (modifier == PTX_MOD_COL)
            set_modifier(instruction, layouts ? PTX_MOD_B_COL : PTX_MOD_A_COL);
        layouts += modifier == PTX_MOD_COL || modifier == PTX_MOD_ROW;
    }
}

/* Reads a number; returns what follows it, NULL if there is none. */
static const char *read_number(const char *text, const char *end, unsigned *number)
{
    const char *start = text;

    for (*number = 0; text < end && text < start + 4 && *text >= '0' && *text <= '9'; text++)
        *number = *number * 10 + (unsigned)(*text - '0');
    return text > start ? text : NULL;
}

/* Decodes the shape m64nNkK of wgmma, which is the word m64 and a number of columns; K is what the
 * type of A makes 32 bytes. ptx_check_words() checks the numbers. */
static uint16_t group_shape(const char *text, size_t length, struct ptx_instruction *instruction)
{
    const char *end = text + length;
    unsigned columns, depth;

    if (length < 4 || memcmp(text, "m64n", 4) != 0)
        return PTX_NO_WORD;
    text = read_number(text + 4, end, &columns);
    if (!text || text == end || *text != 'k' || read_number(text + 1, end, &depth) != end)
        return PTX_NO_WORD;
    instruction->columns = (uint16_t)columns;
    instruction->depth = (uint16_t)depth;
    return PTX_MOD_M64;
}

/* Whether the last of `count` words repeats one that may stand more than once, which changes
 * nothing. NVIDIA's assembler accepts that of these words only. */
static bool is_repeated(const uint16_t *words, size_t count)
{
    static const enum ptx_modifier repeatable[] = {PTX_MOD_APPROX,   PTX_MOD_CC,  PTX_MOD_NAN,
                                                   PTX_MOD_RELU,     PTX_MOD_SAT, PTX_MOD_SATFINITE,
                                                   PTX_MOD_SHIFTAMT, PTX_MOD_SYNC};
    uint16_t last = words[count - 1];
    bool repeats = false, may = false;

    for (size_t i = 0; i + 1 < count; i++)
        repeats |= words[i] == last;
    for (size_t i = 0; repeats && last != PTX_NO_WORD && i < CUP_ARRAY_COUNT(repeatable); i++)
        may |= ptx_find_word(last)->modifier == repeatable[i];
    return may;
}

bool ptx_decode_head(struct ptx_parser *parser, const char *text, size_t length,
                     struct ptx_head *head)
{
    const char *texts[MAX_WORDS], *end = text + length, *dot = memchr(text, '.', length);
    size_t lengths[MAX_WORDS], count = 0, name = dot ? (size_t)(dot - text) : length, matched;
    uint16_t words[MAX_WORDS];
    int missing;

    head->instruction.op = ptx_opcode_find(text, name);
    head->instruction.width = 1;
    if (head->instruction.op == PTX_OPCODE_COUNT)
        return ptx_fail(parser, "'%.*s' is not an instruction", name > 60 ? 60 : (int)name, text);
    while (dot) {
        const char *start = dot + 1;

        if (count == MAX_WORDS)
            return ptx_fail(parser, "too many modifiers");
        dot = memchr(start, '.', (size_t)(end - start));
        texts[count] = start;
        lengths[count] = (size_t)((dot ? dot : end) - start);
        words[count] = ptx_word_find(start, lengths[count]);
        if (words[count] == PTX_NO_WORD && head->instruction.op == PTX_OP_wgmma)
            words[count] = group_shape(start, lengths[count], &head->instruction);
        count++;
        if (is_repeated(words, count))
            count--;
    }
    head->form = ptx_form_first(head->instruction.op);
    while (head->form && !ptx_form_match(head->form, words, count, &matched, &missing, NULL))
        head->form = ptx_form_next(head->form);
    if (!head->form)
        return complain(parser, head->instruction.op, words, texts, lengths, count);
    if (!check_version(parser, head->form))
        return false;
    for (size_t i = 0; i < count; i++)
        if (words[i] != PTX_NO_WORD &&
            !set_word(parser, &head->instruction, ptx_find_word(words[i])))
            return false;
    add_aliases(&head->instruction);
    add_layouts(&head->instruction, words, count);
    return ptx_check_needs(parser, &head->instruction) &&
           ptx_check_words(parser, &head->instruction);
}

/* Joins dot-words that are separated from their opcode by spaces, in the arena. */
static void gather(struct ptx_parser *parser, struct ptx_token *name)
{
    ptx_lexer_dotted(&parser->lexer);
    *name = *ptx_current_token(parser);
    ptx_next(parser);
    while (ptx_current_token(parser)->kind == PTX_TOKEN_DOT && name->length < 1000) {
        char *joined =
            ptx_parser_take(parser, name->length + ptx_current_token(parser)->length + 1);

        memcpy(joined, name->text, name->length);
        joined[name->length] = '.';
        memcpy(joined + name->length + 1, ptx_current_token(parser)->text,
               ptx_current_token(parser)->length);
        name->text = joined;
        name->length += ptx_current_token(parser)->length + 1;
        name->hash = ptx_hash_word(name->text, name->length);
        ptx_next(parser);
    }
}

static const struct ptx_head *find_head(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_head **slot = &parser->heads[name->hash % PTX_HEADS], *head = *slot;

    if (head && head->hash == name->hash && head->length == name->length &&
        !memcmp(head->text, name->text, name->length))
        return head;
    head = ptx_parser_take(parser, sizeof(*head));
    head->hash = name->hash;
    head->text = name->text;
    head->length = name->length;
    if (!ptx_decode_head(parser, name->text, name->length, head))
        return NULL;
    *slot = head;
    return head;
}

/* Parses the +4 of r+4 after a source that is a whole register. */
static bool parse_addend(struct ptx_parser *parser, struct ptx_raw *raw)
{
    if (cup_likely(ptx_current_token(parser)->kind != '+') ||
        raw->operand.kind != PTX_OPERAND_REGISTER || raw->operand.selector || raw->is_component)
        return true;
    raw->is_sum = true;
    return ptx_parse_integer(parser, &raw->addend);
}

/* Parses all operands up to the semicolon. */
static bool parse_operands(struct ptx_parser *parser)
{
    parser->raw_count = parser->part_count = parser->image_count = 0;
    if (ptx_current_token(parser)->kind == ';')
        return true;
    do {
        struct ptx_raw *raw = &parser->raws[parser->raw_count];

        if (parser->raw_count == PTX_MAX_RAWS)
            return ptx_fail(parser, "too many operands");
        if (!ptx_parse_operand(parser, raw) || !parse_addend(parser, raw))
            return false;
        parser->raw_count++;
        if (ptx_accept(parser, '|')) {
            if (parser->raw_count == PTX_MAX_RAWS)
                return ptx_fail(parser, "too many operands");
            raw->has_pair = true;
            if (!ptx_parse_operand(parser, &parser->raws[parser->raw_count++]))
                return false;
        }
    } while (ptx_accept(parser, ','));
    return true;
}

/* Turns shfl and vote without .sync (old targets) into .sync with all lanes. */
static void add_mask(struct ptx_instruction *instruction)
{
    if ((instruction->op != PTX_OP_shfl && instruction->op != PTX_OP_vote) ||
        ptx_has(instruction, PTX_MOD_SYNC))
        return;
    set_modifier(instruction, PTX_MOD_SYNC);
    instruction->src[instruction->source_count++] =
        (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE, .value = UINT32_MAX};
}

static bool parse_rest(struct ptx_parser *parser, const struct ptx_form *form,
                       struct ptx_instruction *instruction)
{
    if (instruction->op == PTX_OP_call)
        return ptx_parse_call(parser, instruction);
    if (form->any_operands)
        return ptx_fail_as(parser, PTX_UNSUPPORTED, 0, "'%s' is not supported yet",
                           ptx_opcode_name(instruction->op));
    if (form->rule_count == 1 && form->rules[0].role == PTX_ROLE_LABEL) {
        struct ptx_token name = *ptx_current_token(parser);

        if (!ptx_expect(parser, PTX_TOKEN_WORD, "as a label"))
            return false;
        instruction->src[0].kind = PTX_OPERAND_LABEL;
        instruction->source_count = 1;
        ptx_use_label(parser, &name, NULL);
        return true;
    }
    return parse_operands(parser) && ptx_check_operands(parser, form, instruction) &&
           ptx_check_instruction(parser, instruction);
}

bool ptx_parse_instruction(struct ptx_parser *parser, uint32_t guard, bool guard_negated)
{
    struct ptx_token name;
    const struct ptx_head *head;
    struct ptx_instruction instruction;

    if (ptx_current_token(parser)->kind != PTX_TOKEN_WORD)
        return ptx_expect(parser, PTX_TOKEN_WORD, "as an instruction");
    gather(parser, &name);
    head = find_head(parser, &name);
    if (!head)
        return false;
    instruction = head->instruction;
    instruction.guard = guard;
    instruction.guard_negated = guard_negated;
    instruction.line = name.line;
    if (!parse_rest(parser, head->form, &instruction) || !ptx_expect_end(parser))
        return false;
    add_mask(&instruction);
    if (instruction.op == PTX_OP_wgmma && ptx_has(&instruction, PTX_MOD_MMA_ASYNC))
        instruction.src[instruction.source_count++] = instruction.dst[0];
    if (instruction.op == PTX_OP_ret)
        ptx_store_results(parser);
    *ptx_add_instruction(parser) = instruction;
    return true;
}
