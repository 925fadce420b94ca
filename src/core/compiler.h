/* SPDX-License-Identifier: MIT */
/* The compiler extensions that the code uses, under short names. */
#ifndef CUP_CORE_COMPILER_H
#define CUP_CORE_COMPILER_H

#define cup_likely(x) __builtin_expect(!!(x), 1)
#define cup_unlikely(x) __builtin_expect(!!(x), 0)
#define CUP_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define CUP_ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CUP_CACHE_LINE 64

/* For single pointers only: initial-exec storage is scarce for a library that is loaded late. All
 * other per-thread data is in core/thread.h. An archive that others link into their libraries has
 * none: it would make all per-thread data of such a library initial-exec. */
#ifdef CUP_IN_ARCHIVE
#define CUP_THREAD_LOCAL _Thread_local
#else
#define CUP_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#endif

#if defined(__SANITIZE_THREAD__)
#define CUP_HAVE_TSAN
#elif defined(__SANITIZE_ADDRESS__)
#define CUP_HAVE_ASAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUP_HAVE_TSAN
#elif __has_feature(address_sanitizer)
#define CUP_HAVE_ASAN
#endif
#endif

/* cup_load_fence() orders earlier loads before later loads. On aarch64 it does not wait for stores,
 * as a load-acquire after a store-release would. cup_store_fence() orders stores. TSan does not
 * support fences and needs none between atomics.
 *
 * CUP_ORDER_DEPENDENT is for loading a pointer through which all other data is reached: the
 * processor orders dependent loads, but TSan does not know that. */
#ifdef CUP_HAVE_TSAN
#define cup_load_fence() ((void)0)
#define cup_store_fence() ((void)0)
#define CUP_ORDER_DEPENDENT __ATOMIC_ACQUIRE
#else
#define cup_load_fence() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define cup_store_fence() __atomic_thread_fence(__ATOMIC_RELEASE)
#define CUP_ORDER_DEPENDENT __ATOMIC_RELAXED
#endif

/* For functions whose accesses may fault: a fault inside TSan's atomics would leave TSan's locks
 * held. The ordering of such a word is reported to TSan separately. */
#define CUP_MAY_FAULT __attribute__((no_sanitize("thread")))
#ifdef CUP_HAVE_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define cup_tell_acquire(address) __tsan_acquire((void *)(address))
#define cup_tell_release(address) __tsan_release((void *)(address))
#else
#define cup_tell_acquire(address) ((void)0)
#define cup_tell_release(address) ((void)0)
#endif

/* Memory of mmap() that refers to allocations of malloc(): LeakSanitizer would not look there. */
#ifdef CUP_HAVE_ASAN
void __lsan_register_root_region(const void *start, __SIZE_TYPE__ bytes);
#define cup_tell_root(start, bytes) __lsan_register_root_region(start, bytes)
#else
#define cup_tell_root(start, bytes) ((void)0)
#endif

/* A pause in a spin loop. */
static inline void cup_relax(void)
{
#if defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

#endif
