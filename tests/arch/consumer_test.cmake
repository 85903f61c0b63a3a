# SPDX-License-Identifier: Apache-2.0
# Installs the library of BUILD into a folder of its own, then builds and runs SOURCE, a project that knows only that folder.
cmake_minimum_required(VERSION 3.25)
set(work "${BUILD}/tests/consumer")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${code}:\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${work}/stage" --component library)

# Nothing in the package may point back into the checkout or the build folder.
file(GLOB_RECURSE descriptions "${work}/stage/*.cmake")
foreach(description IN LISTS descriptions)
  file(READ "${description}" text)
  foreach(place IN ITEMS "${BUILD}" "${TREE}/")
    string(FIND "${text}" "${place}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${description} names ${place}")
    endif()
  endforeach()
endforeach()

run("${CMAKE_COMMAND}" -G Ninja -S "${SOURCE}" -B "${work}/build" "-DCMAKE_PREFIX_PATH=${work}/stage" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" -DCMAKE_BUILD_TYPE=Debug)
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/with_server" "${work}/build/counter")
if(NOT text MATCHES "${EXPECT}")
  message(FATAL_ERROR "the example printed:\n${text}\nnot: ${EXPECT}")
endif()
