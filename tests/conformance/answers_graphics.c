/* SPDX-License-Identifier: MIT */
/*
 * Graphics resources, without any graphics API: only what needs no resource.
 */
#include "recorder.h"

static CUstream async_stream;

GROUP(1100, graphics, "graphics")
{
    use_primary_context();
    CUgraphicsResource none[2] = {0, 0};
    CUdeviceptr ptr = UNTOUCHED;
    size_t size = 7;
    CUarray array;
    CUmipmappedArray mip;
    async_stream = stream_new(0);
    CUstream streams[] = {0, async_stream, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    for (int i = 0; i < 4; i++) {
        CHECK(format("map-count0-s%d", i), cuda.cuGraphicsMapResources(0, none, streams[i]));
        CHECK(format("map-count0-null-s%d", i), cuda.cuGraphicsMapResources(0, NULL, streams[i]));
        CHECK(format("map-null-list-s%d", i), cuda.cuGraphicsMapResources(1, NULL, streams[i]));
        CHECK(format("unmap-count0-s%d", i), cuda.cuGraphicsUnmapResources(0, none, streams[i]));
        CHECK(format("unmap-null-list-s%d", i), cuda.cuGraphicsUnmapResources(1, NULL, streams[i]));
    }

    CHECK("map-null-entry", cuda.cuGraphicsMapResources(1, none, 0));
    CHECK("map-null-entries-dup", cuda.cuGraphicsMapResources(2, none, 0));
    CHECK("unmap-null-entry", cuda.cuGraphicsUnmapResources(1, none, 0));
    CHECK("unmap-count0-null", cuda.cuGraphicsUnmapResources(0, NULL, 0));
    CHECK("getptr-null-resource", cuda.cuGraphicsResourceGetMappedPointer(&ptr, &size, NULL),
          "out=%s size=%zu", out_state(ptr), size);
    CHECK("getptr-all-null", cuda.cuGraphicsResourceGetMappedPointer(NULL, NULL, NULL));
    CHECK("getarray-null-resource", cuda.cuGraphicsSubResourceGetMappedArray(&array, NULL, 0, 0));
    CHECK("getarray-all-null", cuda.cuGraphicsSubResourceGetMappedArray(NULL, NULL, 0, 0));
    CHECK("getmip-null-resource", cuda.cuGraphicsResourceGetMappedMipmappedArray(&mip, NULL));
    CHECK("getmip-all-null", cuda.cuGraphicsResourceGetMappedMipmappedArray(NULL, NULL));
    for (unsigned flags = 0; flags < 5; flags++)
        CHECK(format("setflags-null-%u", flags), cuda.cuGraphicsResourceSetMapFlags(NULL, flags));
    CHECK("unregister-null", cuda.cuGraphicsUnregisterResource(NULL));
}

RISKY_HANDLE(9920, gfx_map_garbage, ({
                 CUgraphicsResource r = (CUgraphicsResource)bad_handle;
                 cuda.cuGraphicsMapResources(1, &r, 0);
             }))

RISKY_HANDLE(9920, gfx_unmap_garbage, ({
                 CUgraphicsResource r = (CUgraphicsResource)bad_handle;
                 cuda.cuGraphicsUnmapResources(1, &r, 0);
             }))

RISKY_HANDLE(
    9920, gfx_map_dup_garbage, ({
        CUgraphicsResource r[2] = {(CUgraphicsResource)bad_handle, (CUgraphicsResource)bad_handle};
        cuda.cuGraphicsMapResources(2, r, 0);
    }))

RISKY_HANDLE(9920, gfx_getptr_garbage, ({
                 CUdeviceptr d;
                 size_t n;
                 cuda.cuGraphicsResourceGetMappedPointer(&d, &n, (CUgraphicsResource)bad_handle);
             }))

RISKY_HANDLE(9920, gfx_setflags_garbage,
             cuda.cuGraphicsResourceSetMapFlags((CUgraphicsResource)bad_handle, 0))

RISKY_HANDLE(9920, gfx_setflags_bad_garbage,
             cuda.cuGraphicsResourceSetMapFlags((CUgraphicsResource)bad_handle, 99))

RISKY_HANDLE(9920, gfx_unregister_garbage,
             cuda.cuGraphicsUnregisterResource((CUgraphicsResource)bad_handle))

RISKY_HANDLE(9920, gfx_getarray_garbage, ({
                 CUarray a;
                 cuda.cuGraphicsSubResourceGetMappedArray(&a, (CUgraphicsResource)bad_handle, 0, 0);
             }))

RISKY_HANDLE(9920, gfx_map0_stream_garbage,
             cuda.cuGraphicsMapResources(0, NULL, (CUstream)bad_handle))
