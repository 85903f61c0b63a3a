// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"

#include <QSpinBox>

#include <optional>

namespace lockhouse::ui {

/// A number of things, written as numbers are everywhere here: "1 000".
class CountBox : public QSpinBox {
  Q_OBJECT

public:
  using QSpinBox::QSpinBox;

protected:
  QString textFromValue(int value) const override;
  int valueFromText(const QString &text) const override;
  QValidator::State validate(QString &text, int &position) const override;
};

/// A span of time in the largest unit that says it exactly: "250 ms", "1.5 s", "30 s", "10 min". The value is in milliseconds. A
/// number without a unit is one of the unit that was there before.
class SpanBox : public QSpinBox {
  Q_OBJECT

public:
  explicit SpanBox(QWidget *parent = nullptr);
  void setSpanRange(milliseconds least, milliseconds most);
  void setSpan(milliseconds span) { setValue(static_cast<int>(span.count())); }
  milliseconds span() const { return milliseconds(value()); }
  void stepBy(int steps) override;

protected:
  QString textFromValue(int value) const override;
  int valueFromText(const QString &text) const override;
  QValidator::State validate(QString &text, int &position) const override;

private:
  std::optional<int> read(const QString &text) const;
};

} // namespace lockhouse::ui
