/* SPDX-License-Identifier: MIT */
/*
 * Entry point lookup by cuGetProcAddress, and names of errors.
 */
#include "recorder.h"

static const char *lookup_text(const void *found, const void *exported)
{
    if (found == exported)
        return "exported";
    if (!found)
        return "null";
    return found == (void *)UNTOUCHED ? "kept" : "other";
}

static void check_function_lookup(const char *name, void *exported)
{
    static const struct {
        int version;
        cuuint64_t flags;
    } queries[] = {{13000, 0}, {12000, 0}, {11000, 0}, {2000, 0}, {13000, 1}, {13000, 2}};
    char text[400] = "";
    int length = 0;
    CUresult first_result = 0;

    if (!case_begin(name))
        return;

    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        void *found = (void *)UNTOUCHED;
        CUdriverProcAddressQueryResult status = 99;
        CUresult got =
            cuda.cuGetProcAddress(name, &found, queries[i].version, queries[i].flags, &status);
        if (!i)
            first_result = got;
        length +=
            snprintf(text + length, sizeof text - length, " v%d%s=%d/st%d/%s", queries[i].version,
                     queries[i].flags == 1   ? "L"
                     : queries[i].flags == 2 ? "PT"
                                             : "",
                     (int)got, (int)status, lookup_text(found, exported));
    }

    case_end(first_result, "%s", text);
}

static void check_all_functions(void)
{
#define FUNCTION(name) check_function_lookup(#name, (void *)cuda.name);
#include "functions.def"
#undef FUNCTION
}

static void lookup_versions_and_flags(void)
{
    void *found;
    CUdriverProcAddressQueryResult status;

    static const int versions[] = {-1,    0,     1,     1999,  2000,  3010,  3020,
                                   4000,  5050,  7000,  9000,  10000, 11010, 11020,
                                   11030, 12010, 12020, 12030, 12040, 12050, 12060,
                                   12080, 12090, 13000, 13010, 14000, 99999, INT_MAX};
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        static const char *names[] = {"cuMemAlloc",       "cuMemcpyBatchAsync",
                                      "cuGetProcAddress", "cuMemPrefetchAsync",
                                      "cuCtxCreate",      "cuStreamSynchronize"};
        for (size_t j = 0; j < COUNT_OF(names); j++) {
            found = (void *)UNTOUCHED;
            status = 99;
            CHECK(format("x-%s-v%d", names[j], versions[i]),
                  cuda.cuGetProcAddress(names[j], &found, versions[i], 0, &status), "st=%d p=%s",
                  status, out_state(found));
        }
    }
    for (int bit = 0; bit < 8; bit++) {
        status = 99;
        CHECK(format("x-flagbit%d", bit),
              cuda.cuGetProcAddress("cuMemcpyAsync", &found, 13000, 1ull << bit, &status), "st=%d",
              status);
    }
    CHECK("x-flags3", cuda.cuGetProcAddress("cuMemcpyAsync", &found, 13000, 3, &status), "st=%d",
          status);
}

GROUP(1500, procaddr, "procaddr")
{
    use_device();
    check_all_functions();
    void *found = 0;
    CUdriverProcAddressQueryResult status = 99;

    CHECK("x-null-name", cuda.cuGetProcAddress(NULL, &found, 13000, 0, &status));
    CHECK("x-null-out", cuda.cuGetProcAddress("cuInit", NULL, 13000, 0, &status));
    CHECK("x-null-status", cuda.cuGetProcAddress("cuInit", &found, 13000, 0, NULL), "found=%d",
          found != 0);
    CHECK("x-empty", cuda.cuGetProcAddress("", &found, 13000, 0, &status), "st=%d", status);
    status = 99;
    found = (void *)UNTOUCHED;
    CHECK("x-unknown", cuda.cuGetProcAddress("cuNoSuch", &found, 13000, 0, &status), "st=%d p=%s",
          status, out_state(found));
    CHECK("x-unknown-null-status", cuda.cuGetProcAddress("cuNoSuch", &found, 13000, 0, NULL));
    CHECK("x-versioned-name", cuda.cuGetProcAddress("cuMemAlloc_v2", &found, 13000, 0, &status),
          "st=%d p=%s", status, out_state(found));
    CHECK("x-ptsz-name", cuda.cuGetProcAddress("cuMemcpyAsync_ptsz", &found, 13000, 0, &status),
          "st=%d", status);
    CHECK("x-case", cuda.cuGetProcAddress("cumemalloc", &found, 13000, 0, &status), "st=%d",
          status);
    CHECK("x-runtime-name", cuda.cuGetProcAddress("cudaMalloc", &found, 13000, 0, &status), "st=%d",
          status);

    lookup_versions_and_flags();
}

GROUP(1501, errnames, "errnames")
{
    for (int code = -1; code <= 1001; code++) {
        const char *name = (const char *)UNTOUCHED, *string = (const char *)UNTOUCHED;
        int known = 0;
        for (const struct named_value *row = result_names; row->name; row++)
            known |= row->value == code;
        CUresult name_result = cuda.cuGetErrorName((CUresult)code, &name),
                 string_result = cuda.cuGetErrorString((CUresult)code, &string);
        if (!known && name_result && string_result && code != -1 && code != 1000 && code != 3000 &&
            code % 111)
            continue;
        CHECK(format("code-%d", code), name_result, "name=%s string=%s len=%d",
              name_result ? out_state(name) : name, result_name(string_result),
              string_result ? -1 : (int)strlen(string));
    }

    const char *name;
    CHECK("null-out", cuda.cuGetErrorName(0, NULL));
    CHECK("null-out-string", cuda.cuGetErrorString(0, NULL));
    CHECK("code-max", cuda.cuGetErrorName(INT_MAX, &name));
    int code = 0;
    CHECK("driver-version-noinit", cuda.cuDriverGetVersion(&code), "v=%d", code);
    CHECK("driver-version-null", cuda.cuDriverGetVersion(NULL));
}
