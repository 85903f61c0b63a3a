// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_record.h"
#include "core/watch/record/lock_snapshot.h"

#include <QString>

#include <optional>
#include <string_view>

namespace lockhouse::ui {

/// Words and numbers as people say them: at most three significant digits, a thin space before the unit and between thousands,
/// the language's own words. All of them plain text.

QString duration(std::chrono::nanoseconds span);   ///< "340 ms", "12.4 s", "4 min 12 s", "3 d 4 h"; µs below one millisecond
QString seconds1(std::chrono::nanoseconds span);   ///< for counting down: "21.6 s", one decimal below a minute, never ms
QString brief(std::chrono::nanoseconds span);      ///< for columns, short enough for one: "21.6 s", "4 min 12 s", "42 min", "23 h", "12 d"
QString roughly(std::chrono::nanoseconds span);    ///< as another's clock tells, in few letters: "~ 3.9 s", "~ 4 min"
QString atLeast(std::uint64_t count);              ///< "≥ 1 000"
QString atLeast(std::chrono::nanoseconds span);    ///< a lower bound in few letters: "≥ 3.9 s", "≥ 4 min"
QString unitWord(const QString &english);          ///< "ms", "s", "min", "h" or "d" in the language's own word
QString countText(std::uint64_t count);            ///< "1 284"
QString withGroups(QString text, std::uint64_t n); ///< "1 284 locks", of a text that %n filled in without groups
QString significant(double value, int digits = 3); ///< "0.94", "11 500", "2.6"
QString rate(double perSecond);                    ///< "11 500 /s"
QString percent(double share);                     ///< 0.002 → "0.2 %"
QString timeOfDay(WallTime at);                    ///< "14:02:58", local time
QString timeStamp(WallTime at);                    ///< "2025-11-21 14:02:58", local time
QString timeStampUtc(WallTime at);                 ///< "2025-11-21 06:02:58 UTC"

QString extraName(std::string_view name); ///< of what a lock's bytes tell: "Since", "Host"; an unknown name is shown as it is
QString kindWord(LockKind kind);
QString nodeName(const NodeId &node); ///< host:port or a socket's path; on screen nodes go by their letter (NodeNames)
QString nodeStateWord(NodeState state);
QString feedWord(FeedKind feed);
/// What became of a lock that has gone: "Released" (from here), "Deleted", "Expired"; "Gone" where nobody said why.
QString goneWord(std::optional<ChangeCause> cause);
/// What happened, in a few words: "acquired by web-3:17", "renewed", "expired".
QString changeText(const LockChange &change);
/// "3", "≥ 3" where not all are counted, "unknown", or "none" of a family whose clients never wait (`mayWait`).
QString waitersText(const LockRecord &record, bool mayWait = true);
QString dash(); ///< "—": there is none

} // namespace lockhouse::ui
