/* SPDX-License-Identifier: MIT */
/* Reads the symbol table of an object. Every number is validated before use. */
#include "nvlink/register.h"

#include "module/container.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "__cudaRegisterLinkedBinary";

/* A section's header, and whether its bytes are in the file. */
static bool read_section(const uint8_t *bytes, size_t size, const Elf64_Ehdr *elf, unsigned index,
                         Elf64_Shdr *section)
{
    if (elf->e_shentsize != sizeof *section || index >= elf->e_shnum || elf->e_shoff > size ||
        (size - elf->e_shoff) / sizeof *section <= index)
        return false;
    memcpy(section, bytes + elf->e_shoff + index * sizeof *section, sizeof *section);
    return section->sh_type != SHT_NOBITS && section->sh_offset <= size &&
           section->sh_size <= size - section->sh_offset;
}

static bool append_name(const char *name, struct words *names)
{
    char *copy = strdup(name);

    if (copy && cup_words_append(names, copy))
        return true;
    free(copy);
    return false;
}

static bool read_symbols(const uint8_t *bytes, const Elf64_Shdr *table, const Elf64_Shdr *strings,
                         struct words *names)
{
    const char *text = (const char *)bytes + strings->sh_offset;
    Elf64_Sym symbol;
    bool good = true;

    if (strings->sh_size == 0 || text[strings->sh_size - 1] != 0)
        return true;
    for (size_t at = 0; good && table->sh_size - at >= sizeof symbol; at += sizeof symbol) {
        memcpy(&symbol, bytes + table->sh_offset + at, sizeof symbol);
        if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= strings->sh_size)
            continue;
        const char *name = text + symbol.st_name;
        if (strncmp(name, prefix, sizeof prefix - 1) == 0 && name[sizeof prefix - 1])
            good = append_name(name + sizeof prefix - 1, names);
    }
    return good;
}

bool register_names(const uint8_t *bytes, size_t size, struct words *names)
{
    Elf64_Shdr table, strings;
    Elf64_Ehdr elf;
    bool good = true;

    if (cup_container_is_library(bytes, size) || !cup_container_is(bytes, size))
        return true;
    memcpy(&elf, bytes, sizeof elf);
    for (unsigned i = 1; good && i < elf.e_shnum; i++)
        if (read_section(bytes, size, &elf, i, &table) && table.sh_type == SHT_SYMTAB &&
            read_section(bytes, size, &elf, table.sh_link, &strings))
            good = read_symbols(bytes, &table, &strings, names);
    return good;
}

bool register_write(const char *path, const struct words *names)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "#define NUM_PRELINKED_OBJECTS %zu\n", names->count);
    for (size_t i = 0; i < names->count; i++)
        fprintf(file, "DEFINE_REGISTER_FUNC(%s)\n", names->items[i]);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}
