/* SPDX-License-Identifier: MIT */
/* The state of the parser, its memory and its tokens. The parser reads the text once, from front to
 * back: names must be declared before they are used, except labels.
 *
 * A function that returns bool returns false after it has reported an error; the statement is then
 * skipped. Out of memory is not returned: ptx_parser_take and ptx_vector_add jump to the end of
 * ptx_parse. */
#ifndef CUP_PTX_PARSER_H
#define CUP_PTX_PARSER_H

#include "ptx/arena.h"
#include "ptx/labels.h"
#include "ptx/lexer.h"
#include "ptx/log.h"
#include "ptx/operand.h"
#include "ptx/program.h"
#include "ptx/symbols.h"
#include "ptx/vector.h"

#include <setjmp.h>

enum { PTX_HEADS = 4096 }; /* opcodes with dot-words that are remembered */

/* The targets of .branchtargets or .calltargets. */
struct ptx_table {
    const uint32_t *targets;
    uint32_t count;
};

struct ptx_head; /* an opcode with its dot-words, decoded: instruction.h */

struct ptx_parser {
    struct ptx_lexer lexer;
    struct ptx_log *log;
    enum ptx_failure failure;
    jmp_buf out_of_memory;
    struct ptx_arena *arena;
    struct ptx_symbols symbols;
    struct cup_dynarray variables, functions; /* of the program */
    struct cup_dynarray relocations;          /* of the variable that is being parsed */
    bool assembled;                           /* the text has the place of machine code */
    unsigned version, target;
    char target_suffix;
    bool debug;
    bool independent; /* .texmode_independent */
    bool has_address_size, has_debug_information;
    unsigned address_bytes;
    uint64_t initialised_bytes;
    struct ptx_lexer statement; /* where the statement begins: for messages and recovery */

    /* The function that is being parsed. */
    uint32_t function;
    bool has_block_memory; /* may read the special registers of .minperctamemory */
    uint32_t own_locals;   /* the first of locals: its parameters and results */
    struct cup_dynarray registers, locals, instructions, elements, prototypes, tables;
    struct ptx_labels labels;
    struct cup_dynarray register_parameters; /* pairs: register, variable */
    struct cup_dynarray register_results;

    /* The instruction that is being parsed. */
    struct ptx_raw raws[PTX_MAX_RAWS], parts[PTX_MAX_PARTS], image[3];
    unsigned raw_count, part_count, image_count;

    struct ptx_head **heads; /* by hash */
};

/* Takes zeroed memory of the program's arena. */
void *ptx_parser_take(struct ptx_parser *parser, size_t size);
char *ptx_parser_name(struct ptx_parser *parser, const char *text, size_t length);

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
/* Takes a token of this kind, or reports an error. */
bool ptx_expect(struct ptx_parser *parser, int kind, const char *after);
bool ptx_expect_end(struct ptx_parser *parser); /* ';' */
/* Skips the statement that begins at parser->statement; with its braces if it has a body. */
void ptx_skip_statement(struct ptx_parser *parser, bool with_body);
/* At '{': skips to behind the matching '}'. */
void ptx_skip_braces(struct ptx_parser *parser);

#endif
