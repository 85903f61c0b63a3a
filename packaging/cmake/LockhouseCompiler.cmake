# SPDX-License-Identifier: Apache-2.0
# What every target of the house is compiled with: the standard, the warnings, where binaries go.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Whatever runs lands here; only app/ puts its two programs into bin/.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast)
option(LOCKHOUSE_WERROR "A warning is an error" OFF)
if(LOCKHOUSE_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside the standard library's own optional, variant and string under -O2.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict)
  add_compile_options(-fpch-preprocess) # or ccache cannot keep what a precompiled header went into
endif()

find_program(LOCKHOUSE_CCACHE ccache)
if(LOCKHOUSE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${LOCKHOUSE_CCACHE}")
endif()
