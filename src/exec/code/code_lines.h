/* SPDX-License-Identifier: MIT */
/* The source lines of compiled code, from the DWARF of its object (.debug_line). */
#ifndef CUP_EXEC_CODE_CODE_LINES_H
#define CUP_EXEC_CODE_CODE_LINES_H

#include "exec/code/elf.h"

/* Calls `visit` with each address at which the code of another line begins, in order. Objects that
 * were compiled without lines have none. */
void cup_code_lines_visit(const uint8_t *object, size_t object_bytes,
                          const struct cup_elf_code *code,
                          void (*visit)(uint64_t address, const char *file, uint32_t line,
                                        void *argument),
                          void *argument);

#endif
