// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>

namespace lockhouse::ui {

class FilterBox;
class PlainLabel;
class WindowActions;

/// One row of tools: the filter box, Freeze, Read-only, Release….
class ToolBar : public QWidget {
  Q_OBJECT

public:
  explicit ToolBar(WindowActions &actions, QWidget *parent = nullptr);
  FilterBox &filter() { return *m_filter; }
  /// Held still with this many changes waiting; nothing hides the note.
  void setHeldStill(std::optional<quint64> waiting);

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  FilterBox *m_filter = nullptr;
  PlainLabel *m_note = nullptr;
};

} // namespace lockhouse::ui
