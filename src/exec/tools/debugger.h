/* SPDX-License-Identifier: MIT */
/* Tells debuggers of compiled kernels, by the JIT interface of gdb, which lldb reads too. Only code
 * that describes itself (jit_request.debugger) is announced. */
#ifndef CUP_EXEC_TOOLS_DEBUGGER_H
#define CUP_EXEC_TOOLS_DEBUGGER_H

#include "exec/code/elf.h"
#include "ptx/program.h"

struct cup_debugger_entry;

/* Announces the loaded code of an object; NULL if memory is out. */
struct cup_debugger_entry *cup_debugger_announce(const uint8_t *object, size_t object_bytes,
                                                 const struct cup_elf_code *code);
/* Before the code is unloaded; NULL is allowed. */
void cup_debugger_withdraw(struct cup_debugger_entry *entry);

/* Writes the program's texts to files that debuggers can show, named by their hashes, and returns
 * the folder; NULL: there is none. The string stays valid. */
const char *cup_debugger_write_texts(const struct ptx_program *program);

#endif
