/* SPDX-License-Identifier: MIT */
/*
 * The linker: the usual flow, each step at the wrong time, and inputs that do not fit together.
 */
#include "kernels.h"

static CUresult add_text(CUlinkState link, const char *text, const char *name)
{
    return driver.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, name, 0,
                                NULL, NULL);
}

GROUP(730, link, "link")
{
    CUlinkState link = (CUlinkState)UNTOUCHED;
    void *image = (void *)UNTOUCHED;
    size_t size = 12345;
    CUmodule module = NULL;

    use_kernels();
    CHECK("create", driver.cuLinkCreate(0, NULL, NULL, &link), "out=%s", out_state(link));
    CHECK("add-user", add_text(link, ptx_link_user, "user"));
    CHECK("add-callee", add_text(link, ptx_link_callee, "callee"));
    CHECK("complete", driver.cuLinkComplete(link, &image, &size), "out=%s size=%s",
          out_state(image), size > 100 ? "some" : "none");
    CHECK("elf", image && image != (void *)UNTOUCHED ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND,
          "magic=%.3s", (char *)image + 1);
    CHECK("load", driver.cuModuleLoadData(&module, image));
    CHECK("add-after-complete", add_text(link, ptx_basic, "late"));
    CHECK("complete-again", driver.cuLinkComplete(link, &image, &size));
    CHECK("destroy", driver.cuLinkDestroy(link));
    CUdeviceptr place = device_alloc(4);
    void *parameters[] = {&place};
    CHECK("launch", launch(function_of(module, "user"), 1, 1, parameters));
    cuda.cuCtxSynchronize();
    RECORD("launched", "%u", word_at(place));
    unsigned count = 0;
    CHECK("count", driver.cuModuleGetFunctionCount(&count, module), "count=%u", count);
    CUdeviceptr ptr;
    CHECK("global", driver.cuModuleGetGlobal(&ptr, &size, module, "common_word"), "size=%zu", size);
}

GROUP(731, linkerror, "linkerror")
{
    CUlinkState link = NULL;
    void *image = (void *)UNTOUCHED;
    size_t size = 12345;
    static const char bad[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry k() { add.u32 a, b, c; ret; }\n";

    use_kernels();
    CHECK("create-null", driver.cuLinkCreate(0, NULL, NULL, NULL));
    CHECK("create-count-null", driver.cuLinkCreate(1, NULL, NULL, &link));
    CHECK("add-null-link", add_text(NULL, ptx_basic, "x"));
    CHECK("complete-null", driver.cuLinkComplete(NULL, &image, &size));
    CHECK("destroy-null", driver.cuLinkDestroy(NULL));
    driver.cuLinkCreate(0, NULL, NULL, &link);
    CHECK("complete-nothing", driver.cuLinkComplete(link, &image, &size), "out=%s",
          out_state(image));
    CHECK("destroy-nothing", driver.cuLinkDestroy(link));

    driver.cuLinkCreate(0, NULL, NULL, &link);
    CHECK("add-null-data",
          driver.cuLinkAddData(link, CU_JIT_INPUT_PTX, NULL, 10, "x", 0, NULL, NULL));
    CHECK("add-size-0",
          driver.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx_basic, 0, "x", 0, NULL, NULL));
    CHECK("add-size-without-end", driver.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx_basic,
                                                       strlen(ptx_basic), "x", 0, NULL, NULL));
    for (int type = -1; type <= CU_JIT_NUM_INPUT_TYPES; type++)
        CHECK(format("add-garbage-type-%d", type),
              driver.cuLinkAddData(link, type, (void *)"garbage, long enough for a header   ", 32,
                                   "x", 0, NULL, NULL));
    CHECK("add-bad", add_text(link, bad, "bad"));
    CHECK("complete-after-bad", driver.cuLinkComplete(link, &image, &size));
    CHECK("destroy-bad", driver.cuLinkDestroy(link));

    driver.cuLinkCreate(0, NULL, NULL, &link);
    CHECK("name-null", add_text(link, ptx_basic, NULL));
    CHECK("complete-null-out", driver.cuLinkComplete(link, NULL, &size));
    CHECK("complete-null-size", driver.cuLinkComplete(link, &image, NULL));
    driver.cuLinkDestroy(link);

    driver.cuLinkCreate(0, NULL, NULL, &link);
    CHECK("unresolved-add", add_text(link, ptx_link_user, "user"));
    image = (void *)UNTOUCHED;
    CHECK("unresolved-complete", driver.cuLinkComplete(link, &image, &size), "out=%s",
          out_state(image));
    driver.cuLinkDestroy(link);

    driver.cuLinkCreate(0, NULL, NULL, &link);
    CHECK("twice-a", add_text(link, ptx_link_callee, "a"));
    CHECK("twice-b", add_text(link, ptx_link_callee, "b"));
    CHECK("twice-complete", driver.cuLinkComplete(link, &image, &size));
    driver.cuLinkDestroy(link);

    driver.cuLinkCreate(0, NULL, NULL, &link);
    CHECK("file-null", driver.cuLinkAddFile(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    CHECK("file-missing",
          driver.cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nonexistent.ptx", 0, NULL, NULL));
    CHECK("file-folder", driver.cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/tmp", 0, NULL, NULL));
    char path[] = "/tmp/link-XXXXXX";
    int file = mkstemp(path);
    if (write(file, ptx_link_callee, strlen(ptx_link_callee)) < 0)
        setup_note("setup-write");
    CHECK("file", driver.cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
    CHECK("file-complete", driver.cuLinkComplete(link, &image, &size));
    driver.cuLinkDestroy(link);
    unlink(path);
}

/* Options of a link: logs, and every option with small values. */
GROUP(732, linkoption, "linkoption")
{
    static char info[4096], error[4096];
    static const long values[] = {0, 1, 4, 90};
    CUlinkState link;
    void *image;
    size_t size;

    use_kernels();
    cases_independent = 1;
    for (int option = -1; option <= CU_JIT_NUM_OPTIONS; option++) {
        if (option == CU_JIT_INFO_LOG_BUFFER || option == CU_JIT_ERROR_LOG_BUFFER ||
            option == CU_JIT_GLOBAL_SYMBOL_NAMES || option == CU_JIT_GLOBAL_SYMBOL_ADDRESSES ||
            option == CU_JIT_REFERENCED_KERNEL_NAMES || option == CU_JIT_REFERENCED_VARIABLE_NAMES)
            continue;
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            CUjit_option options[] = {option};
            void *option_values[] = {(void *)values[i]};
            CUresult added = RESULT_SKIPPED, completed = RESULT_SKIPPED;
            CHECK_THEN(
                format("create-%d-value-%ld", option, values[i]),
                driver.cuLinkCreate(1, options, option_values, &link),
                if (!result) {
                    added = add_text(link, ptx_link_callee, "x");
                    completed = driver.cuLinkComplete(link, &image, &size);
                    driver.cuLinkDestroy(link);
                },
                "add=%s complete=%s", result_name(added), result_name(completed));
        }
    }
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *log_values[] = {info, (void *)sizeof info, error, (void *)sizeof error};
    info[0] = error[0] = 0x5a;
    CHECK("log-create", driver.cuLinkCreate(4, options, log_values, &link));
    CHECK("log-add", add_text(link, ptx_link_user, "user"));
    CHECK("log-complete", driver.cuLinkComplete(link, &image, &size), "info=%s error=%s",
          info[0] == 0x5a ? "untouched"
          : info[0]       ? "text"
                          : "empty",
          error[0] == 0x5a ? "untouched"
          : error[0]       ? "text"
                           : "empty");
    RECORD("log-names-symbol", "%d", strstr(error, "callee") != NULL);
}
