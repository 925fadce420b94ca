/* SPDX-License-Identifier: MIT */
/* Advice on managed memory is stored per page and returned by queries. */
#include "managed.h"

static const CUmemLocation node_0 = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};

TEST(preferred_location_is_kept)
{
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(BYTES);
    check(preferred(ptr, BYTES) == CU_DEVICE_INVALID);
    check(ask(ptr, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) == 0);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device_0));
    check(preferred(ptr, BYTES) == 0);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    check(preferred(ptr, BYTES) == CU_DEVICE_CPU);
    check(ask(ptr, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) ==
          CU_MEM_LOCATION_TYPE_HOST);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, node_0));
    check(ask(ptr, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) == 0); /* not told */
    check(preferred(ptr, BYTES) == CU_DEVICE_INVALID);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, host));
    check(preferred(ptr, BYTES) == CU_DEVICE_INVALID);
}

TEST(advice_needs_managed_memory_and_a_place)
{
    CUmemLocation wrong = {CU_MEM_LOCATION_TYPE_DEVICE, 1000}, none = {0, 0};
    CUdeviceptr ptr, device;

    with_context();
    ptr = allocate(BYTES);
    check_success(cuMemAlloc(&device, BYTES));
    check_result(cuMemAdvise(device, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, BYTES + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, BYTES, (CUmem_advise)0, device_0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, BYTES, (CUmem_advise)7, device_0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, none),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, wrong),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, wrong));
    check_result(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, node_0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPrefetchAsync(ptr, BYTES, wrong, 0, NULL), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuMemPrefetchAsync(device, BYTES, device_0, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemPrefetchAsync(ptr, BYTES, device_0, 1, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(advice_counts_for_whole_pages)
{
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(BYTES);
    check_success(cuMemAdvise(ptr + PAGE + 5, 77, CU_MEM_ADVISE_SET_READ_MOSTLY, device_0));
    check(ask(ptr + PAGE, PAGE, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 1);
    check(ask(ptr, PAGE, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
    check(ask(ptr + 2 * PAGE, PAGE, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
    check(ask(ptr + PAGE, PAGE + 1, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
}

/* Each page by itself, as the library should remember it. */
struct model {
    int read_mostly[PAGES], preferred[PAGES], prefetched[PAGES], accessed[PAGES];
};

static bool is_alike(const struct model *model, int one, int other)
{
    return model->read_mostly[one] == model->read_mostly[other] &&
           model->preferred[one] == model->preferred[other] &&
           model->prefetched[one] == model->prefetched[other] &&
           model->accessed[one] == model->accessed[other];
}

/* Pages before the first of which the same is said count instead of as many at the end. */
static int counting(const struct model *model, int first, int count)
{
    for (int page = first; page > 0 && is_alike(model, page - 1, first); page--)
        count--;
    return count;
}

static int common(const int *pages, int first, int count, int otherwise)
{
    for (int i = 1; i < count; i++) {
        if (pages[first + i] != pages[first])
            return otherwise;
    }
    return pages[first];
}

static void check_model(const struct model *model, CUdeviceptr ptr, int first, int count)
{
    CUdeviceptr at = ptr + (size_t)first * PAGE;
    size_t bytes = (size_t)count * PAGE;
    int list[2];

    count = counting(model, first, count);
    check(ask(at, bytes, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) ==
          common(model->read_mostly, first, count, 0));
    check(preferred(at, bytes) == common(model->preferred, first, count, CU_DEVICE_INVALID));
    check(prefetched(at, bytes) == common(model->prefetched, first, count, CU_DEVICE_INVALID));
    check_success(
        cuMemRangeGetAttribute(list, sizeof(list), CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, at, bytes));
    check(list[0] == (common(model->accessed, first, count, 0) ? 0 : CU_DEVICE_INVALID));
    check(list[1] == CU_DEVICE_INVALID);
}

static void set_pages(int *pages, int first, int count, int value)
{
    for (int i = 0; i < count; i++)
        pages[first + i] = value;
}

static void change_model(struct model *model, CUdeviceptr ptr, int what, int first, int count)
{
    CUdeviceptr at = ptr + (size_t)first * PAGE;
    size_t bytes = (size_t)count * PAGE;
    bool on = what % 2;

    switch (what / 2) {
    case 0:
        check_success(cuMemAdvise(
            at, bytes, on ? CU_MEM_ADVISE_SET_READ_MOSTLY : CU_MEM_ADVISE_UNSET_READ_MOSTLY,
            device_0));
        set_pages(model->read_mostly, first, count, on);
        break;
    case 1:
        check_success(
            cuMemAdvise(at, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, on ? device_0 : host));
        set_pages(model->preferred, first, count, on ? 0 : CU_DEVICE_CPU);
        break;
    case 2:
        check_success(cuMemAdvise(
            at, bytes, on ? CU_MEM_ADVISE_SET_ACCESSED_BY : CU_MEM_ADVISE_UNSET_ACCESSED_BY,
            device_0));
        set_pages(model->accessed, first, count, on);
        break;
    default:
        check_success(cuMemPrefetchAsync(at, bytes, on ? device_0 : host, 0, NULL));
        check_success(cuCtxSynchronize());
        set_pages(model->prefetched, first, count, on ? 0 : CU_DEVICE_CPU);
    }
}

/* NVIDIA's driver does not join ranges of which the same is preferred again. */
TEST(ranges_split_and_join)
{
    struct model model = {.read_mostly = {0}};
    unsigned seed = 7;
    CUdeviceptr ptr;

    with_context();
    only_cupipe();
    ptr = allocate(BYTES);
    set_pages(model.preferred, 0, PAGES, CU_DEVICE_INVALID);
    set_pages(model.prefetched, 0, PAGES, CU_DEVICE_INVALID);
    for (int i = 0; i < 2000; i++) {
        int first = rand_r(&seed) % PAGES, count = 1 + rand_r(&seed) % (PAGES - first);
        change_model(&model, ptr, rand_r(&seed) % 8, first, count);
        first = rand_r(&seed) % PAGES;
        check_model(&model, ptr, first, 1 + rand_r(&seed) % (PAGES - first));
    }
    for (int what = 0; what < 8; what += 2)
        change_model(&model, ptr, what, 0, PAGES);
    check_model(&model, ptr, 0, PAGES);
}

TEST(accessed_by_lists_those_who_access_all_of_it)
{
    CUmemLocation device_2 = {CU_MEM_LOCATION_TYPE_DEVICE, 2};
    int list[4];
    CUdeviceptr ptr;

    setenv("CUPIPE_DEVICES", "3", 1);
    with_context();
    only_cupipe();
    ptr = allocate(BYTES);
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, device_2));
    check_success(cuMemAdvise(ptr, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
    check_success(cuMemAdvise(ptr, PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, device_0));
    check_success(cuMemRangeGetAttribute(list, 16, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ptr, BYTES));
    check(list[0] == 2 && list[1] == CU_DEVICE_CPU);
    check(list[2] == CU_DEVICE_INVALID && list[3] == CU_DEVICE_INVALID);
    check_success(cuMemRangeGetAttribute(list, 8, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ptr, PAGE));
    check(list[0] == 0 && list[1] == 2 && list[2] == CU_DEVICE_INVALID);
}

TEST(many_attributes_are_answered_at_once_or_not_at_all)
{
    int one = 77, two = 77;
    void *data[] = {&one, &two};
    size_t sizes[] = {4, 3};
    CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                          CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(BYTES);
    check_result(cuMemRangeGetAttributes(data, sizes, attributes, 2, ptr, BYTES),
                 CUDA_ERROR_INVALID_VALUE);
    sizes[1] = 4;
    check_result(cuMemRangeGetAttributes(data, sizes, attributes, 0, ptr, BYTES),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemRangeGetAttributes(data, sizes, attributes, 2, ptr, BYTES + 1),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemRangeGetAttributes(data, sizes, attributes, 2, ptr, BYTES));
    check(one == 0 && two == CU_DEVICE_INVALID);
}

/* The forms of CUDA 8 name a device, or the host as device -1. */
TEST(older_forms_name_the_host_as_a_device)
{
    CUresult (*advise)(CUdeviceptr, size_t, CUmem_advise, CUdevice);
    CUresult (*prefetch)(CUdeviceptr, size_t, CUdevice, CUstream);
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(BYTES);
    check_success(cuGetProcAddress("cuMemAdvise", (void **)&advise, 8000, 0, NULL));
    check_success(cuGetProcAddress("cuMemPrefetchAsync", (void **)&prefetch, 8000, 0, NULL));
    check_success(advise(ptr, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    check(preferred(ptr, BYTES) == CU_DEVICE_CPU);
    check_result(advise(ptr, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_INVALID),
                 CUDA_ERROR_INVALID_DEVICE);
    check_result(advise(ptr, BYTES, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 1000),
                 CUDA_ERROR_INVALID_DEVICE);
    check_success(advise(ptr, BYTES, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 1000));
    check_success(prefetch(ptr, BYTES, 0, NULL));
    check_success(cuCtxSynchronize());
    check(prefetched(ptr, BYTES) == 0);
}
