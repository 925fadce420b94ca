// SPDX-License-Identifier: MIT
// Opens the shared objects that it is given, object_1.so and object_2.so, calls them in turn,
// closes and opens them.
#include "check.h"
#include <dlfcn.h>

typedef int Function(void);

static Function *open_object(const char *file, const char *name, void **handle)
{
    *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        std::fprintf(stderr, "%s\n", dlerror());
    CHECK(*handle);
    Function *function = (Function *)dlsym(*handle, name);
    CHECK(function);
    return function;
}

int main(int, char **argv)
{
    void *first, *second;
    Function *one = open_object(argv[1], "object_1", &first);
    Function *two = open_object(argv[2], "object_2", &second);

    CHECK(one() == 101);
    CHECK(two() == 201);
    CHECK(one() == 102);
    CHECK(dlclose(first) == 0);
    CHECK(two() == 202);
    one = open_object(argv[1], "object_1", &first);
    CHECK(one() > 100 && one() < 200);
    CHECK(two() == 203);
    return 0;
}
