# SPDX-License-Identifier: Apache-2.0
# AddressSanitizer (with leaks) and UndefinedBehaviorSanitizer; the first finding ends the test.
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -D_GLIBCXX_ASSERTIONS" CACHE STRING "")
