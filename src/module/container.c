/* SPDX-License-Identifier: MIT */
/* An object holds its fatbins in a section, one after the other, each aligned to eight bytes: code
 * that is complete in .nv_fatbin, code that is to be linked (-rdc) in __nv_relfatbin. A library is
 * an archive of objects. Every number is validated before use. */
#include "module/container.h"

#include "core/align.h"
#include "module/fatbin.h"

#include <ar.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const char *const section_names[] = {".nv_fatbin", "__nv_relfatbin"};
enum { SECTION_NAMES = 2, NAME_BYTES = 17 };

bool cup_container_is_library(const uint8_t *bytes, size_t size)
{
    return size >= SARMAG && memcmp(bytes, ARMAG, SARMAG) == 0;
}

static bool is_host_elf(const uint8_t *bytes, size_t size)
{
    Elf64_Ehdr elf;

    if (size < sizeof elf || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&elf, bytes, sizeof elf);
    return elf.e_machine != EM_CUDA && elf.e_ident[EI_CLASS] == ELFCLASS64;
}

bool cup_container_is(const uint8_t *bytes, size_t size)
{
    return cup_container_is_library(bytes, size) || is_host_elf(bytes, size);
}

static bool read_section(const uint8_t *bytes, size_t size, const Elf64_Ehdr *elf, unsigned index,
                         Elf64_Shdr *section)
{
    if (elf->e_shentsize != sizeof *section || elf->e_shoff > size ||
        (size - elf->e_shoff) / sizeof *section <= index)
        return false;
    memcpy(section, bytes + elf->e_shoff + index * sizeof *section, sizeof *section);
    return section->sh_type == SHT_NOBITS ||
           (section->sh_offset <= size && section->sh_size <= size - section->sh_offset);
}

static bool has_device_code(const uint8_t *bytes, const Elf64_Shdr *names, uint32_t name)
{
    for (unsigned i = 0; i < SECTION_NAMES; i++) {
        size_t length = strlen(section_names[i]) + 1;
        if (name <= names->sh_size && length <= names->sh_size - name &&
            memcmp(bytes + names->sh_offset + name, section_names[i], length) == 0)
            return true;
    }
    return false;
}

/* A section of fatbins. Zeros fill the space up to the next multiple of eight. A fatbin without
 * entries, which nvcc leaves in an executable whose -rdc code is PTX alone, is not visited. */
static bool visit_fatbins(const uint8_t *bytes, size_t size, const char *name,
                          cup_container_visit visit, void *argument)
{
    size_t at = 0;

    while (size - at >= CUP_FATBIN_HEADER_BYTES) {
        uint64_t length = cup_fatbin_bytes(bytes + at);
        if (length == 0) {
            at += 8; /* filling */
            if (at > size)
                return true;
            continue;
        }
        if (length > size - at)
            return false;
        if (length > CUP_FATBIN_HEADER_BYTES && !visit(argument, bytes + at, length, name))
            return false;
        at += cup_align_up(length, 8);
        if (at > size)
            return true;
    }
    return true;
}

static bool visit_object(const uint8_t *bytes, size_t size, const char *name,
                         cup_container_visit visit, void *argument)
{
    Elf64_Ehdr elf;
    Elf64_Shdr names, section;

    memcpy(&elf, bytes, sizeof elf);
    if (elf.e_shnum == 0)
        return true;
    if (!read_section(bytes, size, &elf, elf.e_shstrndx, &names) || names.sh_type != SHT_STRTAB)
        return false;
    for (unsigned i = 1; i < elf.e_shnum; i++) {
        if (!read_section(bytes, size, &elf, i, &section))
            return false;
        if (section.sh_type != SHT_NOBITS && has_device_code(bytes, &names, section.sh_name) &&
            !visit_fatbins(bytes + section.sh_offset, section.sh_size, name, visit, argument))
            return false;
    }
    return true;
}

/* A decimal number in a field that is filled with spaces. */
static bool read_decimal(const char *field, size_t width, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < width && field[i] != ' '; i++) {
        if (field[i] < '0' || field[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(field[i] - '0');
    }
    return true;
}

static void read_name(const struct ar_hdr *header, char name[NAME_BYTES])
{
    size_t length = 0;

    while (length < sizeof header->ar_name && header->ar_name[length] != '/' &&
           header->ar_name[length] != ' ')
        length++;
    memcpy(name, header->ar_name, length);
    name[length] = 0;
}

static bool visit_members(const uint8_t *bytes, size_t size, cup_container_visit visit,
                          void *argument)
{
    char name[NAME_BYTES];
    struct ar_hdr header;
    size_t at = SARMAG;
    uint64_t length;

    while (size - at >= sizeof header) {
        memcpy(&header, bytes + at, sizeof header);
        at += sizeof header;
        if (memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0 ||
            !read_decimal(header.ar_size, sizeof header.ar_size, &length) || length > size - at)
            return false;
        read_name(&header, name);
        if (!visit(argument, bytes + at, length, name))
            return false;
        at += cup_align_up(length, 2);
        if (at > size)
            return true;
    }
    return true;
}

bool cup_container_each_member(const uint8_t *bytes, size_t size, cup_container_visit visit,
                               void *argument)
{
    if (cup_container_is_library(bytes, size))
        return visit_members(bytes, size, visit, argument);
    return visit(argument, bytes, size, NULL);
}

/* What to do with each fatbin. */
struct fatbin_visit {
    cup_container_visit visit;
    void *argument;
};

static bool visit_member(void *argument, const uint8_t *bytes, size_t size, const char *name)
{
    const struct fatbin_visit *fatbins = argument;
    uint32_t magic = 0;

    if (size >= sizeof magic)
        memcpy(&magic, bytes, sizeof magic);
    if (is_host_elf(bytes, size))
        return visit_object(bytes, size, name, fatbins->visit, fatbins->argument);
    if (magic == CUP_FATBIN_MAGIC || (size > SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG)))
        return fatbins->visit(fatbins->argument, bytes, size, name);
    return true;
}

bool cup_container_each(const uint8_t *bytes, size_t size, cup_container_visit visit,
                        void *argument)
{
    struct fatbin_visit fatbins = {visit, argument};

    return cup_container_is(bytes, size) &&
           cup_container_each_member(bytes, size, visit_member, &fatbins);
}
