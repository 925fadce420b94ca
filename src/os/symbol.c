/* SPDX-License-Identifier: MIT */
/* The file of a module is mapped when the first address in it is described; its functions are
 * sorted by address and kept. The file may have been replaced: all offsets are validated. */
#include "os/symbol.h"

#include "os/demangle.h"
#include "os/mutex.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbol_function {
    uint64_t address, size_bytes; /* as in the file */
    const char *name;
};

/* The symbols of one file. */
struct symbol_table {
    struct symbol_table *next;
    char *path;
    struct symbol_function *functions; /* sorted by address */
    size_t count;
};

struct search {
    uint64_t address;
    struct cup_symbol_module *module;
    uint64_t bias;
    char path[4096];
    bool found;
};

/* Leaf mutex: guards the table of symbols of loaded objects. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct symbol_table *tables; /* guarded by lock */

static int find_containing(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct search *search = argument;
    uint64_t low = UINT64_MAX, high = 0;
    bool inside = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;

        if (segment->p_type != PT_LOAD)
            continue;
        low = from < low ? from : low;
        high = to > high ? to : high;
        inside = inside || search->address - from < segment->p_memsz;
    }
    if (!inside)
        return 0;
    search->found = true;
    search->bias = info->dlpi_addr;
    *search->module = (struct cup_symbol_module){low, high - low};
    snprintf(search->path, sizeof(search->path), "%s",
             info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 1;
}

bool cup_symbol_find_module(const void *address, struct cup_symbol_module *module)
{
    struct search search = {.address = (uint64_t)(uintptr_t)address, .module = module};

    dl_iterate_phdr(find_containing, &search);
    return search.found;
}

struct note_search {
    uint64_t address;
    const char *owner;
    uint32_t type;
    const void *contents; /* NULL: not found */
    size_t size_bytes;
};

/* Looks through one PT_NOTE segment. Names and contents are padded to four bytes; segments with
 * other padding hold notes of the system only. */
static void look_at_notes(const char *at, const char *end, struct note_search *search)
{
    const size_t owner_bytes = strlen(search->owner) + 1;

    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        size_t name_bytes = ((size_t)note->n_namesz + 3) & ~(size_t)3;
        size_t bytes = ((size_t)note->n_descsz + 3) & ~(size_t)3;

        at += sizeof(*note);
        if (name_bytes > (size_t)(end - at) || bytes > (size_t)(end - at) - name_bytes)
            return;
        if (note->n_type == search->type && note->n_namesz == owner_bytes &&
            memcmp(at, search->owner, owner_bytes) == 0) {
            search->contents = at + name_bytes;
            search->size_bytes = note->n_descsz;
            return;
        }
        at += name_bytes + bytes;
    }
}

static int find_noted(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct note_search *search = argument;
    bool inside = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum && !inside; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        inside = segment->p_type == PT_LOAD &&
                 search->address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz;
    }
    for (int i = 0; i < info->dlpi_phnum && inside; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *start = (const char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr);

        if (segment->p_type == PT_NOTE && segment->p_align <= 4 && !search->contents)
            look_at_notes(start, start + segment->p_memsz, search);
    }
    return inside;
}

const void *cup_symbol_find_note(const void *address, const char *owner, uint32_t type,
                                 size_t *size_bytes)
{
    struct note_search search = {
        .address = (uint64_t)(uintptr_t)address, .owner = owner, .type = type};

    dl_iterate_phdr(find_noted, &search);
    *size_bytes = search.size_bytes;
    return search.contents;
}

/* True if the file has `size_bytes` at the offset. */
static bool holds(uint64_t file_bytes, uint64_t offset, uint64_t size_bytes)
{
    return offset <= file_bytes && size_bytes <= file_bytes - offset;
}

/* Returns the full symbol table, otherwise the dynamic one, otherwise NULL. */
static const Elf64_Shdr *find_symbols(const char *file, uint64_t file_bytes)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *found = NULL;

    if (file_bytes < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        head->e_shoff % 8 ||
        !holds(file_bytes, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *each = &sections[i];

        if ((each->sh_type != SHT_SYMTAB && each->sh_type != SHT_DYNSYM) ||
            (found && found->sh_type == SHT_SYMTAB) || each->sh_link >= head->e_shnum ||
            each->sh_offset % 8 || !holds(file_bytes, each->sh_offset, each->sh_size) ||
            !holds(file_bytes, sections[each->sh_link].sh_offset, sections[each->sh_link].sh_size))
            continue;
        found = each;
    }
    return found;
}

static int by_address(const void *a, const void *b)
{
    const struct symbol_function *first = a, *second = b;

    return first->address < second->address ? -1 : first->address > second->address;
}

static void read_functions(struct symbol_table *table, const char *file, uint64_t file_bytes)
{
    const Elf64_Shdr *section = find_symbols(file, file_bytes);

    if (!section)
        return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + ((const Elf64_Ehdr *)file)->e_shoff);
    const Elf64_Shdr *strings = &sections[section->sh_link];
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + section->sh_offset);
    size_t count = section->sh_size / sizeof(*symbols);

    table->functions = malloc((count + 1) * sizeof(*table->functions));
    for (size_t i = 0; table->functions && i < count; i++) {
        const char *name = file + strings->sh_offset + symbols[i].st_name;

        if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF ||
            symbols[i].st_name >= strings->sh_size ||
            !memchr(name, 0, strings->sh_size - symbols[i].st_name))
            continue;
        table->functions[table->count++] =
            (struct symbol_function){symbols[i].st_value, symbols[i].st_size, name};
    }
    if (table->functions)
        qsort(table->functions, table->count, sizeof(*table->functions), by_address);
}

/* The table is empty if the file cannot be read. */
static struct symbol_table *table_create_locked(const char *path)
{
    cup_mutex_assert_held(&lock);
    struct symbol_table *table = calloc(1, sizeof(*table));
    struct stat status;
    int fd = -1;

    if (table)
        table->path = strdup(path);
    if (!table || !table->path) {
        free(table);
        return NULL;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
        void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED)
            read_functions(table, file, (uint64_t)status.st_size); /* stays mapped for the names */
    }
    if (fd >= 0)
        close(fd);
    table->next = tables;
    tables = table;
    return table;
}

/* Returns the function that contains the address, or NULL. */
static const struct symbol_function *function_at(const char *path, uint64_t address)
{
    struct symbol_table *table;
    size_t low = 0, high;

    for (table = tables; table && strcmp(table->path, path) != 0; table = table->next)
        ;
    if (!table)
        table = table_create_locked(path);
    if (!table || !table->functions)
        return NULL;
    for (high = table->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (table->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct symbol_function *found = &table->functions[low - 1];
    return address - found->address < found->size_bytes ? found : NULL;
}

/* The path of the program itself, which has no name for the loader. */
static void name_file(const char *found, char *file, size_t size)
{
    ssize_t length = -1;

    if (strcmp(found, "/proc/self/exe") == 0)
        length = readlink(found, file, size - 1);
    if (length >= 0)
        file[length] = '\0';
    else
        snprintf(file, size, "%.*s", (int)size - 1, found);
}

bool cup_symbol_find(const void *return_address, struct cup_symbol *symbol)
{
    struct cup_symbol_module module;
    struct search search = {.address = (uint64_t)(uintptr_t)return_address - 1, .module = &module};

    *symbol = (struct cup_symbol){0};
    dl_iterate_phdr(find_containing, &search);
    if (!search.found)
        return false;
    uint64_t address = search.address - search.bias;
    pthread_mutex_lock(&lock);
    const struct symbol_function *function = function_at(search.path, address);
    pthread_mutex_unlock(&lock);
    name_file(search.path, symbol->file, sizeof(symbol->file));
    symbol->file_offset = address + 1;
    if (!function)
        return true;
    if (!cup_demangle(function->name, symbol->function, sizeof(symbol->function)))
        snprintf(symbol->function, sizeof(symbol->function), "%s", function->name);
    symbol->function_offset = address + 1 - function->address;
    return true;
}

void cup_symbol_describe(const void *return_address, char *text, size_t size)
{
    struct cup_symbol symbol;

    if (!cup_symbol_find(return_address, &symbol))
        snprintf(text, size, "%p", return_address);
    else if (!symbol.function[0])
        snprintf(text, size, "%s+0x%llx", symbol.file, (unsigned long long)symbol.file_offset);
    else
        snprintf(text, size, "%s+0x%llx (%s+0x%llx)", symbol.function,
                 (unsigned long long)symbol.function_offset, symbol.file,
                 (unsigned long long)symbol.file_offset);
}
