/* SPDX-License-Identifier: MIT */
/* The contents decide, where they can; the name decides of texts. */
#include "command/kind.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, CUDA_MACHINE = 190 };

static const uint32_t fatbin_magic = 0xba55ed50;

static const struct {
    const char *ending;
    enum file_kind kind;
} endings[] = {
    {".cu", KIND_CUDA}, {".cuh", KIND_CUDA}, {".c", KIND_CPP},   {".cc", KIND_CPP},
    {".cpp", KIND_CPP}, {".cxx", KIND_CPP},  {".ptx", KIND_PTX}, {".py", KIND_PYTHON},
};

static enum file_kind kind_by_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i].ending) == 0)
            return endings[i].kind;
    return KIND_OTHER;
}

static bool begins(const char *head, const char *text)
{
    return strncmp(head, text, strlen(text)) == 0;
}

/* Files that cupipe writes are JSON, and PTX begins with its version, behind comments. */
static enum file_kind kind_by_text(const char *head)
{
    const char *text = head + strspn(head, " \t\r\n");

    if (begins(text, "[") && strstr(text, "\"ph\":"))
        return KIND_TRACE;
    if (begins(text, "{\"kernels\":"))
        return KIND_PROFILE;
    if (begins(text, "{\"pid\":") && (strstr(text, "\"check\":") || strstr(text, "\"reports\":")))
        return KIND_REPORTS;
    if ((begins(text, ".version") || begins(text, "//")) && strstr(text, ".version") &&
        strstr(text, ".target"))
        return KIND_PTX;
    return KIND_OTHER;
}

static enum file_kind kind_by_contents(const char *head, size_t length)
{
    Elf64_Ehdr elf;

    if (length >= sizeof fatbin_magic && memcmp(head, &fatbin_magic, sizeof fatbin_magic) == 0)
        return KIND_FATBIN;
    if (length >= 8 && memcmp(head, "!<arch>\n", 8) == 0)
        return KIND_ARCHIVE;
    if (length < sizeof elf || memcmp(head, ELFMAG, SELFMAG) != 0)
        return kind_by_text(head);
    memcpy(&elf, head, sizeof elf);
    if (elf.e_machine == CUDA_MACHINE)
        return KIND_CUBIN;
    return elf.e_type == ET_REL ? KIND_OBJECT : KIND_OTHER;
}

enum file_kind kind_of(const char *path)
{
    char head[HEAD_BYTES + 1];
    struct stat status;
    enum file_kind kind;
    int file;

    if (stat(path, &status) != 0)
        return KIND_OTHER;
    if (S_ISDIR(status.st_mode))
        return KIND_FOLDER;
    if (!S_ISREG(status.st_mode) || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return KIND_OTHER;
    ssize_t length = read(file, head, HEAD_BYTES);
    close(file);
    if (length <= 0)
        return length == 0 ? KIND_EMPTY : KIND_OTHER;
    head[length] = 0;
    kind = kind_by_contents(head, (size_t)length);
    if (kind != KIND_OTHER || memcmp(head, "#!", 2) == 0 || head[0] == ELFMAG0)
        return kind;
    return kind_by_name(path);
}

bool kind_explain(const char *path, const struct places *places, program_tell *tell)
{
    const char *lib = places->library;

    switch (kind_of(path)) {
    case KIND_OTHER:
        return false;
    case KIND_FOLDER:
        tell("%s is a folder, not a program.", path);
        return true;
    case KIND_EMPTY:
        tell("%s is empty.", path);
        return true;
    case KIND_CUDA:
        tell("%s is a CUDA source file, not a program. Compile it, with PTX and cupipe's runtime, "
             "and run the result: nvcc -gencode arch=compute_90,code=compute_90 -L%s %s -o "
             "program && cupipe run ./program. docs/CLANG.md has the same for clang.",
             path, lib, path);
        return true;
    case KIND_CPP:
        tell("%s is a source file of C or C++, not a program. Compile it and run the result: c++ "
             "%s -L%s -lcudart -lcuda -o program && cupipe run ./program.",
             path, path, lib);
        return true;
    case KIND_PTX:
        tell("%s is PTX, which programs load (cuModuleLoad), not a program. %s/ptxas %s says "
             "whether it is right; cupipe cache warm %s compiles its kernels.",
             path, places->tools, path, path);
        return true;
    case KIND_CUBIN:
        tell("%s is a cubin: code for a GPU, which programs load, not a program. cupipe objdump %s "
             "shows what it has; cupipe runs PTX, not machine code.",
             path, path);
        return true;
    case KIND_FATBIN:
        tell("%s is a fatbin: code for GPUs, which programs load, not a program. cupipe objdump "
             "%s shows what it has, and whether there is PTX, which cupipe needs.",
             path, path);
        return true;
    case KIND_PYTHON:
        tell("%s is a Python program. Name its interpreter: cupipe run python3 %s", path, path);
        return true;
    case KIND_OBJECT:
        tell("%s is an object file, not a program. Link it with cupipe's runtime, for example with "
             "nvcc -L%s %s -o program.",
             path, lib, path);
        return true;
    case KIND_ARCHIVE:
        tell("%s is an archive of object files, not a program. cupipe objdump %s shows the device "
             "code in it.",
             path, path);
        return true;
    case KIND_TRACE:
        tell("%s is a trace of cupipe run --trace. cupipe trace %s shows it.", path, path);
        return true;
    case KIND_PROFILE:
        tell("%s is a profile of cupipe run --profile. cupipe profile %s shows it.", path, path);
        return true;
    case KIND_REPORTS:
        tell("%s has reports of CUPIPE_CHECK_JSON, one JSON object a line. jq reads it, as in "
             "docs/DEBUGGING.md.",
             path);
        return true;
    }
    return false;
}

/* What each command reads, and its options that have a value of their own. */
static const struct reader {
    const char *command;
    enum file_kind kind;
    const char *const options[6];
} readers[] = {
    {"trace", KIND_TRACE, {"--svg", "--since", "--width", "--calls", "--merge", NULL}},
    {"profile", KIND_PROFILE, {"--lines", "--flame", "--svg", "--times", "--kernel", NULL}},
};

static bool has_value(const struct reader *reader, const char *option)
{
    const char *const *each = reader->options;

    while (*each && strcmp(*each, option) != 0)
        each++;
    return *each;
}

bool kind_is_for(const char *command, char **arguments, const struct places *places)
{
    const struct reader *reader = NULL;

    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (strcmp(readers[i].command, command) == 0)
            reader = &readers[i];
    for (char **word = arguments + 1; reader && *word; word++) {
        if ((*word)[0] == '-' || (word > arguments + 1 && has_value(reader, word[-1])))
            continue;
        enum file_kind kind = kind_of(*word);
        if (kind == KIND_OTHER || kind == KIND_EMPTY || kind == reader->kind)
            continue;
        say("%s is not a %s, which cupipe run --%s FILE writes.", *word, command, command);
        kind_explain(*word, places, say);
        return false;
    }
    return true;
}
