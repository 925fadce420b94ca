/* SPDX-License-Identifier: MIT */
/* How sanitizers judge the fuzz targets, unless the environment says otherwise. Copies from wild
 * addresses are the library's to survive: ASan is not to judge them first. */

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0:replace_intrin=0:allow_user_segv_handler=1";
}

const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:print_stacktrace=1";
}
