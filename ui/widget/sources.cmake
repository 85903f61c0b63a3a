# SPDX-License-Identifier: GPL-3.0-or-later
list(APPEND LOCKHOUSE_UI_SOURCES
  widget/badge.cpp
  widget/edit_menu.cpp
  widget/elided_combo.cpp
  widget/figure.cpp
  widget/filter_box.cpp
  widget/house_style.cpp
  widget/key_button.cpp
  widget/lease_bar.cpp
  widget/line_list.cpp
  widget/lock_delegate.cpp
  widget/plain_text.cpp
  widget/prose.cpp
  widget/row_focus.cpp
  widget/scroll_pane.cpp
  widget/steady_combo.cpp
  widget/theme.cpp)
