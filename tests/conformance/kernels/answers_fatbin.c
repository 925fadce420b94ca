/* SPDX-License-Identifier: MIT */
/*
 * Fatbin containers, made here: which entry is chosen, and which of them are refused.
 */
#include "kernels.h"

enum { KIND_PTX = 1, KIND_ELF = 2, HEADER_BYTES = 80 };

static const char ptx_75[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry from75() { ret; }\n";
static const char ptx_90[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry from90() { ret; }\n";
static const char ptx_100[] = ".version 9.0\n.target sm_100\n.address_size 64\n"
                              ".visible .entry from100() { ret; }\n";

struct container {
    unsigned char bytes[8192];
    size_t size;
};

static void put(unsigned char *at, uint64_t value, int size)
{
    memcpy(at, &value, size); /* little endian */
}

static void container_begin(struct container *container)
{
    memset(container, 0, sizeof *container);
    put(container->bytes, 0xba55ed50, 4);
    put(container->bytes + 4, 1, 2);
    put(container->bytes + 6, 16, 2);
    container->size = 16;
}

static unsigned char *container_add(struct container *container, int kind, unsigned architecture,
                                    const void *data, size_t size)
{
    unsigned char *entry = container->bytes + container->size;
    size_t padded = (size + 8) & ~(size_t)7;

    put(entry, kind, 2);
    put(entry + 2, 0x101, 2);
    put(entry + 4, HEADER_BYTES, 4);
    put(entry + 8, padded, 8);
    put(entry + 20, 64, 4);
    put(entry + 24, 0x90000, 4);
    put(entry + 28, architecture, 4);
    put(entry + 40, 0x11, 8);
    put(entry + 64, 72, 8);
    memcpy(entry + HEADER_BYTES, data, size);
    container->size += HEADER_BYTES + padded;
    put(container->bytes + 8, container->size - 16, 8);
    return entry;
}

/* Which kernel the module has. */
static const char *content_of(CUmodule module)
{
    static const char *const names[] = {"from75", "from90", "from100"};
    CUfunction function;

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!driver.cuModuleGetFunction(&function, module, names[i]))
            return names[i];
    return "none";
}

static void container_ask(const char *name, struct container *container)
{
    CUmodule module = (CUmodule)UNTOUCHED;
    struct {
        unsigned magic, version;
        const void *data;
        void *file;
    } wrapper = {0x466243b1, 1, container->bytes, NULL};

    CHECK(name, driver.cuModuleLoadData(&module, container->bytes), "%s",
          result ? out_state(module) : content_of(module));
    CHECK(format("fatbinary-%s", name), driver.cuModuleLoadFatBinary(&module, container->bytes),
          "%s", result ? "" : content_of(module));
    CHECK(format("wrapped-%s", name), driver.cuModuleLoadFatBinary(&module, &wrapper), "%s",
          result ? "" : content_of(module));
    CUlibrary library;
    unsigned count = 0;
    CHECK_THEN(format("library-%s", name),
               driver.cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0),
               CUresult counted =
                   result ? RESULT_SKIPPED : driver.cuLibraryGetKernelCount(&count, library),
               "%s %u", result_name(counted), count);
}

GROUP(706, modfatbin, "modfatbin")
{
    static const unsigned char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};
    struct container container;
    unsigned char *entry;

    use_kernels();
    cases_independent = 1;
    container_begin(&container);
    container_ask("empty", &container);
    container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    container_ask("ptx75", &container);
    container_add(&container, KIND_PTX, 90, ptx_90, sizeof ptx_90);
    container_ask("ptx75-ptx90", &container);
    container_add(&container, KIND_PTX, 100, ptx_100, sizeof ptx_100);
    container_ask("ptx75-ptx90-ptx100", &container);

    container_begin(&container);
    container_add(&container, KIND_PTX, 90, ptx_90, sizeof ptx_90);
    container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    container_ask("ptx90-ptx75", &container);
    container_begin(&container);
    container_add(&container, KIND_PTX, 100, ptx_100, sizeof ptx_100);
    container_ask("ptx100", &container);
    container_begin(&container);
    container_add(&container, KIND_PTX, 75, "garbage", 8);
    container_ask("ptx-garbage", &container);
    container_begin(&container);
    container_add(&container, KIND_ELF, 75, elf, sizeof elf);
    container_ask("elf75", &container);
    container_begin(&container);
    container_add(&container, KIND_ELF, 90, elf, sizeof elf);
    container_ask("elf90-broken", &container);
    container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    container_ask("elf90-broken-ptx75", &container);
    container_begin(&container);
    container_add(&container, KIND_ELF, 80, elf, sizeof elf);
    container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    container_ask("elf80-ptx75", &container);
    container_begin(&container);
    container_add(&container, 7, 75, ptx_75, sizeof ptx_75);
    container_ask("unknown-kind", &container);

    container_begin(&container);
    entry = container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    put(entry + 40, 0x8011, 8);
    container_ask("zstd-flag-on-plain", &container);
    put(entry + 40, 0x2011, 8);
    container_ask("lz4-flag-on-plain", &container);
    put(entry + 40, 0, 8);
    container_ask("flags-0", &container);

    container_begin(&container);
    container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    put(container.bytes + 4, 2, 2);
    container_ask("version-2", &container);
    container_begin(&container);
    container_add(&container, KIND_PTX, 75, ptx_75, sizeof ptx_75);
    put(container.bytes + 8, 40, 8);
    container_ask("size-too-small", &container);
}
