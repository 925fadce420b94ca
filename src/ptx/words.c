/* SPDX-License-Identifier: MIT */
/* Two hash tables that are built once: dot-words and opcodes. */
#include "ptx/words.h"

#include "core/compiler.h"
#include "ptx/lexer.h"

#include <pthread.h>
#include <string.h>

static const char *const modifier_names[] = {
#define PTX_MODIFIER(name, text) text,
#include "ptx/modifiers.def"
#undef PTX_MODIFIER
};

static const char *const opcode_names[] = {
#define PTX_OPCODE(name) #name,
#include "ptx/opcodes.def"
#undef PTX_OPCODE
};

static const struct {
    const char *text;
    uint8_t space;
    uint16_t modifier;
} spaces[] = {
    {"reg", PTX_REG, PTX_NO_WORD},
    {"const", PTX_CONST, PTX_NO_WORD},
    {"global", PTX_GLOBAL, PTX_NO_WORD},
    {"local", PTX_LOCAL, PTX_NO_WORD},
    {"param", PTX_PARAM, PTX_NO_WORD},
    {"shared", PTX_SHARED, PTX_NO_WORD},
    {"shared::cta", PTX_SHARED, PTX_MOD_SHARED_CTA},
    {"shared::cluster", PTX_SHARED, PTX_MOD_SHARED_CLUSTER},
    {"param::entry", PTX_PARAM, PTX_MOD_PARAM_ENTRY},
    {"param::func", PTX_PARAM, PTX_MOD_PARAM_FUNC},
};

static const struct {
    const char *text;
    uint8_t width;
} widths[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};

enum { WORD_SLOTS = 1024, OPCODE_SLOTS = 512 };
static struct ptx_word words[PTX_WORD_COUNT];
static uint16_t word_slots[WORD_SLOTS]; /* number + 1 */
static uint16_t opcode_slots[OPCODE_SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void enter(uint16_t *slots, size_t count, const char *text, uint16_t number)
{
    size_t slot = ptx_hash_word(text, strlen(text)) % count;

    while (slots[slot])
        slot = (slot + 1) % count;
    slots[slot] = (uint16_t)(number + 1);
}

static void add_word(uint16_t number, const char *text, uint8_t kind, uint8_t value,
                     uint16_t modifier)
{
    words[number] = (struct ptx_word){text, kind, value, modifier};
    enter(word_slots, WORD_SLOTS, text, number);
}

static void prepare(void)
{
    /* Qualified spaces are in both lists. They are added as spaces first, so that this entry is
     * found. */
    for (size_t i = 0; i < CUP_ARRAY_COUNT(spaces); i++)
        add_word((uint16_t)(PTX_WORD_SPACES + i), spaces[i].text, PTX_WORD_SPACE, spaces[i].space,
                 spaces[i].modifier);
    for (uint16_t i = 0; i < PTX_MODIFIER_COUNT; i++)
        add_word(i, modifier_names[i], PTX_WORD_MODIFIER, 0, i);
    for (uint16_t i = 1; i < PTX_TYPE_COUNT; i++)
        add_word((uint16_t)(PTX_WORD_TYPES + i), ptx_type_name(i), PTX_WORD_TYPE, (uint8_t)i,
                 PTX_NO_WORD);
    for (size_t i = 0; i < CUP_ARRAY_COUNT(widths); i++)
        add_word((uint16_t)(PTX_WORD_WIDTHS + i), widths[i].text, PTX_WORD_WIDTH, widths[i].width,
                 PTX_NO_WORD);
    for (uint16_t i = 0; i < PTX_OPCODE_COUNT; i++)
        enter(opcode_slots, OPCODE_SLOTS, opcode_names[i], i);
}

void ptx_words_prepare(void)
{
    pthread_once(&once, prepare);
}

static bool same(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == 0;
}

uint16_t ptx_word_find(const char *text, size_t length)
{
    for (size_t slot = ptx_hash_word(text, length) % WORD_SLOTS; word_slots[slot];
         slot = (slot + 1) % WORD_SLOTS)
        if (same(words[word_slots[slot] - 1].text, text, length))
            return (uint16_t)(word_slots[slot] - 1);
    return PTX_NO_WORD;
}

uint16_t ptx_opcode_find(const char *text, size_t length)
{
    for (size_t slot = ptx_hash_word(text, length) % OPCODE_SLOTS; opcode_slots[slot];
         slot = (slot + 1) % OPCODE_SLOTS)
        if (same(opcode_names[opcode_slots[slot] - 1], text, length))
            return (uint16_t)(opcode_slots[slot] - 1);
    return PTX_OPCODE_COUNT;
}

const struct ptx_word *ptx_find_word(uint16_t number)
{
    return &words[number];
}

const char *ptx_opcode_name(enum ptx_opcode op)
{
    return op < PTX_OPCODE_COUNT ? opcode_names[op] : "?";
}

const char *ptx_modifier_name(enum ptx_modifier modifier)
{
    return modifier < PTX_MODIFIER_COUNT ? modifier_names[modifier] : "?";
}
