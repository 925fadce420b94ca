/* SPDX-License-Identifier: MIT */
/* The forms of PTX instructions: the dot-words that an opcode takes, the operands that go with
 * them, and the PTX version and target that introduced them. forms.def lists them as text, which
 * ptx_forms_prepare compiles once. */
#ifndef CUP_PTX_FORMS_H
#define CUP_PTX_FORMS_H

#include "ptx/program.h"
#include "ptx/words.h"

/* Whether the compiler supports it. */
enum ptx_support {
    PTX_NOW,     /* yes */
    PTX_TEXTURE, /* as ptx_accept_textures says */
    PTX_LATER,   /* not yet: PTX_UNSUPPORTED */
};
extern const bool ptx_accept_textures;

enum ptx_role {
    PTX_ROLE_DESTINATION,
    PTX_ROLE_SOURCE,
    PTX_ROLE_IMMEDIATE,
    PTX_ROLE_ADDRESS,
    PTX_ROLE_IMAGE,   /* [texture, sampler, coordinates] */
    PTX_ROLE_TENSOR,  /* [tensor map, coordinates] */
    PTX_ROLE_MOVE_TO, /* mov's two, which pack and unpack */
    PTX_ROLE_MOVE_FROM,
    PTX_ROLE_LABEL,
    PTX_ROLE_TABLE, /* the label of .branchtargets */
};

enum ptx_rule_flag {
    PTX_RULE_OPTIONAL = 1,
    PTX_RULE_SINK = 2,      /* _ may stand for it */
    PTX_RULE_FRAGMENT = 4,  /* a vector of as many registers as ptx_check_instruction wants */
    PTX_RULE_VECTOR = 8,    /* a vector when the instruction has a width */
    PTX_RULE_WIDER = 16,    /* a register may be wider than its type */
    PTX_RULE_SELECTOR = 32, /* .b0, .h1 and the like may follow */
    PTX_RULE_PAIR = 64,     /* |p may follow */
    PTX_RULE_PAIR_NEEDED = 128,
};

/* Where an operand's type comes from. */
enum ptx_type_source {
    PTX_TYPE_WRITTEN, /* the instruction's type number `type` */
    PTX_TYPE_WIDE,    /* twice as wide as the first one */
    PTX_TYPE_FIXED,   /* `type` itself */
    PTX_TYPE_ADDRESS, /* an address in a register */
};

struct ptx_rule {
    uint8_t role; /* enum ptx_role */
    uint8_t flags;
    uint8_t source; /* enum ptx_type_source */
    uint8_t type;
};

enum { PTX_FORM_SLOTS = 12, PTX_FORM_RULES = 10 };

struct ptx_form {
    const char *words, *operands; /* as in forms.def */
    uint16_t op;
    uint16_t next;   /* form of the same opcode + 1, or 0 */
    uint8_t version; /* of PTX: 78 for 7.8 */
    uint8_t target;  /* 90 for sm_90 */
    char suffix;     /* 'a' when only that variant of the target has it */
    uint8_t support; /* enum ptx_support */
    bool any_words, any_operands;
    uint8_t slot_count, rule_count, required_rules;
    uint16_t slots[PTX_FORM_SLOTS];
    uint16_t optional; /* a bit for each slot */
    struct ptx_rule rules[PTX_FORM_RULES];
};

void ptx_forms_prepare(void);
const struct ptx_form *ptx_form_first(enum ptx_opcode op);         /* NULL: none */
const struct ptx_form *ptx_form_next(const struct ptx_form *form); /* NULL: none */

/* Whether these words, in any order, fill the form. On failure *matched is how many words matched,
 * and *missing the slot that no word fills, or -1. `slots`, unless NULL, receives each word's slot;
 * PTX_FORM_SLOTS: it has none. */
bool ptx_form_match(const struct ptx_form *form, const uint16_t *words, size_t count,
                    size_t *matched, int *missing, uint8_t *slots);

/* The words that may stand in a slot, ".u16, .u32 or .u64". */
size_t ptx_form_describe_slot(const struct ptx_form *form, int slot, char *text, size_t size);

/* The first form whose text does not compile, or NULL: for a test of the table. */
const char *ptx_forms_broken(void);

#endif
