/* SPDX-License-Identifier: MIT */
/* Kernels that end with an error, many in one test: each runs in a process of its own, as the error
 * sticks to the device. The kernel is k(out, word): `out` is 8 KiB of zeros. A case is the text of
 * its body; it may use the registers that are declared for it. Included after test.h. */
#ifndef FAULTING_H
#define FAULTING_H

struct faulting {
    const char *scope; /* variables of the kernel, or NULL */
    const char *body;  /* statements */
    unsigned threads;  /* of the one block; 0: 32 */
    unsigned shared;   /* bytes of dynamic shared memory */
    uint64_t word;     /* where `relative`: added to the address of `out` */
    bool relative;
    CUresult result; /* of the launch */
};

struct outcome {
    CUresult result;
    uint32_t words[8]; /* the first of `out`, after success */
    char log[2000];    /* what was said on stderr */
};

enum { FAULTING_BYTES = 8192 };

static inline void faulting_write(const struct faulting *f, char *program, size_t size)
{
    snprintf(program, size,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 out, .param .u64 word)\n{\n    %s\n"
             "    .reg .b64 o, w, a, c, d<8>; .reg .b32 t, v, r<16>; .reg .b16 h<4>;\n"
             "    .reg .f32 f<8>; .reg .pred p, q;\n"
             "    ld.param.u64 o, [out];\n    ld.param.u64 w, [word];\n"
             "    cvt.u32.u64 v, w;\n    mov.u32 t, %%tid.x;\n%s\n    ret;\n}\n",
             f->scope ? f->scope : "", f->body);
}

static inline void faulting_run(const struct faulting *f, struct outcome *outcome)
{
    char program[8000];
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    uint64_t word = f->word;
    void *parameters[] = {&out, &word};

    with_context();
    faulting_write(f, program, sizeof program);
    check_success(cuModuleLoadData(&module, program));
    check_success(cuModuleGetFunction(&function, module, "k"));
    if (f->shared > 48 << 10)
        check_success(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         (int)f->shared));
    check_success(cuMemAlloc(&out, FAULTING_BYTES));
    check_success(cuMemsetD8(out, 0, FAULTING_BYTES));
    word += f->relative ? out : 0;
    check_success(cuLaunchKernel(function, 1, 1, 1, f->threads ? f->threads : 32, 1, 1, f->shared,
                                 NULL, parameters, NULL));
    outcome->result = cuCtxSynchronize();
    if (outcome->result == CUDA_SUCCESS)
        check_success(cuMemcpyDtoH(outcome->words, out, sizeof outcome->words));
}

/* What became of it. */
static inline void faulting_outcome(const struct faulting *f, struct outcome *outcome)
{
    FILE *log = tmpfile(), *answer = tmpfile();
    int status;
    pid_t child;

    check(log && answer);
    fflush(NULL);
    child = fork();
    check(child >= 0);
    if (child == 0) {
        struct outcome mine = {.result = CUDA_ERROR_UNKNOWN};

        dup2(fileno(log), STDERR_FILENO);
        faulting_run(f, &mine);
        check(fwrite(&mine, sizeof mine, 1, answer) == 1 && fflush(answer) == 0);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child);
    memset(outcome, 0, sizeof *outcome);
    rewind(answer);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
        fread(outcome, sizeof *outcome, 1, answer) != 1)
        outcome->result = CUDA_ERROR_UNKNOWN;
    rewind(log);
    outcome->log[fread(outcome->log, 1, sizeof outcome->log - 1, log)] = '\0';
    fclose(log);
    fclose(answer);
}

/* All of them have the result they name. */
static inline void check_faulting(const struct faulting *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct outcome outcome;

        faulting_outcome(&cases[i], &outcome);
        if (outcome.result != cases[i].result)
            test_fail(__FILE__, __LINE__, "%s, and not %s:\n%s\n%s",
                      test_result_name(outcome.result), test_result_name(cases[i].result),
                      cases[i].body, outcome.log);
    }
}

#define CHECK_FAULTING(cases) check_faulting(cases, sizeof(cases) / sizeof *(cases))

#endif
