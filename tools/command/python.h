/* SPDX-License-Identifier: MIT */
/* Which Python runs a program. Its path decides where packages are looked for. */
#ifndef CUP_COMMAND_PYTHON_H
#define CUP_COMMAND_PYTHON_H

#include "command/program.h"

/* Writes the path of the Python that the program is, or that interprets it. Where a script stands
 * for Python, as pyenv has it, Python is asked; of a script of the shell that installers write to
 * start Python, the shell's command is read. Returns false if the program is not Python. */
bool python_of(const char *path, const struct program *program, char interpreter[PATH_BYTES]);

/* The same for the Python that a shell finds. */
bool python_in_path(char interpreter[PATH_BYTES]);

#endif
