/* SPDX-License-Identifier: MIT */
/* The atomic operations that work across a link. With the host none is native, as on the recorded
 * card. Linked devices support all operations that a device supports on its own memory, because all
 * devices share one memory. */
#include "impl.h"
#include "core/compiler.h"
#include "core/error.h"
#include "device/device.h"

enum {
    SIGNED = CU_ATOMIC_CAPABILITY_SIGNED,
    UNSIGNED = CU_ATOMIC_CAPABILITY_UNSIGNED,
    REDUCTION = CU_ATOMIC_CAPABILITY_REDUCTION,
    WORDS = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64,
    WIDE = WORDS | CU_ATOMIC_CAPABILITY_SCALAR_128,
};

/* The operations that PTX has for compute capability 9.0. */
static const unsigned own_capabilities[] = {
    [CU_ATOMIC_OPERATION_INTEGER_ADD] = SIGNED | UNSIGNED | REDUCTION | WORDS,
    [CU_ATOMIC_OPERATION_INTEGER_MIN] = SIGNED | UNSIGNED | REDUCTION | WORDS,
    [CU_ATOMIC_OPERATION_INTEGER_MAX] = SIGNED | UNSIGNED | REDUCTION | WORDS,
    [CU_ATOMIC_OPERATION_INTEGER_INCREMENT] = UNSIGNED | REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32,
    [CU_ATOMIC_OPERATION_INTEGER_DECREMENT] = UNSIGNED | REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32,
    [CU_ATOMIC_OPERATION_AND] = UNSIGNED | REDUCTION | WORDS,
    [CU_ATOMIC_OPERATION_OR] = UNSIGNED | REDUCTION | WORDS,
    [CU_ATOMIC_OPERATION_XOR] = UNSIGNED | REDUCTION | WORDS,
    [CU_ATOMIC_OPERATION_EXCHANGE] = UNSIGNED | WIDE,
    [CU_ATOMIC_OPERATION_CAS] = UNSIGNED | WIDE,
    [CU_ATOMIC_OPERATION_FLOAT_ADD] = SIGNED | REDUCTION | WORDS | CU_ATOMIC_CAPABILITY_VECTOR_32x4,
    [CU_ATOMIC_OPERATION_FLOAT_MIN] = 0,
    [CU_ATOMIC_OPERATION_FLOAT_MAX] = 0,
};

static CUresult check_lists(const unsigned *capabilities, const CUatomicOperation *operations,
                            unsigned count)
{
    if (!capabilities || !operations || count == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list is NULL or has no entries");
    return CUDA_SUCCESS;
}

/* All results are 0 if one operation is unknown, as recorded. */
static CUresult answer(unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
                       bool native)
{
    for (unsigned i = 0; i < count; i++)
        capabilities[i] = 0;
    for (unsigned i = 0; i < count; i++) {
        if ((size_t)operations[i] >= CUP_ARRAY_COUNT(own_capabilities))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid operation %d", (int)operations[i]);
    }
    for (unsigned i = 0; native && i < count; i++)
        capabilities[i] = own_capabilities[operations[i]];
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const CUatomicOperation *operations,
                                                unsigned int count, CUdevice dev)
{
    CUresult result = check_lists(capabilities, operations, count);

    if (result != CUDA_SUCCESS)
        return result;
    const struct cup_device *device = cup_device_get(dev);
    if (!device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", dev);
    return answer(capabilities, operations, count,
                  cup_device_property(device, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED) !=
                      0);
}

CUresult impl_cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const CUatomicOperation *operations,
                                               unsigned int count, CUdevice srcDevice,
                                               CUdevice dstDevice)
{
    CUresult result = check_lists(capabilities, operations, count);

    if (result != CUDA_SUCCESS)
        return result;
    const struct cup_device *source = cup_device_get(srcDevice);
    const struct cup_device *destination = cup_device_get(dstDevice);
    if (!source || !destination || source == destination)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no link from device %d to %d",
                         srcDevice, dstDevice);
    return answer(capabilities, operations, count, cup_device_linked(source, destination));
}
