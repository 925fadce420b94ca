/* SPDX-License-Identifier: MIT */
/* Reads the sections of an executable. Every number in the file is checked before use; a file
 * without sections says nothing.
 *
 * NVIDIA's runtime, when it is linked in, leaves no mark that survives strip. So it is deduced: the
 * program has device code, which nvcc registers with a runtime, and neither imports the function
 * for that nor has the note of cupipe's runtime (runtime/src/note.c). Where there are symbols, the
 * runtime's own functions tell. */
#include "command/program.h"

#include "command/gpu.h"
#include "core/rebuild.h"
#include "module/carrier.h"
#include "module/container.h"
#include "module/fatbin.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__
enum { OWN_MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

/* A file in memory, and what was found in it. */
struct reading {
    const uint8_t *bytes;
    size_t size;
    Elf64_Ehdr elf;
    bool note, registers_elsewhere, runtime_symbols, shared_runtime;
    struct program *program;
};

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

static bool begins_with_one_of(const char *name, const char *const *names)
{
    while (*names && strncmp(*names, name, strlen(*names)) != 0)
        names++;
    return *names;
}

static bool get_section(const struct reading *in, unsigned index, Elf64_Shdr *section)
{
    if (index >= in->elf.e_shnum || in->elf.e_shentsize != sizeof *section ||
        in->elf.e_shoff > in->size || (in->size - in->elf.e_shoff) / sizeof *section <= index)
        return false;
    memcpy(section, in->bytes + in->elf.e_shoff + index * sizeof *section, sizeof *section);
    return section->sh_type != SHT_NOBITS && section->sh_offset <= in->size &&
           section->sh_size <= in->size - section->sh_offset;
}

/* The string at an offset of a string table, or "". */
static const char *get_string(const struct reading *in, const Elf64_Shdr *strings, uint64_t offset)
{
    const char *base = (const char *)in->bytes + strings->sh_offset;

    if (strings->sh_type != SHT_STRTAB || offset >= strings->sh_size ||
        !memchr(base + offset, 0, strings->sh_size - offset))
        return "";
    return base + offset;
}

static void read_needed(struct reading *in, const Elf64_Shdr *dynamic, const Elf64_Shdr *strings)
{
    static const char *const cuda[] = {
        "libcuda.so", "libcudart.so", "libnvrtc", "libnvJitLink", "libnvidia-ml",
#define CUDA_LIBRARY(constant, title, name, of_12, of_13, package, without) "lib" name ".so",
#include "libraries/libraries.def"
#undef CUDA_LIBRARY
        NULL,
    };
    static const char *const plain[] = {"libc.so",  "libm.so",       "libpthread.so", "libdl.so",
                                        "librt.so", "libgcc_s.so",   "libstdc++.so",  "libc++.so",
                                        "ld-linux", "libselinux.so", "libpcre2",      NULL};

    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->sh_size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, in->bytes + dynamic->sh_offset + at, sizeof entry);
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag != DT_NEEDED)
            continue;
        const char *name = get_string(in, strings, entry.d_un.d_val);
        if (strncmp(name, "libcudart.so", strlen("libcudart.so")) == 0)
            in->shared_runtime = true;
        if (begins_with_one_of(name, cuda))
            in->program->asks_for_cuda = true;
        else if (!begins_with_one_of(name, plain))
            in->program->other_libraries = true;
    }
}

/* Imports of an executable, and the names that it still has. */
static void read_symbols(struct reading *in, const Elf64_Shdr *symbols, const Elf64_Shdr *strings)
{
    static const char *const outward[] = {
        "dlopen", "dlmopen", "execve",      "execv",        "execvp", "execvpe", "execl", "execlp",
        "execle", "fexecve", "posix_spawn", "posix_spawnp", "system", "popen",   NULL};
    static const char *const runtime[] = {"__cudaRegisterFatBinary",
                                          "cudaGetLastError",
                                          "cudaMalloc",
                                          "cudaGetDeviceCount",
                                          "cudaRuntimeGetVersion",
                                          "cudaDriverGetVersion",
                                          "cudaLaunchKernel",
                                          "cudaFree",
                                          NULL};

    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, in->bytes + symbols->sh_offset + at, sizeof symbol);
        bool defined = symbol.st_shndx != SHN_UNDEF;
        if (defined && ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        const char *name = get_string(in, strings, symbol.st_name);
        /* XLA's functions of these names load the shared runtime when they are called */
        if (defined && strstr(name, "cudart_stub"))
            in->shared_runtime = true;
        if (defined) {
            in->runtime_symbols = in->runtime_symbols || is_one_of(name, runtime);
            continue;
        }
        if (symbols->sh_type != SHT_DYNSYM)
            continue;
        if (strcmp(name, runtime[0]) == 0)
            in->registers_elsewhere = true;
        if (strcmp(name, "cuInit") == 0)
            in->program->asks_for_cuda = true;
        if (is_one_of(name, outward))
            in->program->loads_or_starts = true;
    }
}

static void read_sections(struct reading *in)
{
    Elf64_Shdr names, section, strings;
    bool named = get_section(in, in->elf.e_shstrndx, &names);

    for (unsigned i = 1; i < in->elf.e_shnum; i++) {
        if (!get_section(in, i, &section))
            continue;
        if (section.sh_type == SHT_NOTE && named &&
            strcmp(get_string(in, &names, section.sh_name), ".note.cupipe.runtime") == 0)
            in->note = true;
        if (section.sh_type != SHT_DYNAMIC && section.sh_type != SHT_DYNSYM &&
            section.sh_type != SHT_SYMTAB)
            continue;
        if (!get_section(in, section.sh_link, &strings))
            continue;
        if (section.sh_type == SHT_DYNAMIC)
            read_needed(in, &section, &strings);
        else
            read_symbols(in, &section, &strings);
    }
}

static void read_loader(struct reading *in)
{
    for (unsigned i = 0; i < in->elf.e_phnum; i++) {
        Elf64_Phdr header;
        uint64_t at = in->elf.e_phoff + (uint64_t)i * sizeof header;
        if (at > in->size || sizeof header > in->size - at)
            return;
        memcpy(&header, in->bytes + at, sizeof header);
        if (header.p_type == PT_INTERP && header.p_offset <= in->size &&
            header.p_filesz <= in->size - header.p_offset && header.p_filesz < PATH_BYTES)
            memcpy(in->program->interpreter, in->bytes + header.p_offset, header.p_filesz);
    }
}

/* The lowest architecture that runs the entry's PTX: its own, or that of the devices, for whose
 * machine code it stands in. */
static unsigned lowest_of(const struct cup_fatbin_entry *entry, const uint8_t *image, size_t bytes)
{
    unsigned lowest, highest;

    gpu_capabilities(&lowest, &highest);
    bool stands_in = entry->capability > highest &&
                     cup_fatbin_stand_in(image, bytes, highest) == entry->capability;
    return stands_in ? highest : entry->capability;
}

/* nvcc links a cubin without code and data into programs that have no device code: none of its
 * sections is loaded. */
static bool is_empty_cubin(const struct cup_source_text *contents)
{
    const uint8_t *bytes = (const uint8_t *)contents->bytes;
    struct reading cubin = {.bytes = bytes, .size = contents->length};
    Elf64_Shdr section;

    if (cubin.size < sizeof cubin.elf || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&cubin.elf, bytes, sizeof cubin.elf);
    for (unsigned i = 1; i < cubin.elf.e_shnum; i++)
        if (!get_section(&cubin, i, &section) || section.sh_flags & SHF_ALLOC)
            return false;
    return cubin.elf.e_shnum > 1;
}

/* Counts images. A cubin that carries PTX counts as PTX. */
static bool count_images(void *argument, const uint8_t *image, size_t bytes, const char *name)
{
    struct program *program = argument;
    struct cup_fatbin_entry entry;
    struct cup_source_text contents;
    struct ptx_log log = {0};
    CUresult result;
    size_t at = 0;

    (void)name;
    while (cup_fatbin_next(image, bytes, &at, &entry, &log, &result)) {
        bool ptx = entry.kind == CUP_FATBIN_KIND_PTX, empty = false;
        if (!ptx && entry.kind != CUP_FATBIN_KIND_ELF)
            continue;
        if (!ptx && program->ptx == 0 && cup_fatbin_contents(&entry, &contents) == CUDA_SUCCESS) {
            ptx = contents.length >= CUP_CARRIER_HEADER_BYTES &&
                  cup_carrier_starts((const uint8_t *)contents.bytes);
            empty = !ptx && is_empty_cubin(&contents);
            free(contents.bytes);
        }
        if (empty)
            continue;
        unsigned lowest = ptx ? lowest_of(&entry, image, bytes) : 0;
        if (ptx && (!program->lowest_ptx || lowest < program->lowest_ptx))
            program->lowest_ptx = lowest;
        if (!ptx && !program->machine)
            program->machine_architecture = entry.capability;
        program->ptx += ptx;
        program->machine += !ptx;
    }
    ptx_log_free(&log);
    return true;
}

static void read_elf(struct reading *in)
{
    struct program *program = in->program;

    program->kind = PROGRAM_ELF;
    memcpy(&in->elf, in->bytes, sizeof in->elf);
    program->elf_machine = in->elf.e_machine;
    program->wrong_machine = in->elf.e_ident[EI_CLASS] != ELFCLASS64 ||
                             (OWN_MACHINE != EM_NONE && in->elf.e_machine != OWN_MACHINE);
    if (program->wrong_machine)
        return;
    read_loader(in);
    program->is_library = in->elf.e_type == ET_DYN && !program->interpreter[0];
    read_sections(in);
    cup_container_each(in->bytes, in->size, count_images, program);
    bool device_code = program->ptx || program->machine;
    if (in->note)
        program->runtime = RUNTIME_CUPIPE;
    else if (in->shared_runtime)
        program->runtime = RUNTIME_SHARED;
    else if (in->runtime_symbols || (device_code && !in->registers_elsewhere))
        program->runtime = RUNTIME_FOREIGN;
}

static void read_script(struct reading *in)
{
    const char *text = (const char *)in->bytes;
    size_t length = 2;

    in->program->kind = PROGRAM_SCRIPT;
    while (length < in->size && length < PATH_BYTES && text[length] != '\n')
        length++;
    snprintf(in->program->interpreter, PATH_BYTES, "%.*s", (int)(length - 2), text + 2);
    in->program->python = strstr(in->program->interpreter, "python") != NULL;
}

bool program_read(const char *path, struct program *program)
{
    const char *base = strrchr(path, '/');
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct reading in = {.program = program};
    struct stat status;

    *program = (struct program){0};
    if (file < 0)
        return false;
    bool good = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (good && status.st_size > 0) {
        in.size = (size_t)status.st_size;
        void *bytes = mmap(NULL, in.size, PROT_READ, MAP_PRIVATE, file, 0);
        good = bytes != MAP_FAILED;
        in.bytes = bytes;
    }
    close(file);
    if (!good || !in.bytes)
        return good;
    if (in.size >= sizeof in.elf && memcmp(in.bytes, ELFMAG, SELFMAG) == 0)
        read_elf(&in);
    else if (in.size >= 2 && memcmp(in.bytes, "#!", 2) == 0)
        read_script(&in);
    munmap((void *)in.bytes, in.size);
    if (strncmp(base ? base + 1 : path, "python", 6) == 0)
        program->python = true;
    return true;
}

bool program_find_interpreter(const struct program *program, char name[PATH_BYTES],
                              char found[PATH_BYTES])
{
    const char *words = program->interpreter + strspn(program->interpreter, " \t");
    size_t length = strcspn(words, " \t\r");

    if (length >= 4 && strncmp(words + length - 4, "/env", 4) == 0 && words[length] == ' ') {
        words += length + strspn(words + length, " \t");
        length = strcspn(words, " \t\r");
    }
    snprintf(name, PATH_BYTES, "%.*s", (int)length, words);
    return path_search(name, found) == 0;
}

bool program_is_alien(const struct program *program)
{
    return program->kind == PROGRAM_ELF && program->interpreter[0] && !program->asks_for_cuda &&
           !program->loads_or_starts && !program->other_libraries &&
           program->runtime == RUNTIME_NONE && program->ptx + program->machine == 0;
}

/* PTX runs on devices of its architecture and newer ones. */
static bool explain_newer_ptx(const char *name, const struct program *program, program_tell *tell)
{
    unsigned lowest, highest;

    gpu_capabilities(&lowest, &highest);
    if (program->lowest_ptx <= highest)
        return false;
    const char *gpu = gpu_suggest(program->lowest_ptx);
    tell("%s has kernels for compute capability %u.%u and above; the devices have %u.%u. Run it "
         "with "
         "--gpu %s.",
         name, program->lowest_ptx / 10, program->lowest_ptx % 10, highest / 10, highest % 10,
         gpu ? gpu : "and the name of a newer GPU");
    return true;
}

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {
        {EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_386, "i386"},  {EM_ARM, "arm"},
        {EM_PPC64, "ppc64"},   {EM_RISCV, "riscv"},     {EM_MIPS, "mips"}, {EM_S390, "s390"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "unknown to cupipe";
}

bool program_explain(const char *name, const struct program *program, const struct places *places,
                     program_tell *tell)
{
    bool only_machine = program->machine && !program->ptx;

    if (program->kind == PROGRAM_ELF && program->wrong_machine) {
        tell("%s is built for another processor (%s) than this machine's (%s). Build it for this "
             "one.",
             name, machine_name(program->elf_machine), machine_name(OWN_MACHINE));
        return true;
    }
    const struct cup_rebuild *package =
        program->runtime == RUNTIME_FOREIGN ? cup_rebuild_find(name) : NULL;
    if (package)
        tell("%s has NVIDIA's CUDA runtime linked in, which runs on NVIDIA's driver only. Build "
             "%s again with cupipe's: cupipe rebuild %s.",
             name, package->title, package->name);
    else if (program->runtime == RUNTIME_FOREIGN)
        tell("%s has NVIDIA's CUDA runtime linked in, which runs on NVIDIA's driver only. Link it "
             "again with cupipe's (nvcc -L%s), or with -cudart shared.",
             name, places->library);
    if (only_machine)
        tell("%s has its kernels as machine code for GPUs alone (sm_%u); cupipe runs PTX. Compile "
             "it again with -gencode arch=compute_90,code=compute_90, or without -gencode by nvcc.",
             name, program->machine_architecture);
    bool newer = explain_newer_ptx(name, program, tell);
    return program->runtime == RUNTIME_FOREIGN || only_machine || newer;
}
