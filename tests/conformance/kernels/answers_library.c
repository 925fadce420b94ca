/* SPDX-License-Identifier: MIT */
/*
 * Libraries and their kernels, which belong to no context until they are used in one.
 */
#include "kernels.h"

GROUP(720, library, "library")
{
    CUlibrary library = (CUlibrary)UNTOUCHED, second = NULL;
    CUkernel kernels[32], kernel;
    unsigned count = 77;
    CUmodule module = NULL;
    CUdeviceptr ptr = UNTOUCHED, other = 0;
    size_t size = 12345;

    use_kernels();
    CHECK("null-code", driver.cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0),
          "out=%s", out_state(library));
    CHECK("null-out", driver.cuLibraryLoadData(NULL, ptx_basic, NULL, NULL, 0, NULL, NULL, 0));
    CHECK("garbage",
          driver.cuLibraryLoadData(&library, "this is not PTX, though it is long enough", NULL,
                                   NULL, 0, NULL, NULL, 0),
          "out=%s", out_state(library));
    library = (CUlibrary)UNTOUCHED;
    CHECK("bad-ptx",
          driver.cuLibraryLoadData(&library,
                                   ".version 8.0\n.target sm_75\n.address_size 64\n"
                                   ".visible .entry k() { add.u32 a, b, c; }\n",
                                   NULL, NULL, 0, NULL, NULL, 0),
          "out=%s", out_state(library));
    CUkernel bad_kernel = NULL;
    CHECK("bad-ptx-kernel", library != (CUlibrary)UNTOUCHED && library
                                ? driver.cuLibraryGetKernel(&bad_kernel, library, "k")
                                : CUDA_ERROR_NOT_FOUND);
    CHECK("newer-version",
          driver.cuLibraryLoadData(&library, ".version 99.0\n.target sm_75\n.address_size 64\n",
                                   NULL, NULL, 0, NULL, NULL, 0));
    CUlibraryOption option[] = {CU_LIBRARY_BINARY_IS_PRESERVED};
    int flag = 1;
    void *option_values[] = {&flag};
    CHECK("preserved",
          driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 0, option, option_values, 1));
    option[0] = 99;
    CHECK("bad-option",
          driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 0, option, option_values, 1));
    CHECK("options-null",
          driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 0, NULL, NULL, 1));
    CHECK("jit-options-null",
          driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 1, NULL, NULL, 0));
    CHECK("load", driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 0, NULL, NULL, 0),
          "out=%s", out_state(library));
    CHECK("load-again", driver.cuLibraryLoadData(&second, ptx_basic, NULL, NULL, 0, NULL, NULL, 0),
          "same=%d", second == library);

    CHECK("count", driver.cuLibraryGetKernelCount(&count, library), "count=%u", count);
    CHECK("count-null", driver.cuLibraryGetKernelCount(NULL, library));
    CHECK("count-null-library", driver.cuLibraryGetKernelCount(&count, NULL));
    CHECK("enumerate", driver.cuLibraryEnumerateKernels(kernels, 32, library));
    CHECK("enumerate-0", driver.cuLibraryEnumerateKernels(kernels, 0, library));
    CHECK("enumerate-null", driver.cuLibraryEnumerateKernels(NULL, 3, library));
    for (unsigned i = 0; i < 11 && i < count; i++) {
        const char *name = "";
        CHECK(format("kernel-name-%u", i), driver.cuKernelGetName(&name, kernels[i]), "%s", name);
    }
    kernel = (CUkernel)UNTOUCHED;
    CHECK("kernel-missing", driver.cuLibraryGetKernel(&kernel, library, "nothing"), "out=%s",
          out_state(kernel));
    CHECK("kernel-null-name", driver.cuLibraryGetKernel(&kernel, library, NULL));
    CHECK("kernel-null-out", driver.cuLibraryGetKernel(NULL, library, "store"));
    CHECK("kernel-null-library", driver.cuLibraryGetKernel(&kernel, NULL, "store"));
    CHECK("kernel-hidden", driver.cuLibraryGetKernel(&kernel, library, "hidden_entry"));
    CHECK("kernel-function-name", driver.cuLibraryGetKernel(&kernel, library, "device_function"));
    CHECK("kernel", driver.cuLibraryGetKernel(&kernel, library, "store"), "out=%s",
          out_state(kernel));
    CUkernel again = NULL;
    driver.cuLibraryGetKernel(&again, library, "store");
    RECORD("kernel-twice", "same=%d", again == kernel);

    CHECK("module", driver.cuLibraryGetModule(&module, library), "out=%s", pointer_state(module));
    CUmodule module_again = NULL;
    driver.cuLibraryGetModule(&module_again, library);
    RECORD("module-twice", "same=%d", module == module_again);
    CHECK("module-null-out", driver.cuLibraryGetModule(NULL, library));
    CHECK("module-null-library", driver.cuLibraryGetModule(&module, NULL));
    CHECK("module-unload", driver.cuModuleUnload(module));

    static const char *const names[] = {"counter", "table",   "factor", "managed_word",
                                        "hidden",  "nothing", "store",  "dynamic"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        ptr = UNTOUCHED;
        size = 12345;
        CHECK(format("global-%s", names[i]),
              driver.cuLibraryGetGlobal(&ptr, &size, library, names[i]), "out=%s size=%zu",
              out_state(ptr), size);
        ptr = UNTOUCHED;
        size = 12345;
        CHECK(format("managed-%s", names[i]),
              driver.cuLibraryGetManaged(&ptr, &size, library, names[i]), "out=%s size=%zu",
              out_state(ptr), size);
    }
    CHECK("global-null-both", driver.cuLibraryGetGlobal(NULL, NULL, library, "table"));
    CHECK("global-null-name", driver.cuLibraryGetGlobal(&ptr, &size, library, NULL));
    CHECK("managed-null-both", driver.cuLibraryGetManaged(NULL, NULL, library, "managed_word"));
    driver.cuLibraryGetGlobal(&ptr, &size, library, "table");
    driver.cuModuleGetGlobal(&other, &size, module, "table");
    RECORD("global-of-module", "same=%d", ptr == other);
    void *unified = NULL;
    CHECK("unified-missing", driver.cuLibraryGetUnifiedFunction(&unified, library, "nothing"));
    CHECK("unified-plain",
          driver.cuLibraryGetUnifiedFunction(&unified, library, "device_function"));

    CHECK("unload", driver.cuLibraryUnload(library));
    CHECK("unload-second", driver.cuLibraryUnload(second));
    CHECK("unload-null", driver.cuLibraryUnload(NULL));
}

GROUP(721, kernel, "kernel")
{
    CUlibrary library, of = NULL;
    CUkernel store = NULL, mixed = NULL, dynamic = NULL;
    CUfunction function = NULL, again = NULL;
    int value;
    size_t offset, size;

    use_kernels();
    library = library_of(ptx_basic);
    driver.cuLibraryGetKernel(&store, library, "store");
    driver.cuLibraryGetKernel(&mixed, library, "mixed");
    driver.cuLibraryGetKernel(&dynamic, library, "shared_dynamic");
    CHECK("library", driver.cuKernelGetLibrary(&of, store), "same=%d", of == library);
    CHECK("library-null-out", driver.cuKernelGetLibrary(NULL, store));
    CHECK("library-null", driver.cuKernelGetLibrary(&of, NULL));
    CHECK("function", driver.cuKernelGetFunction(&function, store), "out=%s differs=%d",
          pointer_state(function), (void *)function != (void *)store);
    driver.cuKernelGetFunction(&again, store);
    RECORD("function-twice", "same=%d", function == again);
    CHECK("function-null-out", driver.cuKernelGetFunction(NULL, store));
    CHECK("function-null", driver.cuKernelGetFunction(&function, NULL));
    CUmodule module = NULL;
    CHECK("function-module", driver.cuFuncGetModule(&module, function), "%s",
          pointer_state(module));
    for (int attribute = -1; attribute <= CU_FUNC_ATTRIBUTE_MAX; attribute++) {
        if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
            continue;
        value = -77;
        CHECK(format("attribute-%d", attribute),
              driver.cuKernelGetAttribute(&value, attribute, store, device), "value=%d", value);
    }
    CHECK("attribute-null-out", driver.cuKernelGetAttribute(NULL, 0, store, device));
    CHECK("attribute-null-kernel", driver.cuKernelGetAttribute(&value, 0, NULL, device));
    CHECK("attribute-device-1", driver.cuKernelGetAttribute(&value, 0, store, 1));
    CHECK("attribute-device--1", driver.cuKernelGetAttribute(&value, 0, store, -1));
    static const int sizes[] = {-1, 0, 49152, 49153, 227 * 1024, 227 * 1024 + 1};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        CHECK_THEN(format("set-shared-%d", sizes[i]),
                   driver.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               sizes[i], dynamic, device),
                   driver.cuKernelGetAttribute(
                       &value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic, device),
                   "now=%d", value);
    driver.cuKernelGetFunction(&function, dynamic);
    driver.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, dynamic,
                                device);
    CHECK("function-follows",
          driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    function),
          "value=%d", value);
    driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000);
    CHECK("kernel-follows",
          driver.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      dynamic, device),
          "value=%d", value);
    CHECK("cache-config", driver.cuKernelSetCacheConfig(store, 1, device));
    CHECK("cache-config-null", driver.cuKernelSetCacheConfig(NULL, 1, device));
    CHECK("cache-config-bad", driver.cuKernelSetCacheConfig(store, 9, device));
    CHECK("cache-config-bad-device", driver.cuKernelSetCacheConfig(store, 1, 5));
    for (size_t i = 0; i < 8; i++)
        CHECK(format("param-%zu", i), driver.cuKernelGetParamInfo(mixed, i, &offset, &size),
              "offset=%zu size=%zu", offset, size);
    CHECK("param-null", driver.cuKernelGetParamInfo(NULL, 0, &offset, &size));
    CHECK("param-null-offset", driver.cuKernelGetParamInfo(mixed, 0, NULL, &size));
    const char *name = "";
    CHECK("name-null", driver.cuKernelGetName(&name, NULL));
    CHECK("name-null-out", driver.cuKernelGetName(NULL, store));

    /* A kernel's handle where a function's is asked. */
    CUdeviceptr place = device_alloc(4);
    CHECK("launch", launch_store((CUfunction)store, place, 99, NULL));
    cuda.cuCtxSynchronize();
    RECORD("launched", "%u", word_at(place));
    CHECK("func-attribute-of-kernel", driver.cuFuncGetAttribute(&value, 0, (CUfunction)store),
          "value=%d", value);
    CHECK("func-name-of-kernel", driver.cuFuncGetName(&name, (CUfunction)store), "%s", name);
    CHECK("func-set-of-kernel", driver.cuFuncSetAttribute((CUfunction)dynamic, 8, 1000));
    CHECK("occupancy-of-kernel",
          driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, (CUfunction)store, 64, 0),
          "value=%d", value);
}
