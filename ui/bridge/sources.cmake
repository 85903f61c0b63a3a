# SPDX-License-Identifier: GPL-3.0-or-later
list(APPEND LOCKHOUSE_UI_SOURCES
  bridge/engine.cpp
  bridge/many_releases.cpp)
