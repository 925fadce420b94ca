/* SPDX-License-Identifier: MIT */
/* Stands for NVIDIA's libnvrtc.so.13 in tests. The log repeats what the program was made of. */
#include "fake_nvidia.h"

struct program {
    char log[256];
};

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = MINOR;
    return 0;
}

const char *nvrtcGetErrorString(int result)
{
    return result ? "an error" : "success";
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    *program = calloc(1, sizeof **program);
    snprintf((*program)->log, sizeof(*program)->log, "%s %s %s %s", source, name,
             count ? headers[0] : "-", count ? names[0] : "-");
    return 0;
}

int nvrtcDestroyProgram(struct program **program)
{
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcAddNameExpression(struct program *program, const char *expression)
{
    strncat(program->log, " ", sizeof program->log - strlen(program->log) - 1);
    strncat(program->log, expression, sizeof program->log - strlen(program->log) - 1);
    return 0;
}

int nvrtcCompileProgram(struct program *program, int count, const char *const *options)
{
    (void)program;
    for (int i = 0; i < count; i++)
        if (is_newer(options[i], strlen(options[i])))
            return 5;
    return 0;
}

int nvrtcGetPTXSize(struct program *program, size_t *bytes)
{
    (void)program;
    *bytes = sizeof fake_ptx;
    return 0;
}

int nvrtcGetPTX(struct program *program, char *ptx)
{
    (void)program;
    memcpy(ptx, fake_ptx, sizeof fake_ptx);
    return 0;
}

int nvrtcGetProgramLogSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(program->log) + 1;
    return 0;
}

int nvrtcGetProgramLog(struct program *program, char *log)
{
    strcpy(log, program->log);
    return 0;
}
