/* SPDX-License-Identifier: MIT */
/*
 * The groups about the rest of the driver: tensor maps, green contexts, logs, core dumps,
 * checkpoints, multicast objects, attributes, and the functions from before CUDA 3.2. They run on
 * the recorder's harness; recorder.h includes functions.def of this folder (MORE_FUNCTIONS).
 */
#ifndef REST_RECORDER_H
#define REST_RECORDER_H

#include <cuda.h>
#include <cudaProfiler.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

/* The forms of other versions, and what needs the headers of VDPAU or has none. */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count,
                        unsigned flags, CUdevice device);
CUresult cuEGLApiInit(void *, void *, void *, void *, void *, void *);
CUresult cuVDPAUGetDevice(CUdevice *device, unsigned vdpau_device, void *get_proc_address);
CUresult cuVDPAUCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device,
                             unsigned vdpau_device, void *get_proc_address);

#include "../recorder.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define UNTOUCHED_HANDLE ((void *)(uintptr_t)UNTOUCHED)

/* An exported symbol by its exact name, or NULL. */
void *library_symbol(const char *name);

/* The set-up must work: a failure ends the group. */
static inline void must_work(CUresult result, const char *what)
{
    if (result)
        setup_failed(what, result);
}

static inline CUevent event_new(unsigned flags)
{
    CUevent event = NULL;

    cuda.cuEventCreate(&event, flags);
    return event;
}

static inline const char *handle_state(const void *handle)
{
    return out_state(handle);
}

/* Kernels nop, incr(u64 p, u32 n), smids(u64 p, u32 spin), big (static shared), and global gv. */
extern const char kernels_ptx[];

#endif
