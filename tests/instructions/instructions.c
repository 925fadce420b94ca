/* SPDX-License-Identifier: MIT */
/*
 * The program of the instruction tests.
 *
 *     instructions --record FILE [PATTERN…]   writes what this driver answers
 *     instructions --check FILE [PATTERN…]    compares this driver with a recording
 *     instructions --list, --ptx NAME         the table; a variant's kernel
 *
 * Patterns are shell patterns of variant names ("add.*.f32"). --jobs N processes, --show N examples
 * of wrong values for each opcode. A recording is a list of records: name, hash, outcome, result,
 * size, bytes; numbers are little endian.
 */
#include "run.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = "cupins01";

struct record {
    char name[200];
    uint64_t hash;
    uint32_t outcome, result, size;
    unsigned char *bytes;
};

static const struct variant *table;
static size_t table_count;

static void write_or_die(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size) {
        perror("write");
        exit(2);
    }
}

static int recording_write(const char *path, const struct outcomes *outcomes, const bool *wanted)
{
    FILE *file = fopen(path, "wb");
    size_t counts[8] = {0};

    if (!file) {
        perror(path);
        return 2;
    }
    write_or_die(file, magic, sizeof magic);
    for (size_t i = 0; i < table_count; i++) {
        if (!wanted[i])
            continue;
        uint32_t numbers[3] = {
            outcomes->outcome[i], (uint32_t)outcomes->result[i],
            outcomes->outcome[i] == OUTCOME_DONE ? (uint32_t)variant_bytes(&table[i]) : 0};
        uint16_t length = (uint16_t)strlen(table[i].name);
        write_or_die(file, &length, sizeof length);
        write_or_die(file, table[i].name, length);
        write_or_die(file, &table[i].hash, sizeof table[i].hash);
        write_or_die(file, numbers, sizeof numbers);
        write_or_die(file, outcomes->bytes[i], numbers[2]);
        counts[outcomes->outcome[i]]++;
        if (outcomes->outcome[i] != OUTCOME_DONE)
            printf("%s: outcome %d, result %d\n", table[i].name, outcomes->outcome[i],
                   outcomes->result[i]);
    }
    fclose(file);
    printf("%zu recorded, %zu refused, %zu failed, %zu died, %zu not run\n", counts[OUTCOME_DONE],
           counts[OUTCOME_REFUSED], counts[OUTCOME_FAILED], counts[OUTCOME_DIED],
           counts[OUTCOME_NONE]);
    return 0;
}

static void read_or_die(FILE *file, void *bytes, size_t size)
{
    if (fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "the recording ends early\n");
        exit(2);
    }
}

static struct record *recording_read(const char *path, size_t *count)
{
    struct record *records = calloc(table_count + 4096, sizeof *records);
    FILE *file = fopen(path, "rb");
    char head[sizeof magic];
    uint16_t length;

    if (!file || fread(head, 1, sizeof head, file) != sizeof head ||
        memcmp(head, magic, sizeof magic) != 0) {
        fprintf(stderr, "%s: no recording\n", path);
        exit(2);
    }
    for (*count = 0; fread(&length, sizeof length, 1, file) == 1; ++*count) {
        struct record *record = &records[*count];
        uint32_t numbers[3];
        if (length >= sizeof record->name || *count == table_count + 4095)
            exit(2);
        read_or_die(file, record->name, length);
        read_or_die(file, &record->hash, sizeof record->hash);
        read_or_die(file, numbers, sizeof numbers);
        record->outcome = numbers[0];
        record->result = numbers[1];
        record->size = numbers[2];
        record->bytes = malloc(record->size + 1);
        read_or_die(file, record->bytes, record->size);
    }
    fclose(file);
    return records;
}

/* The records are in the order of the table, unless it changed since. */
static const struct record *record_find(const struct record *records, size_t count, size_t index)
{
    if (index < count && !strcmp(records[index].name, table[index].name))
        return &records[index];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(records[i].name, table[index].name))
            return &records[i];
    return NULL;
}

struct tally {
    const char *opcode;
    size_t variants, right, values, wrong, shown;
};

static struct tally tallies[256];
static size_t tally_count;
static size_t examples = 3;

static struct tally *tally_of(const char *opcode)
{
    for (size_t i = 0; i < tally_count; i++)
        if (!strcmp(tallies[i].opcode, opcode))
            return &tallies[i];
    tallies[tally_count].opcode = opcode;
    return &tallies[tally_count++];
}

static uint64_t value_at(const unsigned char *bytes, int size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size);
    return value;
}

static void wrong_print(const struct variant *variant, int result, unsigned lane, uint64_t recorded,
                        uint64_t got)
{
    int digits = variant->result_bits[result] / 4;

    printf("  %s: lane %u, result %d: 0x%0*llx, and not 0x%0*llx, of", variant->name, lane, result,
           digits, (unsigned long long)got, digits, (unsigned long long)recorded);
    for (int i = 0; i < variant->operand_count; i++)
        printf(" 0x%0*llx", input_bytes(variant->operands[i]) * 2,
               (unsigned long long)input_value(variant, i, lane));
    printf("\n");
}

static bool bytes_compare(const struct variant *variant, const unsigned char *recorded,
                          const unsigned char *got, struct tally *tally)
{
    bool right = true;

    for (int result = 0; result < variant->result_count; result++) {
        int size = variant->result_bits[result] / 8;
        bool shown = false;
        for (unsigned lane = 0; lane < variant->lanes; lane++, recorded += size, got += size) {
            uint64_t was = value_at(recorded, size), is = value_at(got, size);
            tally->values++;
            if (result_agrees(variant, result, lane, was, is))
                continue;
            tally->wrong++;
            right = false;
            if (!shown && tally->shown++ < examples)
                wrong_print(variant, result, lane, was, is);
            shown = true;
        }
    }
    return right;
}

static const char *outcome_text(int outcome, int result)
{
    static char text[80];
    static const char *const words[] = {"not run", "done", "refused", "failed",
                                        "ended the process"};

    snprintf(text, sizeof text, "%s (%d)", words[outcome], result);
    return text;
}

static bool variant_compare(size_t index, const struct record *record,
                            const struct outcomes *outcomes, struct tally *tally)
{
    const struct variant *variant = &table[index];
    const char *problem = NULL;

    if (!record)
        problem = "is not in the recording";
    else if (record->hash != variant->hash)
        problem = "was recorded with another text or other inputs";
    else if (record->outcome != outcomes->outcome[index])
        problem = outcome_text(outcomes->outcome[index], outcomes->result[index]);
    if (problem) {
        if (tally->shown++ < examples)
            printf("  %s: %s%s\n", variant->name, problem,
                   record && record->outcome == OUTCOME_REFUSED ? ", which NVIDIA's driver refuses"
                                                                : "");
        return false;
    }
    if (record->outcome != OUTCOME_DONE)
        return true;
    return bytes_compare(variant, record->bytes, outcomes->bytes[index], tally);
}

static int recording_check(const char *path, const struct outcomes *outcomes, const bool *wanted)
{
    size_t count, failed = 0, total = 0;
    struct record *records = recording_read(path, &count);

    for (size_t i = 0; i < table_count; i++) {
        if (!wanted[i])
            continue;
        struct tally *tally = tally_of(table[i].opcode);
        const struct record *record = record_find(records, count, i);
        bool right = variant_compare(i, record, outcomes, tally);
        tally->variants++;
        tally->right += right;
        failed += !right;
        total++;
    }
    printf("%-14s %9s %9s %11s\n", "opcode", "variants", "right", "wrong values");
    for (size_t i = 0; i < tally_count; i++)
        printf("%-14s %9zu %9zu %5zu of %zu\n", tallies[i].opcode, tallies[i].variants,
               tallies[i].right, tallies[i].wrong, tallies[i].values);
    printf("%zu passed, %zu failed\n", total - failed, failed);
    return failed || !total;
}

static int usage(void)
{
    fprintf(stderr, "instructions --record FILE | --check FILE | --list | --ptx NAME"
                    " [--jobs N] [--show N] [PATTERN...]\n");
    return 2;
}

static int kernel_print(const char *name)
{
    for (size_t i = 0; i < table_count; i++) {
        if (strcmp(table[i].name, name) != 0)
            continue;
        printf("%s%s", variant_head(&table[i]), variant_kernel(&table[i]));
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    const char *record = NULL, *check = NULL;
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    int first_pattern = argc;

    table = variants_table(&table_count);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) {
            for (size_t v = 0; v < table_count; v++)
                printf("%s\n", table[v].name);
            return 0;
        }
        if (argv[i][0] != '-') {
            first_pattern = i;
            break;
        }
        if (i + 1 == argc)
            return usage();
        if (!strcmp(argv[i], "--ptx"))
            return kernel_print(argv[i + 1]);
        if (!strcmp(argv[i], "--record"))
            record = argv[++i];
        else if (!strcmp(argv[i], "--check"))
            check = argv[++i];
        else if (!strcmp(argv[i], "--jobs"))
            jobs = atol(argv[++i]);
        else if (!strcmp(argv[i], "--show"))
            examples = (size_t)atol(argv[++i]);
        else
            return usage();
    }
    if (!record == !check)
        return usage();
    bool *wanted = calloc(table_count, sizeof *wanted);
    for (size_t v = 0; v < table_count; v++) {
        wanted[v] = first_pattern == argc;
        for (int i = first_pattern; i < argc; i++)
            wanted[v] |= !fnmatch(argv[i], table[v].name, 0);
    }
    struct outcomes outcomes = run_variants(wanted, jobs > 0 ? (int)jobs : 1);
    return record ? recording_write(record, &outcomes, wanted)
                  : recording_check(check, &outcomes, wanted);
}
