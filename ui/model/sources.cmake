# SPDX-License-Identifier: GPL-3.0-or-later
list(APPEND LOCKHOUSE_UI_SOURCES
  model/count_words.cpp
  model/error_words.cpp
  model/evidence_words.cpp
  model/family_words.cpp
  model/form_evidence.cpp
  model/format.cpp
  model/holder_names.cpp
  model/lock_history.cpp
  model/lock_order.cpp
  model/lock_presets.cpp
  model/lock_query.cpp
  model/lock_sentence.cpp
  model/lock_table.cpp
  model/node_names.cpp
  model/node_table.cpp
  model/node_trouble.cpp
  model/phrase_book.cpp
  model/truth.cpp)
