/* SPDX-License-Identifier: MIT */
/*
 * Loading modules: which images are taken, what JIT options do, which files. Of log texts only
 * what is no wording is recorded: whether something was written, and how long it says it is.
 */
#include "kernels.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define ENTRY ".visible .entry k() { ret; }\n"

/* Images that are text, each wrong (or right) in its own way. */
static const struct {
    const char *name, *text;
} texts[] = {
    {"empty-string", ""},
    {"blank", " \n\t\n"},
    {"garbage", "this is not PTX"},
    {"head-only", HEAD},
    {"one-kernel", HEAD ENTRY},
    {"no-version", ".target sm_75\n.address_size 64\n" ENTRY},
    {"no-target", ".version 8.0\n.address_size 64\n" ENTRY},
    {"no-address-size", ".version 8.0\n.target sm_75\n" ENTRY},
    {"address-size-32", ".version 8.0\n.target sm_75\n.address_size 32\n" ENTRY},
    {"target-first", ".target sm_75\n.version 8.0\n.address_size 64\n" ENTRY},
    {"comment-first", "// hello\n/* there */\n" HEAD ENTRY},
    {"blank-first", "\n\n   " HEAD ENTRY},
    {"version-1.0", ".version 1.0\n.target sm_10\n" ENTRY},
    {"version-3.2", ".version 3.2\n.target sm_30\n.address_size 64\n" ENTRY},
    {"version-9.0", ".version 9.0\n.target sm_75\n.address_size 64\n" ENTRY},
    {"version-9.1", ".version 9.1\n.target sm_75\n.address_size 64\n" ENTRY},
    {"version-9.9", ".version 9.9\n.target sm_75\n.address_size 64\n" ENTRY},
    {"version-10.0", ".version 10.0\n.target sm_75\n.address_size 64\n" ENTRY},
    {"version-99.0", ".version 99.0\n.target sm_75\n.address_size 64\n" ENTRY},
    {"version-8", ".version 8\n.target sm_75\n.address_size 64\n" ENTRY},
    {"version-8.9", ".version 8.9\n.target sm_75\n.address_size 64\n" ENTRY},
    {"target-sm_20", ".version 8.0\n.target sm_20\n.address_size 64\n" ENTRY},
    {"target-sm_30", ".version 8.0\n.target sm_30\n.address_size 64\n" ENTRY},
    {"target-sm_50", ".version 8.0\n.target sm_50\n.address_size 64\n" ENTRY},
    {"target-sm_70", ".version 8.0\n.target sm_70\n.address_size 64\n" ENTRY},
    {"target-sm_90", ".version 8.0\n.target sm_90\n.address_size 64\n" ENTRY},
    {"target-sm_90a", ".version 8.0\n.target sm_90a\n.address_size 64\n" ENTRY},
    {"target-sm_100", ".version 9.0\n.target sm_100\n.address_size 64\n" ENTRY},
    {"target-sm_100a", ".version 9.0\n.target sm_100a\n.address_size 64\n" ENTRY},
    {"target-sm_100f", ".version 9.0\n.target sm_100f\n.address_size 64\n" ENTRY},
    {"target-sm_120", ".version 9.0\n.target sm_120\n.address_size 64\n" ENTRY},
    {"target-sm_200", ".version 9.0\n.target sm_200\n.address_size 64\n" ENTRY},
    {"target-too-new-for-version", ".version 7.0\n.target sm_90\n.address_size 64\n" ENTRY},
    {"target-texmode",
     ".version 8.0\n.target sm_75, texmode_independent\n.address_size 64\n" ENTRY},
    {"target-debug", ".version 8.0\n.target sm_75, debug\n.address_size 64\n" ENTRY},
    {"target-unknown-word", ".version 8.0\n.target sm_75, nonsense\n.address_size 64\n" ENTRY},
    {"unknown-instruction", HEAD ".visible .entry k() { frobnicate.u32 1; ret; }\n"},
    {"unknown-register", HEAD ".visible .entry k() { add.u32 a, b, c; ret; }\n"},
    {"unknown-directive", HEAD ".frobnicate\n" ENTRY},
    {"wrong-types",
     HEAD ".visible .entry k() { .reg .u32 a; .reg .u64 b; add.u32 a, b, b; ret; }\n"},
    {"unknown-label", HEAD ".visible .entry k() { bra nowhere; }\n"},
    {"missing-semicolon", HEAD ".visible .entry k() { ret }\n"},
    {"unclosed-brace", HEAD ".visible .entry k() { ret;\n"},
    {"two-kernels-one-name", HEAD ENTRY ENTRY},
    {"no-ret", HEAD ".visible .entry k() { }\n"},
    {"needs-newer-target", HEAD ".visible .entry k() { .reg .b32 a; elect.sync a|_, -1; ret; }\n"},
    {"needs-newer-version", ".version 6.3\n.target sm_75\n.address_size 64\n"
                            ".visible .entry k() { .reg .f32 a; tanh.approx.f32 a, a; ret; }\n"},
    {"extern-function", HEAD ".extern .func f();\n.visible .entry k() { call f, (); ret; }\n"},
    {"extern-variable", HEAD ".extern .global .u32 v;\n.visible .entry k() "
                             "{ .reg .u32 a; ld.global.u32 a, [v]; st.global.u32 [v], a; ret; }\n"},
    {"extern-unused", HEAD ".extern .func f();\n.extern .global .u32 v;\n" ENTRY},
    {"weak-function", HEAD ".weak .func f() { ret; }\n.visible .entry k() { call f, (); ret; }\n"},
    {"static-shared-48K+1", HEAD ".visible .entry k() { .shared .b8 s[49153]; .reg .u32 a;\n"
                                 "mov.u32 a, s; st.volatile.shared.u32 [a], a; ret; }\n"},
    {"static-shared-1M", HEAD ".visible .entry k() { .shared .b8 s[1048576]; .reg .u32 a;\n"
                              "mov.u32 a, s; st.volatile.shared.u32 [a], a; ret; }\n"},
    {"const-64K", HEAD ".visible .const .b8 c[65536];\n" ENTRY},
    {"const-64K+1", HEAD ".visible .const .b8 c[65537];\n" ENTRY},
    {"param-4096", HEAD ".visible .entry k(.param .b8 p[4096]) { ret; }\n"},
    {"param-4352", HEAD ".visible .entry k(.param .b8 p[4352]) { ret; }\n"},
    {"param-4353", HEAD ".visible .entry k(.param .b8 p[4353]) { ret; }\n"},
    {"param-32764", ".version 8.1\n.target sm_75\n.address_size 64\n"
                    ".visible .entry k(.param .b8 p[32764]) { ret; }\n"},
    {"param-32765", ".version 8.1\n.target sm_75\n.address_size 64\n"
                    ".visible .entry k(.param .b8 p[32765]) { ret; }\n"},
    {"reqntid-2048", HEAD ".visible .entry k() .reqntid 2048 { ret; }\n"},
    {"maxntid-2048", HEAD ".visible .entry k() .maxntid 2048 { ret; }\n"},
    {"maxntid-and-reqntid", HEAD ".visible .entry k() .maxntid 64 .reqntid 64 { ret; }\n"},
    {"zstd-magic", "\x28\xb5\x2f\xfd"},
    {"elf-magic", "\x7f"
                  "ELF"},
    {"fatbin-magic", "\x50\xed\x55\xba\x01"},
};

GROUP(700, modload, "modload")
{
    CUmodule module;

    use_kernels();
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        /* A little room behind the text, so that a header read there reads zeros. */
        char *image = calloc(1, strlen(texts[i].text) + 256);
        strcpy(image, texts[i].text);
        module = (CUmodule)UNTOUCHED;
        CHECK(texts[i].name, driver.cuModuleLoadData(&module, image), "out=%s", out_state(module));
        free(image);
    }
    module = (CUmodule)UNTOUCHED;
    CHECK("null-image", driver.cuModuleLoadData(&module, NULL), "out=%s", out_state(module));
    CHECK("null-out", driver.cuModuleLoadData(NULL, ptx_basic));
    CHECK("both-null", driver.cuModuleLoadData(NULL, NULL));
    CHECK("ex-null-image", driver.cuModuleLoadDataEx(&module, NULL, 0, NULL, NULL));
    CHECK("ex-null-out", driver.cuModuleLoadDataEx(NULL, ptx_basic, 0, NULL, NULL));
    CHECK("fatbin-null-image", driver.cuModuleLoadFatBinary(&module, NULL));
    CHECK("fatbin-null-out", driver.cuModuleLoadFatBinary(NULL, ptx_basic));
    CHECK("fatbin-of-text", driver.cuModuleLoadFatBinary(&module, ptx_basic));
    CHECK("fatbin-of-garbage",
          driver.cuModuleLoadFatBinary(&module, "garbage that is long enough"));
    CHECK("twice-a", driver.cuModuleLoadData(&module, ptx_basic));
    CUmodule first = module;
    CHECK("twice-b", driver.cuModuleLoadData(&module, ptx_basic), "same=%d", first == module);
}

GROUP(701, modfile, "modfile")
{
    CUmodule module = (CUmodule)UNTOUCHED;
    char path[] = "/tmp/modfile-XXXXXX", empty[] = "/tmp/modfile-XXXXXX";
    int file = mkstemp(path);

    close(mkstemp(empty));

    use_kernels();
    if (write(file, ptx_basic, strlen(ptx_basic)) < 0)
        setup_note("setup-write");
    CHECK("null-name", driver.cuModuleLoad(&module, NULL), "out=%s", out_state(module));
    CHECK("empty-name", driver.cuModuleLoad(&module, ""));
    CHECK("missing", driver.cuModuleLoad(&module, "/nonexistent/file.ptx"), "out=%s",
          out_state(module));
    CHECK("folder", driver.cuModuleLoad(&module, "/tmp"));
    CHECK("empty-file", driver.cuModuleLoad(&module, empty));
    CHECK("null-out", driver.cuModuleLoad(NULL, path));
    CHECK("null-both", driver.cuModuleLoad(NULL, NULL));
    CHECK("ptx", driver.cuModuleLoad(&module, path), "out=%s", out_state(module));
    CUlibrary library = (CUlibrary)UNTOUCHED;
    CHECK("lib-null-name",
          driver.cuLibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    CHECK("lib-missing", driver.cuLibraryLoadFromFile(&library, "/nonexistent/file.ptx", NULL, NULL,
                                                      0, NULL, NULL, 0));
    CHECK("lib-folder",
          driver.cuLibraryLoadFromFile(&library, "/tmp", NULL, NULL, 0, NULL, NULL, 0));
    CHECK("lib-empty-file",
          driver.cuLibraryLoadFromFile(&library, empty, NULL, NULL, 0, NULL, NULL, 0), "out=%s",
          out_state(library));
    CHECK("lib-ptx", driver.cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0),
          "out=%s", out_state(library));
    CHECK("lib-null-out", driver.cuLibraryLoadFromFile(NULL, path, NULL, NULL, 0, NULL, NULL, 0));
    unlink(path);
    unlink(empty);
}

/* Every option alone, with several values, on a good and on a bad image. */
GROUP(702, jitoption, "jitoption")
{
    static const long values[] = {0, 1, 2, 4, 16, 64, 255, 1024, -1};
    CUmodule module;

    use_kernels();
    cases_independent = 1;
    for (int option = -1; option <= CU_JIT_NUM_OPTIONS + 1; option++) {
        /* Those take pointers: asked below. */
        if (option == CU_JIT_INFO_LOG_BUFFER || option == CU_JIT_ERROR_LOG_BUFFER ||
            option == CU_JIT_GLOBAL_SYMBOL_NAMES || option == CU_JIT_GLOBAL_SYMBOL_ADDRESSES ||
            option == CU_JIT_REFERENCED_KERNEL_NAMES || option == CU_JIT_REFERENCED_VARIABLE_NAMES)
            continue;
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            CUjit_option options[] = {option};
            void *option_values[] = {(void *)values[i]};
            CHECK(format("option-%d-value-%ld", option, values[i]),
                  driver.cuModuleLoadDataEx(&module, ptx_basic, 1, options, option_values));
        }
    }
    for (int target = 0; target <= 130; target += target < 20 ? 10 : 1) {
        CUjit_option options[] = {CU_JIT_TARGET};
        void *option_values[] = {(void *)(long)target};
        CHECK(format("target-%d", target),
              driver.cuModuleLoadDataEx(&module, ptx_basic, 1, options, option_values));
    }
    CHECK("count-without-options", driver.cuModuleLoadDataEx(&module, ptx_basic, 1, NULL, NULL));
    CUjit_option twice[] = {CU_JIT_MAX_REGISTERS, CU_JIT_MAX_REGISTERS};
    void *twice_values[] = {(void *)16L, (void *)32L};
    CHECK("option-twice", driver.cuModuleLoadDataEx(&module, ptx_basic, 2, twice, twice_values));
    CHECK("options-null-values", driver.cuModuleLoadDataEx(&module, ptx_basic, 1, twice, NULL));
}

/* What the log options hold afterwards. */
static void log_ask(const char *name, const char *image, size_t info_size, size_t error_size,
                    int verbose)
{
    char info[8192], error[8192];
    CUmodule module = (CUmodule)UNTOUCHED;
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME};
    void *values[] = {
        info, (void *)info_size, error, (void *)error_size, (void *)(long)verbose, (void *)0x7fL};

    memset(info, 0x5a, sizeof info);
    memset(error, 0x5a, sizeof error);
    CHECK_THEN(name, driver.cuModuleLoadDataEx(&module, image, 6, options, values),
               info[sizeof info - 1] = error[sizeof error - 1] = 0,
               "out=%s info=%s infosize=%s error=%s errorsize=%s ended=%d walltime=%s",
               out_state(module),
               info[0] == 0x5a ? "untouched"
               : info[0]       ? "text"
                               : "empty",
               (size_t)values[1] == info_size                     ? "kept"
               : !values[1]                                       ? "0"
               : info[0] && (size_t)values[1] == strlen(info)     ? "strlen"
               : info[0] && (size_t)values[1] == strlen(info) + 1 ? "strlen+1"
                                                                  : "other",
               error[0] == 0x5a ? "untouched"
               : error[0]       ? "text"
                                : "empty",
               (size_t)values[3] == error_size                      ? "kept"
               : !values[3]                                         ? "0"
               : error[0] && (size_t)values[3] == strlen(error)     ? "strlen"
               : error[0] && (size_t)values[3] == strlen(error) + 1 ? "strlen+1"
                                                                    : "other",
               error_size ? memchr(error, 0, error_size) != NULL : -1,
               values[5] == (void *)0x7fL ? "kept" : "set");
}

GROUP(703, jitlog, "jitlog")
{
    static const char bad[] = HEAD ".visible .entry k() { add.u32 a, b, c; ret; }\n";
    static const char garbage[] = "this is not PTX";

    use_kernels();
    cases_independent = 1;
    log_ask("good", ptx_basic, 4096, 4096, 0);
    log_ask("good-verbose", ptx_basic, 4096, 4096, 1);
    log_ask("good-verbose-small", ptx_basic, 16, 16, 1);
    log_ask("good-size-0", ptx_basic, 0, 0, 1);
    log_ask("bad", bad, 4096, 4096, 0);
    log_ask("bad-verbose", bad, 4096, 4096, 1);
    log_ask("bad-small", bad, 16, 16, 0);
    log_ask("bad-size-1", bad, 1, 1, 0);
    log_ask("bad-size-0", bad, 0, 0, 0);
    log_ask("garbage", garbage, 4096, 4096, 0);
    log_ask("newer-version", ".version 99.0\n.target sm_75\n.address_size 64\n", 4096, 4096, 0);
    log_ask("newer-target", ".version 9.0\n.target sm_100\n.address_size 64\n" ENTRY, 4096, 4096,
            0);
    log_ask("extern", ptx_link_user, 4096, 4096, 0);
    log_ask("null-image", NULL, 4096, 4096, 0);

    CUmodule module;
    CUjit_option null_buffer[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *null_values[] = {NULL, (void *)4096L};
    CHECK("null-buffer-good",
          driver.cuModuleLoadDataEx(&module, ptx_basic, 2, null_buffer, null_values));
    CHECK("null-buffer-bad", driver.cuModuleLoadDataEx(&module, bad, 2, null_buffer, null_values));
    char buffer[256];
    void *values[] = {buffer};
    CHECK("buffer-without-size", driver.cuModuleLoadDataEx(&module, bad, 1, null_buffer, values));

    char text[4096] = "";
    CUjit_option error_only[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *error_values[] = {text, (void *)sizeof text};
    driver.cuModuleLoadDataEx(&module, bad, 2, error_only, error_values);
    RECORD("bad-says-line", "%d", strstr(text, "line 4") != NULL);
    RECORD("bad-names-it", "%d", strstr(text, "'a'") != NULL);
}

GROUP(704, modmisc, "modmisc")
{
    CUmoduleLoadingMode mode = 77;
    CUmodule module;
    CUtexref texref;
    CUsurfref surfref;

    use_kernels();
    module = module_of(ptx_basic);
    CHECK("loading-mode", driver.cuModuleGetLoadingMode(&mode), "mode=%d", (int)mode);
    CHECK("loading-mode-null", driver.cuModuleGetLoadingMode(NULL));
    CHECK("texref-missing", driver.cuModuleGetTexRef(&texref, module, "nothing"));
    CHECK("texref-of-global", driver.cuModuleGetTexRef(&texref, module, "counter"));
    CHECK("texref-null-name", driver.cuModuleGetTexRef(&texref, module, NULL));
    CHECK("surfref-missing", driver.cuModuleGetSurfRef(&surfref, module, "nothing"));
    CHECK("unload", driver.cuModuleUnload(module));
    CHECK("unload-null", driver.cuModuleUnload(NULL));
}

/* Without a context, and without cuInit. */
GROUP(705, modnoctx, "modnoctx")
{
    CUmodule module = (CUmodule)UNTOUCHED;
    CUlibrary library = (CUlibrary)UNTOUCHED;
    CUlinkState link = (CUlinkState)UNTOUCHED;
    CUmoduleLoadingMode mode;
    unsigned count;

    resolve_kernels();
    CHECK("noinit-load", driver.cuModuleLoadData(&module, ptx_basic), "out=%s", out_state(module));
    CHECK("noinit-load-null", driver.cuModuleLoadData(NULL, NULL));
    CHECK("noinit-library",
          driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 0, NULL, NULL, 0));
    CHECK("noinit-loading-mode", driver.cuModuleGetLoadingMode(&mode));
    CHECK("noinit-link", driver.cuLinkCreate(0, NULL, NULL, &link));
    use_device();
    CHECK("load", driver.cuModuleLoadData(&module, ptx_basic), "out=%s", out_state(module));
    CHECK("load-null", driver.cuModuleLoadData(NULL, NULL));
    CHECK("load-file", driver.cuModuleLoad(&module, "/nonexistent"));
    CHECK("loading-mode", driver.cuModuleGetLoadingMode(&mode), "mode=%d", (int)mode);
    CHECK("library", driver.cuLibraryLoadData(&library, ptx_basic, NULL, NULL, 0, NULL, NULL, 0),
          "out=%s", out_state(library));
    CHECK("library-count", driver.cuLibraryGetKernelCount(&count, library), "count=%u", count);
    CUkernel kernel = NULL;
    CHECK("library-kernel", driver.cuLibraryGetKernel(&kernel, library, "store"));
    CHECK("library-module", driver.cuLibraryGetModule(&module, library));
    CUfunction function = NULL;
    CHECK("kernel-function", driver.cuKernelGetFunction(&function, kernel));
    CUdeviceptr ptr;
    size_t size;
    CHECK("library-global", driver.cuLibraryGetGlobal(&ptr, &size, library, "counter"));
    CHECK("library-managed", driver.cuLibraryGetManaged(&ptr, &size, library, "managed_word"));
    int value;
    CHECK("kernel-attribute", driver.cuKernelGetAttribute(&value, 0, kernel, 0), "value=%d", value);
    CHECK("launch-kernel-handle", launch((CUfunction)kernel, 1, 1, NULL));
    CHECK("library-unload", driver.cuLibraryUnload(library));
    CHECK("link", driver.cuLinkCreate(0, NULL, NULL, &link), "out=%s", out_state(link));
}
