/* SPDX-License-Identifier: MIT */
/* DUCC0 includes this header for its lock types (DUCC0_CUSTOM_LOWLEVEL_THREADING). Its loops run on
 * the driver's workers: threads.cpp. */
#ifndef CUFFT_DUCC_THREADING_H
#define CUFFT_DUCC_THREADING_H

#include <condition_variable>
#include <mutex>

namespace DUCC0_NAMESPACE
{
namespace detail_threading
{

using Mutex = std::mutex;
using UniqueLock = std::unique_lock<std::mutex>;
using LockGuard = std::lock_guard<std::mutex>;
using CondVar = std::condition_variable;

} // namespace detail_threading
} // namespace DUCC0_NAMESPACE

#endif
