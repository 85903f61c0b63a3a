// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QString>

#include <string_view>

namespace lockhouse::ui {

/// Bytes from Redis as text that may be shown where plain text is shown (core's safeText). Identity stays with the bytes.
QString shown(std::string_view bytes, std::size_t most = 256);
/// The same of a key's name: between quotation marks where it is empty, or begins or ends with a blank, which nobody would see.
QString shownName(std::string_view key, std::size_t most = 256);
/// UTF-8 that Lockhouse itself made (error sentences, effects): no escaping, invalid bytes replaced.
QString fromUtf8(std::string_view text);

/// For places that read & as a mnemonic: menus, tabs, buttons.
QString withoutMnemonics(QString text);
/// The other way: what an action is called, without its mnemonic, be it "&Copy" or "复制(&C)".
QString actionName(const QString &text);
/// For tooltips: Qt guesses rich text there, so markup is escaped and the whole marked as plain.
QString plainToolTip(const QString &text);
/// For labels that wrap: a long name, which has no space, may be broken too. Not for text that is copied: it carries marks for that.
QString breakable(const QString &text);
/// Puts `text` on the clipboard as text/plain only.
void copyPlain(const QString &text);

/// A label that never reads markup.
class PlainLabel : public QLabel {
  Q_OBJECT

public:
  explicit PlainLabel(QWidget *parent = nullptr);
  explicit PlainLabel(const QString &text, QWidget *parent = nullptr);
};

} // namespace lockhouse::ui
