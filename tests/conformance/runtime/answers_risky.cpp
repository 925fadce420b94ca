/* SPDX-License-Identifier: MIT */
/* Handles and pointers that are garbage or stale: each call has a process. */
#include "recorder.hpp"

RISKY(404, array_double_free, (__extension__({
          cudaArray_t a = 0;
          cudaChannelFormatDesc c = channel(8, 0, 0, 0, 1);
          cudaMallocArray(&a, &c, 8, 8, 0);
          cudaFreeArray(a);
          cudaFreeArray(a);
      })))
RISKY(404, array_free_garbage, cudaFreeArray((cudaArray_t)GARBAGE_ADDRESS))
RISKY(404, array_info_garbage, (__extension__({
          unsigned f;
          cudaArrayGetInfo(0, 0, &f, (cudaArray_t)GARBAGE_ADDRESS);
      })))
RISKY(404, array_info_freed, (__extension__({
          cudaArray_t a = 0;
          cudaChannelFormatDesc c = channel(8, 0, 0, 0, 1);
          unsigned f;
          cudaMallocArray(&a, &c, 8, 8, 0);
          cudaFreeArray(a);
          cudaArrayGetInfo(0, 0, &f, a);
      })))
RISKY(404, mip_free_garbage, cudaFreeMipmappedArray((cudaMipmappedArray_t)GARBAGE_ADDRESS))
RISKY(404, mip_as_array_free, (__extension__({
          cudaMipmappedArray_t m = 0;
          cudaChannelFormatDesc c = channel(8, 0, 0, 0, 1);
          cudaMallocMipmappedArray(&m, &c, extent(8, 8, 0), 2, 0);
          cudaFreeArray((cudaArray_t)m);
      })))
RISKY(404, level_free, (__extension__({
          cudaMipmappedArray_t m = 0;
          cudaArray_t a = 0;
          cudaChannelFormatDesc c = channel(8, 0, 0, 0, 1);
          cudaMallocMipmappedArray(&m, &c, extent(8, 8, 0), 2, 0);
          cudaGetMipmappedArrayLevel(&a, m, 0);
          cudaFreeArray(a);
      })))
RISKY(404, stream_destroy_garbage, cudaStreamDestroy((cudaStream_t)GARBAGE_ADDRESS))
RISKY(404, stream_sync_garbage, cudaStreamSynchronize((cudaStream_t)GARBAGE_ADDRESS))
RISKY(404, stream_destroy_twice, (__extension__({
          cudaStream_t s = stream_new(0);
          cudaStreamDestroy(s);
          cudaStreamDestroy(s);
      })))
RISKY(404, stream_use_destroyed, (__extension__({
          cudaStream_t s = stream_new(0);
          cudaStreamDestroy(s);
          cudaMemsetAsync(device_alloc(64), 0, 64, s);
      })))
RISKY(404, event_destroy_garbage, cudaEventDestroy((cudaEvent_t)GARBAGE_ADDRESS))
RISKY(404, event_destroy_twice, (__extension__({
          cudaEvent_t e = event_new(0);
          cudaEventDestroy(e);
          cudaEventDestroy(e);
      })))
RISKY(404, event_query_destroyed, (__extension__({
          cudaEvent_t e = event_new(0);
          cudaEventDestroy(e);
          cudaEventQuery(e);
      })))
RISKY(404, graph_destroy_twice, (__extension__({
          cudaGraph_t g = 0;
          cudaGraphCreate(&g, 0);
          cudaGraphDestroy(g);
          cudaGraphDestroy(g);
      })))
RISKY(404, graph_launch_garbage, cudaGraphLaunch((cudaGraphExec_t)GARBAGE_ADDRESS, 0))
RISKY(404, pool_destroy_garbage, cudaMemPoolDestroy((cudaMemPool_t)GARBAGE_ADDRESS))
RISKY(404, texture_destroy_garbage, cudaDestroyTextureObject(0xdeadbeef))
RISKY(404, surface_destroy_garbage, cudaDestroySurfaceObject(0xdeadbeef))
RISKY(404, library_unload_garbage, cudaLibraryUnload((cudaLibrary_t)GARBAGE_ADDRESS))
RISKY(404, memcpy_src_bad_host,
      cudaMemcpy(device_alloc(64), GARBAGE_ADDRESS, 64, cudaMemcpyHostToDevice))
RISKY(404, memcpy_dst_bad_host,
      cudaMemcpy(GARBAGE_ADDRESS, device_alloc(64), 64, cudaMemcpyDeviceToHost))
RISKY(404, memcpy_null_host_src, cudaMemcpy(device_alloc(64), 0, 64, cudaMemcpyHostToDevice))
RISKY(404, memcpy_null_host_dst, cudaMemcpy(0, device_alloc(64), 64, cudaMemcpyDeviceToHost))
RISKY(404, memcpy_default_bad, cudaMemcpy(device_alloc(64), GARBAGE_ADDRESS, 64, cudaMemcpyDefault))
RISKY(404, memcpy_dtod_bad,
      cudaMemcpy(device_alloc(64), GARBAGE_ADDRESS, 64, cudaMemcpyDeviceToDevice))
RISKY(404, memcpy_dtod_host, (__extension__({
          static char b[64];
          cudaMemcpy(device_alloc(64), b, 64, cudaMemcpyDeviceToDevice);
      })))
RISKY(404, memcpy_past_end, (__extension__({
          static char b[64];
          char *d = (char *)device_alloc(64);
          cudaMemcpy(d + 2 * MB * 64, b, 64, cudaMemcpyHostToDevice);
      })))
RISKY(404, memset_bad, cudaMemset(GARBAGE_ADDRESS, 0, 64))
RISKY(404, memset_freed, (__extension__({
          void *d = device_alloc(64 * MB);
          cudaFree(d);
          cudaMemset(d, 0, 64);
      })))
RISKY(404, memset_past, cudaMemset(device_alloc(4096), 0, 8ull * GB))
RISKY(404, memset_async_bad, cudaMemsetAsync(GARBAGE_ADDRESS, 0, 64, 0))
RISKY(404, free_async_bad, cudaFreeAsync(GARBAGE_ADDRESS, 0))
RISKY(404, free_async_null, cudaFreeAsync(0, 0))
RISKY(404, free_async_sync_alloc, cudaFreeAsync(device_alloc(64), 0))
RISKY(404, hostfunc_null, cudaLaunchHostFunc(0, 0, 0))
RISKY(404, callback_null, cudaStreamAddCallback(0, 0, 0, 0))
RISKY(404, userobject_null_fn, (__extension__({
          cudaUserObject_t o;
          cudaUserObjectCreate(&o, 0, 0, 1, 1);
      })))
