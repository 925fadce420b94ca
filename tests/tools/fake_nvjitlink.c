/* SPDX-License-Identifier: MIT */
/* Stands for NVIDIA's libnvJitLink.so.13 in tests. */
#include "fake_nvidia.h"

struct link {
    int outdated;
};

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    *major = 13;
    *minor = MINOR;
    return 0;
}

int nvJitLinkCreate(struct link **link, unsigned count, const char **options)
{
    *link = calloc(1, sizeof **link);
    for (unsigned i = 0; i < count; i++)
        if (is_newer(options[i], strlen(options[i])))
            return 1;
    return 0;
}

int nvJitLinkDestroy(struct link **link)
{
    free(*link);
    *link = NULL;
    return 0;
}

int nvJitLinkAddData(struct link *link, int type, const void *data, size_t bytes, const char *name)
{
    (void)type, (void)name;
    link->outdated = is_newer(data, bytes);
    return link->outdated ? 14 : 0;
}

int nvJitLinkComplete(struct link *link)
{
    return link->outdated ? 5 : 0;
}

int nvJitLinkGetLinkedPtxSize(struct link *link, size_t *bytes)
{
    (void)link;
    *bytes = sizeof fake_ptx;
    return 0;
}

int nvJitLinkGetLinkedPtx(struct link *link, char *ptx)
{
    (void)link;
    memcpy(ptx, fake_ptx, sizeof fake_ptx);
    return 0;
}

static const char complaint[] = "may need newer version than 13." TEXT(MINOR);

int nvJitLinkGetErrorLogSize(struct link *link, size_t *bytes)
{
    *bytes = link->outdated ? sizeof complaint : 0;
    return 0;
}

int nvJitLinkGetErrorLog(struct link *link, char *log)
{
    if (link->outdated)
        memcpy(log, complaint, sizeof complaint);
    return 0;
}
