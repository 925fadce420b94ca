/* SPDX-License-Identifier: MIT */
/* Kernels and functions: their directives, and merging a declaration with its definition. */
#include "ptx/function.h"

#include "core/compiler.h"
#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/labels.h"
#include "ptx/needs.h"
#include "ptx/parser.h"
#include "ptx/variable.h"

#include <string.h>
#include <strings.h>

/* The largest parameter buffer of a kernel: before PTX ISA 8.1 or sm_70, and since. */
enum { OLD_PARAMETER_BYTES = 4352, PARAMETER_BYTES = 32764 };

/* Parses up to three numbers; zero: whether they may be 0. */
static bool parse_triple(struct ptx_parser *parser, bool zero, uint32_t values[3])
{
    uint64_t value;

    values[0] = values[1] = values[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!ptx_parse_count(parser, UINT32_MAX, &value))
            return false;
        if (value == 0 && !zero)
            return ptx_fail(parser, "a number of threads must be at least 1");
        values[i] = (uint32_t)value;
        if (!ptx_accept(parser, ','))
            return true;
    }
    return ptx_fail(parser, "at most three numbers are expected");
}

static bool parse_number_directive(struct ptx_parser *parser, uint32_t *result)
{
    uint64_t value;

    if (!ptx_parse_count(parser, UINT32_MAX, &value))
        return false;
    *result = (uint32_t)value;
    return true;
}

static bool parse_string(struct ptx_parser *parser)
{
    do {
        if (!ptx_expect(parser, PTX_TOKEN_STRING, "after .pragma"))
            return false;
    } while (ptx_accept(parser, ','));
    ptx_accept(parser, ';');
    return true;
}

/* Whether the string, with its quotes, is the name of a language, in whatever case. */
static bool is_language(const struct ptx_token *token)
{
    static const char *const names[] = {"unknown",       "ptx",           "nvvm",
                                        "cuda c++",      "cuda c++ tile", "tile ir",
                                        "python-cutile", "fortran",       "optix"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(names); i++)
        if (token->length == strlen(names[i]) + 2 &&
            strncasecmp(token->text + 1, names[i], token->length - 2) == 0)
            return true;
    return false;
}

/* .language "nvvm", "ptx", 5: names or numbers of source languages, without effect. */
static bool parse_languages(struct ptx_parser *parser)
{
    enum { LAST_LANGUAGE = 10 };
    uint64_t number;

    if (!ptx_check_age(parser, "'.language'", 92, 0))
        return false;
    do {
        if (ptx_current_token(parser)->kind != PTX_TOKEN_STRING) {
            if (!ptx_parse_count(parser, UINT32_MAX, &number))
                return false;
            if (number > LAST_LANGUAGE)
                return ptx_fail(parser, "the number of a language must be 0 to %d, not %llu",
                                LAST_LANGUAGE, (unsigned long long)number);
            continue;
        }
        if (!is_language(ptx_current_token(parser)))
            return ptx_fail(parser, "language %.*s is not known",
                            (int)ptx_current_token(parser)->length,
                            ptx_current_token(parser)->text);
        ptx_next(parser);
    } while (ptx_accept(parser, ','));
    return true;
}

/* .minperctamemory 2048: bytes of global memory that each block of a kernel is to have. There are
 * none: %perctamemorysize is 0, as with a driver that does not allocate them. */
static bool parse_block_memory(struct ptx_parser *parser, struct ptx_function *function)
{
    uint32_t ignored;

    if (!function->is_kernel)
        return ptx_fail(parser, "'.minperctamemory' is for kernels");
    parser->has_block_memory = true;
    return ptx_check_age(parser, "'.minperctamemory'", 94, 80) &&
           parse_number_directive(parser, &ignored);
}

/* Whether what follows belongs to the module: a declaration may end without a ';'. */
static bool at_next_entity(struct ptx_parser *parser)
{
    static const char *const words[] = {"visible", "extern", "weak",   "common", "entry",  "func",
                                        "global",  "const",  "shared", "file",   "section"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(words); i++)
        if (ptx_token_is(ptx_current_token(parser), PTX_TOKEN_DOT, words[i]))
            return true;
    return false;
}

/* Parses the directives between the signature and the body. */
static bool parse_directives(struct ptx_parser *parser, struct ptx_function *function)
{
    uint32_t ignored;

    while (ptx_current_token(parser)->kind == PTX_TOKEN_DOT && !at_next_entity(parser)) {
        bool good;
        int length;
        const char *text = ptx_token_text(parser, &length);

        if (ptx_accept_dot(parser, "maxntid"))
            good = parse_triple(parser, false, function->max_threads);
        else if (ptx_accept_dot(parser, "reqntid"))
            good = parse_triple(parser, false, function->required_threads);
        else if (ptx_accept_dot(parser, "reqnctapercluster"))
            good = parse_triple(parser, true, function->required_cluster);
        else if (ptx_accept_dot(parser, "minnctapersm"))
            good = parse_number_directive(parser, &function->min_blocks) &&
                   (function->min_blocks || ptx_fail(parser, ".minnctapersm must be at least 1"));
        else if (ptx_accept_dot(parser, "maxnreg"))
            good = parse_number_directive(parser, &function->max_registers) &&
                   (function->max_registers || ptx_fail(parser, ".maxnreg must be at least 1"));
        else if (ptx_accept_dot(parser, "maxclusterrank"))
            good = parse_number_directive(parser, &function->max_cluster_rank);
        else if ((parser->version < 20 && ptx_accept_dot(parser, "maxnctapersm")) ||
                 ptx_accept_dot(parser, "local_maxnreg") ||
                 ptx_accept_dot(parser, "abi_preserve") ||
                 ptx_accept_dot(parser, "abi_preserve_control"))
            good = parse_number_directive(parser, &ignored);
        else if (ptx_accept_dot(parser, "noreturn"))
            good = function->noreturn = true;
        else if (ptx_accept_dot(parser, "explicitcluster"))
            good = function->explicit_cluster = true;
        else if (ptx_accept_dot(parser, "blocksareclusters"))
            good = true;
        else if (ptx_accept_dot(parser, "language"))
            good = parse_languages(parser);
        else if (ptx_accept_dot(parser, "minperctamemory"))
            good = parse_block_memory(parser, function);
        else if (ptx_accept_dot(parser, "pragma"))
            good = parse_string(parser);
        else
            good = ptx_fail(parser, "'%.*s' is not a directive of a function", length, text);
        if (!good)
            return false;
    }
    return true;
}

static bool same_lists(const struct ptx_parameter *a, uint32_t a_count,
                       const struct ptx_parameter *b, uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (a[i].size_bytes != b[i].size_bytes || a[i].type != b[i].type)
            return false;
    return true;
}

static bool same_signatures(const struct ptx_function *a, const struct ptx_function *b)
{
    return a->is_kernel == b->is_kernel &&
           same_lists(a->parameters, a->parameter_count, b->parameters, b->parameter_count) &&
           same_lists(a->results, a->result_count, b->results, b->result_count);
}

/* Finds the function's index, or adds the function, so that it has an index before its body is
 * parsed. Searches the outermost scope only: a parameter or result may have the function's name. */
static bool find_index(struct ptx_parser *parser, const struct ptx_token *name,
                       const struct ptx_function *function, uint32_t *index)
{
    struct ptx_symbol *symbol =
        ptx_symbols_find_outermost(&parser->symbols, name->text, name->length, name->hash);
    struct ptx_function *old;

    if (!ptx_check_name(parser, name))
        return false;
    if (!symbol) {
        symbol = ptx_symbols_add(&parser->symbols, name->text, name->length, name->hash,
                                 PTX_SYMBOL_FUNCTION, 0);
        if (!symbol)
            longjmp(parser->out_of_memory, 1);
        symbol->line = name->line;
        *index = symbol->index = (uint32_t)parser->functions.count;
        *(struct ptx_function *)ptx_vector_add(parser, &parser->functions, sizeof(*function)) =
            *function;
        return true;
    }
    *index = symbol->index;
    if (symbol->kind != PTX_SYMBOL_FUNCTION)
        return ptx_fail(parser, "'%s' is already declared as something else, in line %u",
                        function->name, symbol->line);
    old = (struct ptx_function *)parser->functions.items + symbol->index;
    if (!same_signatures(old, function))
        return ptx_fail(parser, "'%s' is declared with another signature in line %u",
                        function->name, symbol->line);
    if (!old->is_prototype && !function->is_prototype)
        return ptx_fail(parser, "'%s' is already defined, in line %u", function->name,
                        symbol->line);
    return true;
}

/* Merges a further declaration into the function; a definition replaces it. */
static void join(struct ptx_parser *parser, uint32_t index, const struct ptx_function *function)
{
    struct ptx_function *old = (struct ptx_function *)parser->functions.items + index;

    if (function->is_prototype) {
        if (old->linkage == PTX_LINK_EXTERN || old->linkage == PTX_LINK_LOCAL)
            old->linkage = function->linkage;
        return;
    }
    *old = *function;
}

static void keep(struct ptx_parser *parser, struct ptx_function *function)
{
    function->register_count = (uint32_t)parser->registers.count;
    function->variable_count = (uint32_t)parser->locals.count;
    function->instruction_count = (uint32_t)parser->instructions.count;
    function->prototype_count = (uint32_t)parser->prototypes.count;
    function->registers = ptx_vector_keep(parser, &parser->registers, sizeof(struct ptx_register));
    function->variables = ptx_vector_keep(parser, &parser->locals, sizeof(struct ptx_variable));
    function->instructions =
        ptx_vector_keep(parser, &parser->instructions, sizeof(struct ptx_instruction));
    function->elements = ptx_vector_keep(parser, &parser->elements, sizeof(struct ptx_operand));
    function->prototypes =
        ptx_vector_keep(parser, &parser->prototypes, sizeof(struct ptx_function));
}

/* Finds the function's name, which follows the results but is needed before they are declared. */
static struct ptx_token find_name(struct ptx_parser *parser)
{
    struct ptx_lexer start = parser->lexer;
    struct ptx_token name;

    if (ptx_accept(parser, '('))
        while (ptx_current_token(parser)->kind != ')' &&
               ptx_current_token(parser)->kind != PTX_TOKEN_END)
            ptx_next(parser);
    ptx_accept(parser, ')');
    name = *ptx_current_token(parser);
    parser->lexer = start;
    return name;
}

/* Checks that a function has nothing that only kernels may have. */
static bool check_function(struct ptx_parser *parser, const struct ptx_function *function)
{
    bool limits = function->max_threads[0] || function->required_threads[0] ||
                  function->required_cluster[0] || function->min_blocks ||
                  function->max_registers || function->max_cluster_rank ||
                  function->explicit_cluster;

    return !limits || ptx_fail(parser, "limits of threads, blocks and registers are for kernels");
}

/* Checks that a kernel has nothing that only functions may have. */
static bool check_kernel(struct ptx_parser *parser, const struct ptx_function *function)
{
    unsigned most =
        parser->version >= 81 && parser->target >= 70 ? PARAMETER_BYTES : OLD_PARAMETER_BYTES;

    if (function->result_count)
        return ptx_fail(parser, "a kernel cannot have results");
    if (parser->register_parameters.count)
        return ptx_fail(parser, "a kernel's parameters must be .param, not .reg");
    if (function->noreturn)
        return ptx_fail(parser, ".noreturn is not allowed for kernels");
    if (function->max_threads[0] && function->required_threads[0])
        return ptx_fail(parser, ".maxntid and .reqntid exclude each other");
    if (function->parameter_bytes > most)
        return ptx_fail(parser, "the parameters take %llu bytes; the maximum is %u here",
                        (unsigned long long)function->parameter_bytes, most);
    return true;
}

static bool parse_definition(struct ptx_parser *parser, struct ptx_function *function)
{
    struct ptx_token name = find_name(parser);
    bool good = ptx_parse_signature(parser, function, true) && parse_directives(parser, function);

    if (!good)
        return false;
    if (!(function->is_kernel ? check_kernel : check_function)(parser, function))
        return false;
    function->is_prototype = ptx_current_token(parser)->kind != '{';
    if (!find_index(parser, &name, function, &parser->function))
        return false;
    if (function->is_prototype) {
        for (uint32_t i = 0; i < function->parameter_count; i++)
            ((struct ptx_parameter *)function->parameters)[i].variable = PTX_NO_INDEX;
        for (uint32_t i = 0; i < function->result_count; i++)
            ((struct ptx_parameter *)function->results)[i].variable = PTX_NO_INDEX;
        join(parser, parser->function, function);
        ptx_accept(parser, ';'); /* NVIDIA's compiler writes the ';' on the next line */
        return true;
    }
    if (function->linkage == PTX_LINK_EXTERN)
        return ptx_fail(parser, "an .extern function cannot have a body");
    parser->own_locals = (uint32_t)parser->locals.count;
    if (!ptx_parse_body(parser))
        return false;
    keep(parser, function);
    join(parser, parser->function, function);
    return true;
}

bool ptx_parse_function(struct ptx_parser *parser, bool kernel, uint8_t linkage)
{
    struct ptx_function function = {
        .is_kernel = kernel, .linkage = linkage, .line = ptx_current_token(parser)->line};
    struct ptx_declaration attributes = {.space = PTX_GLOBAL};
    bool good;

    if (ptx_token_is(ptx_current_token(parser), PTX_TOKEN_DOT, "attribute") &&
        !ptx_parse_attribute(parser, &attributes))
        return false;
    parser->registers.count = parser->locals.count = parser->instructions.count = 0;
    parser->elements.count = parser->prototypes.count = parser->labels.uses.count = 0;
    parser->register_parameters.count = parser->register_results.count = 0;
    parser->tables.count = 0;
    parser->has_block_memory = !kernel; /* a function does not know its kernel */
    ptx_symbols_enter_scope(&parser->symbols);
    ptx_labels_enter_scope(parser);
    good = parse_definition(parser, &function);
    while (parser->symbols.depth > 0)
        ptx_symbols_leave_scope(&parser->symbols);
    ptx_labels_end(parser, good);
    return good;
}

/* .alias other, function; */
bool ptx_parse_alias(struct ptx_parser *parser)
{
    struct ptx_token alias, target;
    const struct ptx_symbol *from, *to;
    struct ptx_function *functions = parser->functions.items, *function;
    const char *name;
    uint8_t linkage;

    alias = *ptx_current_token(parser);
    if (!ptx_expect(parser, PTX_TOKEN_WORD, "after .alias") ||
        !ptx_expect(parser, ',', "between the two names of .alias"))
        return false;
    target = *ptx_current_token(parser);
    if (!ptx_expect(parser, PTX_TOKEN_WORD, "as the target of .alias") || !ptx_expect_end(parser))
        return false;
    from = ptx_find(parser, &alias);
    to = ptx_find(parser, &target);
    if (!from || !to || from->kind != PTX_SYMBOL_FUNCTION || to->kind != PTX_SYMBOL_FUNCTION)
        return ptx_fail(parser, ".alias needs two declared functions");
    if (functions[to->index].is_prototype)
        return ptx_fail(parser, "'%s' is the target of .alias and has no body",
                        functions[to->index].name);
    function = &functions[from->index];
    if (!function->is_prototype)
        return ptx_fail(parser, "'%s' cannot be an alias: it has a body", function->name);
    if (functions[to->index].linkage == PTX_LINK_WEAK)
        return ptx_fail(parser, "'%s' is .weak and cannot have an alias",
                        functions[to->index].name);
    if (!same_signatures(function, &functions[to->index]))
        return ptx_fail(parser, "'%s' and its alias '%s' have different signatures",
                        functions[to->index].name, function->name);
    name = function->name;
    linkage = function->linkage;
    *function = functions[to->index];
    function->name = name;
    function->linkage = linkage;
    return true;
}
