// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/style/plain_text.h"

#include "core/base/safe_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QRegularExpression>

namespace lockhouse::ui {

QString shown(std::string_view bytes, std::size_t most) { return fromUtf8(safeText(bytes, most)); }

QString shownName(std::string_view key, std::size_t most) {
  const QString text = shown(key, most);
  return key.empty() || key.front() == ' ' || key.back() == ' ' ? u'"' + text + u'"' : text;
}

QString fromUtf8(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString withoutMnemonics(QString text) { return text.replace(u'&', QLatin1String("&&")); }

QString actionName(const QString &text) {
  static const QRegularExpression behind(QStringLiteral("\\(&.\\)"));
  return QString(text).remove(behind).remove(u'&');
}

QString plainToolTip(const QString &text) {
  return text.isEmpty() ? QString() : QLatin1String("<p style='white-space:pre-wrap'>") + text.toHtmlEscaped() + QLatin1String("</p>");
}

QString breakable(const QString &text) {
  constexpr qsizetype longest = 32, every = 8;
  QString whole;
  qsizetype run = 0;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const bool joins = text[i].isLowSurrogate() || text[i].isMark();
    if (text[i].isSpace())
      run = 0;
    else if (run >= longest && run % every == 0 && !joins)
      whole += QChar(0x200b);
    whole += text[i];
    run += text[i].isSpace() || joins ? 0 : 1;
  }
  return whole;
}

void copyPlain(const QString &text) {
  auto *data = new QMimeData;
  data->setText(text);
  QGuiApplication::clipboard()->setMimeData(data);
}

PlainLabel::PlainLabel(QWidget *parent) : PlainLabel({}, parent) {}

PlainLabel::PlainLabel(const QString &text, QWidget *parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setText(text);
}

} // namespace lockhouse::ui
