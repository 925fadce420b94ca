/* SPDX-License-Identifier: MIT */
/* Exported functions that no header declares: the debugger's interface and a few more. */
#include "test.h"

int cudbgGetAPI(unsigned major, unsigned minor, unsigned revision, void *api);
int cudbgGetAPIVersion(unsigned *major, unsigned *minor, unsigned *revision);
void cudbgApiAttach(void);
void cudbgApiDetach(void);
void cudbgReportDriverApiError(void);
CUresult cuMemGetAttribute(void *, void *, void *);
CUresult cuMemGetAttribute_v2(void *, void *, void *);
CUresult cuEGLApiInit(void *, void *, void *, void *, void *, void *);

enum { NO_ARGUMENT = 4, UNINITIALIZED = 5, INCOMPATIBLE = 19 };

TEST(debugger_interface_has_a_version)
{
    unsigned major = 0, minor = 7, revision = 0;

    check(cudbgGetAPIVersion(NULL, &minor, &revision) == NO_ARGUMENT);
    check(cudbgGetAPIVersion(&major, &minor, NULL) == NO_ARGUMENT);
    check(cudbgGetAPIVersion(&major, &minor, &revision) == 0);
    check(major >= 13 && revision > 0);
}

TEST(debugger_interface_is_given_to_clients)
{
    unsigned major, minor, revision;
    void *table = NULL;

    check(cudbgGetAPIVersion(&major, &minor, &revision) == 0);
    check(cudbgGetAPI(major, minor, revision, NULL) == NO_ARGUMENT);
    check(cudbgGetAPI(major, minor, 0xffffffff, &table) == INCOMPATIBLE && table == NULL);
    check(cudbgGetAPI(major, minor, revision, &table) == 0 && table != NULL);
}

TEST(debugger_is_not_attached)
{
    int (*const *table)(void *) = NULL;
    char argument[4096] = {0};

    check_success(cuInit(0));
    only_cupipe();
    check(cudbgGetAPI(13, 0, 0, &table) == 0);
    for (int i = 0; i < 100; i++)
        check(table[i](argument) == UNINITIALIZED);
    cudbgApiAttach();
    cudbgApiDetach();
    cudbgReportDriverApiError();
}

TEST(memory_has_no_private_attributes)
{
    check_result(cuMemGetAttribute(NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuMemGetAttribute_v2(NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(egl_has_no_private_interface)
{
    check_success(cuInit(0));
    only_cupipe();
    check_result(cuEGLApiInit(NULL, NULL, NULL, NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
}
