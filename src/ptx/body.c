/* SPDX-License-Identifier: MIT */
/* The statements of a function: scopes, declarations, labels, tables of labels, guards. An error
 * ends only its statement. */
#include "ptx/function.h"

#include "core/compiler.h"
#include "ptx/declare.h"
#include "ptx/instruction.h"
#include "ptx/labels.h"
#include "ptx/needs.h"
#include "ptx/parser.h"
#include "ptx/variable.h"

enum { MOST_TARGETS = 1 << 20 }; /* of one list */

/* .loc 1 12 3, function_name $L+4, inlined_at 1 2 3 */
bool ptx_parse_location(struct ptx_parser *parser)
{
    for (int i = 0; i < 3; i++)
        if (!ptx_expect(parser, PTX_TOKEN_NUMBER, "after .loc"))
            return false;
    while (ptx_accept(parser, ',')) {
        struct ptx_token word = *ptx_current_token(parser);

        if (!ptx_expect(parser, PTX_TOKEN_WORD, "after .loc and its comma"))
            return false;
        if (ptx_token_is(&word, PTX_TOKEN_WORD, "function_name")) {
            if (!ptx_expect(parser, PTX_TOKEN_WORD, "after function_name") ||
                (ptx_accept(parser, '+') && !ptx_expect(parser, PTX_TOKEN_NUMBER, "behind '+'")))
                return false;
            continue;
        }
        for (int i = 0; i < 3; i++)
            if (!ptx_expect(parser, PTX_TOKEN_NUMBER, "after inlined_at"))
                return false;
    }
    return true;
}

/* .loc_intermediate 2 23 6: a place in the text of an intermediate language. */
static bool parse_intermediate_location(struct ptx_parser *parser)
{
    if (!ptx_check_age(parser, "'.loc_intermediate'", 94, 0))
        return false;
    for (int i = 0; i < 3; i++)
        if (!ptx_expect(parser, PTX_TOKEN_NUMBER, "after .loc_intermediate"))
            return false;
    return true;
}

static bool parse_pragma(struct ptx_parser *parser)
{
    do {
        if (!ptx_expect(parser, PTX_TOKEN_STRING, "after .pragma"))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect_end(parser);
}

static bool parse_declaration(struct ptx_parser *parser)
{
    uint8_t space = ptx_find_space(ptx_current_token(parser));
    uint8_t linkage = PTX_LINK_LOCAL;
    int length;
    const char *text;

    if (ptx_accept_dot(parser, "loc"))
        return ptx_parse_location(parser);
    if (ptx_accept_dot(parser, "loc_intermediate"))
        return parse_intermediate_location(parser);
    if (ptx_accept_dot(parser, "pragma"))
        return parse_pragma(parser);
    if (ptx_accept_dot(parser, "extern")) {
        linkage = PTX_LINK_EXTERN;
        space = ptx_find_space(ptx_current_token(parser));
    }
    if (space == PTX_REG && linkage == PTX_LINK_LOCAL) {
        ptx_next(parser);
        return ptx_parse_registers(parser);
    }
    text = ptx_token_text(parser, &length);
    if (space == PTX_SPACE_NONE || space == PTX_REG)
        return ptx_fail(parser, "'%.*s' is not a declaration of a function", length, text);
    ptx_next(parser);
    return ptx_parse_variables(parser, space, linkage);
}

/* Parses one name of a list of targets, or a range L<3>, of which `count` is the number; 0 if it is
 * a name. */
static bool parse_target_name(struct ptx_parser *parser, struct ptx_token *name, uint32_t *count)
{
    *name = *ptx_current_token(parser);
    *count = 0;
    if (!ptx_expect(parser, PTX_TOKEN_WORD, "in a list of targets"))
        return false;
    if (!ptx_accept(parser, '<'))
        return true;
    if (!ptx_parse_range(parser, count))
        return false;
    return (*count > 0 && *count <= MOST_TARGETS) ||
           ptx_fail(parser, "a range has 1 to %d names here", MOST_TARGETS);
}

/* Counts the names of a list and leaves the lexer before the first; 0: the list is wrong. */
static uint32_t count_targets(struct ptx_parser *parser)
{
    struct ptx_lexer start = parser->lexer;
    struct ptx_token name;
    uint32_t count = 0, range;

    do {
        if (!parse_target_name(parser, &name, &range))
            return 0;
        count += range ? range : 1;
    } while (count <= MOST_TARGETS && ptx_accept(parser, ','));
    if (count > MOST_TARGETS) {
        ptx_fail(parser, "a list has at most %d targets", MOST_TARGETS);
        return 0;
    }
    parser->lexer = start;
    return count;
}

static bool parse_target(struct ptx_parser *parser, const struct ptx_token *name, bool branches,
                         uint32_t *target)
{
    const struct ptx_symbol *function;

    if (branches) {
        ptx_use_label(parser, name, target);
        return true;
    }
    function = ptx_find(parser, name);
    if (!function || function->kind != PTX_SYMBOL_FUNCTION)
        return ptx_fail(parser, "'%.*s' is not a function", (int)name->length, name->text);
    *target = function->index;
    return true;
}

/* Parses the list after "name: .branchtargets" or "name: .calltargets" into the arena. The symbol's
 * index is that of the table in parser->tables. */
static bool parse_targets(struct ptx_parser *parser, struct ptx_symbol *symbol, bool branches)
{
    uint32_t count = count_targets(parser), used = 0;
    uint32_t *targets = ptx_parser_take(parser, ((size_t)count + 1) * sizeof(*targets));
    struct ptx_table *table = ptx_vector_add(parser, &parser->tables, sizeof(*table));

    symbol->index = (uint32_t)parser->tables.count - 1;
    *table = (struct ptx_table){targets, count};
    if (count == 0)
        return false;
    do {
        struct ptx_token range, name;
        uint32_t names, i = 0;

        if (!parse_target_name(parser, &range, &names))
            return false;
        do {
            name = names ? ptx_name_in_range(parser, &range, i) : range;
            if (!parse_target(parser, &name, branches, &targets[used++]))
                return false;
        } while (++i < names);
    } while (ptx_accept(parser, ','));
    return ptx_expect_end(parser);
}

/* Adds the prototype's entry before parsing it, so that after an error the name still has one. */
static bool parse_prototype(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_function function = {.is_prototype = true, .line = ptx_current_token(parser)->line};

    symbol->index = (uint32_t)parser->prototypes.count;
    ptx_vector_add(parser, &parser->prototypes, sizeof(function));
    if (!ptx_parse_signature(parser, &function, false))
        return false;
    function.noreturn = ptx_accept_dot(parser, "noreturn");
    if (ptx_accept_dot(parser, "abi_preserve") || ptx_accept_dot(parser, "abi_preserve_control"))
        ptx_next(parser);
    ((struct ptx_function *)parser->prototypes.items)[symbol->index] = function;
    return ptx_expect_end(parser);
}

static bool parse_label(struct ptx_parser *parser)
{
    static const struct {
        const char *text;
        enum ptx_symbol_kind kind;
    } tables[] = {{"branchtargets", PTX_SYMBOL_BRANCH_TARGETS},
                  {"calltargets", PTX_SYMBOL_CALL_TARGETS},
                  {"callprototype", PTX_SYMBOL_CALL_PROTOTYPE}};
    struct ptx_token name = *ptx_current_token(parser);

    ptx_next(parser);
    ptx_next(parser);
    for (size_t i = 0; i < CUP_ARRAY_COUNT(tables); i++) {
        struct ptx_symbol *symbol;

        if (!ptx_accept_dot(parser, tables[i].text))
            continue;
        symbol = ptx_declare(parser, &name, tables[i].kind);
        if (!symbol)
            return false;
        if (tables[i].kind == PTX_SYMBOL_CALL_PROTOTYPE)
            return parse_prototype(parser, symbol);
        return parse_targets(parser, symbol, tables[i].kind == PTX_SYMBOL_BRANCH_TARGETS);
    }
    return ptx_label_declare(parser, &name);
}

static bool parse_guarded(struct ptx_parser *parser)
{
    struct ptx_token name;
    const struct ptx_symbol *symbol;
    bool negated;

    ptx_next(parser);
    negated = ptx_accept(parser, '!');
    name = *ptx_current_token(parser);
    if (!ptx_expect(parser, PTX_TOKEN_WORD, "as a guard"))
        return false;
    symbol = ptx_find(parser, &name);
    if (!symbol || symbol->kind != PTX_SYMBOL_REGISTER ||
        ((struct ptx_register *)parser->registers.items)[symbol->index].type != PTX_PRED)
        return ptx_fail(parser, "guard '%.*s' is %s", (int)name.length, name.text,
                        symbol ? "not a predicate register" : "not declared");
    return ptx_parse_instruction(parser, symbol->index, negated);
}

/* Skips the line marker of a preprocessor: # 12 "name" or #line 12 "name". */
static bool skip_line_marker(struct ptx_parser *parser)
{
    ptx_next(parser);
    if (ptx_token_is(ptx_current_token(parser), PTX_TOKEN_WORD, "line"))
        ptx_next(parser);
    if (!ptx_expect(parser, PTX_TOKEN_NUMBER, "after '#'"))
        return false;
    if (ptx_current_token(parser)->kind != PTX_TOKEN_STRING)
        return ptx_expect(parser, PTX_TOKEN_STRING, "after the number of a line");
    ptx_lexer_skip_line(&parser->lexer);
    return true;
}

static bool parse_statement(struct ptx_parser *parser)
{
    int length;
    const char *text;

    switch (ptx_current_token(parser)->kind) {
    case PTX_TOKEN_WORD:
        if (ptx_lexer_peek(&parser->lexer) == ':')
            return parse_label(parser);
        return ptx_parse_instruction(parser, PTX_NO_REGISTER, false);
    case '@':
        return parse_guarded(parser);
    case '#':
        return skip_line_marker(parser);
    case PTX_TOKEN_DOT:
        return parse_declaration(parser);
    default:
        text = ptx_token_text(parser, &length);
        return ptx_fail(parser, "an instruction, a label or a declaration is expected, not '%.*s'",
                        length, text);
    }
}

static bool leave_scope(struct ptx_parser *parser)
{
    ptx_labels_leave_scope(parser);
    if (parser->symbols.depth == 1)
        return false;
    ptx_symbols_leave_scope(&parser->symbols);
    return true;
}

/* Parses a body from '{' on and reports errors itself; returns false if the end of the body was not
 * found. */
bool ptx_parse_body(struct ptx_parser *parser)
{
    ptx_next(parser);
    ptx_load_parameters(parser);
    while (!ptx_too_many_errors(parser)) {
        int kind = ptx_current_token(parser)->kind;

        parser->statement = parser->lexer;
        if (kind == '}') {
            ptx_next(parser);
            if (leave_scope(parser))
                continue;
            /* End with a ret, so that control never runs past the last instruction. */
            ptx_store_results(parser);
            ptx_add_instruction(parser)->op = PTX_OP_ret;
            return true;
        }
        if (kind == PTX_TOKEN_END)
            return ptx_fail(parser, "the text ends inside a function");
        if (kind == '{') {
            if (!ptx_symbols_enter_scope(&parser->symbols))
                return ptx_fail(parser, "scopes are nested deeper than %d", PTX_MAX_DEPTH - 1);
            ptx_labels_enter_scope(parser);
            ptx_next(parser);
        } else if (!parse_statement(parser)) {
            ptx_skip_statement(parser, false);
        }
    }
    return true;
}
