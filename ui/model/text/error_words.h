// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

#include <optional>

namespace lockhouse::ui {

/// What an Error says is wrong, or what to do next, in the language of the window. What a server said stays as it said it.
QString errorWords(std::string_view words);
/// The same, also where they open with where it was; nothing if no such words are known.
std::optional<QString> knownError(const QString &words);
/// Whether such words open with where it was, or with another thing that is written as it is.
bool errorOpensWithValue(const QString &words);
/// Error::sentence(): where, what, next.
QString errorSentence(const Error &error);

} // namespace lockhouse::ui
