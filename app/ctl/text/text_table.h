// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockhouse::ctl {

/// Columns of a terminal that `text` takes: wide East Asian characters and emoji count two. For text made by safeText().
std::size_t displayWidth(std::string_view text);

/// Rows in aligned columns for a terminal.
class TextTable {
public:
  struct Column {
    std::string title;
    bool right = false; ///< numbers
  };
  struct Cell {
    std::string text;
    std::string_view colour = {}; ///< an SGR number, "31"; empty = none
  };

  explicit TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}
  void add(std::vector<Cell> row) { m_rows.push_back(std::move(row)); }
  bool empty() const { return m_rows.empty(); }
  std::string text(bool colour) const;

private:
  std::vector<Column> m_columns;
  std::vector<std::vector<Cell>> m_rows;
};

} // namespace lockhouse::ctl
