/* SPDX-License-Identifier: MIT */
/* The directives of a module: version, target, address size, linkage, and debug information, which
 * is skipped. */
#include "ptx/module.h"

#include "core/compiler.h"
#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/function.h"
#include "ptx/needs.h"
#include "ptx/parser.h"
#include "ptx/variable.h"
#include "ptx/versions.h"

#include <stddef.h>
#include <string.h>

/* Targets, the PTX version that introduced each, and the suffixes it has. */
static const struct {
    uint16_t target, version;
    const char *suffixes;
} targets[] = {
    {10, 10, ""},    {11, 10, ""},    {12, 12, ""},    {13, 12, ""},    {20, 20, ""},
    {21, 20, ""},    {30, 30, ""},    {32, 40, ""},    {35, 31, ""},    {37, 41, ""},
    {50, 40, ""},    {52, 41, ""},    {53, 42, ""},    {60, 50, ""},    {61, 50, ""},
    {62, 50, ""},    {70, 60, ""},    {72, 61, ""},    {75, 63, ""},    {80, 70, ""},
    {86, 71, ""},    {87, 74, ""},    {88, 90, ""},    {89, 78, ""},    {90, 78, "a"},
    {100, 86, "af"}, {101, 86, "af"}, {103, 88, "af"}, {107, 94, "af"}, {110, 90, "af"},
    {120, 87, "af"}, {121, 88, "af"},
};

static const unsigned first_suffix = 80; /* sm_90a is younger than sm_90 */
static unsigned newest_version;          /* of plain texts, 95 for 9.5; 0: no limit */

void ptx_limit_version(unsigned newest)
{
    newest_version = newest;
}

/* The newest version that is known, 95 for 9.5. */
static unsigned last_version(void)
{
    return PTX_MAJOR_LAST * 10 + ptx_last_minor[PTX_MAJOR_LAST];
}

/* Whether there is such a version, or may be one after the newest that is known. */
static bool version_exists(unsigned major, unsigned minor)
{
    return major >= PTX_MAJOR_LAST || minor <= ptx_last_minor[major];
}

/* 95 for 9.5. No version that is known has a minor of two digits: 9.10, which is younger than 9.9
 * and older than 10.0, needs no number of its own. */
static unsigned version_number(unsigned major, unsigned minor)
{
    return major * 10 + (minor < 10 ? minor : 9);
}

/* Whether the text may have its version: machine code runs on a driver of the same major version,
 * PTX on one that knows its version. */
static bool is_within_limit(const struct ptx_parser *parser)
{
    if (newest_version == 0)
        return true;
    return parser->assembled ? parser->version / 10 <= newest_version / 10
                             : parser->version <= newest_version;
}

/* Reads a number from *at on, up to a character that is no digit, or to four digits. */
static unsigned read_digits(const struct ptx_token *token, uint32_t *at)
{
    unsigned number = 0;

    for (;
         *at < token->length && token->text[*at] >= '0' && token->text[*at] <= '9' && number < 1000;
         ++*at)
        number = number * 10 + (unsigned)(token->text[*at] - '0');
    return number;
}

static bool refuse_version(struct ptx_parser *parser, uint32_t line, unsigned major, unsigned minor)
{
    const unsigned newest = newest_version ? newest_version : last_version();

    return ptx_fail_as(parser, PTX_UNSUPPORTED_VERSION, line,
                       "Unsupported .version %u.%u; current version is '%u.%u'", major, minor,
                       newest / 10, newest % 10);
}

/* Parses "9.0", which is one number to the lexer. */
static bool parse_version(struct ptx_parser *parser)
{
    const struct ptx_token *token = ptx_current_token(parser);
    const uint32_t line = token->line;
    unsigned major, minor;
    uint32_t at = 0;

    if (token->kind != PTX_TOKEN_NUMBER)
        return ptx_fail(parser, ".version needs a number such as 9.0");
    major = read_digits(token, &at);
    if (at == token->length || token->text[at++] != '.' || at == token->length)
        return ptx_fail(parser, ".version needs a number such as 9.0");
    minor = read_digits(token, &at);
    if (at < token->length)
        return ptx_fail(parser, ".version needs a number such as 9.0");
    parser->version = version_number(major, minor);
    if (major == 0)
        return ptx_fail(parser, "PTX ISA %u.%u does not exist", major, minor);
    if (!version_exists(major, minor) || !is_within_limit(parser))
        return refuse_version(parser, line, major, minor);
    ptx_next(parser);
    /* Programs give an assembler a version that cannot be, and nothing else, to be told the newest.
     */
    if (ptx_current_token(parser)->kind == PTX_TOKEN_END && parser->version > last_version())
        return refuse_version(parser, line, major, minor);
    return true;
}

/* Parses sm_90a, or compute_90a, which means the same. at: where the number begins. */
static bool parse_architecture(struct ptx_parser *parser, const struct ptx_token *token, size_t at)
{
    const char *text = token->text;
    size_t length = token->length, start = at;
    unsigned number = 0, needed;
    char suffix = 0;

    for (; at < length && at < start + 5 && text[at] >= '0' && text[at] <= '9'; at++)
        number = number * 10 + (unsigned)(text[at] - '0');
    if (at + 1 == length)
        suffix = text[at++];
    for (size_t i = 0; at == length && i < CUP_ARRAY_COUNT(targets); i++) {
        if (targets[i].target != number || (suffix && !strchr(targets[i].suffixes, suffix)))
            continue;
        needed = suffix && targets[i].version < first_suffix ? first_suffix : targets[i].version;
        if (needed > parser->version)
            return ptx_fail_as(parser, PTX_SYNTAX, token->line,
                               "target %.*s needs PTX ISA %u.%u or later", (int)length, text,
                               needed / 10, needed % 10);
        parser->target = number;
        parser->target_suffix = suffix;
        return true;
    }
    return ptx_fail_as(parser, PTX_SYNTAX, token->line, "target %.*s is not known",
                       length > 60 ? 60 : (int)length, text);
}

/* The length of a prefix that a word has and goes on after; else 0. */
static size_t prefix_of(const struct ptx_token *token, const char *prefix)
{
    size_t length = strlen(prefix);

    return token->length > length && !memcmp(token->text, prefix, length) ? length : 0;
}

static bool parse_target(struct ptx_parser *parser)
{
    static const char *const options[] = {"texmode_unified", "texmode_independent", "debug",
                                          "map_f64_to_f32"};

    do {
        struct ptx_token token = *ptx_current_token(parser);
        size_t option = 0, prefix;

        if (!ptx_expect(parser, PTX_TOKEN_WORD, "after .target"))
            return false;
        prefix = prefix_of(&token, "sm_") + prefix_of(&token, "compute_");
        if (prefix) {
            if (!parse_architecture(parser, &token, prefix))
                return false;
            continue;
        }
        while (option < CUP_ARRAY_COUNT(options) &&
               !ptx_token_is(&token, PTX_TOKEN_WORD, options[option]))
            option++;
        if (option == CUP_ARRAY_COUNT(options))
            return ptx_fail(parser, "target option %.*s is not known",
                            token.length > 60 ? 60 : (int)token.length, token.text);
        if (option == 1)
            parser->independent = true;
        if (option == 2)
            parser->debug = true;
    } while (ptx_accept(parser, ','));
    return true;
}

static bool parse_address_size(struct ptx_parser *parser)
{
    uint64_t bits;

    if (!ptx_parse_integer(parser, &bits))
        return false;
    if (parser->has_address_size)
        return ptx_fail(parser, ".address_size is given twice");
    parser->has_address_size = true;
    if (bits != 32 && bits != 64)
        return ptx_fail(parser, ".address_size must be 32 or 64");
    if (bits == 32)
        return ptx_fail_as(parser, PTX_UNSUPPORTED, 0, "addresses of 32 bits are not supported");
    return true;
}

/* .file 1 "name", 1234, 5678 */
static bool parse_file(struct ptx_parser *parser)
{
    uint64_t ignored;

    parser->has_debug_information = true;
    if (!ptx_parse_integer(parser, &ignored) ||
        !ptx_expect(parser, PTX_TOKEN_STRING, "after .file and its number"))
        return false;
    while (ptx_accept(parser, ','))
        if (!ptx_parse_integer(parser, &ignored))
            return false;
    return true;
}

static bool parse_section(struct ptx_parser *parser)
{
    parser->has_debug_information = true;
    while (ptx_current_token(parser)->kind == PTX_TOKEN_DOT ||
           ptx_current_token(parser)->kind == PTX_TOKEN_WORD)
        ptx_next(parser);
    if (ptx_current_token(parser)->kind != '{')
        return ptx_expect(parser, '{', "after .section");
    ptx_skip_braces(parser);
    return true;
}

/* At .source_begin: skips what follows up to .source_end, which is text of another language. */
static bool skip_source(struct ptx_parser *parser)
{
    static const char last[] = ".source_end";
    struct ptx_lexer *lexer = &parser->lexer;
    const char *at = lexer->token.text + lexer->token.length;
    const char *end = memmem(at, (size_t)(lexer->end - at), last, sizeof last - 1);

    if (!end)
        return ptx_fail(parser, "'.source_begin' without '.source_end'");
    for (lexer->at = at, lexer->line = lexer->token.line; lexer->at < end; lexer->at++)
        lexer->line += *lexer->at == '\n';
    ptx_next(parser);
    ptx_next(parser);
    return true;
}

/* .code_block { .ir_name: "TileIR" .sourceFileName: 2 .source_begin ... .source_end } */
static bool parse_code_block(struct ptx_parser *parser)
{
    uint64_t ignored;

    if (!ptx_accept_dot(parser, "code_block") || !ptx_expect(parser, '{', "after .code_block"))
        return ptx_fail(parser, "a '.code_block { ... }' is expected here");
    if (!ptx_accept_dot(parser, "ir_name") || !ptx_accept(parser, ':') ||
        !ptx_accept(parser, PTX_TOKEN_STRING))
        return ptx_fail(parser, "'.ir_name:' and a string are expected in a .code_block");
    if (!ptx_accept_dot(parser, "sourceFileName") || !ptx_accept(parser, ':') ||
        !ptx_parse_integer(parser, &ignored))
        return ptx_fail(parser, "'.sourceFileName:' and a number are expected in a .code_block");
    if (!ptx_token_is(ptx_current_token(parser), PTX_TOKEN_DOT, "source_begin"))
        return ptx_fail(parser, "'.source_begin' is expected in a .code_block");
    return skip_source(parser) && ptx_expect(parser, '}', "at the end of .code_block");
}

/* The texts of intermediate languages that .loc_intermediate refers to. */
static bool parse_intermediate_sources(struct ptx_parser *parser)
{
    if (!ptx_check_age(parser, "'.nv_intermediate_source_section'", 94, 0) ||
        !ptx_expect(parser, '{', "after .nv_intermediate_source_section"))
        return false;
    while (ptx_current_token(parser)->kind == PTX_TOKEN_DOT)
        if (!parse_code_block(parser))
            return false;
    return ptx_expect(parser, '}', "at the end of .nv_intermediate_source_section");
}

/* Whether the pragma begins with a word that NVIDIA's assembler accepts in a module. */
static bool is_known_pragma(const struct ptx_token *token)
{
    static const char *const known[] = {"nounroll",   "used_bytes_mask", "enable_smem_spilling",
                                        "frequency",  "set knob",        "next knob",
                                        "reset knob", "global knob"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(known); i++)
        if (token->length > strlen(known[i]) + 1 &&
            memcmp(token->text + 1, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

static bool parse_pragma(struct ptx_parser *parser)
{
    do {
        if (ptx_current_token(parser)->kind == PTX_TOKEN_STRING &&
            !is_known_pragma(ptx_current_token(parser)))
            return ptx_fail(parser, "the pragma is unknown");
        if (!ptx_expect(parser, PTX_TOKEN_STRING, "after .pragma"))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect_end(parser);
}

static uint8_t parse_linkage(struct ptx_parser *parser)
{
    static const struct {
        const char *text;
        uint8_t linkage;
    } linkages[] = {{"visible", PTX_LINK_VISIBLE},
                    {"extern", PTX_LINK_EXTERN},
                    {"weak", PTX_LINK_WEAK},
                    {"common", PTX_LINK_COMMON}};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(linkages); i++)
        if (ptx_accept_dot(parser, linkages[i].text))
            return linkages[i].linkage;
    return PTX_LINK_LOCAL;
}

/* Parses registers and .local variables of a module, from before functions had a stack. They may be
 * declared, but using one is an error: their scope ends here. */
static bool parse_old_private(struct ptx_parser *parser, uint8_t space)
{
    bool good;

    ptx_next(parser);
    ptx_symbols_enter_scope(&parser->symbols);
    good = space == PTX_REG ? ptx_parse_registers(parser)
                            : ptx_parse_variables(parser, space, PTX_LINK_LOCAL);
    ptx_symbols_leave_scope(&parser->symbols);
    return good;
}

/* Parses a function or a variable. */
static bool parse_entity(struct ptx_parser *parser)
{
    uint8_t linkage = parse_linkage(parser);
    uint8_t space = ptx_find_space(ptx_current_token(parser));
    int length;
    const char *text;

    if (ptx_accept_dot(parser, "entry"))
        return ptx_parse_function(parser, true, linkage);
    if (ptx_accept_dot(parser, "func"))
        return ptx_parse_function(parser, false, linkage);
    if (linkage == PTX_LINK_COMMON && space != PTX_GLOBAL)
        return ptx_fail(parser, ".common is for variables in .global only");
    if (space == PTX_GLOBAL || space == PTX_CONST || space == PTX_SHARED) {
        ptx_next(parser);
        return ptx_parse_variables(parser, space, linkage);
    }
    if ((space == PTX_REG || space == PTX_LOCAL) && linkage == PTX_LINK_LOCAL)
        return parse_old_private(parser, space);
    text = ptx_token_text(parser, &length);
    if (space == PTX_REG || space == PTX_PARAM)
        return ptx_fail(parser, "'%.*s' is allowed in functions, not in modules", length, text);
    return ptx_fail(parser, "a directive is expected, not '%.*s'", length, text);
}

/* Parses .tex .u32 name, the old form of .global .texref name. */
static bool parse_old_texture(struct ptx_parser *parser, uint8_t linkage)
{
    struct ptx_declaration ignored = {.space = PTX_GLOBAL};
    struct ptx_variable variable;
    struct ptx_symbol *symbol;

    if (!ptx_parse_type(parser, &ignored) || !ptx_parse_declarator(parser, &ignored))
        return false;
    ignored.type = PTX_TEXREF;
    ignored.linkage = linkage;
    variable = ptx_declaration_variable(parser, &ignored);
    symbol = ptx_declare(parser, &ignored.name, PTX_SYMBOL_VARIABLE);
    if (!symbol)
        return false;
    symbol->index = (uint32_t)parser->variables.count;
    *(struct ptx_variable *)ptx_vector_add(parser, &parser->variables, sizeof(variable)) = variable;
    return ptx_expect_end(parser);
}

static bool parse_directive(struct ptx_parser *parser)
{
    static const struct {
        const char *text;
        bool (*parse)(struct ptx_parser *);
    } directives[] = {
        {"target", parse_target},    {"address_size", parse_address_size},
        {"file", parse_file},        {"section", parse_section},
        {"pragma", parse_pragma},    {"alias", ptx_parse_alias},
        {"loc", ptx_parse_location}, {"nv_intermediate_source_section", parse_intermediate_sources},
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(directives); i++)
        if (ptx_accept_dot(parser, directives[i].text))
            return directives[i].parse(parser);
    if (ptx_accept_dot(parser, "tex"))
        return parse_old_texture(parser, PTX_LINK_VISIBLE);
    return parse_entity(parser);
}

/* Parses .version and .target, which come first and which all other checks need. */
static bool parse_preamble(struct ptx_parser *parser)
{
    parser->statement = parser->lexer;
    if (!ptx_accept_dot(parser, "version"))
        return ptx_fail(parser, "the text does not begin with .version");
    if (!parse_version(parser))
        return false;
    parser->statement = parser->lexer;
    if (!ptx_accept_dot(parser, "target"))
        return ptx_fail(parser, ".target is expected after .version");
    if (!parse_target(parser))
        return false;
    if (!parser->target)
        return ptx_fail(parser, ".target names no architecture");
    return true;
}

/* Whether a byte has its highest bit set; eight at a time, for texts may have megabytes. */
static bool is_ascii(const char *at, const char *end)
{
    const uint64_t highest = UINT64_C(0x8080808080808080);
    uint64_t all = 0, word;

    for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        all |= word;
    }
    for (; at < end; at++)
        all |= (unsigned char)*at;
    return !(all & highest);
}

static bool check_characters(struct ptx_parser *parser)
{
    const char *at = parser->lexer.at;
    uint32_t line = 1;

    if (is_ascii(at, parser->lexer.end))
        return true;
    for (; !(*at & 0x80); at++)
        line += *at == '\n';
    return ptx_fail_as(parser, PTX_SYNTAX, line,
                       "PTX is ASCII, in comments and strings too; this line has byte 0x%02x",
                       (unsigned char)*at);
}

/* Checks that declared functions are defined, except .extern ones, which the loader resolves, and
 * those of the system, which need not be .extern. */
static void check_end(struct ptx_parser *parser)
{
    struct ptx_function *functions = parser->functions.items;

    if (parser->debug && !parser->has_debug_information)
        ptx_fail_as(parser, PTX_SYNTAX, 1, ".target has debug, but there is no debug information");
    for (size_t i = 0; i < parser->functions.count; i++) {
        if (!functions[i].is_prototype ||
            (functions[i].linkage != PTX_LINK_LOCAL && functions[i].linkage != PTX_LINK_VISIBLE))
            continue;
        if (ptx_is_system_function(functions[i].name))
            functions[i].linkage = PTX_LINK_EXTERN;
        else
            ptx_fail_as(parser, PTX_SYNTAX, functions[i].line,
                        "'%s' is declared without .extern and has no body", functions[i].name);
    }
}

void ptx_parse_module(struct ptx_parser *parser)
{
    if (!check_characters(parser))
        return;
    ptx_next(parser);
    while (ptx_current_token(parser)->kind == '#')
        ptx_lexer_skip_line(&parser->lexer);
    if (!parse_preamble(parser))
        return;
    while (ptx_current_token(parser)->kind != PTX_TOKEN_END && !ptx_too_many_errors(parser)) {
        int kind = ptx_current_token(parser)->kind;

        parser->statement = parser->lexer;
        if (kind == '#' || kind == '@') { /* preprocessor lines and @@DWARF */
            parser->has_debug_information = parser->has_debug_information || kind == '@';
            ptx_lexer_skip_line(&parser->lexer);
        } else if (!parse_directive(parser)) {
            ptx_skip_statement(parser, true);
        }
    }
    if (parser->failure == PTX_OK)
        check_end(parser);
}
