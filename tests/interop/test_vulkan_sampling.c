/* SPDX-License-Identifier: MIT */
/* Kernels that read and write Vulkan's images in place, through textures and surfaces: every level
 * of one, as it lies in the driver's memory. */
#include "test.h"

#include "drivers.h"
#include "external.h"
#include "images.h"
#include "invert.h"

DRIVER_TEST(a_kernel_inverts_an_image_of_vulkan)
{
    struct vulkan_image_info info = {
        VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_TYPE_2D, 37, 21, 1, 3, 1, false,
        VK_IMAGE_TILING_OPTIMAL};
    struct vulkan vk = open_or_skip(driver);
    struct vulkan_image image;
    unsigned char bytes[37 * 21 * 4];
    CUmipmappedArray mipmap;

    with_context();
    vulkan_image_create(&vk, &info, &image);
    CUexternalMemory memory = import(vulkan_memory_fd(&vk, image.memory), image.allocated_bytes);
    check_success(try_map_image(&mipmap, memory, 0,
                                describe(info.width, info.height, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4,
                                         CUDA_ARRAY3D_SURFACE_LDST),
                                info.levels));
    for (unsigned level = 0; level < info.levels; level++) {
        size_t count = vulkan_image_level_bytes(&info, level);
        CUarray array;
        make_bytes(bytes, count, level);
        vulkan_image_write(&vk, &image, level, bytes);
        check_success(cuMipmappedArrayGetLevel(&array, mipmap, level));
        invert(array, info.width >> level, info.height >> level);
        vulkan_image_read(&vk, &image, level, bytes);
        invert_bytes(bytes, count);
        check_made(bytes, count, level);
    }
    check_success(cuMipmappedArrayDestroy(mipmap));
    check_success(cuDestroyExternalMemory(memory));
    vulkan_image_destroy(&vk, &image);
    vulkan_close(&vk);
}
