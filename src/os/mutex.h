/* SPDX-License-Identifier: MIT */
/* Debug builds assert that the calling thread holds a plain mutex: a function whose name ends in
 * _locked begins with cup_mutex_assert_held(). The C library notes the owner of a mutex, also when
 * a wait for a condition returns, so nothing has to be noted here. Release builds do not evaluate
 * the argument. */
#ifndef CUP_OS_MUTEX_H
#define CUP_OS_MUTEX_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#ifdef NDEBUG
#define cup_mutex_assert_held(mutex) ((void)sizeof((mutex)->__data))
#else
#define cup_mutex_assert_held(mutex) assert(cup_mutex_is_held(mutex))

static inline bool cup_mutex_is_held(const pthread_mutex_t *mutex)
{
    return mutex->__data.__owner == gettid();
}
#endif

#endif
