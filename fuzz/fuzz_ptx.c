/* SPDX-License-Identifier: MIT */
/* Fuzzes the PTX parser: it must handle any bytes. Accepted programs are printed and linked with
 * themselves, which succeeds or fails with a reason. Its inputs are in fuzz/corpus/ptx. */
#include "ptx/program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *why)
{
    fprintf(stderr, "fuzz_ptx: %s\n", why);
    abort();
}

static void print_all(const struct ptx_program *program)
{
    char text[256];

    for (uint32_t i = 0; i < program->function_count; i++)
        for (uint32_t k = 0; k < program->functions[i].instruction_count; k++)
            ptx_print_instruction(program, &program->functions[i],
                                  &program->functions[i].instructions[k], text, sizeof(text));
}

static void join(struct ptx_program *program)
{
    struct ptx_program *parts[2] = {program, program}, *whole;
    struct ptx_log log = {0};
    enum ptx_failure failure;

    whole = ptx_link(parts, 2, &log, &failure);
    if ((whole == NULL) == (failure == PTX_OK))
        die("the linker's answer and its failure disagree");
    if (whole)
        print_all(whole);
    ptx_program_free(whole);
    ptx_log_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    char *text = malloc(size + 1); /* its end is the allocation's: a byte too many is seen */
    struct ptx_program *program;

    if (!text)
        return 0;
    text = realloc(text, size ? size : 1);
    memcpy(text, data, size);
    program = ptx_parse(text, size, &log, &failure);
    if ((program == NULL) == (failure == PTX_OK))
        die("the answer and the failure disagree");
    if (!program && failure != PTX_OUT_OF_MEMORY && log.errors == 0)
        die("a text is refused without a reason");
    free(text); /* a program keeps nothing of its text */
    if (program) {
        print_all(program);
        join(program);
    }
    ptx_program_free(program);
    ptx_log_free(&log);
    return 0;
}
