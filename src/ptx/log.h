/* SPDX-License-Identifier: MIT */
/* Messages of the parser and the linker. */
#ifndef CUP_PTX_LOG_H
#define CUP_PTX_LOG_H

#include "core/compiler.h"
#include "ptx/program.h"

struct ptx_parser;

enum { PTX_MAX_ERRORS = 20 };

/* Append to a log; the text is lost if there is no memory. */
void ptx_log_append(struct ptx_log *log, const char *text, size_t length);
void ptx_log_add(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);

/* Report an error in the current statement, or in a line; both return false. */
bool ptx_fail(struct ptx_parser *parser, const char *format, ...) CUP_PRINTF(2, 3);
bool ptx_fail_as(struct ptx_parser *parser, enum ptx_failure failure, uint32_t line,
                 const char *format, ...) CUP_PRINTF(4, 5);
bool ptx_too_many_errors(const struct ptx_parser *parser);
/* The text of the current token, for a message. */
const char *ptx_token_text(const struct ptx_parser *parser, int *length);

#endif
