/* SPDX-License-Identifier: MIT */
/* NVML of each driver that cupipe can be: its versions, and the functions that came later. */
#include "nvml_test.h"

#include <dlfcn.h>

/* Every driver: its name, its CUDA version, its release. */
static const struct {
    const char *name;
    int cuda_version;
    const char *release;
} drivers[] = {
    {"12.0", 12000, "525.60.13"}, {"12.1", 12010, "530.30.02"}, {"12.2", 12020, "535.54.03"},
    {"12.3", 12030, "545.23.06"}, {"12.4", 12040, "550.54.14"}, {"12.5", 12050, "555.42.02"},
    {"12.6", 12060, "560.28.03"}, {"12.7", 12070, "565.57.01"}, {"12.8", 12080, "570.86.10"},
    {"12.9", 12090, "575.51.03"}, {"13.0", 13000, "580.65.06"}, {"13.1", 13010, "590.44.01"},
    {"13.2", 13020, "595.45.04"}, {"13.3", 13030, "610.43.02"}, {"13.4", 13040, "615.71.09"},
};
enum { DRIVERS = sizeof(drivers) / sizeof(drivers[0]) };

/* A function that came with each version, called without arguments: one that is there says that
 * the library is not initialised. */
static const struct {
    const char *name;
    int since;
} firsts[] = {
    {"nvmlDeviceGetCudaComputeCapability", 0},
    {"nvmlDeviceSetMemClkVfOffset", 12000},
    {"nvmlDeviceGetGspFirmwareMode", 12000},
    {"nvmlDeviceGetRunningProcessDetailList", 12020},
    {"nvmlDeviceGetPciInfoExt", 12040},
    {"nvmlSystemGetDriverBranch", 12060},
    {"nvmlDeviceGetDramEncryptionMode", 12080},
    {"nvmlDeviceGetAddressingMode", 13000},
    {"nvmlDeviceGetUnrepairableMemoryFlag_v1", 13010},
    {"nvmlDeviceGetRemappedRows_v2", 13020},
    {"nvmlSystemGetCPER_v1", 13030},
    {"nvmlDeviceGetGpuFabricInfo_v4", 13040},
    {"nvmlEventSetWait_v3", 13040},
};

/* The driver reads CUPIPE_DRIVER when it is loaded: starts the test again if the variable has
 * another value. NULL: it is not set. */
static void as_driver(const char *driver, const char *test)
{
    const char *now = getenv("CUPIPE_DRIVER");

    if (driver ? now && strcmp(now, driver) == 0 : !now)
        return;
    if (driver)
        setenv("CUPIPE_DRIVER", driver, 1);
    else
        unsetenv("CUPIPE_DRIVER");
    execl("/proc/self/exe", "nvml_test_versions", test, (char *)NULL);
    test_fail(__FILE__, __LINE__, "the test does not start again");
}

static void check_functions(int cuda_version)
{
    for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
        nvmlReturn_t (*function)(void *, void *) = NULL;

        *(void **)&function = dlsym(RTLD_DEFAULT, firsts[i].name);
        check(function);
        nvmlReturn_t expected = cuda_version >= firsts[i].since ? NVML_ERROR_UNINITIALIZED
                                                                : NVML_ERROR_FUNCTION_NOT_FOUND;
        if (function(NULL, NULL) != expected)
            test_fail(__FILE__, __LINE__, "%s in a driver of %d", firsts[i].name, cuda_version);
    }
}

static void check_driver(int cuda_version, const char *release)
{
    char text[80], expected[96];
    int version;

    nvml_ok(nvmlSystemGetCudaDriverVersion(&version)); /* works before nvmlInit */
    check(version == cuda_version);
    check_functions(cuda_version);
    nvml_ok(nvmlInit());
    nvml_ok(nvmlSystemGetDriverVersion(text, sizeof(text)));
    check(strcmp(text, release) == 0);
    nvml_ok(nvmlSystemGetNVMLVersion(text, sizeof(text)));
    snprintf(expected, sizeof(expected), "%d.%s", cuda_version / 1000, release);
    check(strcmp(text, expected) == 0);
    if (cuda_version >= 12060) {
        nvmlSystemDriverBranchInfo_t branch = {.version = nvmlSystemDriverBranchInfo_v1};

        nvml_ok(nvmlSystemGetDriverBranch(&branch, sizeof(branch.branch)));
        snprintf(expected, sizeof(expected), "r%.3s_00", release);
        check(strcmp(branch.branch, expected) == 0);
    }
    nvml_ok(nvmlShutdown());
}

TEST(the_default_driver_is_the_newest)
{
    as_driver(NULL, "the_default_driver_is_the_newest");
    own_devices("1");
    check_driver(drivers[DRIVERS - 1].cuda_version, drivers[DRIVERS - 1].release);
}

TEST(each_driver_has_its_versions_and_functions)
{
    const char *chosen = getenv("NVML_TEST_DRIVER");
    char number[8];
    int status;

    own_devices("1");
    if (chosen) {
        int i = atoi(chosen);

        as_driver(drivers[i].name, "each_driver_has_its_versions_and_functions");
        check_driver(drivers[i].cuda_version, drivers[i].release);
        return;
    }
    for (int i = 0; i < DRIVERS; i++) {
        pid_t child = fork();
        if (child == 0) {
            snprintf(number, sizeof(number), "%d", i);
            setenv("NVML_TEST_DRIVER", number, 1);
            unsetenv("CUPIPE_DRIVER");
            as_driver(drivers[i].name, "each_driver_has_its_versions_and_functions");
        }
        check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

TEST(an_unknown_driver_is_none)
{
    setenv("CUPIPE_DRIVER", "newest", 1);
    check_nvml(nvmlInit(), NVML_ERROR_DRIVER_NOT_LOADED);
}

/* Of the processes of all kinds those with a context are the only ones. */
TEST(a_list_of_all_processes_came_with_13_3)
{
    nvmlProcessDetail_v1_t detail[2];
    nvmlProcessDetailList_t list = {.version = nvmlProcessDetailList_v1,
                                    .mode = NVML_PROCESS_MODE_ALL,
                                    .numProcArrayEntries = 2,
                                    .procArray = detail};

    as_driver(NULL, "a_list_of_all_processes_came_with_13_3");
    own_devices("1");
    nvmlDevice_t device = first_device();
    with_context();
    nvml_ok(nvmlDeviceGetRunningProcessDetailList(device, &list));
    check(list.numProcArrayEntries == 1 && detail[0].pid == (unsigned)getpid());
    list.mode = NVML_PROCESS_MODE_MAX;
    check_nvml(nvmlDeviceGetRunningProcessDetailList(device, &list), NVML_ERROR_INVALID_ARGUMENT);
}

TEST(a_list_of_all_processes_is_unknown_to_13_2)
{
    nvmlProcessDetailList_t list = {.version = nvmlProcessDetailList_v1,
                                    .mode = NVML_PROCESS_MODE_ALL};

    as_driver("13.2", "a_list_of_all_processes_is_unknown_to_13_2");
    own_devices("1");
    nvmlDevice_t device = first_device();
    check_nvml(nvmlDeviceGetRunningProcessDetailList(device, &list), NVML_ERROR_INVALID_ARGUMENT);
}

/* Nothing of a device is broken, repaired or about to be. */
TEST(memory_needs_no_repair)
{
    nvmlRemappedRowsInfo_v2_t rows;
    nvmlRepairStatus_t repair = {nvmlRepairStatus_v1, 7, 7};
    nvmlUnrepairableMemoryStatus_v1_t flag = {7};
    nvmlEccSramUniqueUncorrectedErrorCounts_t counts = {nvmlEccSramUniqueUncorrectedErrorCounts_v1,
                                                        7, NULL};

    as_driver(NULL, "memory_needs_no_repair");
    own_devices("1");
    nvmlDevice_t device = first_device();
    memset(&rows, 7, sizeof(rows));
    nvml_ok(nvmlDeviceGetRemappedRows_v2(device, &rows));
    check(rows.corrActiveRemaps == 0 && rows.corrInactiveRemaps == 0 && rows.uncActiveRemaps == 0);
    check(rows.uncInactiveRemaps == 0 && rows.bPending == 0 && rows.bFailureOccurred == 0);
    nvml_ok(nvmlDeviceGetRepairStatus(device, &repair));
    check(repair.bChannelRepairPending == 0 && repair.bTpcRepairPending == 0);
    nvml_ok(nvmlDeviceGetUnrepairableMemoryFlag_v1(device, &flag));
    check(flag.bUnrepairableMemory == 0);
    nvml_ok(nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts(device, &counts));
    check(counts.entryCount == 0);

    check_nvml(nvmlDeviceGetRemappedRows_v2(device, NULL), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetRemappedRows_v2(NULL, &rows), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetUnrepairableMemoryFlag_v1(device, NULL), NVML_ERROR_INVALID_ARGUMENT);
    repair.version = counts.version = 0;
    check_nvml(nvmlDeviceGetRepairStatus(device, &repair), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    check_nvml(nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts(device, &counts),
               NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
}

TEST(no_structured_event_comes)
{
    nvmlGpuOperationalEventConfig_v1_t config = {.uuid = "GPU-none"};
    nvmlEventSetWait_v3_t wait = {.timeoutMs = 1};
    nvmlEventSetGetContextCount_v1_t count = {7};
    nvmlEventSetGetContextInfo_v1_t info = {0};
    nvmlEventSetGetContextData_v1_t data = {0};
    nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t xid = {0};
    nvmlEventSet_t set;

    as_driver(NULL, "no_structured_event_comes");
    own_devices("1");
    nvmlDevice_t device = first_device();
    nvml_ok(nvmlEventSetCreate(&set));
    check_nvml(nvmlEventSetRegisterGpuOperationalEvents_v1(set, &config),
               NVML_ERROR_INVALID_ARGUMENT);
    memset(config.uuid, 'x', sizeof(config.uuid)); /* no end */
    check_nvml(nvmlEventSetRegisterGpuOperationalEvents_v1(set, &config),
               NVML_ERROR_INVALID_ARGUMENT);
    nvml_ok(nvmlDeviceGetUUID(device, config.uuid, sizeof(config.uuid)));
    check_nvml(nvmlEventSetRegisterGpuOperationalEvents_v1(set, &config), NVML_ERROR_NOT_SUPPORTED);
    check_nvml(nvmlEventSetWait_v3(set, &wait), NVML_ERROR_TIMEOUT);
    check_nvml(nvmlEventSetWait_v3(set, NULL), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlEventSetWait_v3(NULL, &wait), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlEventSetGetContextCount_v1(set, &count), NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlEventSetGetContextInfo_v1(set, &info), NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlEventSetGetContextData_v1(set, &data), NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1(set, &xid),
               NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlEventSetGetContextCount_v1(set, NULL), NVML_ERROR_INVALID_ARGUMENT);
    check(count.count == 7);
    nvml_ok(nvmlEventSetFree(set));
}

/* Functions that came since 13.0 for hardware that a device of cupipe does not have. */
TEST(the_rest_of_the_new_is_not_supported)
{
    static const char *const names[] = {
        "nvmlDeviceReadPRMCounters_v1",
        "nvmlDeviceSetRusdSettings_v1",
        "nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1",
        "nvmlDeviceGetVgpuSchedulerLog_v2",
        "nvmlDeviceGetVgpuSchedulerState_v2",
        "nvmlDeviceSetVgpuSchedulerState_v2",
        "nvmlDeviceVgpuForceGspUnload",
        "nvmlGpuInstanceGetVgpuSchedulerLog_v2",
        "nvmlGpuInstanceGetVgpuSchedulerState_v2",
        "nvmlGpuInstanceSetVgpuSchedulerState_v2",
        "nvmlDeviceGetAccountingStats_v2",
        "nvmlDeviceGetBBXTimeData_v1",
        "nvmlSystemGetCPER_v1",
        "nvmlDeviceGetAdaptiveTgpModeInfo_v1",
        "nvmlDeviceGetBankRemapperStatus_v1",
        "nvmlDeviceGetGpuFabricInfo_v4",
        "nvmlDeviceGetMemoryLimits_v1",
        "nvmlDeviceGetNvLinkTelemetrySamples_v1",
        "nvmlDevicePerfMetricsGetSamples_v1",
        "nvmlDeviceSetAdaptiveTgpMode_v1",
        "nvmlDeviceSetMemoryLimits_v1",
        "nvmlDeviceSetNvlinkBwModeAsync_v1",
    };
    char place[64] = {0};

    as_driver(NULL, "the_rest_of_the_new_is_not_supported");
    own_devices("1");
    nvmlDevice_t device = first_device();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        nvmlReturn_t (*function)(nvmlDevice_t, void *) = NULL;

        *(void **)&function = dlsym(RTLD_DEFAULT, names[i]);
        if (!function || function(device, place) != NVML_ERROR_NOT_SUPPORTED)
            test_fail(__FILE__, __LINE__, "%s", names[i]);
    }
}
