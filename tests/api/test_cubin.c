/* SPDX-License-Identifier: MIT */
/* Linked images: cuLinkComplete() creates an ELF file for a GPU, which is accepted wherever a cubin
 * is. */
#include "kernels.h"
#include "test.h"

/* The linked image; the caller frees it. */
static void *make_image(size_t *bytes)
{
    CUlinkState link;
    void *image;

    check_success(cuLinkCreate(0, NULL, NULL, &link));
    check_success(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx_caller, sizeof ptx_caller,
                                "caller", 0, NULL, NULL));
    check_success(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx_callee, sizeof ptx_callee,
                                "callee", 0, NULL, NULL));
    check_success(cuLinkComplete(link, &image, bytes));
    void *copy = malloc(*bytes);
    check(copy);
    memcpy(copy, image, *bytes);
    check_success(cuLinkDestroy(link));
    return copy;
}

static void check_answer(CUfunction function)
{
    CUdeviceptr memory;
    void *arguments[] = {&memory};
    unsigned value = 0;

    check_success(cuMemAlloc(&memory, 4));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    check_success(cuMemcpyDtoH(&value, memory, 4));
    check(value == 42);
}

static void check_module(const void *image)
{
    CUmodule module;
    CUfunction function;

    check_success(cuModuleLoadData(&module, image));
    check_success(cuModuleGetFunction(&function, module, "ask"));
    check_answer(function);
}

TEST(linked_image_is_an_elf_file_for_a_gpu)
{
    size_t bytes;

    with_context();
    unsigned char *image = make_image(&bytes);
    check(bytes > 64 && memcmp(image, "\177ELF\2\1\1", 7) == 0);
    check(image[18] == 190 && image[19] == 0); /* e_machine */
    free(image);
}

TEST(linked_image_loads_as_a_library)
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    size_t bytes;

    with_context();
    void *image = make_image(&bytes);
    check_success(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "ask"));
    check_success(cuKernelGetFunction(&function, kernel));
    check_answer(function);
    free(image);
}

/* Links the input alone and runs the result. */
static void check_linked(CUjitInputType type, void *data, size_t bytes)
{
    CUlinkState link;
    void *image;

    check_success(cuLinkCreate(0, NULL, NULL, &link));
    check_success(cuLinkAddData(link, type, data, bytes, "input", 0, NULL, NULL));
    check_success(cuLinkComplete(link, &image, &bytes));
    check_module(image);
    check_success(cuLinkDestroy(link));
}

TEST(image_is_linked_as_a_cubin_an_object_and_ptx)
{
    size_t bytes;

    with_context();
    only_cupipe(); /* NVIDIA's linker does not link an image again */
    void *image = make_image(&bytes);
    check_linked(CU_JIT_INPUT_CUBIN, image, bytes);
    check_linked(CU_JIT_INPUT_OBJECT, image, bytes);
    check_linked(CU_JIT_INPUT_PTX, image, bytes);
    free(image);
}

/* Numbers lie low byte first. */
static void put(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

enum { HEADER = 16, ENTRY = 64 };

/* An entry of a fatbin; returns the size with what is before it. */
static size_t add_entry(uint8_t *fatbin, size_t at, unsigned kind, unsigned capability,
                        const void *data, size_t bytes)
{
    size_t padded = (bytes + 7) & ~(size_t)7;
    uint8_t *entry = fatbin + at;

    put(entry, kind, 2);
    put(entry + 2, 0x101, 2);
    put(entry + 4, ENTRY, 4);
    put(entry + 8, padded, 8);
    put(entry + 28, capability, 4);
    put(entry + 40, 0x11, 8);
    memcpy(entry + ENTRY, data, bytes);
    return at + ENTRY + padded;
}

static uint8_t *make_fatbin(const void *image, size_t bytes, unsigned capability, const char *ptx,
                            unsigned ptx_capability, size_t *total)
{
    uint8_t *fatbin = calloc(1, HEADER + 2 * ENTRY + bytes + strlen(ptx) + 32);

    check(fatbin);
    put(fatbin, 0xba55ed50, 4);
    put(fatbin + 4, 1, 2);
    put(fatbin + 6, HEADER, 2);
    *total = add_entry(fatbin, HEADER, 2, capability, image, bytes);
    *total = add_entry(fatbin, *total, 1, ptx_capability, ptx, strlen(ptx) + 1);
    put(fatbin + 8, *total - HEADER, 8);
    return fatbin;
}

/* The entry that suits the device best is taken, whether it is PTX or an image. */
TEST(image_in_a_fatbin_competes_with_ptx)
{
    static const char other[] = PTX_HEAD ".visible .entry other()\n{\n    ret;\n}\n";
    size_t bytes, total;
    CUmodule module;
    CUfunction function;

    with_context();
    only_cupipe();
    void *image = make_image(&bytes);
    uint8_t *newer = make_fatbin(image, bytes, 80, other, 75, &total);
    check_module(newer);
    uint8_t *older = make_fatbin(image, bytes, 75, other, 80, &total);
    check_success(cuModuleLoadData(&module, older));
    check_success(cuModuleGetFunction(&function, module, "other"));
    check_linked(CU_JIT_INPUT_FATBINARY, newer, total);
    free(older);
    free(newer);
    free(image);
}

/* A host object as nvcc's: the fatbin is in a section of its own. */
static uint8_t *make_object(const uint8_t *fatbin, size_t fatbin_bytes, size_t *bytes)
{
    static const char names[] = "\0.shstrtab\0.nv_fatbin";
    size_t names_at = 64, fatbin_at = 96, sections_at = (fatbin_at + fatbin_bytes + 7) & ~7ul;
    uint8_t *object = calloc(1, sections_at + 3 * 64), *section = object + sections_at + 64;

    check(object);
    memcpy(object, "\177ELF\2\1\1", 7);
    put(object + 16, 1, 2);
    put(object + 18, 62, 2);
    put(object + 40, sections_at, 8);
    put(object + 58, 64, 2);
    put(object + 60, 3, 2);
    put(object + 62, 1, 2);
    memcpy(object + names_at, names, sizeof names);
    put(section, 1, 4);
    put(section + 4, 3, 4);
    put(section + 24, names_at, 8);
    put(section + 32, sizeof names, 8);
    section += 64;
    put(section, 11, 4);
    put(section + 4, 1, 4);
    put(section + 24, fatbin_at, 8);
    put(section + 32, fatbin_bytes, 8);
    memcpy(object + fatbin_at, fatbin, fatbin_bytes);
    *bytes = sections_at + 3 * 64;
    return object;
}

TEST(device_code_of_objects_and_libraries_is_linked)
{
    static const char other[] = PTX_HEAD ".visible .entry other()\n{\n    ret;\n}\n";
    size_t bytes, total, object_bytes;

    with_context();
    only_cupipe();
    void *image = make_image(&bytes);
    uint8_t *fatbin = make_fatbin(image, bytes, 90, other, 75, &total);
    uint8_t *object = make_object(fatbin, total, &object_bytes);
    check_linked(CU_JIT_INPUT_OBJECT, object, object_bytes);
    char *library = calloc(1, 8 + 60 + object_bytes + 1);
    check(library);
    sprintf(library, "!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "a.o/", 0, 0, 0, 0644,
            object_bytes);
    memcpy(library + 68, object, object_bytes);
    check_linked(CU_JIT_INPUT_LIBRARY, library, 68 + object_bytes);
    free(library);
    free(object);
    free(fatbin);
    free(image);
}

/* Machine code stays machine code, wherever it stands. */
TEST(machine_code_is_no_input_of_a_link)
{
    static uint8_t cubin[64];
    CUlinkState link;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};

    with_context();
    only_cupipe();
    memcpy(cubin, "\177ELF\2\1\1\x41\x8", 9);
    put(cubin + 18, 190, 2);
    put(cubin + 48, 89 << 8, 4);
    check_success(cuLinkCreate(2, options, values, &link));
    check_result(
        cuLinkAddData(link, CU_JIT_INPUT_CUBIN, cubin, sizeof cubin, "machine", 0, NULL, NULL),
        CUDA_ERROR_NO_BINARY_FOR_GPU);
    check(strstr(log, "sm_89") && strstr(log, "ptxas"));
    check_success(cuLinkDestroy(link));
}

/* Any damage is refused or changes nothing; the process survives. */
TEST(damaged_images_are_refused)
{
    size_t bytes;
    CUmodule module;

    with_context();
    only_cupipe();
    unsigned char *image = make_image(&bytes);
    for (size_t i = 0; i < bytes; i += i < 192 || i > bytes - 256 ? 1 : 97)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            image[i] ^= (unsigned char)(1u << bit);
            if (cuModuleLoadData(&module, image) == CUDA_SUCCESS)
                check_success(cuModuleUnload(module));
            image[i] ^= (unsigned char)(1u << bit);
        }
    CUlinkState link;
    for (size_t length = 1; length < bytes; length += length < 128 ? 1 : 61) {
        check_success(cuLinkCreate(0, NULL, NULL, &link));
        check(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, image, length, "part", 0, NULL, NULL) !=
              CUDA_SUCCESS);
        check_success(cuLinkDestroy(link));
    }
    check_module(image);
    free(image);
}
