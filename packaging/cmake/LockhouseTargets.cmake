# SPDX-License-Identifier: Apache-2.0
# How lupdate finds what is to be translated: tr(), and the messages of core.
set(LOCKHOUSE_LUPDATE_OPTIONS -no-obsolete -locations none -tr-function-alias QT_TRANSLATE_NOOP+=LH_MESSAGE)

# The few kinds of target the house has: a room of core, the scripts of a room, a test.

# lockhouse_sources(RESULT FOLDER [EXCEPT name …]): every .cpp in and under FOLDER, but for the folders and files excepted.
function(lockhouse_sources result folder)
  cmake_parse_arguments(S "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  foreach(except IN LISTS S_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${folder}/${except}(/|$)")
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# lockhouse_room(NAME [FOLDER folder] [EXCEPT folder …] [DEPENDS room …] [PRIVATE lib …] [PUBLIC lib …])
# A room of core/: a static library `lockhouse_NAME` of every .cpp in this folder (or in FOLDER) that sees only the rooms it names.
function(lockhouse_room name)
  cmake_parse_arguments(ROOM "" "FOLDER" "EXCEPT;DEPENDS;PRIVATE;PUBLIC" ${ARGN})
  cmake_path(APPEND CMAKE_CURRENT_SOURCE_DIR ${ROOM_FOLDER} OUTPUT_VARIABLE folder)
  lockhouse_sources(sources "${folder}" EXCEPT ${ROOM_EXCEPT})
  add_library(lockhouse_${name} STATIC ${sources})
  target_include_directories(lockhouse_${name} PUBLIC "${PROJECT_SOURCE_DIR}" PRIVATE "${PROJECT_BINARY_DIR}/generated")
  list(TRANSFORM ROOM_DEPENDS PREPEND lockhouse_)
  target_link_libraries(lockhouse_${name} PUBLIC ${ROOM_DEPENDS} ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY LOCKHOUSE_ROOMS lockhouse_${name})
endfunction()

# lockhouse_scripts(NAME): embeds every .lua under core/NAME as core/NAME/scripts.h (generated): one `inline constexpr Script` per file,
# named after it, with its SHA-1 computed here, and `all` of them. A file in a folder `parts` is no script but a piece of several.
function(lockhouse_scripts name)
  file(GLOB_RECURSE scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.lua")
  list(FILTER scripts EXCLUDE REGEX "/parts/")
  file(GLOB_RECURSE parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.lua" "${PROJECT_SOURCE_DIR}/core/lock/*.lua")
  list(FILTER parts INCLUDE REGEX "/parts/")
  list(REMOVE_DUPLICATES parts)
  set(header "${PROJECT_BINARY_DIR}/generated/core/${name}/scripts.h")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${header}" "-DROOM=${name}" "-DSCRIPTS=${scripts}" "-DPARTS=${parts}"
      -P "${PROJECT_SOURCE_DIR}/packaging/cmake/EmbedScripts.cmake"
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

# lockhouse_data(NAME [EXCEPT folder …]): every .toml under core/NAME is included as the same name with .h behind it: C++ constants, made of it
# by embed_toml.cpp. The headers are in LOCKHOUSE_DATA of lockhouse_NAME too.
function(lockhouse_data name)
  cmake_parse_arguments(D "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*.toml")
  foreach(except IN LISTS D_EXCEPT)
    list(FILTER files EXCLUDE REGEX "^core/${name}/${except}/")
  endforeach()
  foreach(file IN LISTS files)
    set(header "${PROJECT_BINARY_DIR}/generated/${file}.h")
    cmake_path(GET header PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${header}" COMMAND lockhouse_embed_toml "${file}" "${header}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" DEPENDS "${PROJECT_SOURCE_DIR}/${file}" VERBATIM)
    target_sources(lockhouse_${name} PRIVATE "${header}")
    set_property(TARGET lockhouse_${name} APPEND PROPERTY LOCKHOUSE_DATA "${header}")
  endforeach()
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

# lockhouse_test_headers(NAME header … [LINK target …]): what nearly every test includes, compiled once; a test reuses it by name.
function(lockhouse_test_headers name)
  cmake_parse_arguments(H "" "" "LINK" ${ARGN})
  set(empty "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "// Compiles the headers that the tests share.\n")
  add_library(${name} OBJECT "${empty}")
  target_compile_options(${name} PRIVATE ${LOCKHOUSE_TEST_FLAGS})
  target_link_libraries(${name} PRIVATE ${H_LINK} GTest::gmock)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_precompile_headers(${name} PRIVATE ${H_UNPARSED_ARGUMENTS})
endfunction()

# A test runs once and is compiled often. Under -O1 GCC 12 reports what is not there inside std::string.
set(LOCKHOUSE_TEST_FLAGS -O1 -fPIE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND LOCKHOUSE_TEST_FLAGS -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# lockhouse_compile_as_test(TARGET [HEADERS]): HEADERS is none where the definitions of a library do not fit what is compiled already.
function(lockhouse_compile_as_test name)
  target_compile_options(${name} PRIVATE ${LOCKHOUSE_TEST_FLAGS})
  if(ARGC EQUAL 1)
    target_precompile_headers(${name} REUSE_FROM lockhouse_test_headers)
  elseif(NOT ARGV1 STREQUAL none)
    target_precompile_headers(${name} REUSE_FROM ${ARGV1})
  endif()
endfunction()

# lockhouse_test(NAME LABEL label [TIMEOUT seconds] [PREFIX text] [EXCEPT folder …] [SOURCES …] [HEADERS name] LINK target …)
# A GoogleTest executable of every .cpp in and under this folder, or of SOURCES; each case is a ctest of its own; PREFIX tells them from
# the same cases of another program.
function(lockhouse_test name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT;PREFIX;HEADERS" "EXCEPT;SOURCES;LINK" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(NOT T_SOURCES)
    lockhouse_sources(T_SOURCES "${CMAKE_CURRENT_SOURCE_DIR}" EXCEPT ${T_EXCEPT})
  endif()
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(${name} PRIVATE ${T_LINK} GTest::gmock GTest::gtest_main)
  lockhouse_compile_as_test(${name} ${T_HEADERS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  gtest_discover_tests(${name} TEST_PREFIX "${T_PREFIX}" DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT})
endfunction()
