/* SPDX-License-Identifier: MIT */
/* A process may exit while a worker transforms. The destructors of DUCC0's cache of plans would
 * then take it from that worker, so they are not registered: the process ends, and its memory with
 * it. This function takes the place of the C library's in the libraries that DUCC0 is linked into,
 * which are never unloaded. */
int __cxa_atexit(void (*destructor)(void *), void *object, void *library);

int __cxa_atexit(void (*destructor)(void *), void *object, void *library)
{
    (void)destructor;
    (void)object;
    (void)library;
    return 0;
}
