/* SPDX-License-Identifier: MIT */
/* A program with ranges, for check_ranges.py: it links NVTX as version 2 has it. With the argument
 * "inject" it calls the functions that an injection puts into NVTX 3's tables instead. */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    union {
        int64_t integer;
        double number;
    } payload;
    int32_t message_type;
    const void *message;
};

typedef void function(void);
enum { CORE_SLOTS = 16, CORE2_SLOTS = 16 };

static function *core[CORE_SLOTS], *core2[CORE2_SLOTS];

static int get_module(int module, function ****slots, unsigned *count)
{
    static function **core_table[CORE_SLOTS], **core2_table[CORE2_SLOTS];

    for (int i = 0; i < CORE_SLOTS; i++) {
        core_table[i] = &core[i];
        core2_table[i] = &core2[i];
    }
    *slots = module == 1 ? core_table : core2_table;
    *count = CORE_SLOTS;
    return module == 1 || module == 5;
}

static const void *get_table(uint32_t id)
{
    static const struct {
        size_t bytes;
        int (*get_module)(int, function ****, unsigned *);
    } callbacks = {sizeof(callbacks), get_module};

    return id == 1 ? &callbacks : NULL;
}

/* Finds the functions by their names or by their slots. */
static int load(int inject)
{
    static const struct {
        const char *name;
        function **place;
    } names[] = {
        {"nvtxMarkA", &core[2]},           {"nvtxRangeStartA", &core[5]},
        {"nvtxRangeEnd", &core[7]},        {"nvtxRangePushA", &core[9]},
        {"nvtxRangePop", &core[11]},       {"nvtxDomainRangePushEx", &core2[4]},
        {"nvtxRangePushW", &core[10]},     {"nvtxDomainRangePop", &core2[5]},
        {"nvtxDomainCreateA", &core2[12]}, {"nvtxDomainNameCategoryA", &core2[8]},
    };
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW);
    int (*initialize)(const void *(*)(uint32_t));

    if (!library)
        return 0;
    if (inject) {
        *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
        return initialize && initialize(get_table);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        *(void **)names[i].place = dlsym(library, names[i].name);
        if (!*names[i].place)
            return 0;
    }
    return 1;
}

static uint64_t started;

static void *end_elsewhere(void *nothing)
{
    ((void (*)(uint64_t))core[7])(started);
    return nothing;
}

int main(int argc, char **argv)
{
    int (*push)(const char *), (*pop)(void);
    struct attributes attributes = {.size = sizeof(attributes),
                                    .category = 5,
                                    .color_type = 1,
                                    .color = 0xff12ab34,
                                    .payload_type = 2,
                                    .payload.integer = -42,
                                    .message_type = 1,
                                    .message = "in a domain"};
    pthread_t thread;
    CUcontext context;
    CUdeviceptr memory;
    void *domain;

    if (!load(argc > 1 && strcmp(argv[1], "inject") == 0))
        return 2;
    push = (int (*)(const char *))core[9];
    pop = (int (*)(void))core[11];
    if (pop() >= 0 || push("before the driver") != 0)
        return 3;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuMemAlloc(&memory, 1 << 20))
        return 4;
    started = ((uint64_t(*)(const char *))core[5])("across threads");
    if (push("outer \"quoted\"") != 1 || ((int (*)(const wchar_t *))core[10])(L"wide") != 2)
        return 5;
    cuMemsetD8(memory, 1, 1 << 20);
    ((void (*)(const char *))core[2])("a mark");
    domain = ((void *(*)(const char *))core2[12])("physics");
    ((void (*)(void *, uint32_t, const char *))core2[8])(domain, 5, "solver");
    ((int (*)(void *, const void *))core2[4])(domain, &attributes);
    if (pop() != 2 || ((int (*)(void *))core2[5])(domain) != 0 || pop() != 1)
        return 6;
    if (pthread_create(&thread, NULL, end_elsewhere, NULL) || pthread_join(thread, NULL))
        return 7;
    return pop() == 0 ? 0 : 8;
}
