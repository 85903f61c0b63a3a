# SPDX-License-Identifier: Apache-2.0
# The libFuzzer targets: clang, coverage, address and undefined-behaviour sanitizers.
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_CXX_COMPILER clang++-19 CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" CACHE STRING "")
set(LOCKHOUSE_UI OFF CACHE BOOL "")
set(LOCKHOUSE_FUZZ ON CACHE BOOL "")
