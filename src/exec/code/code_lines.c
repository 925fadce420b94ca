/* SPDX-License-Identifier: MIT */
/* Runs the line program of DWARF 4: a machine with an address, a file and a line, which special
 * opcodes move together. The object is our own or from the cache, so every read is checked. */
#include "exec/code/code.h"

#include "core/byte_reader.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ADVANCE_ADDRESS = 2,
    ADVANCE_LINE = 3,
    SET_FILE = 4,
    SET_COLUMN = 5,
    CONSTANT_ADDRESS = 8,
    FIXED_ADVANCE = 9,
    SET_ISA = 12,
    EXTENDED_END = 1,
    EXTENDED_ADDRESS = 2,
    STANDARD_OPCODES = 13,
    MOST_FILES = 256,
    PATH_BYTES = 1024,
};

struct line_reader {
    const uint8_t *bytes; /* the object, its sections with addresses */
    const Elf64_Shdr *sections;
    unsigned section_count;
    const Elf64_Shdr *lines, *relocations;
    struct cup_byte_reader in; /* the section with the lines */
    const char *folders[MOST_FILES], *files[MOST_FILES];
    unsigned file_folders[MOST_FILES], folder_count, file_count;
    uint8_t least_step, line_range, opcode_base, operand_counts[256];
    int8_t line_base;
    void (*visit)(uint64_t address, const char *file, uint32_t line, void *argument);
    void *argument;
};

static const char *take_string(struct line_reader *reader)
{
    const char *text = cup_read_string(&reader->in);

    return text ? text : "";
}

static const Elf64_Shdr *find_section(const struct line_reader *reader, const char *name)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)reader->bytes;
    const char *names =
        (const char *)reader->bytes + reader->sections[header->e_shstrndx].sh_offset;

    for (unsigned i = 0; i < reader->section_count; i++)
        if (strcmp(names + reader->sections[i].sh_name, name) == 0)
            return &reader->sections[i];
    return NULL;
}

/* The address that a relocation puts at this offset of .debug_line; 0: there is none. */
static uint64_t relocated(const struct line_reader *reader, uint64_t offset)
{
    const Elf64_Shdr *table = reader->relocations, *symbols;

    if (!table || table->sh_link >= reader->section_count)
        return 0;
    symbols = &reader->sections[table->sh_link];
    for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela rela;
        Elf64_Sym symbol;

        memcpy(&rela, reader->bytes + table->sh_offset + i * sizeof(rela), sizeof(rela));
        if (rela.r_offset != offset ||
            ELF64_R_SYM(rela.r_info) >= symbols->sh_size / sizeof(symbol))
            continue;
        memcpy(&symbol,
               reader->bytes + symbols->sh_offset + ELF64_R_SYM(rela.r_info) * sizeof(symbol),
               sizeof(symbol));
        if (symbol.st_shndx < reader->section_count)
            return reader->sections[symbol.st_shndx].sh_addr + symbol.st_value +
                   (uint64_t)rela.r_addend;
    }
    return 0;
}

static void read_files(struct line_reader *reader)
{
    const char *name;

    reader->folder_count = 1; /* 0 is where the compiler ran */
    reader->file_count = 1;   /* files count from 1 */
    reader->folders[0] = "";
    while (*(name = take_string(reader)) && !reader->in.bad)
        if (reader->folder_count < MOST_FILES)
            reader->folders[reader->folder_count++] = name;
    while (*(name = take_string(reader)) && !reader->in.bad) {
        unsigned folder = (unsigned)cup_read_leb(&reader->in);

        cup_read_leb(&reader->in);
        cup_read_leb(&reader->in);
        if (reader->file_count < MOST_FILES) {
            reader->files[reader->file_count] = name;
            reader->file_folders[reader->file_count++] = folder;
        }
    }
}

static void report(const struct line_reader *reader, uint64_t address, uint64_t file, int64_t line)
{
    char path[PATH_BYTES];
    const char *folder;

    if (line <= 0 || address == 0 || file == 0 || file >= reader->file_count)
        return;
    folder = reader->file_folders[file] < reader->folder_count
                 ? reader->folders[reader->file_folders[file]]
                 : "";
    snprintf(path, sizeof(path), "%s%s%s", reader->files[file][0] == '/' ? "" : folder,
             reader->files[file][0] == '/' || !*folder ? "" : "/", reader->files[file]);
    reader->visit(address, path, (uint32_t)line, reader->argument);
}

static void run_program(struct line_reader *reader, size_t end)
{
    uint64_t address = 0, file = 1;
    int64_t line = 1;

    while (reader->in.at < end && !reader->in.bad) {
        unsigned opcode = (unsigned)cup_read_number(&reader->in, 1);

        if (opcode >= reader->opcode_base) {
            unsigned step = opcode - reader->opcode_base;

            address += step / reader->line_range * reader->least_step;
            line += reader->line_base + (int)(step % reader->line_range);
            report(reader, address, file, line);
            continue;
        }
        if (opcode == 0) {
            uint64_t bytes = cup_read_leb(&reader->in);
            size_t start = reader->in.at;
            unsigned extended = (unsigned)cup_read_number(&reader->in, 1);

            if (extended == EXTENDED_ADDRESS)
                address = relocated(reader, reader->in.at);
            if (extended == EXTENDED_END) {
                address = 0;
                file = 1;
                line = 1;
            }
            reader->in.at = start;
            cup_read_skip(&reader->in, bytes);
            continue;
        }
        switch (opcode) {
        case 1:
            report(reader, address, file, line);
            break;
        case ADVANCE_ADDRESS:
            address += cup_read_leb(&reader->in) * reader->least_step;
            break;
        case ADVANCE_LINE:
            line += cup_read_signed_leb(&reader->in);
            break;
        case SET_FILE:
            file = cup_read_leb(&reader->in);
            break;
        case CONSTANT_ADDRESS:
            address += (255u - reader->opcode_base) / reader->line_range * reader->least_step;
            break;
        case FIXED_ADVANCE:
            address += cup_read_number(&reader->in, 2);
            break;
        default:
            for (unsigned i = 0; i < reader->operand_counts[opcode]; i++)
                cup_read_leb(&reader->in);
        }
    }
}

static void read_unit(struct line_reader *reader)
{
    uint64_t bytes = cup_read_number(&reader->in, 4);
    size_t end = reader->in.at + bytes, program;

    if (bytes > cup_read_left(&reader->in)) {
        reader->in.bad = true;
        return;
    }
    if (cup_read_number(&reader->in, 2) != 4) {
        reader->in.at = end;
        return;
    }
    program = cup_read_number(&reader->in, 4);
    program += reader->in.at;
    reader->least_step = (uint8_t)cup_read_number(&reader->in, 1);
    cup_read_number(&reader->in, 2); /* operations of an instruction; is_stmt */
    reader->line_base = (int8_t)cup_read_number(&reader->in, 1);
    reader->line_range = (uint8_t)cup_read_number(&reader->in, 1);
    reader->opcode_base = (uint8_t)cup_read_number(&reader->in, 1);
    for (unsigned i = 1; i < reader->opcode_base; i++)
        reader->operand_counts[i] = (uint8_t)cup_read_number(&reader->in, 1);
    read_files(reader);
    if (program <= end && reader->line_range && !reader->in.bad) {
        reader->in.at = program;
        run_program(reader, end);
    }
    reader->in.at = end;
}

void cup_code_lines_visit(const uint8_t *object, size_t object_bytes,
                          const struct cup_elf_code *code,
                          void (*visit)(uint64_t address, const char *file, uint32_t line,
                                        void *argument),
                          void *argument)
{
    uint8_t *placed = cup_elf_copy_with_addresses(object, object_bytes, code);
    struct line_reader *reader = placed ? calloc(1, sizeof(*reader)) : NULL;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)placed;

    if (reader) {
        reader->bytes = placed;
        reader->sections = (const Elf64_Shdr *)(const void *)(placed + header->e_shoff);
        reader->section_count = header->e_shnum;
        reader->visit = visit;
        reader->argument = argument;
        reader->lines = find_section(reader, ".debug_line");
        reader->relocations = find_section(reader, ".rela.debug_line");
    }
    if (reader && reader->lines) {
        reader->in = (struct cup_byte_reader){placed + reader->lines->sh_offset,
                                              reader->lines->sh_size, 0, false};
        while (cup_read_left(&reader->in))
            read_unit(reader);
    }
    free(reader);
    free(placed);
}
