/* SPDX-License-Identifier: MIT */
/* Output of kernels: each thread's line appears once, as soon as the program has synchronised. The
 * program's output is a memory file, which one thread uses at a time. */
#include "kernels.h"

#include "soak.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT_MAX = 512 };

static void check_lines(const char *text, unsigned count, unsigned salt)
{
    bool seen[COUNT_MAX] = {false};
    unsigned index, value, lines = 0;
    int length;

    for (; sscanf(text, "soak %u %u%n", &index, &value, &length) == 2; text += length + 1) {
        must_be(text[length] == '\n' && index < count && value == salt && !seen[index]);
        seen[index] = true;
        lines++;
        soak->bytes += (size_t)length + 1;
    }
    must_be(*text == 0 && lines == count);
}

void soak_print(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char came[COUNT_MAX * 32];
    uint32_t salt = 1000 + (uint32_t)draw(4), blocks = 1 + (uint32_t)draw(4);
    uint32_t threads = 1 + (uint32_t)draw(COUNT_MAX / 4);
    char *text = print_text(salt);
    CUfunction function;
    CUmodule module;

    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&function, module, "print"));
    pthread_mutex_lock(&lock);
    fflush(stdout);
    must_be(ftruncate(STDOUT_FILENO, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0);
    must(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, NULL, NULL));
    must(cuCtxSynchronize());
    fflush(stdout);
    ssize_t bytes = pread(STDOUT_FILENO, came, sizeof(came) - 1, 0);
    must_be(bytes >= 0);
    came[bytes] = 0;
    check_lines(came, blocks * threads, salt);
    pthread_mutex_unlock(&lock);
    must(cuModuleUnload(module));
    free(text);
}

void soak_assert(void)
{
    static const char wanted[] =
        "file.cu:42: f: block: [0,0,0], thread: [7,0,0] Assertion `x > 1` failed.\n";
    int saved = dup(STDERR_FILENO), file = memfd_create("assertion", MFD_CLOEXEC);
    char *text = print_text(1), came[256] = "";
    CUfunction function;
    CUmodule module;

    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&function, module, "failing"));
    must_be(saved >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    must(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    CUresult result = cuCtxSynchronize();
    dup2(saved, STDERR_FILENO);
    must_be(result == CUDA_ERROR_ASSERT && cuCtxSynchronize() == CUDA_ERROR_ASSERT);
    must_be(pread(file, came, sizeof(came) - 1, 0) >= (ssize_t)strlen(wanted));
    same(came, wanted, strlen(wanted), "the text of an assertion");
    free(text);
}
