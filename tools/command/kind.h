/* SPDX-License-Identifier: MIT */
/* What a file is that is not a program: a source, device code, a file that cupipe wrote. */
#ifndef CUP_COMMAND_KIND_H
#define CUP_COMMAND_KIND_H

#include "command/command.h"
#include "command/program.h"

enum file_kind {
    KIND_OTHER, /* a program, or unknown */
    KIND_FOLDER,
    KIND_EMPTY,
    KIND_CUDA,
    KIND_CPP,
    KIND_PTX,
    KIND_CUBIN,
    KIND_FATBIN,
    KIND_PYTHON,
    KIND_OBJECT,
    KIND_ARCHIVE,
    KIND_TRACE,
    KIND_PROFILE,
    KIND_REPORTS,
};

/* Looks at the name and the first bytes. */
enum file_kind kind_of(const char *path);

/* Tells what the file is and what to do with it. Returns false, and tells nothing, of other
 * kinds. */
bool kind_explain(const char *path, const struct places *places, program_tell *tell);

/* Whether the files that the command (trace, profile) is given may be what it reads. Otherwise it
 * is told what they are. */
bool kind_is_for(const char *command, char **arguments, const struct places *places);

#endif
