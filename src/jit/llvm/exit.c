/* SPDX-License-Identifier: MIT */
/* A process may exit while a thread compiles. The destructors of LLVM's global objects would then
 * take them from that thread, so they are not registered: the process ends, and its memory with
 * it. This function takes the place of the C library's where LLVM is linked in. */
int __cxa_atexit(void (*destructor)(void *), void *object, void *library);

int __cxa_atexit(void (*destructor)(void *), void *object, void *library)
{
    (void)destructor;
    (void)object;
    (void)library;
    return 0;
}
