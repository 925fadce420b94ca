/* SPDX-License-Identifier: MIT */
/*
 * What a module holds: functions and their attributes and parameters, variables.
 */
#include "kernels.h"

GROUP(710, modget, "modget")
{
    static const char *const function_names[] = {"empty",           "store",   "hidden_entry",
                                                 "device_function", "nothing", "",
                                                 "counter",         "Empty",   "empty "};
    static const char *const variable_names[] = {
        "counter", "table",   "factor",  "factors", "managed_word", "hidden",          "one_byte",
        "big",     "nothing", "dynamic", "",        "empty",        "pointer_to_table"};
    CUfunction function;
    CUmodule module;

    use_kernels();
    module = module_of(ptx_basic);
    for (size_t i = 0; i < COUNT_OF(function_names); i++) {
        function = (CUfunction)UNTOUCHED;
        CHECK(format("function-%s", function_names[i]),
              driver.cuModuleGetFunction(&function, module, function_names[i]), "out=%s",
              out_state(function));
    }
    function = (CUfunction)UNTOUCHED;
    CHECK("function-null-name", driver.cuModuleGetFunction(&function, module, NULL), "out=%s",
          out_state(function));
    CHECK("function-null-out", driver.cuModuleGetFunction(NULL, module, "empty"));
    CHECK("function-null-module", driver.cuModuleGetFunction(&function, NULL, "empty"));
    CHECK("function-null-all", driver.cuModuleGetFunction(NULL, NULL, NULL));
    CUfunction again = NULL;
    driver.cuModuleGetFunction(&function, module, "empty");
    driver.cuModuleGetFunction(&again, module, "empty");
    RECORD("function-twice", "same=%d", function == again);

    for (size_t i = 0; i < COUNT_OF(variable_names); i++) {
        CUdeviceptr ptr = UNTOUCHED;
        size_t size = 12345;
        CHECK(format("global-%s", variable_names[i]),
              driver.cuModuleGetGlobal(&ptr, &size, module, variable_names[i]), "out=%s size=%zu",
              out_state(ptr), size);
    }
    CUdeviceptr ptr = UNTOUCHED;
    size_t size = 12345;
    CHECK("global-null-name", driver.cuModuleGetGlobal(&ptr, &size, module, NULL), "out=%s",
          out_state(ptr));
    CHECK("global-null-address", driver.cuModuleGetGlobal(NULL, &size, module, "table"), "size=%zu",
          size);
    CHECK("global-null-size", driver.cuModuleGetGlobal(&ptr, NULL, module, "table"), "out=%s",
          out_state(ptr));
    CHECK("global-null-both", driver.cuModuleGetGlobal(NULL, NULL, module, "table"));
    CHECK("global-null-both-missing", driver.cuModuleGetGlobal(NULL, NULL, module, "nothing"));
    CHECK("global-null-module", driver.cuModuleGetGlobal(&ptr, &size, NULL, "table"));

    CUdeviceptr table = 0;
    driver.cuModuleGetGlobal(&table, &size, module, "table");
    unsigned char bytes[40];
    CHECK("read-table", cuda.cuMemcpyDtoH(bytes, table, 40), "%d %d %d %d %d", bytes[0], bytes[1],
          bytes[2], bytes[3], bytes[39]);
    CHECK("read-past-table", cuda.cuMemcpyDtoH(bytes, table + 4, 40));
    CHECK("table-range", cuda.cuMemGetAddressRange(&ptr, &size, table), "base=%s size=%zu",
          relative(ptr, table), size);
    CHECK("table-range-inside", cuda.cuMemGetAddressRange(&ptr, &size, table + 3),
          "base=%s size=%zu", relative(ptr, table), size);
    CHECK("free-table", cuda.cuMemFree(table));
    CUdeviceptr held = 0;
    driver.cuModuleGetGlobal(&ptr, &size, module, "pointer_to_table");
    cuda.cuMemcpyDtoH(&held, ptr, 8);
    RECORD("pointer-to-table", "%d", held == table);
    driver.cuModuleGetGlobal(&ptr, &size, module, "generic_to_table");
    cuda.cuMemcpyDtoH(&held, ptr, 8);
    RECORD("generic-to-table", "%d", held == table);
    driver.cuModuleGetGlobal(&ptr, &size, module, "factors");
    unsigned words[4] = {0};
    CHECK("read-const", cuda.cuMemcpyDtoH(words, ptr, 16), "%u %u %u %u", words[0], words[1],
          words[2], words[3]);
    CHECK("write-const", cuda.cuMemsetD32(ptr, 8, 2));
    RECORD("const-after", "%u", word_at(ptr));
    CHECK("const-range", cuda.cuMemGetAddressRange(&held, &size, ptr), "base=%s size=%zu",
          relative(held, ptr), size);
    driver.cuModuleGetGlobal(&ptr, &size, module, "managed_word");
    unsigned char kind[8] = {0};
    CHECK("managed-is-managed",
          cuda.cuPointerGetAttribute(kind, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr), "%d", kind[0]);
    RECORD("managed-by-host", "%u", ptr ? *(volatile unsigned *)as_host(ptr) : 0);
    unsigned type = 0;
    CHECK("global-memory-type",
          cuda.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, table), "%u", type);
    RECORD("table-alignment", "%d", (int)(table % 8));
}

static int written_count(CUfunction *functions, int count)
{
    int written = 0;

    for (int i = 0; i < count; i++)
        written += functions[i] != (CUfunction)UNTOUCHED;
    return written;
}

GROUP(711, modlist, "modlist")
{
    CUfunction functions[32];
    unsigned count = 77;
    CUmodule module;

    use_kernels();
    module = module_of(ptx_basic);
    CHECK("count", driver.cuModuleGetFunctionCount(&count, module), "count=%u", count);
    CHECK("count-null-out", driver.cuModuleGetFunctionCount(NULL, module));
    CHECK("count-null-module", driver.cuModuleGetFunctionCount(&count, NULL));
    static const unsigned sizes[] = {0, 1, 3, 11, 12, 32};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        for (int j = 0; j < 32; j++)
            functions[j] = (CUfunction)UNTOUCHED;
        CHECK(format("enumerate-%u", sizes[i]),
              driver.cuModuleEnumerateFunctions(functions, sizes[i], module), "written=%d",
              written_count(functions, 32));
    }
    CHECK("enumerate-null-array", driver.cuModuleEnumerateFunctions(NULL, 4, module));
    CHECK("enumerate-null-array-0", driver.cuModuleEnumerateFunctions(NULL, 0, module));
    CHECK("enumerate-null-module", driver.cuModuleEnumerateFunctions(functions, 4, NULL));
    driver.cuModuleEnumerateFunctions(functions, 32, module);
    for (unsigned i = 0; i < 11; i++) {
        const char *name = "";
        CHECK(format("name-%u", i), driver.cuFuncGetName(&name, functions[i]), "%s", name);
    }
    CUfunction store = function_of(module, "store");
    int same = 0;
    for (unsigned i = 0; i < 11; i++)
        same += functions[i] == store;
    RECORD("enumerated-is-got", "%d", same);
    CUmodule empty = module_of(ptx_empty_module);
    CHECK("empty-module-count", driver.cuModuleGetFunctionCount(&count, empty), "count=%u", count);
    CUfunctionLoadingState state = 77;
    CHECK("is-loaded", driver.cuFuncIsLoaded(&state, store), "state=%d", (int)state);
    CHECK("load", driver.cuFuncLoad(store));
    CHECK("is-loaded-after", driver.cuFuncIsLoaded(&state, store), "state=%d", (int)state);
    CHECK("load-null", driver.cuFuncLoad(NULL));
    CHECK("is-loaded-null", driver.cuFuncIsLoaded(&state, NULL));
    CHECK("is-loaded-null-out", driver.cuFuncIsLoaded(NULL, store));
    CUmodule of = (CUmodule)UNTOUCHED;
    CHECK("module-of", driver.cuFuncGetModule(&of, store), "same=%d", of == module);
    CHECK("module-of-null", driver.cuFuncGetModule(&of, NULL));
    CHECK("module-of-null-out", driver.cuFuncGetModule(NULL, store));
    const char *name = "";
    CHECK("name-null", driver.cuFuncGetName(&name, NULL));
    CHECK("name-null-out", driver.cuFuncGetName(NULL, store));
}

/* The number of registers and what hangs on it are the compiler's choice: names that begin with
 * "regs" are not compared. */
static void attributes_ask(const char *prefix, CUfunction function)
{
    for (int attribute = -1; attribute <= CU_FUNC_ATTRIBUTE_MAX + 1; attribute++) {
        int value = -77;
        CHECK(format(attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? "regs-%s" : "%s-%d", prefix,
                     attribute),
              driver.cuFuncGetAttribute(&value, attribute, function), "value=%d", value);
    }
}

GROUP(712, funcattr, "funcattr")
{
    CUmodule module, clusters = NULL;
    int value;

    use_kernels();
    module = module_of(ptx_basic);
    for (int i = 0; basic_kernels[i]; i++)
        attributes_ask(basic_kernels[i], function_of(module, basic_kernels[i]));
    if (!driver.cuModuleLoadData(&clusters, ptx_clusters)) {
        attributes_ask("cluster-plain", function_of(clusters, "plain"));
        attributes_ask("cluster-pair", function_of(clusters, "pair"));
        attributes_ask("cluster-open", function_of(clusters, "open"));
        attributes_ask("cluster-at-most", function_of(clusters, "at_most"));
    }
    CUfunction store = function_of(module, "store");
    CHECK("null-out", driver.cuFuncGetAttribute(NULL, 0, store));
    CHECK("null-function", driver.cuFuncGetAttribute(&value, 0, NULL));
    CHECK("bad-attribute-null-function", driver.cuFuncGetAttribute(&value, 99, NULL));
    CHECK("local-after-launch",
          driver.cuFuncGetAttribute(&value, 3, function_of(module, "local_array")), "value=%d",
          value);
}

GROUP(713, funcset, "funcset")
{
    static const int shared_sizes[] = {-1,
                                       0,
                                       1,
                                       1000,
                                       48 * 1024,
                                       48 * 1024 + 1,
                                       163 * 1024,
                                       227 * 1024 - 1000,
                                       227 * 1024 - 1,
                                       227 * 1024,
                                       227 * 1024 + 1,
                                       228 * 1024,
                                       1 << 30};
    static const int carveouts[] = {-2, -1, 0, 1, 50, 100, 101};
    static const char *const kernels[] = {"store", "shared_static", "shared_full",
                                          "shared_dynamic"};
    CUmodule module;
    int value;

    use_kernels();
    module = module_of(ptx_basic);
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        CUfunction function = function_of(module, kernels[k]);
        for (size_t i = 0; i < COUNT_OF(shared_sizes); i++)
            CHECK_THEN(
                format("%s-shared-%d", kernels[k], shared_sizes[i]),
                driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          shared_sizes[i]),
                driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          function),
                "now=%d", value);
    }
    CUfunction store = function_of(module, "store");
    for (size_t i = 0; i < COUNT_OF(carveouts); i++)
        CHECK_THEN(format("carveout-%d", carveouts[i]),
                   driver.cuFuncSetAttribute(
                       store, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carveouts[i]),
                   driver.cuFuncGetAttribute(
                       &value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, store),
                   "now=%d", value);
    for (int attribute = -1; attribute <= CU_FUNC_ATTRIBUTE_MAX + 1; attribute++) {
        for (int wanted = -1; wanted <= 2; wanted++) {
            value = -77;
            CUfunction function = function_of(module, "empty");
            CHECK_THEN(format("set-%d-to-%d", attribute, wanted),
                       driver.cuFuncSetAttribute(function, attribute, wanted),
                       driver.cuFuncGetAttribute(&value, attribute, function), "now=%d",
                       attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 0 : value);
        }
    }
    CHECK("null-function", driver.cuFuncSetAttribute(NULL, 8, 0));
    CHECK("null-function-bad-attribute", driver.cuFuncSetAttribute(NULL, 99, 0));
    for (int config = -1; config <= 4; config++)
        CHECK(format("cache-config-%d", config), driver.cuFuncSetCacheConfig(store, config));
    CHECK("cache-config-null", driver.cuFuncSetCacheConfig(NULL, 0));
    for (int config = -1; config <= 3; config++)
        CHECK(format("shared-config-%d", config), driver.cuFuncSetSharedMemConfig(store, config));
    CHECK("shared-config-null", driver.cuFuncSetSharedMemConfig(NULL, 0));

    CUmodule clusters = NULL;
    if (driver.cuModuleLoadData(&clusters, ptx_clusters))
        return;
    static const char *const cluster_kernels[] = {"plain", "pair", "open", "at_most"};
    for (size_t k = 0; k < COUNT_OF(cluster_kernels); k++) {
        CUfunction function = function_of(clusters, cluster_kernels[k]);
        for (int attribute = 10; attribute <= 15; attribute++)
            for (int wanted = 0; wanted <= 16; wanted = wanted ? wanted * 2 : 1)
                CHECK_THEN(format("cluster-%s-%d-to-%d", cluster_kernels[k], attribute, wanted),
                           driver.cuFuncSetAttribute(function, attribute, wanted),
                           driver.cuFuncGetAttribute(&value, attribute, function), "now=%d", value);
    }
}

GROUP(714, funcparam, "funcparam")
{
    CUmodule module;
    size_t offset, size;

    use_kernels();
    module = module_of(ptx_basic);
    CUfunction mixed = function_of(module, "mixed"), empty = function_of(module, "empty");
    for (size_t i = 0; i < 9; i++) {
        offset = size = 7777;
        CHECK(format("mixed-%zu", i), driver.cuFuncGetParamInfo(mixed, i, &offset, &size),
              "offset=%zu size=%zu", offset, size);
    }
    offset = size = 7777;
    CHECK("mixed-huge", driver.cuFuncGetParamInfo(mixed, SIZE_MAX, &offset, &size));
    CHECK("empty-0", driver.cuFuncGetParamInfo(empty, 0, &offset, &size), "offset=%zu size=%zu",
          offset, size);
    CHECK("null-offset", driver.cuFuncGetParamInfo(mixed, 1, NULL, &size), "size=%zu", size);
    CHECK("null-size", driver.cuFuncGetParamInfo(mixed, 2, &offset, NULL), "offset=%zu", offset);
    CHECK("null-both", driver.cuFuncGetParamInfo(mixed, 2, NULL, NULL));
    CHECK("null-function", driver.cuFuncGetParamInfo(NULL, 0, &offset, &size));
}
