# SPDX-License-Identifier: Apache-2.0
# What `packaging/dev run`, `build` and `test` build: optimised, line numbers for back traces, hardened against hostile input.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG -fstack-protector-strong -D_FORTIFY_SOURCE=2" CACHE STRING "")
