// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QGridLayout;

namespace lockhouse::ui {

class ReleaseFlow;
class ScriptView;

/// What is now and what would be after it, line by line, and below it what is sent for that, word for word.
class BeforeAfter : public QWidget {
  Q_OBJECT

public:
  explicit BeforeAfter(QWidget *parent = nullptr);

  void show(const ReleaseFlow &flow); ///< one that has a plan

private:
  QGridLayout *m_facts = nullptr;
  ScriptView *m_script = nullptr;

  void addHeadings();
  void addFact(const QString &now, const QString &after);
};

} // namespace lockhouse::ui
