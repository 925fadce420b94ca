/* SPDX-License-Identifier: MIT */
/* What prints: a buffer that text is put into, and the names of operands. */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include "kernel_program.h"

#include <stdarg.h>
#include <stdio.h>

struct text {
    char *at;
    size_t left;
    bool is_function;
};

__attribute__((format(printf, 2, 3))) static inline void put(struct text *text, const char *format,
                                                             ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= text->left) {
        text->left = 0;
        return;
    }
    text->at += length;
    text->left -= (size_t)length;
}

static inline const char *name(char buffer[32], char class, const struct source *source)
{
    if (source->is_immediate)
        snprintf(buffer, 32, "%s%llu", "", (unsigned long long)source->immediate);
    else if (source->immediate)
        snprintf(buffer, 32, "%%%c%u+%llu", class, source->index,
                 (unsigned long long)source->immediate);
    else
        snprintf(buffer, 32, "%%%c%u", class, source->index);
    return buffer;
}

static inline void put_guard(struct text *text, const struct instruction *one)
{
    if (one->guard >= 0)
        put(text, "@%s%%p%d ", one->guard_negated ? "!" : "", one->guard);
}

void kernel_put_apart(struct text *text, const struct instruction *one);
void kernel_put_matrix(struct text *text, const struct kernel *kernel,
                       const struct instruction *one, unsigned number);
/* Variables and registers, their values at the start, and what is left of them. */
void kernel_put_matrix_names(struct text *text, const struct kernel *kernel);
void kernel_put_matrix_starts(struct text *text, const struct kernel *kernel);

#endif
