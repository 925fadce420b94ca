/* SPDX-License-Identifier: MIT */
/* Reads PTX files, prints every instruction into nothing, and says what is wrong with them:
 *
 *     read_files FILE...        fails when one is refused
 *     read_files -t FILE        how fast it is read */
#include "ptx/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    size_t capacity = 0, got = 0;

    if (!file)
        return NULL;
    *length = 0;
    do {
        capacity = capacity ? capacity * 2 : 1 << 16;
        text = realloc(text, capacity);
        if (!text)
            exit(1);
        got = fread(text + *length, 1, capacity - *length, file);
        *length += got;
    } while (*length == capacity);
    fclose(file);
    return text;
}

static int read_one(const char *name)
{
    size_t length;
    char *text = read_file(name, &length), line[512];
    struct ptx_log log = {0};
    enum ptx_failure failure;
    struct ptx_program *program = text ? ptx_parse(text, length, &log, &failure) : NULL;

    for (uint32_t i = 0; program && i < program->function_count; i++)
        for (uint32_t k = 0; k < program->functions[i].instruction_count; k++)
            ptx_print_instruction(program, &program->functions[i],
                                  &program->functions[i].instructions[k], line, sizeof(line));
    printf("%s: %s\n%s", name, program ? "read" : "refused", log.text ? log.text : "");
    free(text);
    ptx_log_free(&log);
    ptx_program_free(program);
    return program == NULL;
}

static void time_one(const char *name)
{
    size_t length;
    char *text = read_file(name, &length);
    double best = 1e9;

    for (int i = 0; text && i < 10; i++) {
        struct timespec start, end;
        enum ptx_failure failure;
        double seconds;

        clock_gettime(CLOCK_MONOTONIC, &start);
        ptx_program_free(ptx_parse(text, length, NULL, &failure));
        clock_gettime(CLOCK_MONOTONIC, &end);
        seconds =
            (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        if (seconds < best)
            best = seconds;
    }
    printf("%s: %.0f MB/s\n", name, text ? (double)length / best / 1e6 : 0);
    free(text);
}

int main(int argc, char **argv)
{
    int refused = 0;

    if (argc > 2 && !strcmp(argv[1], "-t")) {
        time_one(argv[2]);
        return 0;
    }
    for (int i = 1; i < argc; i++)
        refused |= read_one(argv[i]);
    return refused;
}
