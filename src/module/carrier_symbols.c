/* SPDX-License-Identifier: MIT */
/* All declarations of the texts are sorted: local ones first, then by name, the definition that
 * counts first. The first of each name becomes its symbol. */
#include "module/carrier_symbols.h"

#include "core/align.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRY_FLAG = 0x10, /* in st_other, of kernels in cubins */
    CONTENTS_MAX = 1 << 30,
};

enum rank { LOCAL, DEFINED, WEAK, UNDEFINED };

struct declaration {
    const char *name;
    const struct ptx_variable *variable; /* or */
    const struct ptx_function *function;
    enum rank rank;
    size_t order; /* as declared */
};

static enum rank rank_of(uint8_t linkage, bool defined)
{
    if (!defined || linkage == PTX_LINK_EXTERN)
        return UNDEFINED;
    if (linkage == PTX_LINK_LOCAL)
        return LOCAL;
    return linkage == PTX_LINK_VISIBLE ? DEFINED : WEAK;
}

/* Dynamic shared memory is no symbol: the launch gives it. */
static bool has_symbol(const struct ptx_variable *variable)
{
    return !variable->unsized && (variable->space == PTX_GLOBAL || variable->space == PTX_CONST ||
                                  variable->space == PTX_SHARED);
}

static size_t collect(struct ptx_program *const *programs, size_t count,
                      struct declaration *declarations)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < programs[i]->variable_count; j++) {
            const struct ptx_variable *variable = &programs[i]->variables[j];
            if (!has_symbol(variable))
                continue;
            declarations[found] = (struct declaration){variable->name, variable, NULL,
                                                       rank_of(variable->linkage, true), found};
            found++;
        }
        for (uint32_t j = 0; j < programs[i]->function_count; j++) {
            const struct ptx_function *function = &programs[i]->functions[j];
            declarations[found] =
                (struct declaration){function->name, NULL, function,
                                     rank_of(function->linkage, !function->is_prototype), found};
            found++;
        }
    }
    return found;
}

static int compare(const void *left, const void *right)
{
    const struct declaration *a = left, *b = right;
    int names = strcmp(a->name, b->name);

    if ((a->rank == LOCAL) != (b->rank == LOCAL))
        return a->rank == LOCAL ? -1 : 1;
    if (names != 0)
        return names;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Removes declarations of names that have a better one; returns how many stay. */
static size_t choose(struct declaration *declarations, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || declarations[i].rank == LOCAL || declarations[kept - 1].rank == LOCAL ||
            strcmp(declarations[kept - 1].name, declarations[i].name) != 0)
            declarations[kept++] = declarations[i];
    return kept;
}

static enum cup_carrier_section section_of(const struct declaration *declaration)
{
    const struct ptx_variable *variable = declaration->variable;

    if (!variable)
        return CUP_CARRIER_CODE;
    if (variable->space == PTX_CONST)
        return CUP_CARRIER_CONSTANTS;
    if (variable->space == PTX_SHARED)
        return CUP_CARRIER_SHARED;
    return variable->init || variable->relocation_count ? CUP_CARRIER_DATA : CUP_CARRIER_ZEROS;
}

/* Gives a variable its place in a section; returns the offset. */
static uint64_t place(struct cup_carrier_symbols *table, enum cup_carrier_section section,
                      const struct ptx_variable *variable)
{
    uint64_t at =
        cup_align_up(table->content_bytes[section], variable->align ? variable->align : 1);

    table->content_bytes[section] = at + variable->size_bytes;
    return at;
}

static void add_symbol(struct cup_carrier_symbols *table, const struct declaration *declaration,
                       const uint16_t sections[CUP_CARRIER_SECTIONS])
{
    static const uint8_t bindings[] = {
        [LOCAL] = STB_LOCAL, [DEFINED] = STB_GLOBAL, [WEAK] = STB_WEAK, [UNDEFINED] = STB_GLOBAL};
    const struct ptx_variable *variable = declaration->variable;
    enum cup_carrier_section section = section_of(declaration);
    bool defined = declaration->rank != UNDEFINED;
    size_t length = strlen(declaration->name) + 1;
    Elf64_Sym *symbol = &table->symbols[table->count++];

    *symbol = (Elf64_Sym){
        .st_name = (Elf64_Word)table->name_bytes,
        .st_info = ELF64_ST_INFO(bindings[declaration->rank], variable ? STT_OBJECT : STT_FUNC),
        .st_other = !variable && declaration->function->is_kernel ? ENTRY_FLAG : 0,
        .st_shndx = defined ? sections[section] : SHN_UNDEF,
        .st_size = variable ? variable->size_bytes : 0,
    };
    if (variable && defined)
        symbol->st_value = place(table, section, variable);
    table->local_count += declaration->rank == LOCAL;
    memcpy(table->names + table->name_bytes, declaration->name, length);
    table->name_bytes += length;
}

/* `declarations` are those of the symbols after the first. */
static bool fill_contents(struct cup_carrier_symbols *table, const struct declaration *declarations)
{
    static const enum cup_carrier_section filled[] = {CUP_CARRIER_DATA, CUP_CARRIER_CONSTANTS};

    for (unsigned i = 0; i < sizeof filled / sizeof filled[0]; i++) {
        if (table->content_bytes[filled[i]] > CONTENTS_MAX)
            return false;
        table->contents[filled[i]] = calloc(1, table->content_bytes[filled[i]] + 1);
        if (!table->contents[filled[i]])
            return false;
    }
    for (size_t i = 1; i < table->count; i++) {
        const struct ptx_variable *variable = declarations[i - 1].variable;
        uint8_t *contents = table->contents[section_of(&declarations[i - 1])];
        if (variable && variable->init && contents && table->symbols[i].st_shndx != SHN_UNDEF)
            memcpy(contents + table->symbols[i].st_value, variable->init, variable->size_bytes);
    }
    return true;
}

static bool build(struct cup_carrier_symbols *table, struct declaration *declarations, size_t count,
                  const uint16_t sections[CUP_CARRIER_SECTIONS])
{
    size_t name_bytes = 1;

    qsort(declarations, count, sizeof *declarations, compare);
    count = choose(declarations, count);
    for (size_t i = 0; i < count; i++)
        name_bytes += strlen(declarations[i].name) + 1;
    table->symbols = calloc(count + 1, sizeof *table->symbols);
    table->names = calloc(1, name_bytes);
    if (!table->symbols || !table->names || name_bytes > UINT32_MAX)
        return false;
    table->count = table->local_count = table->name_bytes = 1;
    for (size_t i = 0; i < count; i++)
        add_symbol(table, &declarations[i], sections);
    return fill_contents(table, declarations);
}

bool cup_carrier_symbols_init(struct cup_carrier_symbols *table,
                              struct ptx_program *const *programs, size_t count,
                              const uint16_t sections[CUP_CARRIER_SECTIONS])
{
    size_t most = 1;

    *table = (struct cup_carrier_symbols){0};
    for (size_t i = 0; i < count; i++)
        most += (size_t)programs[i]->variable_count + programs[i]->function_count;
    struct declaration *declarations = calloc(most, sizeof *declarations);
    bool good = declarations &&
                build(table, declarations, collect(programs, count, declarations), sections);
    free(declarations);
    if (!good)
        cup_carrier_symbols_finish(table);
    return good;
}

void cup_carrier_symbols_finish(struct cup_carrier_symbols *table)
{
    free(table->symbols);
    free(table->names);
    for (unsigned i = 0; i < CUP_CARRIER_SECTIONS; i++)
        free(table->contents[i]);
    *table = (struct cup_carrier_symbols){0};
}
