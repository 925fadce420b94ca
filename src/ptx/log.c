/* SPDX-License-Identifier: MIT */
/* Messages of the parser and the linker. A message is one line: the place, the error and its
 * reason, and the statement. */
#include "ptx/log.h"

#include "ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 100 }; /* characters of a statement in a message */

void ptx_log_append(struct ptx_log *log, const char *text, size_t length)
{
    if (!cup_dynarray_reserve(&log->array, length + 1, 1))
        return;
    memcpy(log->text + log->count, text, length);
    log->count += length;
    log->text[log->count] = 0;
}

static void append_format(struct ptx_log *log, const char *format, va_list arguments)
{
    char text[512];
    int length = vsnprintf(text, sizeof(text), format, arguments);

    if (length > 0)
        ptx_log_append(log, text,
                       (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

void ptx_log_add(struct ptx_log *log, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append_format(log, format, arguments);
    va_end(arguments);
}

void ptx_log_free(struct ptx_log *log)
{
    free(log->text);
    *log = (struct ptx_log){0};
}

/* Appends the statement on one line; characters that are not printable become '?'. */
static void append_statement(struct ptx_parser *parser)
{
    const struct ptx_token *first = &parser->statement.token;
    const char *at = first->kind == PTX_TOKEN_DOT ? first->text - 1 : first->text,
               *end = parser->lexer.end;
    char text[SHOWN + 4];
    size_t length = 0;

    for (; at && at < end && *at != ';' && length < SHOWN; at++) {
        bool blank = *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';

        if (at[0] == '/' && end - at > 1 && at[1] == '/') /* stop at a comment */
            break;
        if (blank && (length == 0 || text[length - 1] == ' '))
            continue;
        text[length++] = blank ? ' ' : *at < 32 || *at > 126 ? '?' : *at;
    }
    while (length && text[length - 1] == ' ')
        length--;
    if (length == SHOWN) {
        memcpy(text + length, "...", 3);
        length += 3;
    }
    if (length == 0)
        return;
    ptx_log_append(parser->log, ", in \"", 6);
    ptx_log_append(parser->log, text, length);
    ptx_log_append(parser->log, "\"", 1);
}

/* In the form of ptxas, which programs that show or search logs know. */
static void append_place(struct ptx_log *log, uint32_t line, const char *level)
{
    ptx_log_add(log,
                "ptxas %.300s, line %u; %s   : ", log->input ? log->input : "application ptx input",
                line, level);
}

static bool report(struct ptx_parser *parser, enum ptx_failure failure, uint32_t line,
                   bool statement, const char *format, va_list arguments)
{
    if (parser->failure == PTX_OK || (parser->failure == PTX_UNSUPPORTED && failure == PTX_SYNTAX))
        parser->failure = failure;
    if (parser->log->errors++ >= PTX_MAX_ERRORS)
        return false;
    append_place(parser->log, line, failure == PTX_UNSUPPORTED_VERSION ? "fatal" : "error");
    append_format(parser->log, format, arguments);
    if (statement)
        append_statement(parser);
    ptx_log_append(parser->log, "\n", 1);
    if (parser->log->errors == PTX_MAX_ERRORS) {
        append_place(parser->log, line, "error");
        ptx_log_add(parser->log, "too many errors, the rest is ignored\n");
    }
    return false;
}

bool ptx_fail(struct ptx_parser *parser, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(parser, PTX_SYNTAX, ptx_current_token(parser)->line, true, format, arguments);
    va_end(arguments);
    return false;
}

bool ptx_fail_as(struct ptx_parser *parser, enum ptx_failure failure, uint32_t line,
                 const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(parser, failure, line ? line : ptx_current_token(parser)->line, line == 0, format,
           arguments);
    va_end(arguments);
    return false;
}

bool ptx_too_many_errors(const struct ptx_parser *parser)
{
    return parser->log->errors >= PTX_MAX_ERRORS;
}

const char *ptx_token_text(const struct ptx_parser *parser, int *length)
{
    const struct ptx_token *token = &parser->lexer.token;

    if (token->kind == PTX_TOKEN_END) {
        *length = 15;
        return "the end of text";
    }
    *length = token->length > 60 ? 60 : (int)token->length;
    if (token->kind == PTX_TOKEN_DOT) {
        ++*length;
        return token->text - 1;
    }
    return token->text;
}
