/* SPDX-License-Identifier: MIT */
/* ptx_parse: starts the parser on a text and makes a program of what it found. */
#include "ptx/program.h"

#include "core/compiler.h"
#include "ptx/forms.h"
#include "ptx/instruction.h"
#include "ptx/module.h"
#include "ptx/parser.h"
#include "ptx/source.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool keeps_texts;

void ptx_keep_texts(bool keep)
{
    keeps_texts = keep;
}

static void finish(struct ptx_parser *parser)
{
    const struct {
        struct cup_dynarray *vector;
        size_t element_size;
    } vectors[] = {
        {&parser->variables, sizeof(struct ptx_variable)},
        {&parser->functions, sizeof(struct ptx_function)},
        {&parser->registers, sizeof(struct ptx_register)},
        {&parser->locals, sizeof(struct ptx_variable)},
        {&parser->elements, sizeof(struct ptx_operand)},
        {&parser->instructions, sizeof(struct ptx_instruction)},
        {&parser->prototypes, sizeof(struct ptx_function)},
        {&parser->labels.uses, sizeof(struct ptx_label_use)},
        {&parser->register_parameters, sizeof(uint32_t[2])},
        {&parser->register_results, sizeof(uint32_t[2])},
        {&parser->relocations, sizeof(struct ptx_relocation)},
        {&parser->tables, sizeof(struct ptx_table)},
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(vectors); i++)
        ptx_vector_free(vectors[i].vector, vectors[i].element_size);
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
    parser->heads = calloc(PTX_HEADS, sizeof(struct ptx_head *));
    return ptx_symbols_init(&parser->symbols) && parser->heads;
}

/* Running out of memory is a longjmp to here. This frame has no variables that change before it. */
static void run(struct ptx_parser *parser)
{
    if (setjmp(parser->out_of_memory) == 0)
        ptx_parse_module(parser);
    else
        parser->failure = PTX_OUT_OF_MEMORY;
}

static void keep_text(struct ptx_parser *parser, const char *bytes)
{
    size_t length = (size_t)(parser->lexer.end - bytes);
    struct ptx_text *text = ptx_parser_take(parser, sizeof(*text));
    char *copy = ptx_parser_take(parser, length + 1);

    memcpy(copy, bytes, length);
    *text = (struct ptx_text){.bytes = copy, .length = length};
    ptx_hash_text(copy, length, text->hash);
    for (size_t i = 0; i < parser->functions.count; i++)
        ((struct ptx_function *)parser->functions.items)[i].text = text;
}

static struct ptx_program *make_program(struct ptx_parser *parser, const char *text)
{
    struct ptx_program *program = ptx_arena_take(parser->arena, sizeof(*program));
    uint32_t variables = (uint32_t)parser->variables.count,
             functions = (uint32_t)parser->functions.count;

    if (!program || setjmp(parser->out_of_memory) != 0) {
        parser->failure = PTX_OUT_OF_MEMORY;
        return NULL;
    }
    if (keeps_texts)
        keep_text(parser, text);
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

static struct ptx_program *parse(const char *text, size_t length, bool assembled,
                                 struct ptx_log *log, enum ptx_failure *failure)
{
    struct ptx_parser *parser = calloc(1, sizeof(*parser));
    struct ptx_log own_log = {0};
    struct ptx_program *program = NULL;

    *failure = PTX_OUT_OF_MEMORY;
    if (!parser)
        return NULL;
    parser->assembled = assembled;
    parser->arena = ptx_arena_create();
    if (start(parser, text, length, log ? log : &own_log) && parser->arena) {
        run(parser);
        if (parser->failure == PTX_OK)
            program = make_program(parser, text);
        else if (parser->failure != PTX_OUT_OF_MEMORY && parser->failure != PTX_UNSUPPORTED_VERSION)
            ptx_log_add(parser->log, "ptxas fatal   : Ptx assembly aborted due to errors\n");
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

struct ptx_program *ptx_parse(const char *text, size_t length, struct ptx_log *log,
                              enum ptx_failure *failure)
{
    return parse(text, length, false, log, failure);
}

struct ptx_program *ptx_parse_assembled(const char *text, size_t length, struct ptx_log *log,
                                        enum ptx_failure *failure)
{
    return parse(text, length, true, log, failure);
}

void ptx_program_free(struct ptx_program *program)
{
    if (program)
        ptx_arena_destroy(program->arena);
}
