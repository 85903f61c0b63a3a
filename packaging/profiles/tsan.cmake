# SPDX-License-Identifier: Apache-2.0
# ThreadSanitizer. Core only: Debian's Qt is not instrumented and would be reported for its own synchronisation.
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=thread -fno-omit-frame-pointer" CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1" CACHE STRING "")
set(LOCKHOUSE_UI OFF CACHE BOOL "")
