# SPDX-License-Identifier: GPL-3.0-or-later
# The pages below the table, the lab and the release dialog, with their models.
list(APPEND LOCKHOUSE_UI_SOURCES
  model/audit_model.cpp
  model/console_words.cpp
  model/event_list_model.cpp
  model/holds_to_release.cpp
  model/plan_phrases.cpp
  model/plan_words.cpp
  model/release_many_model.cpp
  model/release_words.cpp
  page/audit_check_box.cpp
  page/audit_dock.cpp
  page/change_since_plan.cpp
  page/charts_dock.cpp
  page/event_list.cpp
  page/lab_checks.cpp
  page/lab_choices.cpp
  page/lab_figures.cpp
  page/lab_number.cpp
  page/lab_page.cpp
  page/quiet_table.cpp
  page/release_buttons.cpp
  page/release_command.cpp
  page/release_dialog.cpp
  page/release_facts.cpp
  page/release_flow.cpp
  page/release_many_dialog.cpp
  page/release_many_flow.cpp
  page/release_many_view.cpp
  page/release_many_words.cpp
  page/release_plan_view.cpp
  page/release_result_view.cpp
  page/release_script.cpp
  page/release_verbs.cpp
  page/risk_box.cpp
  page/tint_box.cpp
  page/verb_button.cpp)
