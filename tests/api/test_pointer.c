/* SPDX-License-Identifier: MIT */
/* Pointer attributes. */
#include "test.h"

enum { BYTES = 5000, MIB = 1 << 20 };

/* One pointer of each kind. */
struct pointers {
    CUdeviceptr device, pinned, registered, pageable;
};

static struct pointers make_pointers(void)
{
    struct pointers made;
    void *pinned, *registered = aligned_alloc(4096, 8192);

    check_success(cuMemAlloc(&made.device, BYTES));
    check_success(cuMemAllocHost(&pinned, BYTES));
    check_success(cuMemHostRegister(registered, 8192, 0));
    made.pinned = (CUdeviceptr)(uintptr_t)pinned;
    made.registered = (CUdeviceptr)(uintptr_t)registered;
    made.pageable = (CUdeviceptr)(uintptr_t)malloc(BYTES);
    return made;
}

/* The attribute as a number; checks that not a byte more than `bytes` was written. */
static uint64_t ask(CUdeviceptr ptr, CUpointer_attribute attribute, size_t bytes)
{
    unsigned char answer[16];
    uint64_t value = 0;

    memset(answer, 0xa5, sizeof(answer));
    check_success(cuPointerGetAttribute(answer, attribute, ptr));
    for (size_t i = bytes; i < sizeof(answer); i++)
        check(answer[i] == 0xa5);
    memcpy(&value, answer, bytes);
    return value;
}

static unsigned ask_int(CUdeviceptr ptr, CUpointer_attribute attribute)
{
    return (unsigned)ask(ptr, attribute, 4);
}

TEST(memory_type_says_where_memory_is)
{
    struct pointers ptr;

    with_context();
    ptr = make_pointers();
    check(ask_int(ptr.device + 10, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_DEVICE);
    check(ask_int(ptr.pinned + 10, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_HOST);
    check(ask_int(ptr.registered + 10, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_HOST);
}

TEST(context_is_the_one_memory_was_made_in)
{
    CUcontext primary = with_context(), context;
    struct pointers ptr = make_pointers(), other;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    other = make_pointers();
    check(ask(ptr.device, CU_POINTER_ATTRIBUTE_CONTEXT, 8) == (uintptr_t)primary);
    check(ask(ptr.pinned, CU_POINTER_ATTRIBUTE_CONTEXT, 8) == (uintptr_t)primary);
    check(ask(other.device, CU_POINTER_ATTRIBUTE_CONTEXT, 8) == (uintptr_t)context);
    check(ask(other.pinned, CU_POINTER_ATTRIBUTE_CONTEXT, 8) == (uintptr_t)context);
    check(ask(other.registered, CU_POINTER_ATTRIBUTE_CONTEXT, 8) == (uintptr_t)context);
}

TEST(addresses_are_the_pointer_itself)
{
    struct pointers ptr;
    void *host = &ptr;

    with_context();
    ptr = make_pointers();
    check(ask(ptr.device + 9, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 8) == ptr.device + 9);
    check(ask(ptr.pinned + 9, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 8) == ptr.pinned + 9);
    check(ask(ptr.pinned + 9, CU_POINTER_ATTRIBUTE_HOST_POINTER, 8) == ptr.pinned + 9);
    check(ask(ptr.registered + 9, CU_POINTER_ATTRIBUTE_HOST_POINTER, 8) == ptr.registered + 9);
    check_result(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, ptr.device),
                 CUDA_ERROR_INVALID_VALUE);
    check(host == NULL);
}

TEST(range_is_the_allocation_and_mapping_its_block)
{
    struct pointers ptr;

    with_context();
    ptr = make_pointers();
    check(ask(ptr.device + 9, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 8) == ptr.device);
    check(ask(ptr.device + 9, CU_POINTER_ATTRIBUTE_RANGE_SIZE, 8) == BYTES);
    check(ask(ptr.device, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, 8) == 2 * MIB);
    check(ask(ptr.device, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, 8) % (2 * MIB) == 0);
    check(ask(ptr.pinned, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, 8) == 2 * MIB);
    check(ask(ptr.registered + 9, CU_POINTER_ATTRIBUTE_RANGE_SIZE, 8) == 8192);
    check(ask(ptr.registered + 9, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, 8) == 8192);
    check(ask(ptr.registered + 9, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, 8) == ptr.registered);
}

TEST(what_only_device_memory_can)
{
    static const CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
    };
    struct pointers ptr;

    with_context();
    ptr = make_pointers();
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        check(ask_int(ptr.device, attributes[i]) == 1);
        check(ask_int(ptr.pinned, attributes[i]) == 0);
        check(ask_int(ptr.registered, attributes[i]) == 0);
    }
}

TEST(what_all_of_it_has_in_common)
{
    struct pointers ptr;

    with_context();
    ptr = make_pointers();
    CUdeviceptr all[] = {ptr.device, ptr.pinned, ptr.registered};
    for (int i = 0; i < 3; i++) {
        check(ask_int(all[i], CU_POINTER_ATTRIBUTE_MAPPED) == 1);
        check(ask_int(all[i], CU_POINTER_ATTRIBUTE_IS_MANAGED) == 0);
        check(ask_int(all[i], CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) == 0);
        check(ask_int(all[i], CU_POINTER_ATTRIBUTE_ACCESS_FLAGS) == 3);
        check(ask(all[i], CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, 8) == 0);
        check(ask(all[i], CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 8) == 0);
    }
}

TEST(buffer_id_is_never_used_twice)
{
    CUdeviceptr ptr, again;
    uint64_t id;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    id = ask(ptr, CU_POINTER_ATTRIBUTE_BUFFER_ID, 8);
    check(id != 0);
    check(ask(ptr + BYTES - 1, CU_POINTER_ATTRIBUTE_BUFFER_ID, 8) == id);
    check_success(cuMemFree(ptr));
    check_success(cuMemAlloc(&again, BYTES));
    check(again == ptr);
    check(ask(again, CU_POINTER_ATTRIBUTE_BUFFER_ID, 8) > id);
}

TEST(neighbours_share_a_block_id)
{
    CUdeviceptr first, second, large;
    uint64_t block;

    with_context();
    check_success(cuMemAlloc(&first, BYTES));
    check_success(cuMemAlloc(&second, BYTES));
    check_success(cuMemAlloc(&large, 4 * MIB));
    block = ask(first, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, 8);
    check(ask(second, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, 8) == block);
    check(ask(large, CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, 8) != block);
}

TEST(sync_memops_is_off_until_set)
{
    struct pointers ptr;
    unsigned on = 2, off = 0;

    with_context();
    ptr = make_pointers();
    CUdeviceptr all[] = {ptr.device, ptr.pinned, ptr.registered};
    for (int i = 0; i < 3; i++) {
        check(ask_int(all[i], CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 0);
        check_success(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, all[i] + 100));
        check(ask_int(all[i], CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 1);
        check_success(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, all[i]));
        check(ask_int(all[i] + 100, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 0);
    }
}

TEST(sync_memops_ends_with_the_allocation)
{
    CUdeviceptr ptr, again;
    unsigned on = 1;

    with_context();
    for (size_t bytes = BYTES; bytes < 8 * MIB; bytes *= 1000) {
        check_success(cuMemAlloc(&ptr, bytes));
        check_success(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr));
        check_success(cuMemFree(ptr));
        check_success(cuMemAlloc(&again, bytes));
        check(ask_int(again, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 0);
    }
}

/* Whoever asks for the tokens means to write the memory from outside. */
TEST(p2p_tokens_turn_sync_memops_on)
{
    unsigned char tokens[16];
    struct pointers ptr;

    with_context();
    ptr = make_pointers();
    check_success(cuPointerGetAttribute(tokens, CU_POINTER_ATTRIBUTE_P2P_TOKENS, ptr.device));
    check(ask_int(ptr.device, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 1);
    check_result(cuPointerGetAttribute(tokens, CU_POINTER_ATTRIBUTE_P2P_TOKENS, ptr.pinned),
                 CUDA_ERROR_INVALID_VALUE);
    check(ask_int(ptr.pinned, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) == 0);
}

static void wait_for_flag(void *flag)
{
    flag_wait(flag);
}

static void *raise_later(void *flag)
{
    struct timespec time = {0, 30000000};

    nanosleep(&time, NULL);
    flag_raise(flag);
    return NULL;
}

/* Without it neither a device copy nor a memset waits for the work before it. */
TEST(sync_memops_makes_synchronous_calls_wait)
{
    static struct flag flags[2];
    CUdeviceptr ptr;
    pthread_t threads[2];
    unsigned on = 1;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    check_success(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr));
    for (int i = 0; i < 2; i++) {
        check_success(cuLaunchHostFunc(NULL, wait_for_flag, &flags[i]));
        check(pthread_create(&threads[i], NULL, raise_later, &flags[i]) == 0);
        if (i == 0)
            check_success(cuMemcpyDtoD(ptr, ptr + 1000, 1000));
        else
            check_success(cuMemsetD8(ptr, 0, 1000));
        check(flag_is_raised(&flags[i]));
        pthread_join(threads[i], NULL);
    }
}

TEST(other_pointers_have_no_attributes)
{
    unsigned char answer[16];
    struct pointers ptr;
    CUdeviceptr freed;

    with_context();
    ptr = make_pointers();
    check_success(cuMemAlloc(&freed, BYTES));
    check_success(cuMemFree(freed));
    CUdeviceptr others[] = {0, 1, ptr.pageable, ptr.device + BYTES, freed, ~(CUdeviceptr)0};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        for (int attribute = 1; attribute <= 22; attribute++) {
            memset(answer, 0xa5, sizeof(answer));
            check_result(cuPointerGetAttribute(answer, attribute, others[i]),
                         CUDA_ERROR_INVALID_VALUE);
            check(answer[0] == 0xa5);
        }
    }
}

TEST(there_are_no_other_attributes)
{
    static const int others[] = {0, -1, 23, 99, 0x7fffffff};
    unsigned char answer[16];
    CUdeviceptr ptr;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        check_result(cuPointerGetAttribute(answer, (CUpointer_attribute)others[i], ptr),
                     CUDA_ERROR_INVALID_VALUE);
        check_result(cuPointerSetAttribute(answer, (CUpointer_attribute)others[i], ptr),
                     CUDA_ERROR_INVALID_VALUE);
    }
    check_result(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(attributes_need_no_context_but_one)
{
    CUdeviceptr ptr, answer = 7;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    check_success(cuCtxSetCurrent(NULL));
    check(ask_int(ptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) == CU_MEMORYTYPE_DEVICE);
    check(ask(ptr, CU_POINTER_ATTRIBUTE_RANGE_SIZE, 8) == BYTES);
    check_result(cuPointerGetAttribute(&answer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, ptr),
                 CUDA_ERROR_INVALID_CONTEXT);
    check(answer == 0);
}

TEST(many_attributes_at_once)
{
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_HOST_POINTER,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned type = 7;
    uint64_t host = 7, size = 7;
    void *answers[] = {&type, &host, &size};
    CUdeviceptr ptr;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    check_success(cuPointerGetAttributes(3, names, answers, ptr));
    check(type == CU_MEMORYTYPE_DEVICE && host == 0 && size == BYTES);
    check_result(cuPointerGetAttributes(0, names, answers, ptr), CUDA_ERROR_INVALID_VALUE);
    check_result(cuPointerGetAttributes(3, NULL, answers, ptr), CUDA_ERROR_INVALID_VALUE);
    check_result(cuPointerGetAttributes(3, names, NULL, ptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(many_attributes_of_another_pointer_are_zero)
{
    CUpointer_attribute names[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_HOST_POINTER,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_CONTEXT};
    int type = 7, ordinal = 7, pageable;
    uint64_t host = 7, size = 7, context = 7;
    void *answers[] = {&type, &host, &size, &ordinal, &context};

    with_context();
    check_success(cuPointerGetAttributes(5, names, answers, (CUdeviceptr)(uintptr_t)&pageable));
    check(type == 0 && ordinal == CU_DEVICE_INVALID && context == 0);
    check(host == (uintptr_t)&pageable);
    check(size == 7);
}

TEST(many_attributes_stop_at_a_wrong_one)
{
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 99,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned type = 7;
    uint64_t nothing, size = 7;
    void *answers[] = {&type, &nothing, &size};
    CUdeviceptr ptr;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    check_result(cuPointerGetAttributes(3, names, answers, ptr), CUDA_ERROR_INVALID_VALUE);
    check(type == CU_MEMORYTYPE_DEVICE && size == 7);
}
