# SPDX-License-Identifier: Apache-2.0
# The second compiler; also what clang-tidy reads.
include("${CMAKE_CURRENT_LIST_DIR}/release.cmake")
set(CMAKE_CXX_COMPILER clang++-19 CACHE STRING "")
set(LOCKHOUSE_WERROR ON CACHE BOOL "")
