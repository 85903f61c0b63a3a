// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/count_words.h"

#include "ui/model/text/formatting.h"

#include <QCoreApplication>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace lockhouse::ui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Count)
};

enum class Counted { Nothing, Unreadable, Left, Free, Permits, Readers, Holders, Depth };

// Of one reader who is a number of readers that nobody can name, the number counts them: that lock has no depth.
bool isReadersAlone(const LockRecord &record) {
  const auto reads = [](const Holder &holder) { return holder.mode == HoldMode::Read; };
  return std::ranges::all_of(record.holders, reads) && (record.holders.size() > 1 || record.kind != LockKind::ReadWrite || record.holders.front().count == 1);
}

Counted whatCounts(const LockRecord &record) {
  if (record.number)
    return record.kind == LockKind::Latch ? Counted::Left : Counted::Free;
  if (!record.isHeld())
    return Counted::Nothing;
  if (record.holders.size() == 1 && record.holders.front().count < 1)
    return Counted::Unreadable;
  if (record.kind == LockKind::Semaphore)
    return Counted::Permits;
  if (isReadersAlone(record))
    return Counted::Readers;
  return record.holders.size() > 1 ? Counted::Holders : Counted::Depth;
}

std::uint64_t sumOf(const LockRecord &record) {
  return std::accumulate(record.holders.begin(), record.holders.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Holder &holder) { return sum + static_cast<std::uint64_t>(std::max<std::int64_t>(holder.count, 0)); });
}

QString amount(const LockRecord &record, Counted counted) {
  const auto whole = [](std::int64_t number) { return countText(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0))); };
  const QString least = record.unread > 0 ? QStringLiteral("≥") + QChar(0x2009) : QString();
  switch (counted) {
  case Counted::Nothing:
  case Counted::Unreadable: return {};
  case Counted::Left:
  case Counted::Free: // may be below zero: permits taken away while they are out
    return *record.number < 0 ? QChar(u'-') + countText(-static_cast<std::uint64_t>(*record.number)) : whole(*record.number);
  case Counted::Readers: return least + (record.holders.size() > 1 ? countText(record.holders.size()) : whole(record.holders.front().count));
  case Counted::Holders: return least + countText(record.holders.size());
  case Counted::Permits: return least + countText(sumOf(record));
  case Counted::Depth: return whole(record.holders.front().count);
  }
  return {};
}

} // namespace

std::optional<std::uint64_t> freePermits(const LockRecord &record) {
  const auto extra = std::ranges::find(record.extras, "free", &MetadataEntry::name);
  std::uint64_t free = 0;
  if (record.kind != LockKind::Semaphore || extra == record.extras.end())
    return {};
  const auto [end, error] = std::from_chars(extra->value.data(), extra->value.data() + extra->value.size(), free);
  return error == std::errc{} && end == extra->value.data() + extra->value.size() ? std::optional(free) : std::nullopt;
}

QString countCell(const LockRecord &record) {
  const Counted counted = whatCounts(record);
  const QString number = amount(record, counted);
  switch (counted) {
  case Counted::Nothing: return dash();
  case Counted::Unreadable: return QStringLiteral("?");
  case Counted::Left: return Words::tr("%1 left", "in a narrow column: to count down").arg(number);
  case Counted::Free: return Words::tr("%1 free", "in a narrow column: permits").arg(number);
  case Counted::Depth: return record.holders.front().count > 1 ? QChar(u'×') + number : number;
  case Counted::Permits:
    if (const auto free = record.unread == 0 ? freePermits(record) : std::nullopt)
      return Words::tr("%1 of %2", "in a narrow column: permits taken, of all").arg(number, countText(sumOf(record) + *free));
    return number;
  case Counted::Readers:
  case Counted::Holders: return number;
  }
  return {};
}

QString countMeaning(const LockRecord &record) {
  const Counted counted = whatCounts(record);
  const QString number = amount(record, counted);
  switch (counted) {
  case Counted::Nothing: return {};
  case Counted::Unreadable: return Words::tr("What stands there is no count of its holds");
  case Counted::Left: return Words::tr("Left to count down: %1").arg(number);
  case Counted::Free: return Words::tr("Free permits: %1; how many are taken is not known").arg(number);
  case Counted::Readers: return Words::tr("Readers: %1").arg(number);
  case Counted::Holders: return Words::tr("Holders: %1").arg(number);
  case Counted::Depth:
    return record.kind == LockKind::Mutex && record.holders.front().count == 1 ? Words::tr("Held once") : Words::tr("Re-entrancy depth: %1").arg(number);
  case Counted::Permits:
    if (const auto free = freePermits(record))
      return Words::tr("Permits: %1 taken, %2 free").arg(number, countText(*free));
    return Words::tr("Permits taken: %1").arg(number);
  }
  return {};
}

QString countChanged(const LockRecord *after) {
  const Counted counted = after ? whatCounts(*after) : Counted::Nothing;
  const QString number = after ? amount(*after, counted) : QString();
  switch (counted) {
  case Counted::Left: return Words::tr("left to count down: %1").arg(number);
  case Counted::Free: return Words::tr("free permits now %1").arg(number);
  case Counted::Permits: return Words::tr("permits taken now %1").arg(number);
  case Counted::Readers: return Words::tr("readers now %1").arg(number);
  default: return Words::tr("count now %1").arg(number.isEmpty() ? QStringLiteral("0") : number);
  }
}

} // namespace lockhouse::ui
