// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <string>
#include <string_view>
#include <vector>

namespace lockhouse::ui {

/// What the release of a lock says, an effect or a risk of its plan, a refusal, or what came of it, as a sentence in the user's language. What
/// has no translation is shown as it is said: nothing is ever left out.
QString planSentence(std::string_view words);
QString withoutStop(QString sentence); ///< as it goes on behind it, or inside another one
QStringList planSentences(const std::vector<std::string> &words);

} // namespace lockhouse::ui
