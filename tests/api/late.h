/* SPDX-License-Identifier: MIT */
/* LATE_TEST(name) { ... } is a test that runs once for each schedule which puts work off
 * (CUPIPE_SCHEDULE): late, but it ends. The body makes its context itself. */
#ifndef LATE_H
#define LATE_H

#include "hold.h"

#define LATE_TEST(name)                                                                            \
    static void late_##name(void);                                                                 \
    TEST(lazy_##name)                                                                              \
    {                                                                                              \
        setenv("CUPIPE_SCHEDULE", "lazy", 1);                                                      \
        late_##name();                                                                             \
    }                                                                                              \
    TEST(random_##name)                                                                            \
    {                                                                                              \
        setenv("CUPIPE_SCHEDULE", "random:1", 1);                                                  \
        late_##name();                                                                             \
    }                                                                                              \
    TEST(random_again_##name)                                                                      \
    {                                                                                              \
        setenv("CUPIPE_SCHEDULE", "random:3", 1);                                                  \
        late_##name();                                                                             \
    }                                                                                              \
    static void late_##name(void)

static inline CUstream free_stream(void)
{
    return new_stream(CU_STREAM_NON_BLOCKING);
}

#endif
