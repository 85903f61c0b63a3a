# SPDX-License-Identifier: Apache-2.0
# The release profile with the standard library's own checks; a warning is an error.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS" CACHE STRING "")
set(LOCKHOUSE_WERROR ON CACHE BOOL "")
