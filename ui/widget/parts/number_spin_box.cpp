// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/number_spin_box.h"

#include "ui/model/text/formatting.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockhouse::ui {
namespace {

struct Unit {
  int milliseconds;
  QString word;
};

std::array<Unit, 4> units() {
  return {{{1, QCoreApplication::translate("Format", "ms", "milliseconds")},
           {1'000, QCoreApplication::translate("Format", "s", "seconds")},
           {60'000, QCoreApplication::translate("Format", "min", "minutes")},
           {3'600'000, QCoreApplication::translate("Format", "h", "hours")}}};
}

// Seconds may have a decimal; longer units and milliseconds are whole.
Unit unitOf(int value) {
  const auto all = units();
  for (std::size_t i = all.size() - 1; i > 1; --i)
    if (value > 0 && value % all[i].milliseconds == 0)
      return all[i];
  return value >= 1'000 && value % 100 == 0 ? all[1] : all[0];
}

QString digitsOf(QString text) {
  static const QRegularExpression others(QStringLiteral("\\D"));
  return text.remove(others);
}

} // namespace

QString CountBox::textFromValue(int value) const { return countText(static_cast<std::uint64_t>(std::max(value, 0))); }

int CountBox::valueFromText(const QString &text) const { return text == specialValueText() ? minimum() : digitsOf(text).toInt(); }

QValidator::State CountBox::validate(QString &text, int &) const {
  static const QRegularExpression number(QStringLiteral("^[\\d\\s.,]*$"));
  if (!specialValueText().isEmpty() && text == specialValueText())
    return QValidator::Acceptable;
  if (!number.match(text).hasMatch())
    return QValidator::Invalid;
  bool fits = false;
  const int value = digitsOf(text).toInt(&fits);
  if (!fits)
    return digitsOf(text).isEmpty() ? QValidator::Intermediate : QValidator::Invalid;
  return value > maximum() ? QValidator::Invalid : value < minimum() ? QValidator::Intermediate : QValidator::Acceptable;
}

SpanBox::SpanBox(QWidget *parent) : QSpinBox(parent) { setCorrectionMode(QAbstractSpinBox::CorrectToPreviousValue); }

void SpanBox::setSpanRange(milliseconds least, milliseconds most) { setRange(static_cast<int>(least.count()), static_cast<int>(most.count())); }

QString SpanBox::textFromValue(int value) const {
  const Unit unit = unitOf(value);
  QString number = countText(static_cast<std::uint64_t>(value / unit.milliseconds));
  if (value % unit.milliseconds != 0)
    number = QLocale().toString(static_cast<double>(value) / unit.milliseconds, 'f', 1);
  return number + QChar(0x2009) + unit.word;
}

std::optional<int> SpanBox::read(const QString &text) const {
  static const QRegularExpression form(QStringLiteral("^\\s*(\\d[\\d\\s]*(?:[.,]\\d+)?)\\s*(\\D*)$"));
  const auto match = form.match(text);
  if (!match.hasMatch())
    return {};
  static const QRegularExpression spaces(QStringLiteral("\\s"));
  const double number = match.captured(1).remove(spaces).replace(u',', u'.').toDouble();
  const QString word = match.captured(2).trimmed();
  const auto all = units();
  const auto named = std::ranges::find(all, word, &Unit::word);
  if (named == all.end() && !word.isEmpty())
    return {};
  const double value = number * (named == all.end() ? unitOf(this->value()) : *named).milliseconds;
  return value > maximum() ? std::nullopt : std::optional(static_cast<int>(std::llround(value)));
}

int SpanBox::valueFromText(const QString &text) const { return std::clamp(read(text).value_or(value()), minimum(), maximum()); }

QValidator::State SpanBox::validate(QString &text, int &) const {
  const auto value = read(text);
  return value && *value >= minimum() ? QValidator::Acceptable : QValidator::Intermediate;
}

// One up is one more of the unit that is shown, and an even one: from 1.5 s to 2 s.
void SpanBox::stepBy(int steps) {
  const int unit = unitOf(steps < 0 ? std::max(value() - 1, 0) : value()).milliseconds;
  const int step = value() < 1'000 || (steps < 0 && value() == 1'000) ? (value() > 10 ? 10 : 1) : std::max(unit, 1'000);
  setValue(std::clamp((value() / step + steps) * step, minimum(), maximum()));
}

} // namespace lockhouse::ui
