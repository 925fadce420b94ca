/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t identity;

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_file(uint64_t hash, const char *path)
{
    char text[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text));

    if (fd >= 0)
        close(fd);
    return mix(hash, text, length > 0 ? (size_t)length : 0);
}

static uint64_t mix_namespace(uint64_t hash, const char *path)
{
    struct stat file = {0};

    if (stat(path, &file) != 0)
        return hash;
    return mix(hash, &file.st_ino, sizeof(file.st_ino));
}

static void find_identity(void)
{
    const char *given = secure_getenv("NCCL_HOSTID");
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char name[256] = "";

    if (given && *given) {
        hash = mix(hash, given, strlen(given));
    } else {
        gethostname(name, sizeof(name) - 1);
        hash = mix(hash, name, strlen(name));
        hash = mix_file(hash, "/proc/sys/kernel/random/boot_id");
        hash = mix_namespace(hash, "/proc/self/ns/net");
        hash = mix_namespace(hash, "/proc/self/ns/pid");
    }
    identity = hash;
}

uint64_t nccl_host_identity(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_identity);
    return identity;
}

/* True if the list "a,b" names the interface: by a prefix, or with `exact` in full. */
static bool is_listed(const char *list, const char *name, bool exact)
{
    while (*list) {
        size_t length = strcspn(list, ",");

        if (length && strncmp(list, name, length) == 0 && (!exact || name[length] == 0))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

static bool is_chosen(const char *name)
{
    const char *list = secure_getenv("NCCL_SOCKET_IFNAME");
    bool excludes = list && *list == '^', exact;

    if (!list || !*list)
        return true;
    list += excludes;
    exact = *list == '=';
    return is_listed(list + exact, name, exact) != excludes;
}

/* Lower is better: the loopback interface and those of containers come last. */
static int preference(const struct ifaddrs *interface)
{
    int order = interface->ifa_flags & IFF_LOOPBACK              ? 4
                : strncmp(interface->ifa_name, "docker", 6) == 0 ? 2
                                                                 : 0;

    return order + (interface->ifa_addr->sa_family == AF_INET6);
}

static bool is_usable(const struct ifaddrs *interface)
{
    const char *family = secure_getenv("NCCL_SOCKET_FAMILY");
    int kind = interface->ifa_addr ? interface->ifa_addr->sa_family : 0;

    if ((kind != AF_INET && kind != AF_INET6) || !(interface->ifa_flags & IFF_UP))
        return false;
    if (family && strcmp(family, kind == AF_INET ? "AF_INET6" : "AF_INET") == 0)
        return false;
    return is_chosen(interface->ifa_name);
}

socklen_t nccl_host_address(struct sockaddr_storage *address)
{
    struct ifaddrs *all = NULL, *best = NULL;
    socklen_t length = 0;

    if (getifaddrs(&all) != 0)
        return 0;
    for (struct ifaddrs *each = all; each; each = each->ifa_next)
        if (is_usable(each) && (!best || preference(each) < preference(best)))
            best = each;
    memset(address, 0, sizeof(*address));
    if (best) {
        length = best->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                                      : sizeof(struct sockaddr_in6);
        memcpy(address, best->ifa_addr, length);
    }
    freeifaddrs(all);
    return length;
}

socklen_t nccl_host_parse(const char *text, struct sockaddr_storage *address)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    const char *colon = strrchr(text, ':');
    char host[256];
    socklen_t length = 0;
    size_t bytes;

    if (!colon || colon == text)
        return 0;
    if (*text == '[')
        text++;
    bytes = (size_t)(colon - text) - (colon[-1] == ']');
    if (bytes >= sizeof(host))
        return 0;
    memcpy(host, text, bytes);
    host[bytes] = 0;
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0 || !found)
        return 0;
    memset(address, 0, sizeof(*address));
    length = found->ai_addrlen;
    memcpy(address, found->ai_addr, length);
    freeaddrinfo(found);
    return length;
}
