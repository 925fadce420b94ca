/* SPDX-License-Identifier: MIT */
/* Functions that check_refusals.py tells apart; nothing compiles them. Those that begin with works_
 * can succeed, as can find(); the others cannot. */

static CUresult find(int handle, struct object **object)
{
    return handle ? cup_error(CUDA_ERROR_INVALID_HANDLE, "no object %d", handle) : CUDA_SUCCESS;
}

static CUresult refuse(void)
{
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "there is none; return CUDA_SUCCESS; is only text");
}

CUresult refuses_after_checks(int *out, int handle)
{
    struct object *object;
    CUresult result = find(handle, &object);

    /* return CUDA_SUCCESS; */
    if (result != CUDA_SUCCESS)
        return result;
    if (!out) {
        unref(object);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return refuse();
}

CUresult refuses_by_choice(int handle)
{
    CUresult result = find(handle, 0);

    return result == CUDA_SUCCESS ? refuse() : result;
}

CUresult refuses_elsewhere(int handle)
{
    CUresult result = elsewhere_refuses(handle);

    return handle ? rt_result(elsewhere_refuses(handle)) : result;
}

CUresult works_at_last(int handle)
{
    CUresult result = find(handle, 0);

    if (result != CUDA_SUCCESS)
        return result;
    return CUDA_SUCCESS;
}

CUresult works_by_variable(int handle)
{
    CUresult result = CUDA_ERROR_INVALID_VALUE;

    if (handle)
        result = find(handle, 0);
    return result;
}

CUresult works_by_choice(int handle)
{
    return handle ? refuse() : find(handle, 0);
}

CUresult works_perhaps(int handle)
{
    return unknown_function(handle);
}

CUresult works_by_pointer(struct object *object)
{
    return object->operations->run(object);
}
