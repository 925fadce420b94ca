/* SPDX-License-Identifier: MIT */
/* Errors of a compilation. */
#include "jit/unit.h"

#include "ptx/log.h"

#include <stdarg.h>
#include <stdio.h>

void jit_unit_fail(struct jit_unit *unit, const struct ptx_instruction *instruction,
                   const char *format, ...)
{
    char text[600], statement[300] = "";
    va_list arguments;

    if (unit->failed)
        return;
    unit->failed = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!unit->log)
        return;
    if (instruction) {
        ptx_print_instruction(unit->program, &unit->program->functions[unit->request->function],
                              instruction, statement, sizeof(statement));
        ptx_log_add(unit->log, "line %u: %s: %s\n", instruction->line, text, statement);
    } else {
        ptx_log_add(unit->log, "%s: %s\n", unit->program->functions[unit->request->function].name,
                    text);
    }
    unit->log->errors++;
}
