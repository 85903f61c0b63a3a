// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/detect/family_registry.h"

#include <QString>
#include <QStringList>

namespace lockhouse::ui {

/// What a family of locks means, in words for people: those of the built-in ones in the user's language, a user's own as he wrote
/// them, safe to show.

QString familyTitle(const Family &family);                                                  ///< "ShedLock (Java)"
QString familyName(const FamilyRegistry &families, std::string_view slug);                  ///< "ShedLock"; a slug nobody knows as it is
QString familyNames(const FamilyRegistry &families, const std::vector<std::string> &slugs); ///< "redis-py, node-redlock"
QString familyToolTip(const FamilyRegistry &families, std::string_view slug);               ///< what it means, and how a filter names it
QString familyAbout(const Family &family);                                                  ///< what a row of it means, one sentence; empty if nobody said
QStringList familyAdvice(const Family &family);                                             ///< what to know before one of its locks is freed, a sentence each
QStringList releaseAdvice(const Family &family, const LockRecord &lock);                    ///< the same of this one, by its name and how it is held
QString familyMeaning(const Family &family);                                                ///< all of it, a line each

} // namespace lockhouse::ui
