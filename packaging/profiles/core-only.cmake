# SPDX-License-Identifier: Apache-2.0
# The library, lockhousectl and their tests as on a machine without Qt: Qt is hidden even where it is installed.
include("${CMAKE_CURRENT_LIST_DIR}/release.cmake")
set(LOCKHOUSE_UI OFF CACHE BOOL "")
set(CMAKE_DISABLE_FIND_PACKAGE_Qt6 ON CACHE BOOL "")
