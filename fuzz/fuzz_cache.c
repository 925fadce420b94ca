/* SPDX-License-Identifier: MIT */
/* Fuzzes the files of the kernel cache: a file that was changed is not read, and an object that was
 * changed before its checksum was made is loaded, with its symbols inside what was mapped, or
 * refused. Nothing of it runs.
 *
 * An input is a byte of flags, then triples: two bytes that say where, and what the byte there is
 * changed by. */
#include "core/config.h"
#include "exec/code/cache.h"
#include "exec/code/elf.h"

#include <cuda.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAG_OBJECT = 1, FLAG_CUT = 2, TRIPLE = 3, OBJECT_BYTES_MAX = 1 << 20 };

static const struct cup_cache_key key = {{0x6375706970650001, 0x66757a7a}, true};
static char path[128];
static const uint8_t *object; /* the compiler's output */
static uint8_t *stored;       /* the file that has it */
static size_t object_bytes, stored_bytes;

/* The object is part of the program, which may run where there is no build. */
__asm__(".pushsection .rodata\n.balign 16\n.globl fuzz_object, fuzz_object_end\n"
        "fuzz_object: .incbin \"" OBJECT_PATH "\"\nfuzz_object_end:\n.popsection");
extern const uint8_t fuzz_object[], fuzz_object_end[];

static void die(const char *why)
{
    fprintf(stderr, "fuzz_cache: %s\n", why);
    abort();
}

static uint8_t *read_whole(const char *name, size_t *bytes)
{
    uint8_t *content = malloc(OBJECT_BYTES_MAX);
    FILE *file = fopen(name, "rb");

    if (!content || !file)
        die(name);
    *bytes = fread(content, 1, OBJECT_BYTES_MAX, file);
    fclose(file);
    return content;
}

static void write_whole(const uint8_t *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        die(path);
    close(fd);
}

static void start(void)
{
    static char folder[] = "/tmp/fuzz-cache-XXXXXX";

    if (!mkdtemp(folder) || setenv("CUPIPE_CACHE", folder, 1) != 0 || cuInit(0) != CUDA_SUCCESS)
        die("the library does not start");
    object = fuzz_object;
    object_bytes = (size_t)(fuzz_object_end - fuzz_object);
    if (!cup_cache_write(&key, object, object_bytes))
        die("an object cannot be stored");
    snprintf(path, sizeof(path), "%s/%016llx%016llx.kernel", folder,
             (unsigned long long)key.words[0], (unsigned long long)key.words[1]);
    stored = read_whole(path, &stored_bytes);
}

static void change(uint8_t *bytes, size_t count, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + TRIPLE <= size; i += TRIPLE)
        bytes[(data[i] | (size_t)data[i + 1] << 8) % count] ^= data[i + 2];
}

static void load(const uint8_t *bytes, size_t count)
{
    struct cup_elf_symbol symbols[] = {{.name = "cup_abi_run_blocks"}, {.name = "cup_abi_info"}};
    struct cup_elf_code code;

    if (cup_elf_load(bytes, count, &code, symbols, 2) != NULL) {
        if (code.base)
            die("an object that was refused is mapped");
        return;
    }
    for (int i = 0; i < 2; i++) {
        const uint8_t *address = symbols[i].address;

        if (address && (address < code.base || address > code.base + code.size_bytes ||
                        symbols[i].size_bytes > (size_t)(code.base + code.size_bytes - address)))
            die("a symbol lies outside of what was mapped");
    }
    cup_elf_unload(&code);
}

/* Changes the object; its checksum is right. */
static void try_object(const uint8_t *data, size_t size, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1), *found;
    size_t found_bytes = 0;

    if (!copy)
        return;
    memcpy(copy, object, count);
    if (count)
        change(copy, count, data, size);
    if (!cup_cache_write(&key, copy, count))
        die("an object cannot be stored");
    found = cup_cache_read(&key, &found_bytes);
    if (!found || found_bytes != count || memcmp(found, copy, count) != 0)
        die("what was stored is not what is read");
    load(found, found_bytes);
    free(found);
    free(copy);
}

/* Changes the file. */
static void try_file(const uint8_t *data, size_t size, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1), *found;
    size_t found_bytes = 0;

    if (!copy)
        return;
    memcpy(copy, stored, count);
    if (count)
        change(copy, count, data, size);
    bool is_same = count == stored_bytes && memcmp(copy, stored, count) == 0;
    write_whole(copy, count);
    found = cup_cache_read(&key, &found_bytes);
    if (!!found != is_same)
        die(found ? "a damaged file is read" : "a good file is not read");
    free(found);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < TRIPLE)
        return 0;
    if (!object)
        start();
    bool is_object = data[0] & FLAG_OBJECT;
    size_t count = is_object ? object_bytes : stored_bytes;
    if (data[0] & FLAG_CUT)
        count = (data[1] | (size_t)data[2] << 8) % (count + 1);
    (is_object ? try_object : try_file)(data + 1, size - 1, count);
    return 0;
}
