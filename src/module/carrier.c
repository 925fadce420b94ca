/* SPDX-License-Identifier: MIT */
/* Layout: ELF header, section names, texts (each with a NUL behind it, outside the section), and
 * the section headers. sh_info of a text is the limit of registers that it was compiled with, a
 * flag says that its products stay apart from sums. Every number is validated before use. */
#include "module/carrier.h"

#include "core/align.h"
#include "core/error.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    OS_ABI = 0x41, /* of cubins since CUDA 13 */
    ABI_VERSION = 8,
    CAPABILITY_SHIFT = 8, /* in e_flags */
    SECTIONS_MAX = 0xff00,
    NAMES_SECTION = 1,
    FIRST_TEXT = 2,
    KEEPS_PRODUCTS = 1 << 28, /* in sh_flags, of those for processors */
};

static const char marker[] = "CUPIPE1"; /* in e_ident, from EI_PAD to its end */
static const char names[] = "\0.shstrtab\0.cupipe.ptx";
enum { NAME_OF_NAMES = 1, NAME_OF_TEXT = 11 };

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

unsigned cup_carrier_capability(const uint8_t header[CUP_CARRIER_HEADER_BYTES])
{
    Elf64_Ehdr elf;

    memcpy(&elf, header, sizeof elf);
    return elf.e_flags >> CAPABILITY_SHIFT & 0xff;
}

static CUresult add_text(const uint8_t *bytes, const Elf64_Shdr *section, struct cup_source *source)
{
    size_t length = section->sh_size;
    struct cup_source_text text = {.bytes = malloc(length + 1),
                                   .length = length,
                                   .keeps_products = section->sh_flags & KEEPS_PRODUCTS};

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
        CUresult result = add_text(image + section.sh_offset, &section, source);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

static void write_header(uint8_t *image, const struct cup_source *source, unsigned capability,
                         bool relocatable, uint64_t sections_at)
{
    Elf64_Ehdr elf = {
        .e_type = relocatable ? ET_REL : ET_EXEC,
        .e_machine = EM_CUDA,
        .e_version = EV_CURRENT,
        .e_shoff = sections_at,
        .e_flags = capability << CAPABILITY_SHIFT,
        .e_ehsize = sizeof elf,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)(FIRST_TEXT + source->count),
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

static void write_section(uint8_t *headers, size_t index, unsigned type, unsigned name,
                          uint64_t flags, uint64_t offset, uint64_t bytes, uint32_t max_registers)
{
    Elf64_Shdr section = {.sh_name = name,
                          .sh_type = type,
                          .sh_flags = flags,
                          .sh_offset = offset,
                          .sh_size = bytes,
                          .sh_addralign = 1,
                          .sh_info = max_registers};

    memcpy(headers + index * sizeof section, &section, sizeof section);
}

CUresult cup_carrier_write(const struct cup_source *source, unsigned capability, bool relocatable,
                           void **image, size_t *bytes)
{
    size_t at = sizeof(Elf64_Ehdr), sections_at = at + sizeof names;

    if (source->count > SECTIONS_MAX - FIRST_TEXT)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "an image of %zu texts", source->count);
    for (size_t i = 0; i < source->count; i++)
        sections_at += source->texts[i].length + 1;
    sections_at = cup_align_up(sections_at, 8);
    size_t total = sections_at + (FIRST_TEXT + source->count) * sizeof(Elf64_Shdr);
    uint8_t *made = calloc(1, total);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "an image of %zu bytes", total);
    write_header(made, source, capability, relocatable, sections_at);
    memcpy(made + at, names, sizeof names);
    write_section(made + sections_at, NAMES_SECTION, SHT_STRTAB, NAME_OF_NAMES, 0, at, sizeof names,
                  0);
    at += sizeof names;
    for (size_t i = 0; i < source->count; i++) {
        memcpy(made + at, source->texts[i].bytes, source->texts[i].length);
        write_section(made + sections_at, FIRST_TEXT + i, SHT_PROGBITS, NAME_OF_TEXT,
                      source->texts[i].keeps_products ? KEEPS_PRODUCTS : 0, at,
                      source->texts[i].length, source->max_registers);
        at += source->texts[i].length + 1;
    }
    *image = made;
    *bytes = total;
    return CUDA_SUCCESS;
}
