// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/evidence_words.h"

#include "ui/widget/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace lockhouse::ui {
namespace {

/// Every fact that core/watch states, so that the translations know them.
constexpr std::array facts{
    QT_TRANSLATE_NOOP("Evidence", "value has the form of a PHP uniqid, as redlock-php writes"),
    QT_TRANSLATE_NOOP("Evidence", "value is 24 hex digits"),
    QT_TRANSLATE_NOOP("Evidence", "value is a time-based UUID without dashes, as redis-py writes"),
    QT_TRANSLATE_NOOP("Evidence", "value is 32 hex digits, as node-redlock and others write"),
    QT_TRANSLATE_NOOP("Evidence", "value is 40 hex digits"),
    QT_TRANSLATE_NOOP("Evidence", "value is 48 hex digits"),
    QT_TRANSLATE_NOOP("Evidence", "value is 64 hex digits"),
    QT_TRANSLATE_NOOP("Evidence", "value is 16 bytes in base64, as redsync writes"),
    QT_TRANSLATE_NOOP("Evidence", "value is 18 bytes in base64, as python-redis-lock writes"),
    QT_TRANSLATE_NOOP("Evidence", "value is random bytes in base64"),
    QT_TRANSLATE_NOOP("Evidence", "value is random letters and digits, as Laravel, redis-plus-plus or redlock-py write"),
    QT_TRANSLATE_NOOP("Evidence", "value is 16 bytes in URL-safe base64, as bsm/redislock writes"),
    QT_TRANSLATE_NOOP("Evidence", "value opens like a token of bsm/redislock with its caller's words behind"),
    QT_TRANSLATE_NOOP("Evidence", "value is a mere mark without an owner"),
    QT_TRANSLATE_NOOP("Evidence", "value is a word that any setting may have"),
    QT_TRANSLATE_NOOP("Evidence", "value reads like the name of a host or worker"),
    QT_TRANSLATE_NOOP("Evidence", "value is a time, as locks written by hand keep"),
    QT_TRANSLATE_NOOP("Evidence", "value is a number: a process, or anything"),
    QT_TRANSLATE_NOOP("Evidence", "value is a word: an owner, or anything"),
    QT_TRANSLATE_NOOP("Evidence", "value is JSON: an owner, or anything"),
    QT_TRANSLATE_NOOP("Evidence", "value is a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "value is a UUID with a suffix"),
    QT_TRANSLATE_NOOP("Evidence", "value is empty"),
    QT_TRANSLATE_NOOP("Evidence", "value is random bytes, as rslock or rueidislock write"),
    QT_TRANSLATE_NOOP("Evidence", "value is ShedLock's: when, host, id"),
    QT_TRANSLATE_NOOP("Evidence", "value is host, process and id, as DistributedLock for .NET writes"),
    QT_TRANSLATE_NOOP("Evidence", "a queue of Redisson waiters lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "nobody holds it: the head of the queue has not taken its turn"),
    QT_TRANSLATE_NOOP("Evidence", "hash of one field: Redisson client and thread, with its count"),
    QT_TRANSLATE_NOOP("Evidence", "a fencing counter lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "clients listen for its release"),
    QT_TRANSLATE_NOOP("Evidence", "hash with mode read and Redisson holders"),
    QT_TRANSLATE_NOOP("Evidence", "hash with mode write and Redisson holders"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "the name does not speak of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of something else too"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of something about a lock"),
    QT_TRANSLATE_NOOP("Evidence", "it has a lease"),
    QT_TRANSLATE_NOOP("Evidence", "it never expires"),
    QT_TRANSLATE_NOOP("Evidence", "it had a queue before"),
    QT_TRANSLATE_NOOP("Evidence", "its queue key holds no list"),
    QT_TRANSLATE_NOOP("Evidence", "not everyone in its queue is a Redisson client"),
    QT_TRANSLATE_NOOP("Evidence", "its queue may not be read by this user"),
    QT_TRANSLATE_NOOP("Evidence", "its deadlines key holds no sorted set"),
    QT_TRANSLATE_NOOP("Evidence", "its deadlines may not be read by this user"),
};

} // namespace

QString evidenceText(std::string_view fact) {
  const auto known = std::ranges::find(facts, fact);
  return known == facts.end() ? shown(fact) : QCoreApplication::translate("Evidence", *known);
}

} // namespace lockhouse::ui
