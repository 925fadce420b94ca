/* SPDX-License-Identifier: MIT */
/*
 * Pointer attributes, of pointers of every kind.
 */
#include "recorder.h"

static unsigned long long read_u64(const void *bytes)
{
    unsigned long long value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

/* The attribute in bytes[64], which held 0xA5, as text that is the same in every run. */
static const char *attribute_text(int attribute, const unsigned char *bytes, CUdeviceptr ptr)
{
    int written = 64;

    while (written && bytes[written - 1] == 0xA5)
        written--;

    unsigned long long value = read_u64(bytes);
    unsigned low = value & 0xffffffff;

    if (!written)
        return "written=0";

    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return format("written=%d ctx=%s", written,
                      !value                        ? "0"
                      : value == (uintptr_t)context ? "current"
                                                    : "other");
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        return format("ptr=%s", relative(value, ptr));
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return format("written=%d", written);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return format("nonzero=%d", value != 0);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return format("value=%llu", value);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return format("written=%d value=%d", written, (int)low);
    default:
        return format("written=%d value=%u", written, (bytes[1] == 0xA5 ? bytes[0] : low));
    }
}

struct pointer {
    const char *name;
    CUdeviceptr ptr;
};

static int pointers_create(struct pointer *pointers)
{
    int count = 0;
    struct memory kinds[KIND_COUNT];
    memory_kinds_create(kinds, 5000);

    for (int i = 0; i < KIND_COUNT; i++) {
        pointers[count++] = (struct pointer){kinds[i].name, kinds[i].ptr};
        pointers[count++] = (struct pointer){format("%s+100", kinds[i].name), kinds[i].ptr + 100};
    }

    pointers[count++] = (struct pointer){"dev-last", kinds[KIND_DEVICE].ptr + 4999};
    pointers[count++] = (struct pointer){"dev-end", kinds[KIND_DEVICE].ptr + 5000};
    pointers[count++] = (struct pointer){"pinned-end", kinds[KIND_PINNED].ptr + 5000};
    pointers[count++] = (struct pointer){"managed-end", kinds[KIND_MANAGED].ptr + 5000};

    pointers[count++] = (struct pointer){"null", 0};
    pointers[count++] = (struct pointer){"one", 1};
    pointers[count++] = (struct pointer){"garbage", GARBAGE_ADDRESS};
    CUdeviceptr ptr = device_alloc(4096);
    cuda.cuMemFree(ptr);
    pointers[count++] = (struct pointer){"freed", ptr};

    CUdeviceptr reserved = 0;
    cuda.cuMemAddressReserve(&reserved, 4 * MB, 0, 0, 0);
    pointers[count++] = (struct pointer){"vmm-reserved", reserved};
    void *host = 0;
    cuda.cuMemHostAlloc(&host, 8192, 7);
    pointers[count++] = (struct pointer){"hostalloc7", as_device(host)};

    CUmemGenericAllocationHandle handle;
    pointers[count++] = (struct pointer){"vmm-fd", mapped_alloc(2 * MB, 1, &handle)};
    cuda.cuMemAllocManaged(&ptr, 4096, CU_MEM_ATTACH_HOST);
    pointers[count++] = (struct pointer){"managed-host", ptr};

    context_new();
    pointers[count++] = (struct pointer){"otherctx-dev", device_alloc(4096)};
    pointers[count++] = (struct pointer){"otherctx-pinned", as_device(pinned_alloc(4096))};
    cuda.cuCtxSetCurrent(context);

    for (int i = 0; i < count; i++)
        pointers[i].name = strdup(pointers[i].name);

    return count;
}

GROUP(300, ptrattr, "ptrattr")
{
    use_primary_context();
    struct pointer pointers[40];
    int count = pointers_create(pointers);
    unsigned char bytes[64];

    for (int i = 0; i < count; i++)
        for (const struct named_value *row = pointer_attribute_names; row->name; row++) {
            memset(bytes, 0xA5, 64);
            CHECK(format("%s-%s", pointers[i].name, row->name),
                  cuda.cuPointerGetAttribute(bytes, row->value, pointers[i].ptr), "%s",
                  attribute_text(row->value, bytes, pointers[i].ptr));
        }

    CUdeviceptr ptr = device_alloc(4096);
    static const int bad[] = {0, -1, 22, 23, 24, 30, 99, 0x7fffffff};

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        memset(bytes, 0xA5, 64);
        CHECK(format("badattr-%d", bad[i]), cuda.cuPointerGetAttribute(bytes, bad[i], ptr),
              "touched=%d", bytes[0] != 0xA5);
        CHECK(format("badattr-%d-badptr", bad[i]), cuda.cuPointerGetAttribute(bytes, bad[i], 1));
    }

    for (const struct named_value *row = pointer_attribute_names; row->name; row++)
        CHECK(format("null-data-%s", row->name), cuda.cuPointerGetAttribute(NULL, row->value, ptr));

    CHECK("null-data-badattr", cuda.cuPointerGetAttribute(NULL, 99, ptr));
    CHECK("null-data-badptr", cuda.cuPointerGetAttribute(NULL, 2, 1));
}

GROUP(301, ptrids, "ptrids")
{
    use_primary_context();
    unsigned long long ids[4] = {0}, blocks[4] = {0};
    CUdeviceptr ptrs[4];

    for (int i = 0; i < 3; i++) {
        ptrs[i] = device_alloc(4096);
        cuda.cuPointerGetAttribute(&ids[i], CU_POINTER_ATTRIBUTE_BUFFER_ID, ptrs[i]);
        cuda.cuPointerGetAttribute(&blocks[i], CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, ptrs[i]);
    }

    RECORD("buffer-id", "step=%lld,%lld", (long long)(ids[1] - ids[0]),
           (long long)(ids[2] - ids[1]));
    RECORD("block-id-same-2M-block", "equal=%d,%d", blocks[0] == blocks[1], blocks[1] == blocks[2]);

    cuda.cuPointerGetAttribute(&ids[3], CU_POINTER_ATTRIBUTE_BUFFER_ID, ptrs[2] + 100);
    RECORD("buffer-id-interior", "equal=%d", ids[3] == ids[2]);

    cuda.cuMemFree(ptrs[2]);
    CUdeviceptr again = device_alloc(4096);
    cuda.cuPointerGetAttribute(&ids[3], CU_POINTER_ATTRIBUTE_BUFFER_ID, again);
    RECORD("buffer-id-after-realloc", "same_ptr=%d id_grew=%d step=%lld", again == ptrs[2],
           ids[3] > ids[2], (long long)(ids[3] - ids[2]));

    void *host = pinned_alloc(4096);
    unsigned long long pinned_id = 0;
    cuda.cuPointerGetAttribute(&pinned_id, CU_POINTER_ATTRIBUTE_BUFFER_ID, as_device(host));
    RECORD("buffer-id-pinned", "nonzero=%d step=%lld", pinned_id != 0,
           (long long)(pinned_id - ids[3]));

    CUdeviceptr managed = managed_alloc(4096);
    unsigned long long managed_id = 0;
    cuda.cuPointerGetAttribute(&managed_id, CU_POINTER_ATTRIBUTE_BUFFER_ID, managed);
    RECORD("buffer-id-managed", "nonzero=%d step=%lld", managed_id != 0,
           (long long)(managed_id - pinned_id));

    void *pages = page_alloc(4096);
    cuda.cuMemHostRegister(pages, 4096, 0);
    pinned_id = 0;
    cuda.cuPointerGetAttribute(&pinned_id, CU_POINTER_ATTRIBUTE_BUFFER_ID, as_device(pages));
    RECORD("buffer-id-registered", "nonzero=%d step=%lld", pinned_id != 0,
           (long long)(pinned_id - managed_id));

    /* Attributes without a context. */
    cuda.cuCtxSetCurrent(NULL);
    unsigned char bytes[64];
    CUcontext saved = context;

    for (const struct named_value *row = pointer_attribute_names; row->name; row++) {
        memset(bytes, 0xA5, 64);
        CHECK(format("noctx-dev-%s", row->name),
              cuda.cuPointerGetAttribute(bytes, row->value, again), "%s",
              attribute_text(row->value, bytes, again));
    }

    context = saved;
    cuda.cuCtxSetCurrent(context);
}

GROUP(302, ptrattrs, "ptrattrs")
{
    use_primary_context();
    struct pointer pointers[40];
    int count = pointers_create(pointers), attribute_count = 0;
    CUpointer_attribute attributes[32];
    static unsigned char values[32][64];
    void *outputs[32];

    for (const struct named_value *row = pointer_attribute_names; row->name; row++) {
        attributes[attribute_count] = row->value;
        outputs[attribute_count] = values[attribute_count];
        attribute_count++;
    }

    for (int i = 0; i < count; i++) {
        memset(values, 0xA5, sizeof values);
        CUresult failed = CHECK(
            format("%s-all", pointers[i].name),
            cuda.cuPointerGetAttributes(attribute_count, attributes, outputs, pointers[i].ptr));
        if (failed)
            continue;
        for (int j = 0; j < attribute_count; j++) {
            unsigned char value[64];
            memcpy(value, values[j], 64);
            RECORD(format("%s-all-%d", pointers[i].name, attributes[j]), "%s",
                   attribute_text(attributes[j], value, pointers[i].ptr));
        }
    }

    for (int j = 0; j < attribute_count; j++)
        for (int i = 0; i < count; i += 3) {
            memset(values, 0xA5, sizeof values);
            CHECK(format("%s-one-%d", pointers[i].name, attributes[j]),
                  cuda.cuPointerGetAttributes(1, attributes + j, outputs, pointers[i].ptr), "%s",
                  attribute_text(attributes[j], values[0], pointers[i].ptr));
        }

    CHECK("count0", cuda.cuPointerGetAttributes(0, attributes, outputs, pointers[0].ptr));
    CHECK("count0-null", cuda.cuPointerGetAttributes(0, NULL, NULL, pointers[0].ptr));
    CHECK("null-attrs", cuda.cuPointerGetAttributes(1, NULL, outputs, pointers[0].ptr));
    CHECK("null-data", cuda.cuPointerGetAttributes(1, attributes, NULL, pointers[0].ptr));
    CHECK("count0-badptr", cuda.cuPointerGetAttributes(0, attributes, outputs, 1));

    void *null_output[2] = {NULL, values[1]};
    CHECK("null-data-entry",
          cuda.cuPointerGetAttributes(2, attributes, null_output, pointers[0].ptr));
    CUpointer_attribute bad_attributes[2] = {2, 99};
    memset(values, 0xA5, sizeof values);
    CHECK("bad-second", cuda.cuPointerGetAttributes(2, bad_attributes, outputs, pointers[0].ptr),
          "first_written=%d", values[0][0] != 0xA5);
    bad_attributes[0] = 99;
    CHECK("bad-first", cuda.cuPointerGetAttributes(1, bad_attributes, outputs, pointers[0].ptr));

    CUpointer_attribute repeated[2] = {2, 2};
    memset(values, 0xA5, sizeof values);
    CHECK("repeated", cuda.cuPointerGetAttributes(2, repeated, outputs, pointers[0].ptr),
          "equal=%d", !memcmp(values[0], values[1], 4));
}

GROUP(303, ptrset, "ptrset")
{
    use_primary_context();
    struct pointer pointers[40];
    int count = pointers_create(pointers);
    unsigned value, readback;

    for (int i = 0; i < count; i++)
        for (value = 0; value < 3; value++) {
            readback = 0xa5;
            CHECK_THEN(format("sync-memops-%s-%u", pointers[i].name, value),
                       cuda.cuPointerSetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                                  pointers[i].ptr),
                       cuda.cuPointerGetAttribute(&readback, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                                  pointers[i].ptr),
                       "readback=0x%x", readback);
        }

    unsigned long long values[8] = {1};
    for (int attribute = 0; attribute < 25; attribute++)
        if (attribute != 6)
            CHECK(format("attr-%d", attribute),
                  cuda.cuPointerSetAttribute(values, attribute, pointers[0].ptr));

    CHECK("null-value",
          cuda.cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointers[0].ptr));
    CHECK("null-all", cuda.cuPointerSetAttribute(NULL, 0, 0));
}
