/* SPDX-License-Identifier: MIT */
/* Layout: ELF header, section names, texts, the symbol table with the initial values of variables
 * if there is one (each with a NUL behind it, outside the section), and the section headers.
 * sh_info of a text is the limit of registers that it was compiled with, flags say that its
 * products stay apart from sums and that it was linked. Every number is validated before use. */
#include "module/carrier.h"

#include "core/align.h"
#include "core/error.h"
#include "module/carrier_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The header is that of cubins up to CUDA 12, which newer tools read too. */
enum {
    OS_ABI = 0x33,
    ABI_VERSION = 7,
    ADDRESSES_64 = 0x400, /* in e_flags, with the capability in two bytes */
    TEXTURES_UNIFIED = 0x100,
    VIRTUAL_SHIFT = 16,
    SECTIONS_MAX = 0xff00,
    NAMES_SECTION = 1,
    FIRST_TEXT = 2,
    SYMBOL_SECTIONS = 6, /* names and symbols, and the sections that symbols lie in but code */
    CONTENT_ALIGNMENT = 16,
    KEEPS_PRODUCTS = 1 << 28, /* in sh_flags, of those for processors */
    LINKED = 1 << 29,
};

static const char marker[] = "CUPIPE1"; /* in e_ident, from EI_PAD to its end */
static const char names[] = "\0.shstrtab\0.cupipe.ptx\0.strtab\0.symtab\0.nv.global.init\0"
                            ".nv.constant3\0.nv.global\0.nv.shared";
enum {
    NAME_OF_NAMES = 1,
    NAME_OF_TEXT = 11,
    NAME_OF_STRINGS = 23,
    NAME_OF_SYMBOLS = 31,
    NAME_OF_DATA = 39,
    NAME_OF_CONSTANTS = 55,
    NAME_OF_ZEROS = 69,
    NAME_OF_SHARED = 80,
};

bool cup_carrier_starts(const uint8_t start[CUP_CARRIER_START_BYTES])
{
    return memcmp(start, ELFMAG, SELFMAG) == 0 &&
           memcmp(start + EI_PAD, marker, EI_NIDENT - EI_PAD) == 0;
}

uint64_t cup_carrier_bytes(const uint8_t header[CUP_CARRIER_HEADER_BYTES])
{
    Elf64_Ehdr elf;

    memcpy(&elf, header, sizeof elf);
    if (!cup_carrier_starts(header) || elf.e_shentsize != sizeof(Elf64_Shdr) ||
        elf.e_shoff < sizeof elf || elf.e_shoff > SIZE_MAX / 2)
        return 0;
    return elf.e_shoff + (uint64_t)elf.e_shnum * sizeof(Elf64_Shdr);
}

static CUresult add_text(const uint8_t *bytes, const Elf64_Shdr *section, struct cup_source *source)
{
    size_t length = section->sh_size;
    struct cup_source_text text = {.bytes = malloc(length + 1),
                                   .length = length,
                                   .keeps_products = section->sh_flags & KEEPS_PRODUCTS,
                                   .assembled = true};

    if (!text.bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes of PTX", length);
    memcpy(text.bytes, bytes, length);
    text.bytes[length] = 0;
    return cup_source_add(source, text);
}

CUresult cup_carrier_read(const uint8_t *image, size_t bytes, struct cup_source *source)
{
    Elf64_Ehdr elf;
    Elf64_Shdr section;

    if (bytes < sizeof elf || cup_carrier_bytes(image) == 0 || cup_carrier_bytes(image) > bytes)
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "an image of PTX without a whole header");
    memcpy(&elf, image, sizeof elf);
    for (unsigned i = FIRST_TEXT; i < elf.e_shnum; i++) {
        memcpy(&section, image + elf.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_PROGBITS || section.sh_name != NAME_OF_TEXT)
            continue;
        if (section.sh_offset > bytes || section.sh_size > bytes - section.sh_offset)
            return cup_error(CUDA_ERROR_INVALID_IMAGE, "text %u of an image ends outside it", i);
        if (section.sh_info)
            source->max_registers = section.sh_info;
        source->linked = source->linked || section.sh_flags & LINKED;
        CUresult result = add_text(image + section.sh_offset, &section, source);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

/* A section to be written. */
struct section {
    Elf64_Shdr header;
    const void *bytes; /* NULL: none in the file */
};

static void write_header(uint8_t *image, unsigned capability, enum cup_carrier_kind kind,
                         size_t sections, uint64_t sections_at)
{
    Elf64_Ehdr elf = {
        .e_type = kind == CUP_CARRIER_RELOCATABLE ? ET_REL : ET_EXEC,
        .e_machine = EM_CUDA,
        .e_version = EV_CURRENT,
        .e_shoff = sections_at,
        .e_flags = capability | capability << VIRTUAL_SHIFT | ADDRESSES_64 | TEXTURES_UNIFIED,
        .e_ehsize = sizeof elf,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)sections,
        .e_shstrndx = NAMES_SECTION,
    };

    memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.e_ident[EI_VERSION] = EV_CURRENT;
    elf.e_ident[EI_OSABI] = OS_ABI;
    elf.e_ident[EI_ABIVERSION] = ABI_VERSION;
    memcpy(elf.e_ident + EI_PAD, marker, EI_NIDENT - EI_PAD);
    memcpy(image, &elf, sizeof elf);
}

/* Gives the sections their places and writes the file. */
static CUresult write_file(struct section *sections, size_t count, unsigned capability,
                           enum cup_carrier_kind kind, void **image, size_t *bytes)
{
    size_t at = sizeof(Elf64_Ehdr);

    for (size_t i = 1; i < count; i++) {
        at = cup_align_up(at, sections[i].header.sh_addralign);
        sections[i].header.sh_offset = at;
        if (sections[i].bytes)
            at += sections[i].header.sh_size + 1;
    }
    size_t sections_at = cup_align_up(at, 8), total = sections_at + count * sizeof(Elf64_Shdr);
    uint8_t *made = calloc(1, total);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "an image of %zu bytes", total);
    write_header(made, capability, kind, count, sections_at);
    for (size_t i = 0; i < count; i++) {
        if (sections[i].bytes)
            memcpy(made + sections[i].header.sh_offset, sections[i].bytes,
                   sections[i].header.sh_size);
        memcpy(made + sections_at + i * sizeof(Elf64_Shdr), &sections[i].header,
               sizeof(Elf64_Shdr));
    }
    *image = made;
    *bytes = total;
    return CUDA_SUCCESS;
}

/* Describes the names and the texts: the sections that each carrier has. */
static void add_texts(struct section *sections, const struct cup_source *source,
                      enum cup_carrier_kind kind)
{
    sections[NAMES_SECTION] = (struct section){{.sh_name = NAME_OF_NAMES,
                                                .sh_type = SHT_STRTAB,
                                                .sh_size = sizeof names,
                                                .sh_addralign = 1},
                                               names};
    for (size_t i = 0; i < source->count; i++)
        sections[FIRST_TEXT + i] =
            (struct section){{.sh_name = NAME_OF_TEXT,
                              .sh_type = SHT_PROGBITS,
                              .sh_flags = (source->texts[i].keeps_products ? KEEPS_PRODUCTS : 0u) |
                                          (kind == CUP_CARRIER_LINKED ? LINKED : 0u),
                              .sh_size = source->texts[i].length,
                              .sh_addralign = 1,
                              .sh_info = source->max_registers},
                             source->texts[i].bytes};
}

/* Describes the sections of the symbol table, which begin at index `first`. */
static void add_symbols(struct section *sections, size_t first,
                        const struct cup_carrier_symbols *table)
{
    static const struct {
        unsigned name, type;
        enum cup_carrier_section of;
        uint64_t flags;
    } kinds[] = {
        {NAME_OF_DATA, SHT_PROGBITS, CUP_CARRIER_DATA, SHF_ALLOC | SHF_WRITE},
        {NAME_OF_CONSTANTS, SHT_PROGBITS, CUP_CARRIER_CONSTANTS, SHF_ALLOC},
        {NAME_OF_ZEROS, SHT_NOBITS, CUP_CARRIER_ZEROS, SHF_ALLOC | SHF_WRITE},
        {NAME_OF_SHARED, SHT_NOBITS, CUP_CARRIER_SHARED, SHF_ALLOC | SHF_WRITE},
    };

    sections[first] = (struct section){{.sh_name = NAME_OF_STRINGS,
                                        .sh_type = SHT_STRTAB,
                                        .sh_size = table->name_bytes,
                                        .sh_addralign = 1},
                                       table->names};
    sections[first + 1] = (struct section){{.sh_name = NAME_OF_SYMBOLS,
                                            .sh_type = SHT_SYMTAB,
                                            .sh_size = table->count * sizeof(Elf64_Sym),
                                            .sh_link = (Elf64_Word)first,
                                            .sh_info = (Elf64_Word)table->local_count,
                                            .sh_addralign = 8,
                                            .sh_entsize = sizeof(Elf64_Sym)},
                                           table->symbols};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        sections[first + 2 + i] = (struct section){{.sh_name = kinds[i].name,
                                                    .sh_type = kinds[i].type,
                                                    .sh_flags = kinds[i].flags,
                                                    .sh_size = table->content_bytes[kinds[i].of],
                                                    .sh_addralign = CONTENT_ALIGNMENT},
                                                   table->contents[kinds[i].of]};
}

CUresult cup_carrier_write(const struct cup_source *source, struct ptx_program *const *programs,
                           size_t program_count, unsigned capability, enum cup_carrier_kind kind,
                           void **image, size_t *bytes)
{
    size_t count = FIRST_TEXT + source->count, first = count;
    struct cup_carrier_symbols table = {0};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (source->count > SECTIONS_MAX - FIRST_TEXT - SYMBOL_SECTIONS)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "an image of %zu texts", source->count);
    if (program_count > 0) {
        const uint16_t indices[CUP_CARRIER_SECTIONS] = {
            FIRST_TEXT, (uint16_t)(first + 2), (uint16_t)(first + 3), (uint16_t)(first + 4),
            (uint16_t)(first + 5)};
        if (!cup_carrier_symbols_init(&table, programs, program_count, indices))
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the symbols of an image");
        count += SYMBOL_SECTIONS;
    }
    struct section *sections = calloc(count, sizeof *sections);
    if (sections) {
        add_texts(sections, source, kind);
        if (program_count > 0)
            add_symbols(sections, first, &table);
        result = write_file(sections, count, capability, kind, image, bytes);
    }
    free(sections);
    cup_carrier_symbols_finish(&table);
    return result;
}
