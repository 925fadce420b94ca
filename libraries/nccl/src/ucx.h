/* SPDX-License-Identifier: MIT */
/* The part of UCX's interface (libucp.so.0, 1.10 and newer) that network.c uses. A structure's mask
 * names the members that are set; UCX reads no others, so later members may be left out here. */
#ifndef NCCL_UCX_H
#define NCCL_UCX_H

#include <stddef.h>
#include <stdint.h>

typedef struct ucp_config ucp_config;
typedef struct ucp_context ucp_context;
typedef struct ucp_worker ucp_worker;
typedef struct ucp_ep ucp_ep;

enum {
    UCX_OK = 0,
    UCX_NO_MEMORY = -4,
    UCX_TRUNCATED = -9,
    UCX_BUSY = -15,
    UCX_CANCELED = -16,
    UCX_LAST_ERROR = -100,
    UCX_API_MAJOR = 1,
    UCX_API_MINOR = 10,
    UCX_THREADS_SERIALIZED = 1,
    UCX_FEATURE_TAG = 1 << 0,
    UCX_FEATURE_WAKEUP = 1 << 4,
    UCX_ERRORS_OF_PEERS = 1,
    UCX_CLOSE_FORCE = 1 << 0,
    UCX_MEMORY_HOST = 0,
};

enum { UCX_PARAMS_FEATURES = 1 << 0, UCX_PARAMS_NAME = 1 << 8 };
struct ucp_params {
    uint64_t mask, features;
    size_t request_size;
    void (*request_init)(void *request), (*request_cleanup)(void *request);
    uint64_t tag_sender_mask;
    int workers_shared;
    size_t endpoints, per_node;
    const char *name;
    uint64_t later[8];
};

enum { UCX_WORKER_THREADS = 1 << 0 };
struct ucp_worker_params {
    uint64_t mask;
    int thread_mode;
    uint64_t later[64];
};

typedef void ucp_endpoint_failed(void *context, ucp_ep *endpoint, int status);
enum { UCX_ENDPOINT_ADDRESS = 1 << 0, UCX_ENDPOINT_ERRORS = 1 << 1, UCX_ENDPOINT_HANDLER = 1 << 2 };
struct ucp_endpoint_params {
    uint64_t mask;
    const void *address;
    int errors;
    ucp_endpoint_failed *failed;
    void *failed_context;
    uint64_t later[64];
};

struct ucp_tag_info {
    uint64_t sender_tag;
    size_t bytes;
};
typedef void ucp_send_done(void *request, int status, void *user_data);
typedef void ucp_receive_done(void *request, int status, const struct ucp_tag_info *info,
                              void *user_data);
enum {
    UCX_REQUEST_CALLBACK = 1 << 1,
    UCX_REQUEST_USER_DATA = 1 << 2,
    UCX_REQUEST_FLAGS = 1 << 4,
    UCX_REQUEST_MEMORY = 1 << 6,
};
struct ucp_request_params {
    uint32_t mask, flags;
    void *request;
    union {
        ucp_send_done *sent;
        ucp_receive_done *received;
    } done;
    uint64_t datatype; /* bytes, if it is not set */
    void *user_data;
    void *reply;
    int memory;
    uint64_t later[16];
};

/* UCX(result, name, parameters): the functions, in the order of struct nccl_ucx. */
#define UCX_FUNCTIONS(UCX)                                                                         \
    UCX(int, config_read, (const char *prefix, const char *file, ucp_config **config))             \
    UCX(int, config_modify, (ucp_config * config, const char *name, const char *value))            \
    UCX(void, config_release, (ucp_config * config))                                               \
    UCX(int, init_version,                                                                         \
        (unsigned major, unsigned minor, const struct ucp_params *, const ucp_config *,            \
         ucp_context **context))                                                                   \
    UCX(void, cleanup, (ucp_context * context))                                                    \
    UCX(int, worker_create,                                                                        \
        (ucp_context * context, const struct ucp_worker_params *, ucp_worker **worker))            \
    UCX(void, worker_destroy, (ucp_worker * worker))                                               \
    UCX(int, worker_get_address, (ucp_worker * worker, void **address, size_t *bytes))             \
    UCX(void, worker_release_address, (ucp_worker * worker, void *address))                        \
    UCX(unsigned, worker_progress, (ucp_worker * worker))                                          \
    UCX(int, worker_get_efd, (ucp_worker * worker, int *descriptor))                               \
    UCX(int, worker_arm, (ucp_worker * worker))                                                    \
    UCX(int, ep_create,                                                                            \
        (ucp_worker * worker, const struct ucp_endpoint_params *, ucp_ep **endpoint))              \
    UCX(void *, ep_close_nbx, (ucp_ep * endpoint, const struct ucp_request_params *))              \
    UCX(void *, tag_send_nbx,                                                                      \
        (ucp_ep * endpoint, const void *data, size_t bytes, uint64_t tag,                          \
         const struct ucp_request_params *))                                                       \
    UCX(void *, tag_recv_nbx,                                                                      \
        (ucp_worker * worker, void *data, size_t bytes, uint64_t tag, uint64_t tag_mask,           \
         const struct ucp_request_params *))                                                       \
    UCX(int, request_check_status, (void *request))                                                \
    UCX(void, request_cancel, (ucp_worker * worker, void *request))                                \
    UCX(void, request_free, (void *request))

#define UCX_MEMBER(result, name, parameters) result(*name) parameters;
struct nccl_ucx {
    UCX_FUNCTIONS(UCX_MEMBER)
};
#undef UCX_MEMBER

/* The functions, loaded once; NULL, after one message that says what to install, without UCX. */
const struct nccl_ucx *nccl_ucx_load(void);

/* What UCX returns for an operation that began: 0, an error as a small negative number, or a
 * request. */
static inline int nccl_ucx_is_request(const void *pointer)
{
    return (uintptr_t)pointer - 1 < (uintptr_t)(intptr_t)UCX_LAST_ERROR - 1;
}

static inline int nccl_ucx_status(const void *pointer)
{
    return (int)(intptr_t)pointer;
}

#endif
