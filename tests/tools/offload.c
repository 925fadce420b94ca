/* SPDX-License-Identifier: MIT */
/* OpenMP's target regions, in the shapes that compilers lower differently: one thread, many, and
 * many that begin inside a region; reductions; variables that live on the device, with initial
 * values, and variables that are linked when they are mapped. OMP_TARGET_OFFLOAD=MANDATORY keeps
 * the regions off the host. */
#include "offload.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

static int failures;

static void check(int condition, const char *what)
{
    if (!condition) {
        printf("not ok: %s\n", what);
        failures++;
    }
}

#pragma omp declare target
static int table[4] = {1, 2, 3, 4};
#pragma omp end declare target

static int linked[COUNT];
#pragma omp declare target link(linked)

static void test_serial(void)
{
    int host = -1, sum = 0;

#pragma omp target map(from : host, sum)
    {
        host = omp_is_initial_device();
        sum = add_offset(table[0] + table[3]);
    }
    check(host == 0, "the region runs on the device");
    check(sum == 10, "initial values and a function of another file");
}

static void test_parallel(void)
{
    static double values[COUNT];
    double sum = 0;
    int most = 0;

#pragma omp target teams distribute parallel for map(from : values) reduction(+ : sum)             \
    reduction(max : most)
    for (int i = 0; i < COUNT; i++) {
        values[i] = i / 2.0;
        sum += values[i];
        most = i % 777 > most ? i % 777 : most;
    }
    check(values[COUNT - 1] == (COUNT - 1) / 2.0, "a loop over teams");
    check(sum == COUNT * (COUNT - 1) / 4.0 && most == 776, "reductions");
}

/* Threads that begin inside a region wait for work in a loop of the device's runtime. */
static void test_nested(void)
{
    int counts[8] = {0}, rounds = 0;

#pragma omp target map(tofrom : counts, rounds)
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(8)
        {
#pragma omp atomic
            counts[omp_get_thread_num() % 8]++;
#pragma omp barrier
#pragma omp single
            rounds++;
        }
    }
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += counts[i];
    check(rounds == 3 && sum >= 3 && counts[0] >= 3, "parallel regions in a target region");
}

static void test_update(void)
{
    offset = 7;
#pragma omp target update to(offset)
    int value = 0;
#pragma omp target map(from : value)
    value = add_offset(1);
    check(value == 8, "a variable on the device is updated");
    offset = 5;
#pragma omp target update to(offset)
}

/* One variable: GCC 12 orders the tables of several differently for the host and for the device. */
static void test_link(void)
{
    for (int i = 0; i < COUNT; i++)
        linked[i] = i;
#pragma omp target map(tofrom : linked)
    for (int i = 0; i < COUNT; i++)
        linked[i] += 3;
    check(linked[9] == 12, "a linked variable");
}

static void test_memory(void)
{
    int device = omp_get_default_device(), host = omp_get_initial_device(), value = 0;
    int *memory = omp_target_alloc(COUNT * sizeof *memory, device);

#pragma omp target teams distribute parallel for is_device_ptr(memory)
    for (int i = 0; i < COUNT; i++)
        memory[i] = 2 * i;
    omp_target_memcpy(&value, memory, sizeof value, 0, 17 * sizeof value, host, device);
    omp_target_free(memory, device);
    check(value == 34, "memory of the device");
}

int main(void)
{
    test_serial();
    test_parallel();
    test_nested();
    test_update();
    test_link();
    test_memory();
    puts(failures ? "failed" : "passed");
    return failures != 0;
}
