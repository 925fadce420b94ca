/* SPDX-License-Identifier: MIT */
/*
 * Arrays and mipmapped arrays whose handles are stale, foreign or garbage.
 */
#include "arrays.h"

RISKY(9800, array_destroy_twice,
      (cuda.cuArrayDestroy(risky_array), cuda.cuArrayDestroy(risky_array)))

RISKY(9800, array_desc_destroyed, ({
          CUDA_ARRAY3D_DESCRIPTOR d;
          cuda.cuArrayDestroy(risky_array);
          cuda.cuArray3DGetDescriptor(&d, risky_array);
      }))

RISKY_HANDLE(9800, array_destroy_garbage, cuda.cuArrayDestroy((CUarray)bad_handle))

RISKY_HANDLE(9800, array_desc_garbage, ({
                 CUDA_ARRAY3D_DESCRIPTOR d;
                 cuda.cuArray3DGetDescriptor(&d, (CUarray)bad_handle);
             }))

RISKY_HANDLE(9800, array_plane_garbage, ({
                 CUarray o;
                 cuda.cuArrayGetPlane(&o, (CUarray)bad_handle, 0);
             }))

RISKY_HANDLE(9800, array_req_garbage, ({
                 CUDA_ARRAY_MEMORY_REQUIREMENTS o;
                 cuda.cuArrayGetMemoryRequirements(&o, (CUarray)bad_handle, 0);
             }))

RISKY_HANDLE(9800, mip_destroy_garbage, cuda.cuMipmappedArrayDestroy((CUmipmappedArray)bad_handle))

RISKY_HANDLE(9800, mip_level_garbage, ({
                 CUarray o;
                 cuda.cuMipmappedArrayGetLevel(&o, (CUmipmappedArray)bad_handle, 0);
             }))

RISKY(9800, mip_level_of_array_handle, ({
          CUarray o;
          cuda.cuMipmappedArrayGetLevel(&o, (CUmipmappedArray)risky_array, 0);
      }))

RISKY(9800, mip_destroy_of_array_handle,
      cuda.cuMipmappedArrayDestroy((CUmipmappedArray)risky_array))

static CUmipmappedArray mip_new(void)
{
    CUDA_ARRAY3D_DESCRIPTOR m = {64, 64, 0, 1, 4, 0};
    CUmipmappedArray x = 0;
    cuda.cuMipmappedArrayCreate(&x, &m, 4);
    return x;
}

RISKY(9800, array_destroy_of_mip_handle, cuda.cuArrayDestroy((CUarray)mip_new()))

RISKY(9800, array_desc_of_mip_handle, ({
          CUDA_ARRAY3D_DESCRIPTOR d;
          cuda.cuArray3DGetDescriptor(&d, (CUarray)mip_new());
      }))

RISKY(9800, mip_destroy_twice, ({
          CUmipmappedArray x = mip_new();
          cuda.cuMipmappedArrayDestroy(x);
          cuda.cuMipmappedArrayDestroy(x);
      }))

RISKY(9800, mip_level_after_mip_destroy_desc, ({
          CUmipmappedArray x = mip_new();
          CUarray l = 0;
          cuda.cuMipmappedArrayGetLevel(&l, x, 1);
          cuda.cuMipmappedArrayDestroy(x);
          CUDA_ARRAY3D_DESCRIPTOR d;
          cuda.cuArray3DGetDescriptor(&d, l);
      }))
