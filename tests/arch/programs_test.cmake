# SPDX-License-Identifier: Apache-2.0
# BIN holds the programs and nothing else.
cmake_minimum_required(VERSION 3.25)
set(expected lockhousectl)
if(UI)
  list(PREPEND expected lockhouse)
endif()
file(GLOB found RELATIVE "${BIN}" "${BIN}/*")
list(SORT found)
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "${BIN} holds '${found}', not '${expected}'")
endif()
