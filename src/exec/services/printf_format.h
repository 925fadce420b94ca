/* SPDX-License-Identifier: MIT */
/* printf as kernels call it: a format and a buffer in which each argument is aligned to its
 * size. */
#ifndef CUP_EXEC_SERVICES_PRINTF_FORMAT_H
#define CUP_EXEC_SERVICES_PRINTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_printf_text {
    char *bytes; /* `small`, or from malloc() if that is too small */
    size_t length, capacity;
    bool truncated; /* truncated: memory was out, or the text exceeds any buffer */
    char small[1024];
};

void cup_printf_text_init(struct cup_printf_text *text);
void cup_printf_text_finish(struct cup_printf_text *text);

/* Appends the formatted text. Returns the number of arguments used. Reads the kernel's memory and
 * may fault. */
int cup_printf_format(struct cup_printf_text *text, const char *format, const uint8_t *arguments);

#endif
