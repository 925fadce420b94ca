/* SPDX-License-Identifier: MIT */
/* Found with the driver samples, whose makefiles embed machine code only: the program reported
 * "error 209" without a reason. For the first image of a process that cannot run here, stderr now
 * names its contents and how to build it, at the default log level. */
#include "test.h"

/* What the call writes to stderr; the caller frees it. */
static char *said_by(CUresult (*call)(void), CUresult wanted)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    char *text = calloc(1, 4096);

    check(file && kept >= 0 && text);
    fflush(stderr);
    check(dup2(fileno(file), STDERR_FILENO) >= 0);
    CUresult result = call();
    fflush(stderr);
    check(dup2(kept, STDERR_FILENO) >= 0);
    check_result(result, wanted);
    rewind(file);
    check(fread(text, 1, 4095, file) < 4095);
    fclose(file);
    return text;
}

static unsigned char cubin[64];

/* The header of an ELF file for sm_89: by the ABI of CUDA 13, or the one before. */
static void make_cubin(bool newer)
{
    memset(cubin, 0, sizeof cubin);
    memcpy(cubin, "\177ELF\2\1\1", 7);
    cubin[7] = newer ? 0x41 : 0x33;
    cubin[8] = newer ? 8 : 7;
    cubin[18] = 190;
    cubin[newer ? 49 : 48] = 89;
}

static unsigned char fatbin[16 + 2 * (64 + 64)];

/* Two pieces of machine code, for sm_75 and sm_86. */
static void make_fatbin(void)
{
    static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};

    memset(fatbin, 0, sizeof fatbin);
    memcpy(fatbin, magic, sizeof magic);
    fatbin[8] = 0;
    fatbin[9] = 1; /* 256 bytes behind the header */
    make_cubin(false);
    for (int i = 0; i < 2; i++) {
        unsigned char *entry = fatbin + 16 + 128 * i;
        entry[0] = 2;
        entry[2] = 1;
        entry[3] = 1;
        entry[4] = 64;
        entry[8] = 64;
        entry[28] = i ? 86 : 75;
        memcpy(entry + 64, cubin, sizeof cubin);
    }
}

static CUresult load_cubin(void)
{
    CUmodule module;

    return cuModuleLoadData(&module, cubin);
}

static CUresult load_fatbin(void)
{
    CUmodule module;

    return cuModuleLoadData(&module, fatbin);
}

static void check_cubin(bool newer)
{
    unsetenv("CUPIPE_LOG");
    with_context();
    only_cupipe();
    make_cubin(newer);
    char *text = said_by(load_cubin, CUDA_ERROR_NO_BINARY_FOR_GPU);
    check(strstr(text, "NO_BINARY_FOR_GPU") && strstr(text, "sm_89") &&
          strstr(text, "-gencode arch=compute_90,code=compute_90"));
    free(text);
    text = said_by(load_cubin, CUDA_ERROR_NO_BINARY_FOR_GPU);
    check(text[0] == 0);
    free(text);
}

TEST(a_cubin_says_why_it_cannot_run_and_says_it_once)
{
    check_cubin(true);
}

TEST(an_older_cubin_names_its_architecture_too)
{
    check_cubin(false);
}

TEST(a_fatbin_names_the_architectures_it_has)
{
    unsetenv("CUPIPE_LOG");
    with_context();
    only_cupipe();
    make_fatbin();
    char *text = said_by(load_fatbin, CUDA_ERROR_NO_BINARY_FOR_GPU);
    check(strstr(text, "sm_75, sm_86") && strstr(text, "-gencode arch=compute_90,code=compute_90"));
    free(text);
}

TEST(a_log_that_is_off_says_nothing)
{
    setenv("CUPIPE_LOG", "none", 1);
    with_context();
    only_cupipe();
    make_cubin(true);
    char *text = said_by(load_cubin, CUDA_ERROR_NO_BINARY_FOR_GPU);
    check(text[0] == 0);
    free(text);
}
