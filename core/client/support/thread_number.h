// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockhouse {

/// The calling thread's number, from 1. Unlike the system's, it is never that of another thread, not even of one that has ended.
std::uint64_t threadNumber();

} // namespace lockhouse
