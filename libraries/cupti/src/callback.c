/* SPDX-License-Identifier: MIT */
/* The subscriber. CUPTI has one at a time. */
#include "lock.h"
#include "tool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = CUPTI_DRIVER_TRACE_CBID_SIZE };

struct CUpti_Subscriber_st {
    CUpti_CallbackFunc function; /* may be NULL */
    void *data;
    char name[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN];
};

TOOL_LOCK(lock)
/* A subscriber's memory is never freed, because a call may still be in its function. */
static struct CUpti_Subscriber_st *_Atomic current;
static atomic_bool enabled[CUPTI_CB_DOMAIN_SIZE][IDS_MAX];
static _Atomic unsigned enabled_count;

bool tool_wants_callback(CUpti_CallbackDomain domain, uint32_t id)
{
    return atomic_load_explicit(&enabled[domain][id], memory_order_relaxed);
}

bool tool_wants_callbacks(void)
{
    return atomic_load(&enabled_count) != 0;
}

void tool_call_back(CUpti_CallbackDomain domain, uint32_t id, const void *data)
{
    struct CUpti_Subscriber_st *subscriber = atomic_load(&current);

    if (subscriber && subscriber->function)
        subscriber->function(subscriber->data, domain, id, data);
}

static bool is_domain(CUpti_CallbackDomain domain)
{
    return (int)domain > CUPTI_CB_DOMAIN_INVALID && (int)domain < CUPTI_CB_DOMAIN_SIZE;
}

static void set_locked(CUpti_CallbackDomain domain, uint32_t id, bool on)
{
    if (atomic_exchange(&enabled[domain][id], on) != on)
        atomic_fetch_add(&enabled_count, on ? 1u : -1u);
}

static void set_domain_locked(CUpti_CallbackDomain domain, bool on)
{
    for (uint32_t id = 1; id < tool_callback_count(domain); id++)
        set_locked(domain, id, on);
}

static void set_all_locked(bool on)
{
    for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
        set_domain_locked((CUpti_CallbackDomain)domain, on);
}

CUptiResult cuptiSupportedDomains(size_t *domainCount, CUpti_DomainTable *domainTable)
{
    static CUpti_CallbackDomain domains[] = {
        CUPTI_CB_DOMAIN_DRIVER_API,  CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_RESOURCE,
        CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CB_DOMAIN_NVTX,        CUPTI_CB_DOMAIN_STATE};

    if (!domainCount || !domainTable)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *domainCount = sizeof(domains) / sizeof(*domains);
    *domainTable = domains;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                              void *userdata, CUpti_SubscriberParams *pParams)
{
    struct CUpti_Subscriber_st *made, *old = NULL;

    if (!subscriber)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!lib_driver())
        return CUPTI_ERROR_NOT_INITIALIZED;
    made = calloc(1, sizeof(*made));
    if (!made)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    made->function = callback;
    made->data = userdata;
    if (pParams && pParams->subscriberName)
        strncat(made->name, pParams->subscriberName, CUPTI_SUBSCRIBER_NAME_MAX_LEN);
    if (!atomic_compare_exchange_strong(&current, &old, made)) {
        free(made);
        if (pParams && pParams->oldSubscriberName && pParams->oldSubscriberSize > 0) {
            *pParams->oldSubscriberName = 0;
            strncat(pParams->oldSubscriberName, old->name, pParams->oldSubscriberSize - 1);
        }
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    *subscriber = made;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *userdata)
{
    return cuptiSubscribe_v2(subscriber, callback, userdata, NULL);
}

static void disable_all(void)
{
    pthread_mutex_lock(&lock);
    set_all_locked(false);
    pthread_mutex_unlock(&lock);
}

void tool_end_subscription(void)
{
    atomic_store(&current, NULL);
    disable_all();
}

/* A handle that is not the subscriber's is no error. */
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    struct CUpti_Subscriber_st *expected = subscriber;

    if (!subscriber)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!atomic_compare_exchange_strong(&current, &expected, NULL))
        return CUPTI_SUCCESS;
    disable_all();
    return tool_update();
}

static bool is_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    return is_domain(domain) && id < tool_callback_count(domain);
}

CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber,
                                  CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
    if (!enable || !subscriber || !is_callback(domain, cbid))
        return CUPTI_ERROR_INVALID_PARAMETER;
    *enable = tool_wants_callback(domain, cbid);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
    if (!subscriber || !is_callback(domain, cbid))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    set_locked(domain, cbid, enable != 0);
    pthread_mutex_unlock(&lock);
    return tool_update();
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain)
{
    if (!subscriber || !is_domain(domain))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    set_domain_locked(domain, enable != 0);
    pthread_mutex_unlock(&lock);
    return tool_update();
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber)
{
    if (!subscriber)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    set_all_locked(enable != 0);
    pthread_mutex_unlock(&lock);
    return tool_update();
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name)
{
    const char *found;

    if (!name || (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API))
        return CUPTI_ERROR_INVALID_PARAMETER;
    found = tool_callback_name(cbid, domain);
    if (!found)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *name = found;
    return CUPTI_SUCCESS;
}
