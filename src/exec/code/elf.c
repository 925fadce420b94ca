/* SPDX-License-Identifier: MIT */
/* Sections are placed in one mapping: code, then on new pages constants, a GOT, and a call stub for
 * each external function, because libc may be out of range of a direct call. Pages are written
 * first and then made executable or read-only; no page is ever writable and executable. Kernels
 * have no mutable state, so nothing stays writable. */
#include "exec/code/elf.h"

#include "core/align.h"
#include "core/compiler.h"
#include "core/log.h"
#include "exec/code/elf_relocate.h"
#include "os/page.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char cup_elf_no_memory[] = "out of memory";

enum {
    MAX_SECTIONS = 4096,
    MAX_SYMBOLS = 1 << 16,
    MAX_ALIGN = 4096,
};

#define MAX_IMAGE_BYTES (UINT64_C(64) << 20)

/* The object during loading. Offsets are relative to the mapping. */
struct loader {
    const uint8_t *bytes;
    uint64_t size;
    const Elf64_Ehdr *header;
    Elf64_Shdr *sections;
    uint32_t section_count;
    const char *section_names;
    uint64_t section_names_size;
    uint64_t *section_offsets; /* offset of each section; UINT64_MAX: not loaded */
    Elf64_Sym *symbols;
    uint32_t symbol_count;
    const char *names;
    uint64_t names_size;
    uint64_t *externals; /* address of each undefined symbol, 0 for others */
    uint64_t code_end, constants, got, stubs, total;
    struct cup_elf_code *code;
};

static const char *text_at(const char *table, uint64_t size, uint64_t offset)
{
    return offset < size && memchr(table + offset, 0, size - offset) ? table + offset : NULL;
}

static bool inside(const struct loader *loader, uint64_t offset, uint64_t size)
{
    return offset <= loader->size && size <= loader->size - offset;
}

/* Tables are copied, because they need not be aligned in the file. */
static void *copy_out(const struct loader *loader, uint64_t offset, uint64_t size)
{
    void *copy = inside(loader, offset, size) ? malloc(size ? size : 1) : NULL;

    if (copy)
        memcpy(copy, loader->bytes + offset, size);
    return copy;
}

static const char *read_header(struct loader *loader)
{
    static const unsigned char ident[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const Elf64_Ehdr *found = (const Elf64_Ehdr *)(const void *)loader->bytes;

    if (loader->size < sizeof(*found) || memcmp(loader->bytes, ident, sizeof(ident)) != 0)
        return "it is not an ELF object";
    if (found->e_type != ET_REL || found->e_machine != CUP_ELF_MACHINE)
        return "it is not an object for this processor";
    if (found->e_shentsize != sizeof(Elf64_Shdr) || found->e_shnum == 0 ||
        found->e_shnum > MAX_SECTIONS || found->e_shstrndx >= found->e_shnum)
        return "its section table is invalid";
    loader->header = found;
    loader->section_count = found->e_shnum;
    loader->sections =
        copy_out(loader, found->e_shoff, (uint64_t)found->e_shnum * sizeof(Elf64_Shdr));
    return loader->sections ? NULL : "its section table lies outside the object";
}

static const char *check_sections(struct loader *loader)
{
    for (uint32_t i = 0; i < loader->section_count; i++) {
        const Elf64_Shdr *section = &loader->sections[i];
        if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
            !inside(loader, section->sh_offset, section->sh_size))
            return "a section lies outside the object";
        if (section->sh_addralign > MAX_ALIGN ||
            (section->sh_addralign & (section->sh_addralign - 1)) != 0)
            return "a section has an invalid alignment";
        if (section->sh_size > MAX_IMAGE_BYTES)
            return "a section is too large";
    }
    const Elf64_Shdr *names = &loader->sections[loader->header->e_shstrndx];
    if (names->sh_type != SHT_STRTAB)
        return "its section names are not a string table";
    loader->section_names = (const char *)loader->bytes + names->sh_offset;
    loader->section_names_size = names->sh_size;
    return NULL;
}

static const char *read_symbols(struct loader *loader)
{
    for (uint32_t i = 0; i < loader->section_count; i++) {
        const Elf64_Shdr *section = &loader->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        if (loader->symbols)
            return "it has two symbol tables";
        if (section->sh_entsize != sizeof(Elf64_Sym) ||
            section->sh_size / sizeof(Elf64_Sym) > MAX_SYMBOLS ||
            section->sh_link >= loader->section_count ||
            loader->sections[section->sh_link].sh_type != SHT_STRTAB)
            return "its symbol table is invalid";
        const Elf64_Shdr *names = &loader->sections[section->sh_link];
        loader->names = (const char *)loader->bytes + names->sh_offset;
        loader->names_size = names->sh_size;
        loader->symbol_count = (uint32_t)(section->sh_size / sizeof(Elf64_Sym));
        loader->symbols = copy_out(loader, section->sh_offset, section->sh_size);
        if (!loader->symbols)
            return cup_elf_no_memory;
    }
    return loader->symbols ? NULL : "it has no symbols";
}

/* Unwind tables are skipped: nothing unwinds through a kernel. */
static bool is_loaded(const struct loader *loader, const Elf64_Shdr *section)
{
    const char *name = text_at(loader->section_names, loader->section_names_size, section->sh_name);

    return (section->sh_flags & SHF_ALLOC) && section->sh_size && section->sh_type != SHT_NOTE &&
           !(name && strcmp(name, ".eh_frame") == 0);
}

static bool place_sections(struct loader *loader, bool executable, uint64_t *end)
{
    for (uint32_t i = 0; i < loader->section_count; i++) {
        const Elf64_Shdr *section = &loader->sections[i];
        if (!is_loaded(loader, section) || !!(section->sh_flags & SHF_EXECINSTR) != executable)
            continue;
        *end = cup_align_up(*end, section->sh_addralign);
        loader->section_offsets[i] = *end;
        *end += section->sh_size;
        if (*end > MAX_IMAGE_BYTES)
            return false;
    }
    return true;
}

static const char *lay_out(struct loader *loader)
{
    const uint64_t page = cup_page_bytes();
    uint64_t end = 0;

    loader->section_offsets = malloc(loader->section_count * sizeof(*loader->section_offsets));
    loader->externals = calloc(loader->symbol_count + 1, sizeof(*loader->externals));
    if (!loader->section_offsets || !loader->externals)
        return cup_elf_no_memory;
    memset(loader->section_offsets, 0xff, loader->section_count * sizeof(*loader->section_offsets));
    if (!place_sections(loader, true, &end))
        return "it is too large";
    loader->stubs = cup_align_up(end, 16);
    loader->code_end = loader->stubs + (uint64_t)loader->symbol_count * CUP_ELF_STUB_BYTES;
    loader->constants = end = cup_align_up(loader->code_end, page);
    if (!place_sections(loader, false, &end))
        return "it is too large";
    loader->got = cup_align_up(end, 8);
    loader->total = cup_align_up(loader->got + (uint64_t)loader->symbol_count * 8, page);
    return NULL;
}

static const char *find_externals(struct loader *loader)
{
    for (uint32_t i = 1; i < loader->symbol_count; i++) {
        const Elf64_Sym *symbol = &loader->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF)
            continue;
        const char *name = text_at(loader->names, loader->names_size, symbol->st_name);
        if (name && *name)
            loader->externals[i] = cup_elf_external(name);
        /* An unknown symbol that is not used is harmless; a relocation reports it if it is. */
    }
    return NULL;
}

static const char *copy_sections(struct loader *loader)
{
    uint8_t *base =
        mmap(NULL, loader->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return cup_elf_no_memory;
    loader->code->base = base;
    loader->code->size_bytes = loader->total;
    loader->code->code_bytes = loader->code_end;
    for (uint32_t i = 0; i < loader->section_count; i++) {
        const Elf64_Shdr *section = &loader->sections[i];
        if (loader->section_offsets[i] != UINT64_MAX && section->sh_type != SHT_NOBITS)
            memcpy(base + loader->section_offsets[i], loader->bytes + section->sh_offset,
                   section->sh_size);
    }
    for (uint32_t i = 1; i < loader->symbol_count; i++) {
        if (loader->externals[i])
            cup_elf_write_stub(base + loader->stubs + (uint64_t)i * CUP_ELF_STUB_BYTES,
                               loader->externals[i]);
    }
    return NULL;
}

/* Returns the address of a symbol in this process, or 0. */
static uint64_t address_of(const struct loader *loader, uint32_t index)
{
    const Elf64_Sym *symbol = &loader->symbols[index];

    if (symbol->st_shndx == SHN_UNDEF)
        return loader->externals[index];
    if (symbol->st_shndx >= loader->section_count ||
        loader->section_offsets[symbol->st_shndx] == UINT64_MAX ||
        symbol->st_value > loader->sections[symbol->st_shndx].sh_size)
        return 0;
    return (uint64_t)(uintptr_t)loader->code->base + loader->section_offsets[symbol->st_shndx] +
           symbol->st_value;
}

static const char *relocate_one(const struct loader *loader, uint32_t target,
                                const Elf64_Rela *rela)
{
    uint32_t index = (uint32_t)ELF64_R_SYM(rela->r_info);
    uint8_t *base = loader->code->base;

    if (index >= loader->symbol_count)
        return "a relocation names no symbol";
    struct cup_elf_relocation relocation = {
        .type = (uint32_t)ELF64_R_TYPE(rela->r_info),
        .section = base + loader->section_offsets[target],
        .section_size = loader->sections[target].sh_size,
        .offset = rela->r_offset,
        .addend = rela->r_addend,
        .symbol = address_of(loader, index),
        .got = (uint64_t *)(void *)(base + loader->got + (uint64_t)index * 8),
    };
    if (loader->externals[index])
        relocation.stub =
            (uint64_t)(uintptr_t)base + loader->stubs + (uint64_t)index * CUP_ELF_STUB_BYTES;
    if (!relocation.symbol) {
        const char *name =
            text_at(loader->names, loader->names_size, loader->symbols[index].st_name);

        cup_log(CUP_LOG_INFO, "compiled code needs %s, which is not there",
                name ? name : "a symbol");
        return "it needs a symbol that does not exist";
    }
    return cup_elf_relocate(&relocation);
}

static const char *relocate_section(const struct loader *loader, const Elf64_Shdr *section)
{
    uint32_t target = section->sh_info;
    uint64_t count = section->sh_size / sizeof(Elf64_Rela);

    if (target >= loader->section_count || section->sh_entsize != sizeof(Elf64_Rela))
        return "its relocations are invalid";
    if (loader->section_offsets[target] == UINT64_MAX)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Rela rela;
        memcpy(&rela, loader->bytes + section->sh_offset + i * sizeof(rela), sizeof(rela));
        const char *wrong = relocate_one(loader, target, &rela);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *relocate(const struct loader *loader)
{
    for (uint32_t i = 0; i < loader->section_count; i++) {
        const Elf64_Shdr *section = &loader->sections[i];
        if (section->sh_type == SHT_REL)
            return "its relocations are of an unknown type";
        const char *wrong = section->sh_type == SHT_RELA ? relocate_section(loader, section) : NULL;
        if (wrong)
            return wrong;
    }
    return NULL;
}

static void find_symbols(const struct loader *loader, struct cup_elf_symbol *symbols, size_t count)
{
    for (size_t k = 0; k < count; k++)
        symbols[k].address = NULL;
    for (uint32_t i = 1; i < loader->symbol_count; i++) {
        const Elf64_Sym *symbol = &loader->symbols[i];
        const char *name = text_at(loader->names, loader->names_size, symbol->st_name);
        uint64_t address = symbol->st_shndx == SHN_UNDEF ? 0 : address_of(loader, i);
        for (size_t k = 0; name && address && k < count; k++) {
            if (strcmp(name, symbols[k].name) == 0) {
                symbols[k].address = (void *)(uintptr_t)address;
                symbols[k].size_bytes =
                    loader->sections[symbol->st_shndx].sh_size - symbol->st_value;
            }
        }
    }
}

static const char *protect(const struct loader *loader)
{
    uint8_t *base = loader->code->base;

    __builtin___clear_cache((char *)base, (char *)base + loader->code_end);
    if (mprotect(base, loader->constants, PROT_READ | PROT_EXEC) != 0 ||
        (loader->total > loader->constants &&
         mprotect(base + loader->constants, loader->total - loader->constants, PROT_READ) != 0))
        return "the system does not allow executable memory";
    return NULL;
}

typedef const char *loader_step(struct loader *loader);

static const char *run_steps(struct loader *loader, loader_step *const *steps, size_t count)
{
    const char *wrong = NULL;

    for (size_t i = 0; i < count && !wrong; i++)
        wrong = steps[i](loader);
    return wrong;
}

static loader_step *const steps[] = {read_header, check_sections, read_symbols,
                                     lay_out,     find_externals, copy_sections};
enum { STEPS_TO_LAYOUT = 4 };

static const char *load(struct loader *loader)
{
    const char *wrong = run_steps(loader, steps, CUP_ARRAY_COUNT(steps));

    if (!wrong)
        wrong = relocate(loader);
    return wrong ? wrong : protect(loader);
}

static void loader_finish(struct loader *loader)
{
    free(loader->sections);
    free(loader->section_offsets);
    free(loader->symbols);
    free(loader->externals);
}

const char *cup_elf_load(const uint8_t *bytes, size_t size_bytes, struct cup_elf_code *code,
                         struct cup_elf_symbol *symbols, size_t count)
{
    struct loader loader = {.bytes = bytes, .size = size_bytes, .code = code};

    memset(code, 0, sizeof(*code));
    if ((uintptr_t)bytes % _Alignof(Elf64_Ehdr) != 0)
        return "it is not aligned";
    const char *wrong = load(&loader);
    if (!wrong)
        find_symbols(&loader, symbols, count);
    else
        cup_elf_unload(code);
    loader_finish(&loader);
    return wrong;
}

uint8_t *cup_elf_copy_with_addresses(const uint8_t *bytes, size_t size_bytes,
                                     const struct cup_elf_code *code)
{
    struct loader loader = {.bytes = bytes, .size = size_bytes};
    uint8_t *copy = malloc(size_bytes);

    if (!copy || run_steps(&loader, steps, STEPS_TO_LAYOUT)) {
        free(copy);
        copy = NULL;
    } else {
        memcpy(copy, bytes, size_bytes);
        for (uint32_t i = 0; i < loader.section_count; i++)
            if (loader.section_offsets[i] != UINT64_MAX)
                loader.sections[i].sh_addr =
                    (uint64_t)(uintptr_t)code->base + loader.section_offsets[i];
        memcpy(copy + loader.header->e_shoff, loader.sections,
               loader.section_count * sizeof(*loader.sections));
    }
    loader_finish(&loader);
    return copy;
}

void cup_elf_unload(struct cup_elf_code *code)
{
    if (code->base)
        munmap(code->base, code->size_bytes);
    memset(code, 0, sizeof(*code));
}
