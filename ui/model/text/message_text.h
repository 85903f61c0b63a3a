// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>
#include <QStringList>

#include <span>

namespace lockhouse::ui {

/// A message of core in the user's language: its text by the translations, its arguments each by its type. What has no translation is shown as
/// core says it: nothing is ever left out.
QString messageText(const Message &message);
/// The same as a sentence of its own, with a capital and a full stop.
QString messageSentence(const Message &message);
QStringList messageSentences(std::span<const Message> messages);
QString withoutStop(QString sentence); ///< as it goes on behind it, or inside another one

/// Error::message(): where, what, next.
QString errorText(const Error &error);

} // namespace lockhouse::ui
