/* SPDX-License-Identifier: MIT */
/* A target region that has its host compute. GCC 13 and later can. */
#include <omp.h>
#include <stdio.h>

#pragma omp requires reverse_offload

int main(void)
{
    int value = 0, device = 0, hosts = 0;

#pragma omp target map(from : value, device, hosts)
    {
        int seen = 20, host = 0;
        hosts = 0;
        for (int i = 0; i < 2; i++) {
#pragma omp target device(ancestor : 1) map(tofrom : seen) map(from : host)
            {
                seen += 11;
                host = omp_is_initial_device();
            }
            hosts += host;
        }
        value = seen;
        device = !omp_is_initial_device();
    }
    int good = value == 42 && device && hosts == 2;
    printf("%d, on a device: %d, on the host: %d: %s\n", value, device, hosts,
           good ? "passed" : "failed");
    return !good;
}
