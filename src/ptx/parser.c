/* SPDX-License-Identifier: MIT */
/* ptx_parse, and what the parts of the parser stand on: memory, tokens, recovery after errors. */
#include "ptx/parser.h"

#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

enum { HEADS = 4096 }; /* opcodes with dot-words that are remembered */

void *ptx_parser_take(struct ptx_parser *parser, size_t size)
{
    void *piece = ptx_arena_take(parser->arena, size);

    if (!piece)
        longjmp(parser->out_of_memory, 1);
    return piece;
}

char *ptx_parser_name(struct ptx_parser *parser, const char *text, size_t length)
{
    char *name = ptx_parser_take(parser, length + 1);

    memcpy(name, text, length);
    return name;
}

void *ptx_vector_add(struct ptx_parser *parser, struct ptx_vector *vector, size_t element_size)
{
    void *element;

    if (vector->count == vector->capacity) {
        size_t capacity = vector->capacity ? vector->capacity * 2 : 32;
        void *grown = realloc(vector->data, capacity * element_size);

        if (!grown || vector->count >= UINT32_MAX / 2)
            longjmp(parser->out_of_memory, 1);
        vector->data = grown;
        vector->capacity = capacity;
    }
    element = (char *)vector->data + vector->count++ * element_size;
    memset(element, 0, element_size);
    return element;
}

void *ptx_vector_keep(struct ptx_parser *parser, struct ptx_vector *vector, size_t element_size)
{
    void *copy;

    if (vector->count == 0)
        return NULL;
    copy = ptx_parser_take(parser, vector->count * element_size);
    memcpy(copy, vector->data, vector->count * element_size);
    vector->count = 0;
    return copy;
}

bool ptx_accept_dot(struct ptx_parser *parser, const char *word)
{
    if (!ptx_token_is(ptx_current_token(parser), PTX_TOKEN_DOT, word))
        return false;
    ptx_next(parser);
    return true;
}

bool ptx_expect(struct ptx_parser *parser, int kind, const char *after)
{
    int length;
    const char *text;

    if (ptx_accept(parser, kind))
        return true;
    text = ptx_token_text(parser, &length);
    if (kind == PTX_TOKEN_WORD)
        return ptx_fail(parser, "a name is expected %s, not '%.*s'", after, length, text);
    return ptx_fail(parser, "'%c' is expected %s, not '%.*s'", kind, after, length, text);
}

bool ptx_expect_end(struct ptx_parser *parser)
{
    return ptx_expect(parser, ';', "at the end of the statement");
}

void ptx_skip_braces(struct ptx_parser *parser)
{
    size_t depth = 0;

    do {
        if (ptx_current_token(parser)->kind == '{')
            depth++;
        else if (ptx_current_token(parser)->kind == '}')
            depth--;
        ptx_next(parser);
    } while (depth && ptx_current_token(parser)->kind != PTX_TOKEN_END);
}

/* To behind the statement's semicolon; or, with a body, to behind its braces. Braces of vectors and
 * initialisers are passed over; the brace that closes the scope around is not. */
void ptx_skip_statement(struct ptx_parser *parser, bool with_body)
{
    parser->lexer = parser->statement;
    for (;;) {
        switch (ptx_current_token(parser)->kind) {
        case PTX_TOKEN_END:
            return;
        case ';':
            ptx_next(parser);
            return;
        case '{':
            ptx_skip_braces(parser);
            if (with_body) {
                ptx_accept(parser, ';');
                return;
            }
            break;
        case '}':
            if (!with_body)
                return;
            ptx_next(parser);
            return;
        default:
            ptx_next(parser);
        }
    }
}

static void finish(struct ptx_parser *parser)
{
    struct ptx_vector *const vectors[] = {
        &parser->variables,        &parser->functions,   &parser->registers,
        &parser->locals,           &parser->elements,    &parser->instructions,
        &parser->prototypes,       &parser->labels.uses, &parser->register_parameters,
        &parser->register_results, &parser->relocations, &parser->tables};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(vectors); i++)
        free(vectors[i]->data);
    free(parser->labels.buckets);
    free(parser->heads);
    ptx_symbols_finish(&parser->symbols);
}

static bool start(struct ptx_parser *parser, const char *text, size_t length, struct ptx_log *log)
{
    ptx_forms_prepare();
    ptx_lexer_start(&parser->lexer, text, length);
    parser->log = log;
    parser->address_bytes = 8;
    parser->heads = calloc(HEADS, sizeof(struct ptx_head *));
    return ptx_symbols_init(&parser->symbols) && parser->heads;
}

/* The jump of whoever found no memory ends here; nothing that changed since lives in this frame. */
static void run(struct ptx_parser *parser)
{
    if (setjmp(parser->out_of_memory) == 0)
        ptx_parse_module(parser);
    else
        parser->failure = PTX_OUT_OF_MEMORY;
}

static struct ptx_program *make_program(struct ptx_parser *parser)
{
    struct ptx_program *program = ptx_arena_take(parser->arena, sizeof(*program));
    uint32_t variables = (uint32_t)parser->variables.count,
             functions = (uint32_t)parser->functions.count;

    if (!program || setjmp(parser->out_of_memory) != 0) {
        parser->failure = PTX_OUT_OF_MEMORY;
        return NULL;
    }
    *program = (struct ptx_program){
        .version = parser->version,
        .target = parser->target,
        .target_suffix = parser->target_suffix,
        .debug = parser->debug,
        .variable_count = variables,
        .function_count = functions,
        .arena = parser->arena,
    };
    program->variables = ptx_vector_keep(parser, &parser->variables, sizeof(struct ptx_variable));
    program->functions = ptx_vector_keep(parser, &parser->functions, sizeof(struct ptx_function));
    return program;
}

struct ptx_program *ptx_parse(const char *text, size_t length, struct ptx_log *log,
                              enum ptx_failure *failure)
{
    struct ptx_parser *parser = calloc(1, sizeof(*parser));
    struct ptx_log own_log = {0};
    struct ptx_program *program = NULL;

    *failure = PTX_OUT_OF_MEMORY;
    if (!parser)
        return NULL;
    parser->arena = ptx_arena_create();
    if (start(parser, text, length, log ? log : &own_log) && parser->arena) {
        run(parser);
        if (parser->failure == PTX_OK)
            program = make_program(parser);
        *failure = parser->failure;
    }
    if (program)
        ptx_hash_text(text, (size_t)(parser->lexer.end - text), program->hash);
    else
        ptx_arena_destroy(parser->arena);
    finish(parser);
    free(parser);
    ptx_log_free(&own_log);
    return program;
}

void ptx_program_free(struct ptx_program *program)
{
    if (program)
        ptx_arena_destroy(program->arena);
}
