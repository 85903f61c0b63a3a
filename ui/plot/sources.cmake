# SPDX-License-Identifier: GPL-3.0-or-later
list(APPEND LOCKHOUSE_UI_SOURCES
  plot/held_series.cpp
  plot/live_chart.cpp
  plot/plot_geometry.cpp
  plot/rate_series.cpp
  plot/time_series.cpp)
