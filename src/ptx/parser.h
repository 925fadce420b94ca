/* SPDX-License-Identifier: MIT */
/* What the parts of the parser share. The parser reads the text once, from front to back: names
 * must be declared before they are used, except labels.
 *
 * A function that returns bool returns false after it has reported an error; the statement it was
 * part of is then skipped. Out of memory is the one thing that is not returned: ptx_parser_take and
 * ptx_vector_add jump to the end of ptx_parse. */
#ifndef CUP_PTX_PARSER_H
#define CUP_PTX_PARSER_H

#include "core/compiler.h"
#include "ptx/arena.h"
#include "ptx/forms.h"
#include "ptx/lexer.h"
#include "ptx/program.h"
#include "ptx/symbols.h"

#include <setjmp.h>

enum { PTX_MAX_ERRORS = 20, PTX_MAX_RAWS = 10, PTX_MAX_PARTS = 64, PTX_SHOWN_OPERAND = 60 };

struct ptx_vector {
    void *data;
    size_t count, capacity;
};

/* A number of the text. */
struct ptx_constant {
    bool is_float;
    bool is_single; /* 0f…: value has the bits of an f32; else of an f64 */
    bool is_unsigned;
    uint64_t value;
};

/* An operand before its type is known. */
struct ptx_raw {
    struct ptx_operand operand;
    struct ptx_constant constant; /* of an IMMEDIATE */
    const char *text;             /* where it stands, for messages */
    uint32_t length;
    uint16_t first_part; /* of a VECTOR: its elements in parser->parts */
    bool has_pair;       /* |p follows it: the next raw operand */
    bool is_image;       /* [t, c]: parser->image */
    bool is_indexed;     /* x[3]: an address even without brackets around it */
    bool is_component;   /* v.x */
    bool is_sum;         /* r+4: addend */
    uint64_t addend;
};

/* A name of a label that is waiting for its scope to end. */
struct ptx_label_use {
    const char *name;
    uint32_t length, line;
    uint64_t hash;
    uint32_t *target; /* what to set, or NULL: src[0] of the instruction */
    uint32_t instruction;
    uint32_t older; /* use + 1 in the same bucket */
    bool done;
};

struct ptx_labels {
    struct ptx_vector uses;
    uint32_t *buckets; /* use + 1 */
    size_t bucket_count;
    uint32_t first_use[PTX_MAX_DEPTH]; /* of each scope */
};

/* What a name of .branchtargets or .calltargets stands for. */
struct ptx_table {
    const uint32_t *targets;
    uint32_t count;
};

struct ptx_head; /* an opcode with its dot-words, decoded */

struct ptx_parser {
    struct ptx_lexer lexer;
    struct ptx_log *log;
    enum ptx_failure failure;
    jmp_buf out_of_memory;
    struct ptx_arena *arena;
    struct ptx_symbols symbols;
    struct ptx_vector variables, functions; /* of the program */
    struct ptx_vector relocations;          /* of the variable that is being read */
    unsigned version, target;
    char target_suffix;
    bool debug;
    bool independent; /* samplers are apart from textures */
    bool has_address_size, has_debug_information;
    unsigned address_bytes;
    uint64_t initialised_bytes;
    struct ptx_lexer statement; /* where the statement begins: for messages and recovery */

    /* The function that is being read. */
    uint32_t function;
    uint32_t own_locals; /* the first of locals: its parameters and results */
    struct ptx_vector registers, locals, instructions, elements, prototypes, tables;
    struct ptx_labels labels;
    struct ptx_vector register_parameters; /* pairs: register, variable */
    struct ptx_vector register_results;

    /* The instruction that is being read. */
    struct ptx_raw raws[PTX_MAX_RAWS], parts[PTX_MAX_PARTS], image[3];
    unsigned raw_count, part_count, image_count;

    struct ptx_head **heads; /* by hash */
};

/* Messages. The text of a message is the statement's; what and why is the caller's. */
bool ptx_fail(struct ptx_parser *parser, const char *format, ...) CUP_PRINTF(2, 3);
bool ptx_fail_as(struct ptx_parser *parser, enum ptx_failure failure, uint32_t line,
                 const char *format, ...) CUP_PRINTF(4, 5);
void ptx_log_add(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);
bool ptx_too_many_errors(const struct ptx_parser *parser);

/* Memory: zeroed, of the program's arena; and growing arrays, whose new element is zeroed. */
void *ptx_parser_take(struct ptx_parser *parser, size_t size);
char *ptx_parser_name(struct ptx_parser *parser, const char *text, size_t length);
void *ptx_vector_add(struct ptx_parser *parser, struct ptx_vector *vector, size_t element_size);
void *ptx_vector_keep(struct ptx_parser *parser, struct ptx_vector *vector, size_t element_size);

/* Tokens. */
static inline struct ptx_token *ptx_current_token(struct ptx_parser *parser)
{
    return &parser->lexer.token;
}

static inline void ptx_next(struct ptx_parser *parser)
{
    ptx_lexer_next(&parser->lexer);
}

static inline bool ptx_accept(struct ptx_parser *parser, int kind)
{
    if (parser->lexer.token.kind != kind)
        return false;
    ptx_lexer_next(&parser->lexer);
    return true;
}

bool ptx_accept_dot(struct ptx_parser *parser, const char *word);
bool ptx_expect(struct ptx_parser *parser, int kind, const char *after); /* or a message */
bool ptx_expect_end(struct ptx_parser *parser);                          /* ';' */
void ptx_skip_statement(struct ptx_parser *parser, bool with_body); /* from parser->statement */
void ptx_skip_braces(struct ptx_parser *parser);                    /* at '{': to behind its '}' */
/* How the current token reads, for a message. */
const char *ptx_token_text(const struct ptx_parser *parser, int *length);

/* constant.c */
bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant);
bool ptx_parse_integer(struct ptx_parser *parser, uint64_t *value); /* no float */
bool ptx_parse_count(struct ptx_parser *parser, uint64_t largest, uint64_t *value);
bool ptx_constant_bits(const struct ptx_constant *constant, enum ptx_type type, uint64_t *bits);

/* declare.c: names */
struct ptx_symbol *ptx_find(struct ptx_parser *parser, const struct ptx_token *token);
bool ptx_check_name(struct ptx_parser *parser, const struct ptx_token *name); /* or a message */
struct ptx_symbol *ptx_declare(struct ptx_parser *parser, const struct ptx_token *name,
                               enum ptx_symbol_kind kind);
uint32_t ptx_add_register(struct ptx_parser *parser, const char *name, size_t length, uint8_t type,
                          uint8_t width);
bool ptx_parse_registers(struct ptx_parser *parser); /* behind .reg */

/* labels.c */
bool ptx_label_declare(struct ptx_parser *parser, const struct ptx_token *name);
void ptx_use_label(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *target);
void ptx_labels_enter_scope(struct ptx_parser *parser);
void ptx_labels_leave_scope(struct ptx_parser *parser);
/* The function is over: uses that no label took are errors, if anybody is to hear of them. */
void ptx_labels_end(struct ptx_parser *parser, bool complain);

/* variable.c, initialiser.c */
struct ptx_declaration {
    uint8_t space, type, width, linkage;
    bool managed, unsized, is_pointer;
    uint32_t align, line;
    uint64_t count; /* elements of type and width */
    unsigned dimensions;
    uint64_t extents[8];
    struct ptx_token name;
};
bool ptx_parse_type(struct ptx_parser *parser, struct ptx_declaration *declaration);
bool ptx_parse_attribute(struct ptx_parser *parser, struct ptx_declaration *declaration);
bool ptx_parse_declarator(struct ptx_parser *parser, struct ptx_declaration *declaration);
bool ptx_parse_variables(struct ptx_parser *parser, uint8_t space, uint8_t linkage);
uint64_t ptx_declaration_bytes(const struct ptx_declaration *declaration);
struct ptx_variable ptx_declaration_variable(struct ptx_parser *parser,
                                             const struct ptx_declaration *declaration);
bool ptx_parse_initialiser(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                           struct ptx_variable *variable);
uint8_t ptx_find_space(const struct ptx_token *token); /* PTX_SPACE_NONE: it is none */

/* function.c, body.c */
bool ptx_parse_function(struct ptx_parser *parser, bool kernel, uint8_t linkage);
bool ptx_parse_signature(struct ptx_parser *parser, struct ptx_function *function, bool named);
bool ptx_parse_alias(struct ptx_parser *parser);
bool ptx_parse_body(struct ptx_parser *parser);
void ptx_store_results(struct ptx_parser *parser);  /* before a ret */
bool ptx_parse_location(struct ptx_parser *parser); /* behind .loc */

/* instruction.c, operand.c, call.c, check.c */
struct ptx_head {
    uint64_t hash;
    const char *text;
    uint32_t length;
    const struct ptx_form *form;
    struct ptx_instruction instruction; /* without operands */
};
bool ptx_parse_instruction(struct ptx_parser *parser, uint32_t guard, bool guard_negated);
struct ptx_instruction *ptx_add_instruction(struct ptx_parser *parser);
bool ptx_decode_head(struct ptx_parser *parser, const char *text, size_t length,
                     struct ptx_head *head);
bool ptx_parse_operand(struct ptx_parser *parser, struct ptx_raw *raw);
bool ptx_parse_call(struct ptx_parser *parser, struct ptx_instruction *instruction);
bool ptx_check_operands(struct ptx_parser *parser, const struct ptx_form *form,
                        struct ptx_instruction *instruction);
bool ptx_registers_fit(enum ptx_type reg, enum ptx_type type, bool wider);

struct ptx_special_register {
    const char *name;
    uint8_t special;
    uint8_t bits;
    bool triple; /* .x, .y, .z, .w follow */
};
const struct ptx_special_register *ptx_special_find(const char *name, size_t length,
                                                    unsigned *number);

#endif
