/* SPDX-License-Identifier: MIT */
/* The check of one PTX text, with messages in the form of ptxas. */
#ifndef CUP_PTXAS_CHECK_H
#define CUP_PTXAS_CHECK_H

#include "module/source.h"
#include "ptxas/options.h"

/* Parses the text and compares its target with the architecture of the options. Errors go to
 * options->errors; what --verbose asks for goes to `info`. `name` is what messages call the text;
 * NULL: "application ptx input". *failure is written if the text cannot be parsed. */
bool check_ptx(const struct cup_source_text *text, const char *name, const struct options *options,
               FILE *info, enum ptx_failure *failure);

/* Writes a log of the parser. */
void check_print_log(FILE *errors, const struct ptx_log *log, const char *name);

/* Passes on the options that change how kernels are compiled. */
void check_apply(const struct options *options, struct cup_source *source);

#endif
