/* SPDX-License-Identifier: MIT */
/*
 * Handles for address ranges, PCI bus ids and asynchronous notifications.
 */
#include "recorder.h"

static void check_range_handle(const char *name, CUdeviceptr address, size_t size, int type,
                               unsigned long long flags)
{
    int fd = -77;
    CHECK(name, cuda.cuMemGetHandleForAddressRange(&fd, address, size, type, flags), "fd=%s",
          fd == -77 ? "kept"
          : fd >= 0 ? "valid"
                    : "negative");
    if (fd >= 0)
        close(fd);
}

GROUP(1000, rangehandle, "rangehandle")
{
    use_primary_context();
    int fd;
    long page = sysconf(_SC_PAGESIZE);
    struct memory kinds[KIND_COUNT];
    memory_kinds_create(kinds, 4 * MB);
    CUdeviceptr ptr = kinds[KIND_DEVICE].ptr;
    RECORD("dmabuf-attr", "supported=%d", device_attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED));

    for (int i = 0; i < KIND_COUNT; i++)
        check_range_handle(format("kind-%s", kinds[i].name), kinds[i].ptr, 2 * MB, 1, 0);

    check_range_handle("page", ptr, page, 1, 0);
    check_range_handle("off-page", ptr + page, page, 1, 0);
    check_range_handle("off-64k", ptr + 65536, 65536, 1, 0);
    check_range_handle("size-unaligned", ptr, page + 1, 1, 0);
    check_range_handle("size-1", ptr, 1, 1, 0);
    check_range_handle("size-0", ptr, 0, 1, 0);
    check_range_handle("ptr-unaligned", ptr + 256, page, 1, 0);
    check_range_handle("full", ptr, 4 * MB, 1, 0);
    check_range_handle("beyond", ptr, 4 * MB + page, 1, 0);
    check_range_handle("size-max", ptr, SIZE_MAX, 1, 0);
    check_range_handle("null-ptr", 0, page, 1, 0);
    check_range_handle("garbage", GARBAGE_ADDRESS, page, 1, 0);
    for (int type = 0; type < 4; type++)
        check_range_handle(format("type-%d", type), ptr, 2 * MB, type, 0);
    check_range_handle("type-max", ptr, 2 * MB, 0x7fffffff, 0);
    for (int bit = 0; bit < 64; bit += bit < 4 ? 1 : 15)
        check_range_handle(format("flagbit-%d", bit), ptr, 2 * MB, 1, 1ull << bit);
    CHECK("null-out", cuda.cuMemGetHandleForAddressRange(NULL, ptr, 2 * MB, 1, 0));
    CUdeviceptr small = device_alloc(4096);
    check_range_handle("small-alloc", small, 4096, 1, 0);

    fd = -77;
    if (!cuda.cuMemGetHandleForAddressRange(&fd, ptr, 2 * MB, 1, 0)) {
        RECORD("fd-size", "lseek_end=%lld", (long long)lseek(fd, 0, SEEK_END));
        CHECK("free-with-fd-open", cuda.cuMemFree(ptr));
        close(fd);
    }
}

static void check_pci_lookup(const char *name, const char *id)
{
    CUdevice found = -7;
    CHECK(name, cuda.cuDeviceGetByPCIBusId(&found, id), "dev=%d", found);
}

GROUP(1001, pci, "pci")
{
    use_device();
    char text[64];
    memset(text, 0, sizeof text);
    cuda.cuDeviceGetPCIBusId(text, 64, device);
    char full[64];
    strcpy(full, text);

    RECORD("form", "len=%zu pattern=%d lowercase=%d", strlen(full),
           strlen(full) == 12 && full[4] == ':' && full[7] == ':' && full[10] == '.',
           strpbrk(full, "ABCDEF") == NULL);

    for (int length = -1; length <= 20; length++) {
        memset(text, '#', sizeof text);
        if (!case_begin(format("len%d", length)))
            continue;
        CUresult failed = cuda.cuDeviceGetPCIBusId(text, length, device);
        int touched = 0;
        for (int i = 0; i < 64; i++)
            if (text[i] != '#')
                touched = i + 1;
        int nul_at = -1;
        for (int i = 0; i < 64 && nul_at < 0; i++)
            if (!text[i])
                nul_at = i;
        int prefix = 0;
        while (prefix < (int)strlen(full) && text[prefix] == full[prefix])
            prefix++;
        case_end(failed, " touched=%d nul_at=%d prefix=%d", touched, nul_at, prefix);
    }

    CHECK("null", cuda.cuDeviceGetPCIBusId(NULL, 20, device));
    CHECK("baddev", cuda.cuDeviceGetPCIBusId(text, 20, 99));
    CHECK("dev-1", cuda.cuDeviceGetPCIBusId(text, 20, -1));

    char upper[64], lower[64];
    for (int i = 0; i < 64; i++) {
        upper[i] = full[i] >= 'a' && full[i] <= 'f' ? full[i] - 32 : full[i];
        lower[i] = full[i] >= 'A' && full[i] <= 'F' ? full[i] + 32 : full[i];
    }

    check_pci_lookup("by-full", full);
    check_pci_lookup("by-upper", upper);
    check_pci_lookup("by-lower", lower);
    check_pci_lookup("by-no-domain", full + 5);
    char no_function[64];
    strcpy(no_function, full);
    if (strrchr(no_function, '.'))
        *strrchr(no_function, '.') = 0;
    check_pci_lookup("by-no-func", no_function);
    check_pci_lookup("by-bus-dev", strlen(no_function) > 5 ? no_function + 5 : no_function);
    check_pci_lookup("by-func1", format("%.10s.1", full));
    check_pci_lookup("by-dom8", format("0000%s", full));
    check_pci_lookup("by-dom1", format("%s", full + 3));
    check_pci_lookup("by-trailing", format("%sx", full));
    check_pci_lookup("by-trailing-space", format("%s ", full));
    check_pci_lookup("by-leading-space", format(" %s", full));
    check_pci_lookup("by-empty", "");
    check_pci_lookup("by-garbage", "garbage");
    check_pci_lookup("by-zero", "0000:00:00.0");
    check_pci_lookup("by-ff", "ffff:ff:1f.7");
    check_pci_lookup("by-colon-func", format("%.10s:0", full));
    check_pci_lookup("by-no-zeros", format("0:%x:0.0", (unsigned)strtoul(full + 5, 0, 16)));
    check_pci_lookup("by-0x", format("0x%s", full));
    check_pci_lookup("by-null", NULL);
    CHECK("by-null-out", cuda.cuDeviceGetByPCIBusId(NULL, full));
    check_pci_lookup("by-ordinal", "0");
    check_pci_lookup("by-wrong-domain", format("0001%s", full + 4));
}

static void notified(CUasyncNotificationInfo *info, void *data, CUasyncCallbackHandle handle)
{
    (void)info;
    (void)data;
    (void)handle;
}

GROUP(1002, asyncnotif, "asyncnotif")
{
    use_primary_context();
    CUasyncCallbackHandle handle = (CUasyncCallbackHandle)UNTOUCHED, second = 0;
    int data = 0;
    CHECK("null-fn", cuda.cuDeviceRegisterAsyncNotification(device, NULL, &data, &handle), "out=%s",
          out_state(handle));
    CHECK("null-out", cuda.cuDeviceRegisterAsyncNotification(device, notified, &data, NULL));
    CHECK("bad-dev", cuda.cuDeviceRegisterAsyncNotification(99, notified, &data, &handle));
    CHECK("dev-1", cuda.cuDeviceRegisterAsyncNotification(-1, notified, &data, &handle));
    handle = (CUasyncCallbackHandle)UNTOUCHED;
    CUresult failed =
        CHECK("register", cuda.cuDeviceRegisterAsyncNotification(device, notified, &data, &handle),
              "out=%s", out_state(handle));
    CHECK("register-same", cuda.cuDeviceRegisterAsyncNotification(device, notified, &data, &second),
          "same=%d", handle == second);
    CHECK("register-null-data",
          cuda.cuDeviceRegisterAsyncNotification(device, notified, NULL, &second));
    CHECK("unregister-null", cuda.cuDeviceUnregisterAsyncNotification(device, NULL));
    if (!failed) {
        CHECK("unregister-bad-dev", cuda.cuDeviceUnregisterAsyncNotification(99, handle));
        CHECK("unregister", cuda.cuDeviceUnregisterAsyncNotification(device, handle));
        CHECK("unregister-twice", cuda.cuDeviceUnregisterAsyncNotification(device, handle));
    }
}

RISKY_HANDLE(9910, asyncnotif_unregister_garbage,
             cuda.cuDeviceUnregisterAsyncNotification(0, (CUasyncCallbackHandle)bad_handle))
