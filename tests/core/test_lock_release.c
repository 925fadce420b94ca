/* SPDX-License-Identifier: MIT */
/* Release builds do not evaluate what is asserted of locks. */
#undef NDEBUG
#define NDEBUG
#include "core/lock.h"
#include "os/mutex.h"

#include "test.h"

static unsigned calls;

static struct cup_lock *find_lock(void)
{
    calls++;
    return NULL;
}

static pthread_mutex_t *find_mutex(void)
{
    calls++;
    return NULL;
}

TEST(release_builds_do_not_evaluate_the_lock)
{
    cup_lock_assert_held(find_lock());
    cup_mutex_assert_held(find_mutex());
    check(calls == 0);
    check(find_lock() == NULL && find_mutex() == NULL);
}
