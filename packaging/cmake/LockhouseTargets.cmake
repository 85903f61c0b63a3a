# SPDX-License-Identifier: Apache-2.0
# The few kinds of target the house has: a room of core, the scripts of a room, a test.

# lockhouse_room(NAME SOURCES … [DEPENDS room …] [PRIVATE lib …] [PUBLIC lib …])
# A room of core/: a static library `lockhouse_NAME` that sees only the rooms it names.
function(lockhouse_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS;PRIVATE;PUBLIC" ${ARGN})
  add_library(lockhouse_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(lockhouse_${name} PUBLIC "${PROJECT_SOURCE_DIR}" PRIVATE "${PROJECT_BINARY_DIR}/generated")
  list(TRANSFORM ROOM_DEPENDS PREPEND lockhouse_)
  target_link_libraries(lockhouse_${name} PUBLIC ${ROOM_DEPENDS} ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY LOCKHOUSE_ROOMS lockhouse_${name})
endfunction()

# lockhouse_scripts(NAME): embeds core/NAME/scripts/*.lua as core/NAME/scripts.h (generated),
# one `inline constexpr Script` per file, named after it, with its SHA-1 computed here, and `all` of them.
function(lockhouse_scripts name)
  file(GLOB scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/scripts/*.lua")
  file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/scripts/parts/*.lua" "${PROJECT_SOURCE_DIR}/core/lock/scripts/parts/*.lua")
  set(header "${PROJECT_BINARY_DIR}/generated/core/${name}/scripts.h")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${header}" "-DROOM=${name}" "-DSCRIPTS=${scripts}" -P "${PROJECT_SOURCE_DIR}/packaging/cmake/EmbedScripts.cmake"
    DEPENDS ${scripts} ${parts} "${PROJECT_SOURCE_DIR}/packaging/cmake/EmbedScripts.cmake" VERBATIM)
  target_sources(lockhouse_${name} PRIVATE "${header}")
endfunction()

# lockhouse_families(): embeds core/watch/recognisers/*.toml, the families of locks that are built in.
function(lockhouse_families)
  file(GLOB families CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/recognisers/*.toml")
  set(source "${PROJECT_BINARY_DIR}/generated/core/watch/built_in_texts.cpp")
  add_custom_command(OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${source}" "-DFAMILIES=${families}" -P "${PROJECT_SOURCE_DIR}/packaging/cmake/EmbedFamilies.cmake"
    DEPENDS ${families} "${PROJECT_SOURCE_DIR}/packaging/cmake/EmbedFamilies.cmake" VERBATIM)
  target_sources(lockhouse_watch PRIVATE "${source}")
endfunction()

# lockhouse_headers(RESULT header …): these headers and every header of core/ that they include, paths from the root.
function(lockhouse_headers result)
  set(open ${ARGN})
  set(seen "")
  while(open)
    list(POP_FRONT open header)
    if(NOT header IN_LIST seen)
      list(APPEND seen "${header}")
      file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^#include \"core/")
      list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*$" "\\1")
      list(APPEND open ${includes})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${header}")
    endif()
  endwhile()
  set(${result} ${seen} PARENT_SCOPE)
endfunction()

# lockhouse_test(NAME LABEL label [TIMEOUT seconds] [PREFIX text] SOURCES … LINK target …)
# A GoogleTest executable, each case a ctest of its own; PREFIX tells them from the same cases of another program.
function(lockhouse_test name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT;PREFIX" "SOURCES;LINK" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(${name} PRIVATE ${T_LINK} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  gtest_discover_tests(${name} TEST_PREFIX "${T_PREFIX}" DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT})
endfunction()
