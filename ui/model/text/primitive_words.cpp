// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/primitive_words.h"

#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace lockhouse::ui {
namespace {

/// What the primitives of core/lock are, as they say it, so that the translations know it.
constexpr std::array summaries{
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "A plain lock: one string key with the holder's random token and a lease, as redis-py, node-redlock and redsync use it."),
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "A lock that its holder may take again: one hash key with the holder's field and count, shared with Redisson's RLock."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "A re-entrant lock whose waiters stand in one line at the server, shared with Redisson's fair lock."),
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "A re-entrant lock whose holds carry a growing number, which the resource checks; shared with Redisson's RFencedLock."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "Many readers or one writer: a hash with a field for each holder, shared with Redisson's RReadWriteLock."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "So many at once: a counter of free permits, shared with Redisson's RSemaphore; ours have leases."),
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "So many at once, each with a lease: a counter and the permits that are out, shared with Redisson's RPermitExpirableSemaphore."),
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "A fair lock that is handed from holder to waiter in one script: a queue at the server, grants pushed to the client, fences."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "The textbook queue on a list: look at the head, pop it when it is you, tell the next."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "The textbook queue on a sorted set: the server counts the places, whoever has rank 0 may enter."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "A plain lock whose waiters block in BLPOP on a signal list, as python-redis-lock has it."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "The historic form: SETNX, then PEXPIRE; released by WATCH, GET, MULTI, DEL. Kept to be watched, shared and broken."),
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "A read-write lock with a queue at the server: a lease for each reader, readers let in together, writers never starved."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "A semaphore whose permits are leases by the server's time, with a queue at the server."),
    QT_TRANSLATE_NOOP(
        "PrimitiveSummary",
        "One lock over several independent nodes: held while more than half of them say so. In the format of a Mutex, or of any other primitive."),
    QT_TRANSLATE_NOOP("PrimitiveSummary",
                      "Several locks as one, all or nothing: in the format of a Mutex, or of another primitive without a line at the server."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "A fixed number of locks for any number of keys: a key always meets the same stripe."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "A lock in Redis that becomes one of this process while Redis is gone, and says which it is."),
    QT_TRANSLATE_NOOP("PrimitiveSummary", "Waiting until so many things have happened, shared with Redisson's RCountDownLatch."),
};

} // namespace

QString primitiveSummary(const PrimitiveInfo &info) {
  const auto known = std::ranges::find(summaries, info.summary);
  return known == summaries.end() ? fromUtf8(info.summary) : QCoreApplication::translate("PrimitiveSummary", *known);
}

} // namespace lockhouse::ui
