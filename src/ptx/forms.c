/* SPDX-License-Identifier: MIT */
/* Compiles forms.def. A form becomes slots (sets of words, each filled by one word) and rules (one
 * per operand). Words are matched in any order, as NVIDIA's assembler does, except that types keep
 * theirs: each word takes the first free slot that contains it. */
#include "ptx/forms.h"

#include "core/compiler.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

const bool ptx_accept_textures = true;

static struct ptx_form forms[] = {
#define PTX_FORM(opcode, words_, operands_, version_, target_, support_)                           \
    {.op = PTX_OP_##opcode,                                                                        \
     .words = words_,                                                                              \
     .operands = operands_,                                                                        \
     .version = version_,                                                                          \
     .target = target_ % 1000,                                                                     \
     .suffix = target_ >= 1000 ? 'a' : 0,                                                          \
     .support = PTX_##support_},
#include "ptx/forms.def"
#undef PTX_FORM
};

/* Sets of words that forms refer to as $name. */
static const struct {
    const char *name, *words;
} named_sets[] = {
    {"rnd", "rn|rz|rm|rp"},
    {"rndi", "rni|rzi|rmi|rpi"},
    {"int", "u16|u32|u64|s16|s32|s64"},
    {"int8", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"x32", "u32|s32"},
    {"x3264", "u32|s32|u64|s64"},
    {"half", "f16|f16x2"},
    {"bhalf", "bf16|bf16x2"},
    {"bits", "b16|b32|b64"},
    {"all", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"mem", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"mem64", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"cmps", "eq|ne|lt|le|gt|ge"},
    {"cmpu", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"cmpf", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"bool", "and|or|xor"},
    {"space",
     "const|global|local|param|shared|shared::cta|shared::cluster|param::entry|param::func"},
    {"cspace", "const|global|local|param|shared|shared::cta|shared::cluster|param::entry"},
    {"gsp", "global|shared|shared::cta|shared::cluster"},
    {"shared", "shared|shared::cta|shared::cluster"},
    {"vec", "v2|v4|v8"},
    {"scope", "cta|cluster|gpu|sys"},
    {"ldcop", "ca|cg|cs|lu|cv"},
    {"stcop", "wb|cg|cs|wt"},
    {"ev1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"ev2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"pf", "L2::64B|L2::128B|L2::256B"},
    {"multicast", "multicast::cluster|multicast::cluster::16b"},
    {"tdim", "1d|2d|3d|4d|5d"},
    {"tdim3", "3d|4d|5d"},
    {"geom", "1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms"},
    {"sgeom", "1d|2d|3d|a1d|a2d"},
    {"oob", "trap|clamp|zero"},
    {"wshape", "m16n16k16|m32n8k16|m8n32k16"},
    {"dtex", "u32|s32|f32|f16|f16x2"},
};

enum { MAX_SETS = 1024 };
static uint64_t sets[MAX_SETS][PTX_WORD_SET];
static size_t set_count;
static uint16_t first_form[PTX_OPCODE_COUNT], last_form[PTX_OPCODE_COUNT]; /* + 1 */
static const char *broken;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool add_words(uint64_t *set, const char *text, size_t length);

static bool add_word(uint64_t *set, const char *text, size_t length)
{
    uint16_t word;

    if (*text == '$') {
        for (size_t i = 0; i < CUP_ARRAY_COUNT(named_sets); i++)
            if (strlen(named_sets[i].name) == length - 1 &&
                !memcmp(named_sets[i].name, text + 1, length - 1))
                return add_words(set, named_sets[i].words, strlen(named_sets[i].words));
        return false;
    }
    word = ptx_word_find(text, length);
    if (word == PTX_NO_WORD)
        return false;
    set[word / 64] |= (uint64_t)1 << word % 64;
    return true;
}

static bool add_words(uint64_t *set, const char *text, size_t length)
{
    for (size_t start = 0, i = 0; i <= length; i++) {
        if (i < length && text[i] != '|')
            continue;
        if (!add_word(set, text + start, i - start))
            return false;
        start = i + 1;
    }
    return true;
}

/* Compiles one slot: "word", "(a|b)" or the optional "{a|b}". */
static bool compile_slot(struct ptx_form *form, const char *text, size_t length)
{
    uint64_t set[PTX_WORD_SET] = {0};
    size_t i;

    if (*text == '*') {
        form->any_words = true;
        return true;
    }
    if (form->slot_count == PTX_FORM_SLOTS)
        return false;
    if (*text == '{')
        form->optional |= (uint16_t)(1u << form->slot_count);
    if (*text == '{' || *text == '(') {
        text++;
        length -= 2;
    }
    if (!add_words(set, text, length))
        return false;
    for (i = 0; i < set_count; i++)
        if (!memcmp(sets[i], set, sizeof(set)))
            break;
    if (i == MAX_SETS)
        return false;
    if (i == set_count)
        memcpy(sets[set_count++], set, sizeof(set));
    form->slots[form->slot_count++] = (uint16_t)i;
    return true;
}

/* Compiles a rule's type. "0" to "3": a type of the instruction; "w": twice as wide as the first;
 * "A": an address; else the name of a type. */
static bool compile_type(struct ptx_rule *rule, const char *text, size_t length)
{
    uint16_t word;

    if (length == 1 && *text >= '0' && *text <= '3') {
        rule->source = PTX_TYPE_WRITTEN;
        rule->type = (uint8_t)(*text - '0');
        return true;
    }
    if (length == 1 && (*text == 'w' || *text == 'A')) {
        rule->source = *text == 'w' ? PTX_TYPE_WIDE : PTX_TYPE_ADDRESS;
        return true;
    }
    word = ptx_word_find(text, length);
    if (word == PTX_NO_WORD || ptx_find_word(word)->kind != PTX_WORD_TYPE)
        return false;
    rule->source = PTX_TYPE_FIXED;
    rule->type = ptx_find_word(word)->value;
    return true;
}

static const struct {
    const char *text;
    uint8_t role, flags, source, type;
} roles[] = {
    {"[a]", PTX_ROLE_ADDRESS, 0, 0, 0},
    {"[t]", PTX_ROLE_IMAGE, 0, 0, 0},
    {"[m]", PTX_ROLE_TENSOR, 0, 0, 0},
    {"!a", PTX_ROLE_SOURCE, 0, PTX_TYPE_FIXED, PTX_PRED},
    {"d", PTX_ROLE_DESTINATION, 0, PTX_TYPE_WRITTEN, 0},
    {"p", PTX_ROLE_DESTINATION, 0, PTX_TYPE_FIXED, PTX_PRED},
    {"a", PTX_ROLE_SOURCE, 0, PTX_TYPE_WRITTEN, 0},
    {"i", PTX_ROLE_IMMEDIATE, 0, PTX_TYPE_FIXED, PTX_U32},
    {"M", PTX_ROLE_MOVE_TO, 0, PTX_TYPE_WRITTEN, 0},
    {"m", PTX_ROLE_MOVE_FROM, 0, PTX_TYPE_WRITTEN, 0},
    {"L", PTX_ROLE_LABEL, 0, 0, 0},
    {"T", PTX_ROLE_TABLE, 0, 0, 0},
};

static const struct {
    char letter;
    uint8_t flag;
} rule_flags[] = {
    {'?', PTX_RULE_OPTIONAL}, {'_', PTX_RULE_SINK},
    {'*', PTX_RULE_VECTOR},   {'#', PTX_RULE_FRAGMENT},
    {'>', PTX_RULE_WIDER},    {'.', PTX_RULE_SELECTOR},
    {'|', PTX_RULE_PAIR},     {'&', PTX_RULE_PAIR | PTX_RULE_PAIR_NEEDED},
};

static bool compile_rule(struct ptx_form *form, const char *text, size_t length)
{
    struct ptx_rule *rule = &form->rules[form->rule_count];
    size_t i, at = 0;

    if (form->rule_count == PTX_FORM_RULES)
        return false;
    for (i = 0; i < CUP_ARRAY_COUNT(roles); i++)
        if (!strncmp(text, roles[i].text, strlen(roles[i].text)))
            break;
    if (i == CUP_ARRAY_COUNT(roles))
        return false;
    *rule = (struct ptx_rule){roles[i].role, roles[i].flags, roles[i].source, roles[i].type};
    for (at = strlen(roles[i].text); at < length && text[at] != ':'; at++) {
        for (i = 0; i < CUP_ARRAY_COUNT(rule_flags) && rule_flags[i].letter != text[at]; i++)
            ;
        if (i == CUP_ARRAY_COUNT(rule_flags))
            return false;
        rule->flags |= rule_flags[i].flag;
    }
    form->rule_count++;
    if (!(rule->flags & PTX_RULE_OPTIONAL))
        form->required_rules++;
    return at >= length || compile_type(rule, text + at + 1, length - at - 1);
}

static bool compile_list(struct ptx_form *form, const char *text, char separator,
                         bool (*compile)(struct ptx_form *, const char *, size_t))
{
    while (*text) {
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);

        if (length && !compile(form, text, length))
            return false;
        text += length + (end != NULL);
    }
    return true;
}

static bool compile_form(struct ptx_form *form)
{
    form->any_operands = !strcmp(form->operands, "*");
    return compile_list(form, form->words, ' ', compile_slot) &&
           (form->any_operands || compile_list(form, form->operands, ',', compile_rule));
}

static void prepare(void)
{
    ptx_words_prepare();
    for (size_t i = 0; i < CUP_ARRAY_COUNT(forms); i++) {
        uint16_t op = forms[i].op, number = (uint16_t)(i + 1);

        if (!compile_form(&forms[i]) && !broken)
            broken = forms[i].words;
        if (!first_form[op])
            first_form[op] = number;
        else
            forms[last_form[op] - 1].next = number;
        last_form[op] = number;
    }
}

void ptx_forms_prepare(void)
{
    pthread_once(&once, prepare);
}

const char *ptx_forms_broken(void)
{
    ptx_forms_prepare();
    return broken;
}

const struct ptx_form *ptx_form_first(enum ptx_opcode op)
{
    return first_form[op] ? &forms[first_form[op] - 1] : NULL;
}

const struct ptx_form *ptx_form_next(const struct ptx_form *form)
{
    return form->next ? &forms[form->next - 1] : NULL;
}

bool ptx_form_match(const struct ptx_form *form, const uint16_t *words, size_t count,
                    size_t *matched, int *missing, uint8_t *slots)
{
    unsigned filled = 0, types = 0; /* the slot after that of the last type */

    *missing = -1;
    *matched = count;
    for (size_t i = 0; i < count; i++) {
        bool is_type = words[i] != PTX_NO_WORD && ptx_find_word(words[i])->kind == PTX_WORD_TYPE;
        unsigned slot = is_type ? types : 0;

        for (; slot < form->slot_count; slot++)
            if (!(filled >> slot & 1) && words[i] != PTX_NO_WORD &&
                sets[form->slots[slot]][words[i] / 64] >> (words[i] % 64) & 1)
                break;
        if (slots)
            slots[i] = slot < form->slot_count ? (uint8_t)slot : PTX_FORM_SLOTS;
        if (slot < form->slot_count) {
            filled |= 1u << slot;
            if (is_type)
                types = slot + 1;
        } else if (!form->any_words) {
            *matched = i;
            return false;
        }
    }
    for (int slot = 0; slot < form->slot_count; slot++)
        if (!((filled | form->optional) >> slot & 1)) {
            *missing = slot;
            return false;
        }
    return true;
}

size_t ptx_form_describe_slot(const struct ptx_form *form, int slot, char *text, size_t size)
{
    const uint64_t *set = sets[form->slots[slot]];
    size_t length = 0;

    if (size)
        *text = 0;
    for (uint16_t word = 0; word < PTX_WORD_COUNT && length < size; word++)
        if (set[word / 64] >> (word % 64) & 1)
            length += (size_t)snprintf(text + length, size - length, "%s.%s", length ? " " : "",
                                       ptx_find_word(word)->text);
    return length;
}
