/* SPDX-License-Identifier: MIT */
/* Fatbins: containers of PTX and machine code, put together here byte by byte. */
#include "kernels.h"
#include "test.h"

#include <dlfcn.h>

enum { KIND_PTX = 1, KIND_ELF = 2, ENTRY_BYTES = 64 };
enum { PLAIN = 0x11, LZ4 = 0x2011, ZSTD = 0x8011 }; /* flags of an entry */

struct container {
    uint8_t bytes[16384];
    size_t size;
};

/* Numbers lie low byte first. */
static void put(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* NVIDIA's driver wants more in a container than these have: they are for cupipe alone. */
static void container_begin(struct container *container)
{
    only_cupipe();
    memset(container, 0, sizeof(*container));
    put(container->bytes, 0xba55ed50, 4);
    put(container->bytes + 4, 1, 2);
    put(container->bytes + 6, 16, 2);
    container->size = 16;
}

/* An entry for a compute capability (75 for 7.5); returns where its header is. */
static uint8_t *container_add(struct container *container, unsigned kind, unsigned capability,
                              const void *data, size_t size)
{
    uint8_t *entry = container->bytes + container->size;
    size_t padded = (size + 7) & ~(size_t)7;

    check(container->size + ENTRY_BYTES + padded <= sizeof(container->bytes));
    put(entry, kind, 2);
    put(entry + 2, 0x101, 2);
    put(entry + 4, ENTRY_BYTES, 4);
    put(entry + 8, padded, 8);
    put(entry + 20, 64, 4);
    put(entry + 24, 0x90000, 4);
    put(entry + 28, capability, 4);
    put(entry + 40, PLAIN, 8);
    memcpy(entry + ENTRY_BYTES, data, size);
    container->size += ENTRY_BYTES + padded;
    put(container->bytes + 8, container->size - 16, 8);
    return entry;
}

static void container_add_packed(struct container *container, const void *packed, size_t size,
                                 size_t unpacked_size, unsigned flags)
{
    uint8_t *entry = container_add(container, KIND_PTX, 75, packed, size);

    put(entry + 16, size, 4);
    put(entry + 40, flags, 8);
    put(entry + 56, unpacked_size, 8);
}

static size_t pack_zstd(const char *text, size_t size, void *room, size_t room_size)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    size_t (*compress)(void *, size_t, const void *, size_t, int);

    if (!library)
        skip("libzstd.so.1 is not there");
    *(void **)&compress = dlsym(library, "ZSTD_compress");
    size_t packed = compress(room, room_size, text, size, 3);
    check(packed < room_size);
    return packed;
}

static size_t pack_lz4(const char *text, size_t size, void *room, size_t room_size)
{
    void *library = dlopen("liblz4.so.1", RTLD_NOW);
    int (*compress)(const char *, char *, int, int);

    if (!library)
        skip("liblz4.so.1 is not there");
    *(void **)&compress = dlsym(library, "LZ4_compress_default");
    int packed = compress(text, room, (int)size, (int)room_size);
    check(packed > 0);
    return (size_t)packed;
}

/* Runs the kernel `fill` of the module and looks at what it filled. */
static void check_fill(CUmodule module)
{
    CUfunction function;
    CUdeviceptr memory;
    unsigned value = 7, count = 100, words[100] = {0};
    void *arguments[] = {&memory, &value, &count};

    check_success(cuModuleGetFunction(&function, module, "fill"));
    check_success(cuMemAlloc(&memory, sizeof(words)));
    check_success(cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    check_success(cuMemcpyDtoH(words, memory, sizeof(words)));
    for (unsigned i = 0; i < count; i++)
        check(words[i] == value);
}

TEST(plain_ptx_is_taken)
{
    struct container container;
    CUmodule module;

    with_context();
    container_begin(&container);
    container_add(&container, KIND_PTX, 75, ptx_fill, sizeof(ptx_fill));
    check_success(cuModuleLoadData(&module, container.bytes));
    check_fill(module);
    check_success(cuModuleLoadFatBinary(&module, container.bytes));
    check_fill(module);
}

TEST(ptx_packed_by_zstd_is_taken)
{
    struct container container;
    uint8_t packed[4096];
    CUmodule module;

    with_context();
    container_begin(&container);
    container_add_packed(&container, packed,
                         pack_zstd(ptx_fill, sizeof(ptx_fill), packed, sizeof(packed)),
                         sizeof(ptx_fill), ZSTD);
    check_success(cuModuleLoadData(&module, container.bytes));
    check_fill(module);
}

TEST(ptx_packed_by_lz4_is_taken)
{
    struct container container;
    uint8_t packed[4096];
    CUmodule module;

    with_context();
    container_begin(&container);
    container_add_packed(&container, packed,
                         pack_lz4(ptx_fill, sizeof(ptx_fill), packed, sizeof(packed)),
                         sizeof(ptx_fill), LZ4);
    check_success(cuModuleLoadData(&module, container.bytes));
    check_fill(module);
}

TEST(packed_ptx_that_is_damaged_is_refused)
{
    struct container container;
    uint8_t packed[4096];
    size_t size;
    CUmodule module;

    with_context();
    size = pack_zstd(ptx_fill, sizeof(ptx_fill), packed, sizeof(packed));
    packed[0] ^= 0xff;
    container_begin(&container);
    container_add_packed(&container, packed, size, sizeof(ptx_fill), ZSTD);
    check_result(cuModuleLoadData(&module, container.bytes), CUDA_ERROR_INVALID_PTX);
}

TEST(the_newest_ptx_that_the_device_runs_is_taken)
{
    static const char old[] = PTX_HEAD ".visible .entry old() { ret; }\n";
    static const char newer[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry newer() { ret; }\n";
    static const char newest[] = ".version 9.0\n.target sm_121\n.address_size 64\n"
                                 ".visible .entry newest() { ret; }\n";
    struct container container;
    CUmodule module;
    CUfunction function;

    with_context();
    container_begin(&container);
    container_add(&container, KIND_PTX, 75, old, sizeof(old));
    container_add(&container, KIND_PTX, 121, newest, sizeof(newest));
    check_success(cuModuleLoadData(&module, container.bytes));
    check_success(cuModuleGetFunction(&function, module, "old"));
    container_add(&container, KIND_PTX, 80, newer, sizeof(newer));
    check_success(cuModuleLoadData(&module, container.bytes));
    check_success(cuModuleGetFunction(&function, module, "newer"));
}

TEST(ptx_for_newer_devices_is_not_taken)
{
    static const char newest[] = ".version 9.0\n.target sm_121\n.address_size 64\n"
                                 ".visible .entry newest() { ret; }\n";
    struct container container;
    CUmodule module;

    with_context();
    only_cupipe();
    container_begin(&container);
    container_add(&container, KIND_PTX, 121, newest, sizeof(newest));
    check_result(cuModuleLoadData(&module, container.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7, [18] = 190};

TEST(ptx_for_newer_devices_stands_in_for_machine_code)
{
    static const char newer[] = ".version 9.0\n.target sm_120\n.address_size 64\n"
                                ".visible .entry newer() { ret; }\n";
    static const char newest[] = ".version 9.0\n.target sm_121\n.address_size 64\n"
                                 ".visible .entry newest() { ret; }\n";
    struct container container;
    CUlibrary library;
    CUmodule module;
    CUfunction function;

    with_context();
    container_begin(&container);
    container_add(&container, KIND_PTX, 121, newest, sizeof(newest));
    container_add(&container, KIND_PTX, 120, newer, sizeof(newer));
    container_add(&container, KIND_ELF, 80, elf, sizeof(elf));
    check_result(cuModuleLoadData(&module, container.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
    uint8_t *entry = container_add(&container, KIND_ELF, 90, elf, sizeof(elf));
    check_success(cuModuleLoadData(&module, container.bytes));
    check_success(cuModuleGetFunction(&function, module, "newer"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuLibraryLoadData(&library, container.bytes, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetModule(&module, library));
    check_success(cuModuleGetFunction(&function, module, "newer"));
    check_success(cuLibraryUnload(library));
    entry[ENTRY_BYTES] ^= 1;
    check_result(cuModuleLoadData(&module, container.bytes), CUDA_ERROR_INVALID_IMAGE);
}

TEST(machine_code_alone_is_refused)
{
    struct container container;
    CUmodule module;

    with_context();
    container_begin(&container);
    check_result(cuModuleLoadData(&module, container.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
    container_add(&container, KIND_ELF, 50, elf, sizeof(elf));
    check_result(cuModuleLoadData(&module, container.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
    container_add(&container, KIND_PTX, 75, ptx_fill, sizeof(ptx_fill));
    check_success(cuModuleLoadData(&module, container.bytes));
    check_fill(module);
}

TEST(an_entry_that_claims_too_much_is_refused)
{
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX / 2, (uint64_t)1 << 40};
    struct container container;
    uint8_t *entry;
    CUmodule module;

    with_context();
    only_cupipe(); /* NVIDIA's driver reads on */
    container_begin(&container);
    entry = container_add(&container, KIND_PTX, 75, ptx_fill, sizeof(ptx_fill));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        put(entry + 8, sizes[i], 8);
        check(cuModuleLoadData(&module, container.bytes) != CUDA_SUCCESS);
    }
    put(entry + 8, 8, 8);
    put(entry + 4, 8, 4); /* a header shorter than a header */
    check(cuModuleLoadData(&module, container.bytes) != CUDA_SUCCESS);
    put(container.bytes + 8, UINT64_MAX, 8);
    check(cuModuleLoadData(&module, container.bytes) != CUDA_SUCCESS);
}

TEST(a_wrapper_is_for_libraries)
{
    struct container container;
    struct {
        uint32_t magic, version;
        const void *container;
        void *file;
    } wrapper = {0x466243b1, 1, container.bytes, NULL};
    CUlibrary library;
    CUmodule module;
    unsigned count = 7;

    with_context();
    container_begin(&container);
    container_add(&container, KIND_PTX, 75, ptx_fill, sizeof(ptx_fill));
    check_result(cuModuleLoadFatBinary(&module, &wrapper), CUDA_ERROR_INVALID_IMAGE);
    check_result(cuModuleLoadData(&module, &wrapper), CUDA_ERROR_INVALID_IMAGE);
    check_success(cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernelCount(&count, library));
    check(count == 2);
    check_success(cuLibraryGetModule(&module, library));
    check_fill(module);
}

/* The result of loading a library's module from a wrapper with this content. */
static CUresult load_wrapped(const void *content)
{
    struct {
        uint32_t magic, version;
        const void *content;
        void *file;
    } wrapper = {0x466243b1, 1, content, NULL};
    CUlibrary library;
    CUmodule module;
    CUresult result;

    check_result(cuModuleLoadData(&module, &wrapper), CUDA_ERROR_INVALID_IMAGE);
    check_success(cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0));
    result = cuLibraryGetModule(&module, library);
    check_success(cuLibraryUnload(library));
    return result;
}

TEST(a_wrapper_may_contain_any_image)
{
    static const uint8_t zeros[256];
    static const uint8_t old[64] = {0x50, 0xed, 0x55, 0xba}; /* version 0 */
    static const uint8_t wrapper[64] = {0xb1, 0x43, 0x62, 0x46, 1};
    struct container container;

    with_context();
    container_begin(&container);
    check_result(load_wrapped(ptx_fill), CUDA_SUCCESS);
    check_result(load_wrapped(container.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
    check_result(load_wrapped(zeros), CUDA_ERROR_INVALID_IMAGE);
    check_result(load_wrapped("text that is no image"), CUDA_ERROR_INVALID_IMAGE);
    check_result(load_wrapped(old), CUDA_ERROR_INVALID_IMAGE);
    check_result(load_wrapped(wrapper), CUDA_ERROR_INVALID_IMAGE);
}

TEST(a_library_without_code_for_the_device_is_empty)
{
    struct container container;
    CUlibrary library;
    unsigned count = 7;

    with_context();
    container_begin(&container);
    check_success(cuLibraryLoadData(&library, container.bytes, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernelCount(&count, library));
    check(count == 0);
    check_success(cuLibraryUnload(library));
}
