# SPDX-License-Identifier: GPL-3.0-or-later
list(APPEND LOCKHOUSE_UI_SOURCES
  page/details_lines.cpp
  page/details_pane.cpp
  page/empty_page.cpp
  page/lock_view.cpp
  page/locks_page.cpp
  page/main_window.cpp
  page/nodes_page.cpp
  page/notices.cpp
  page/status_line.cpp
  page/tool_row.cpp
  page/truth_line.cpp
  page/views_list.cpp
  page/window_actions.cpp)
# The pages below the table, the lab and the release dialog.
include("${CMAKE_CURRENT_SOURCE_DIR}/page/docks.cmake" OPTIONAL)
