# SPDX-License-Identifier: Apache-2.0
set(LOCKHOUSE_UI_TEST_MAIN "${CMAKE_CURRENT_LIST_DIR}/qt_main.cpp")
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg Test)
find_package(QCustomPlotQt6 CONFIG REQUIRED)

if(NOT TARGET lockhouse_ui_test_headers)
  lockhouse_test_headers(lockhouse_ui_test_headers <gmock/gmock.h> <gtest/gtest.h> <QtWidgets> <algorithm> <chrono> <functional> <memory>
    LINK lockhouse_ui)
endif()

# lockhouse_ui_test(NAME LABEL label [SOURCES …] [LINK target …]): a lockhouse_test inside a QApplication on the offscreen
# platform, where every Qt warning fails the case that caused it.
function(lockhouse_ui_test name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT T_SOURCES)
    lockhouse_sources(T_SOURCES "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  lockhouse_test(${name} LABEL "${T_LABEL}" TIMEOUT "${T_TIMEOUT}" SOURCES "${LOCKHOUSE_UI_TEST_MAIN}" ${T_SOURCES} HEADERS lockhouse_ui_test_headers
    LINK lockhouse_ui Qt6::Test ${T_LINK})
  set_target_properties(${name} PROPERTIES AUTOMOC ON AUTOMOC_MOC_OPTIONS "-D_GLIBCXX_CONCEPTS")
endfunction()
