/* SPDX-License-Identifier: MIT */
/* One test on every Vulkan driver: DRIVER_TEST(name) defines a body with the driver as parameter,
 * and a TEST for each driver. Included after test.h. */
#ifndef TEST_DRIVERS_H
#define TEST_DRIVERS_H

#include "vulkan.h"

#define DRIVER_TEST(test_name)                                                                     \
    static void both_##test_name(enum vulkan_driver driver);                                       \
    TEST(lavapipe_##test_name)                                                                     \
    {                                                                                              \
        both_##test_name(VULKAN_LAVAPIPE);                                                         \
    }                                                                                              \
    TEST(swiftshader_##test_name)                                                                  \
    {                                                                                              \
        both_##test_name(VULKAN_SWIFTSHADER);                                                      \
    }                                                                                              \
    static void both_##test_name(enum vulkan_driver driver)

static inline struct vulkan open_or_skip(enum vulkan_driver driver)
{
    struct vulkan vk;
    const char *reason = vulkan_open(&vk, driver);

    if (reason)
        skip(reason);
    return vk;
}

/* For a test whose Vulkan is in another process: is there a driver at all? The question is asked in
 * a third one, since a process may not fork once Vulkan or CUDA is there. */
static inline void needs_driver(enum vulkan_driver driver)
{
    int status;
    pid_t pid = fork();

    check(pid >= 0);
    if (pid == 0) {
        struct vulkan vk;
        const char *reason = vulkan_open(&vk, driver);
        if (reason)
            fprintf(stderr, "%s\n", reason);
        fflush(NULL);
        _exit(reason ? TEST_SKIPPED : 0);
    }
    check(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == TEST_SKIPPED)
        _exit(TEST_SKIPPED);
}

#endif
