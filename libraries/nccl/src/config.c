/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "comm.h"
#include "debug.h"

#include <stddef.h>
#include <strings.h>
#include <unistd.h>

enum { CONFIG_MAGIC = (int)0xcafebeef, LARGEST = 4096 };

/* A field of whole numbers, and its name in NCCL's lines. */
struct field {
    size_t offset;
    const char *name;
};

static const struct field fields[] = {
    {offsetof(ncclConfig_t, blocking), "Blocking"},
    {offsetof(ncclConfig_t, cgaClusterSize), "CGA cluster size"},
    {offsetof(ncclConfig_t, minCTAs), "Min CTAs"},
    {offsetof(ncclConfig_t, maxCTAs), "Max CTAs"},
    {offsetof(ncclConfig_t, splitShare), "Split share"},
    {offsetof(ncclConfig_t, trafficClass), "Traffic class"},
    {offsetof(ncclConfig_t, collnetEnable), "CollNet enable"},
    {offsetof(ncclConfig_t, CTAPolicy), "CTA policy"},
    {offsetof(ncclConfig_t, shrinkShare), "Shrink share"},
    {offsetof(ncclConfig_t, nvlsCTAs), "NVLS CTAs"},
    {offsetof(ncclConfig_t, nChannelsPerNetPeer), "Channels per net peer"},
    {offsetof(ncclConfig_t, nvlinkCentricSched), "NVLink centric scheduling"},
};

static int number(const ncclConfig_t *config, size_t offset)
{
    if (!config || config->size < offset + sizeof(int))
        return NCCL_CONFIG_UNDEF_INT;
    return *(const int *)((const char *)config + offset);
}

static const char *text(const ncclConfig_t *config, size_t offset)
{
    if (!config || config->size < offset + sizeof(char *))
        return NULL;
    return *(const char *const *)((const char *)config + offset);
}

/* The networks that NCCL has without plugins: sockets, and InfiniBand where there is some. */
static bool has_network(const char *name)
{
    return strcasecmp(name, "Socket") == 0 ||
           (strcasecmp(name, "IB") == 0 && access("/sys/class/infiniband", F_OK) == 0);
}

ncclResult_t nccl_config_check(const ncclConfig_t *config)
{
    const char *network;
    int blocking;

    if (!config)
        return ncclSuccess;
    if (config->magic != (unsigned)CONFIG_MAGIC || config->size > LARGEST)
        return nccl_error(ncclInvalidArgument, "the configuration was not initialized");
    blocking = number(config, offsetof(ncclConfig_t, blocking));
    if (blocking != NCCL_CONFIG_UNDEF_INT && blocking != 0 && blocking != 1)
        return nccl_error(ncclInvalidArgument, "blocking is %d", blocking);
    network = text(config, offsetof(ncclConfig_t, netName));
    if (network && !has_network(network))
        return nccl_error(ncclInvalidUsage, "there is no network %s: netName can be Socket%s",
                          network, has_network("IB") ? " or IB" : "");
    return ncclSuccess;
}

bool nccl_config_blocks(const ncclConfig_t *config, bool otherwise)
{
    int blocking = number(config, offsetof(ncclConfig_t, blocking));

    return blocking == NCCL_CONFIG_UNDEF_INT ? otherwise : blocking != 0;
}

enum nccl_network_kind nccl_config_network(const ncclConfig_t *config)
{
    const char *network = text(config, offsetof(ncclConfig_t, netName));

    return network && strcasecmp(network, "Socket") == 0 ? NCCL_NETWORK_SOCKET : NCCL_NETWORK_UCX;
}

void nccl_config_show(const ncclConfig_t *config)
{
    const char *network = text(config, offsetof(ncclConfig_t, netName));
    const char *name = text(config, offsetof(ncclConfig_t, commName));

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        int value = number(config, fields[i].offset);

        if (value != NCCL_CONFIG_UNDEF_INT)
            nccl_info(NCCL_DEBUG_INIT, "Comm config %s set to %d", fields[i].name, value);
    }
    if (network)
        nccl_info(NCCL_DEBUG_INIT, "Comm config Network name set to %s", network);
    if (name)
        nccl_info(NCCL_DEBUG_INIT, "Comm config Comm name set to %s", name);
}
