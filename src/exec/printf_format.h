/* SPDX-License-Identifier: MIT */
/* printf as kernels call it: a format and a buffer in which each argument lies at a multiple of its
 * size. */
#ifndef CUP_EXEC_PRINTF_FORMAT_H
#define CUP_EXEC_PRINTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_printf_text {
    char *bytes; /* `small` until that is too small, then from malloc */
    size_t length, room;
    bool cut; /* memory was out, or the text longer than any buffer */
    char small[1024];
};

void cup_printf_text_init(struct cup_printf_text *text);
void cup_printf_text_finish(struct cup_printf_text *text);

/* Appends what printf would; answers how many arguments it took. Reads the kernel's memory, and so
 * may fault. */
int cup_printf_format(struct cup_printf_text *text, const char *format, const uint8_t *arguments);

#endif
