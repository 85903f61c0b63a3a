// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QFontDatabase>
#include <QLabel>
#include <QStringList>
#include <QWidget>

namespace lockhouse::ui::tests {

/// The fonts a layout has to bear, as far as this machine has them: Latin ones, and ones in which an average character is an em.
inline QStringList testFonts() {
  QStringList found;
  for (const QString &family :
       {QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans"), QStringLiteral("Noto Sans CJK SC"), QStringLiteral("WenQuanYi Micro Hei")})
    if (QFontDatabase::hasFamily(family))
      found << family;
  return found.isEmpty() ? QStringList{QApplication::font().family()} : found;
}

/// The program's font, and the one before it again at the end.
class FontFor {
public:
  explicit FontFor(const QString &family) {
    QFont font = m_before;
    font.setFamilies({family});
    font.setPointSizeF(9.75);
    QApplication::setFont(font);
  }
  ~FontFor() { QApplication::setFont(m_before); }
  FontFor(const FontFor &) = delete;
  FontFor &operator=(const FontFor &) = delete;

private:
  QFont m_before = QApplication::font();
};

/// Visible labels of one line that are given less room than their text takes.
inline QStringList cutLabels(const QWidget &widget) {
  QStringList cut;
  for (const QLabel *label : widget.findChildren<QLabel *>())
    if (label->isVisible() && !label->wordWrap() && !label->text().isEmpty() && label->width() < label->fontMetrics().horizontalAdvance(label->text()))
      cut << QStringLiteral("%1: %2 of %3").arg(label->text()).arg(label->width()).arg(label->fontMetrics().horizontalAdvance(label->text()));
  return cut;
}

} // namespace lockhouse::ui::tests
