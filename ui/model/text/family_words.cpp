// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/family_words.h"

#include "ui/model/text/plan_words.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <span>

namespace lockhouse::ui {
namespace {

/// What the built-in families are, as core/watch/recognisers says it, so that the translations know it.
constexpr std::array abouts{
    QT_TRANSLATE_NOOP("FamilyAbout", "The mark that a job with these arguments is queued or runs"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock under which one process makes a cache's value anew"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of aioredlock, taken on most of several masters"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The mark that an arq job runs; no mutual exclusion hangs on it"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of async-redis-lock; all resources taken together carry the same value"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The mark that a task of this kind is queued; its value is the task's id"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of bsm/redislock; text of its owner may follow the token"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The token of the process that has this Bull job; no mutual exclusion hangs on it"),
    QT_TRANSLATE_NOOP("FamilyAbout",
                      "A guard of the queue, no lock of a job: while it is there no other worker looks for stalled jobs; it is never given back, it lapses"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The token of the worker that has this BullMQ job; no mutual exclusion hangs on it"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The mark that a Celery task with these arguments is queued or runs"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The mark that a Celery task with these arguments is queued or runs; its value is the task's id"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of cheprasov/php-redis-lock; its value names the process and the time"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of CSRedisCore"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock taken through Dapr's lock API"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A mutex of Discourse; its value is when it ends"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of DistributedLock for .NET; its value names machine and process"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A read-write lock of DistributedLock for .NET: a writer, or a set of readers"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A semaphore of DistributedLock for .NET: its holders with the ends of their leases"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock taken through Django's cache"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A number of tasks that run at once; nobody knows which"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Foundatio"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of FreeRedis"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The tokens that are out of a semaphore of the gem redis-semaphore, or of sidekiq-unique-jobs 6"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lease of GitLab; many are throttles that nobody gives back on purpose"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of go-zero"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A re-entrant lock written by hand: one field, its owner, with a count"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock written by hand: tickets in a list, the first is the owner"),
    QT_TRANSLATE_NOOP("FamilyAbout",
                      "A lock or semaphore written by hand: owners with the times at which they took it; how long each holds is known to its clients alone"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock or semaphore written by hand: owners with the ends of their leases, or with the times at which they came"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of a Hangfire server; its value is the server process"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock of a Huey task; it has no owner and no lease"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of ioredis-lock"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock under which one process refreshes a cache's value"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock under which one Celery worker puts messages back that were not acknowledged"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Laravel: Cache::lock, a unique job, WithoutOverlapping or the scheduler"),
    QT_TRANSLATE_NOOP("FamilyAbout", "One slot of a limiter of Laravel; the name ends with the slot's number"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Lock4j on RedisTemplate; on Redisson it is a lock of that one under Lock4j's name"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Lockhouse; who waits is blocked on a list and is woken by a push"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Lockhouse that is handed to the first in its queue"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Lockhouse whose waiters stand in a list"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A read-write lock of Lockhouse; each holder has an end of its own"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A semaphore of Lockhouse: each permit with the end of its lease"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Lockhouse whose waiters stand in a sorted set"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of the gem redis-lock; its end lies in a key of its own, Redis knows no lease"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock of one file of Nextcloud: exclusive, or a number of readers that nobody can name"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of node-redlock; all resources taken together carry the same value"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of the npm package redis-lock; its value is when it ends"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A mutex of php-lock (malkusch/lock)"),
    QT_TRANSLATE_NOOP("FamilyAbout",
                      "Keeps a periodic task of machinery from being sent twice; its value is when it ends, in nanoseconds, and whoever finds that "
                      "past takes it over"),
    QT_TRANSLATE_NOOP("FamilyAbout", "Who of Discourse's processes schedules the jobs of a queue; its value is when it ends"),
    QT_TRANSLATE_NOOP("FamilyAbout", "Stops further requests of one session while one runs; its value names process, host and page"),
    QT_TRANSLATE_NOOP("FamilyAbout", "Stops further requests of one session while one runs; its value names host and process"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of pottery, taken on most of several masters"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of python-redis-lock; who waits is blocked on a list and is woken by a push"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock by which one RedBeat scheduler of several is the active one"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of redis-objects; it has no owner"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of redis-plus-plus"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of redis-py, or of what is built on it: django-redis, dogpile.cache, Celery's broker, RedBeat"),
    QT_TRANSLATE_NOOP("FamilyAbout",
                      "A semaphore of the npm package redis-semaphore: its holders with their last refresh; limit and lease are known to its clients alone"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A mutex of the npm package redis-semaphore"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A fair lock of Redisson: only the head of its queue may take it when it is free, and is told so on the channel "
                                     "redisson_lock__channel:{NAME}:CLIENT:THREAD"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A latch of Redisson that opens when its number has been counted down to zero"),
    QT_TRANSLATE_NOOP("FamilyAbout",
                      "A re-entrant lock of Redisson; RSpinLock, RFencedLock, non-re-entrant locks and the members of a RedissonMultiLock lie there alike"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A group of values locked by Redisson under one key; each has an end of its own"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A semaphore of Redisson whose permits have ids and leases"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A read-write lock of Redisson; each reader's lease lies in keys of its own"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A semaphore of Redisson: a number of free permits, and nobody knows who has the others"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of RedLock.net (pottery's lie there alike); its holder makes a deleted key anew until it disposes of the lock"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of redlock-php; its value tells when it was taken"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of redlock-py, taken on most of several masters"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of redlock-rb"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of redsync, on one server or on most of several"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The mark that a Resque job with these arguments runs; its value is when it ends"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock by which one resque-scheduler of several is the active one"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock by which one RQ scheduler serves a queue"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A Redlock of the crates rslock or redlock"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of rueidislock: held by whoever has most of its keys, three unless set otherwise"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Sentry's backend"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A mutex of the gem redis-mutex; its value is when it ends"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock written by hand: a mark, a time or a worker's name, set if it was not there"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The lock of a scheduled job; it may outlive the job's run on purpose (lockAtLeastFor)"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of sherlock"),
    QT_TRANSLATE_NOOP("FamilyAbout", "The jobs that hold a digest; a job may hold it for days while it is scheduled or retried"),
    QT_TRANSLATE_NOOP("FamilyAbout", "Stops every reader and writer of one cache while it is there; it has no owner and mostly no lease"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of a Spring application; its value is the application's instance, the same for all of its locks"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of StackExchange.Redis; its value is whatever the caller gave"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A semaphore of suo: its holders lie in one packed value"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of Symfony, exclusive or shared; each holder has an end of its own"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A semaphore of Symfony: its holders with the ends of their leases"),
    QT_TRANSLATE_NOOP("FamilyAbout",
                      "A string that holds its owner's token: redis-py, node-redlock, redsync, Lockhouse's Mutex and many others lie there alike"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of walrus; who waits is blocked on a list and is woken by a push"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A lock of warlock"),
    QT_TRANSLATE_NOOP("FamilyAbout", "A mutex of Yii2"),
};

/// Titles that are more than a library's name.
constexpr std::array titles{
    QT_TRANSLATE_NOOP("FamilyTitle", "SETNX by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Hash of owner and count by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Queue in a list by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Leases in a sorted set by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Times of taking in a sorted set by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Token mutex (SET NX PX)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Dapr lock (any language)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "machinery periodic task (Go)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "mini_scheduler (Ruby)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Moodle session lock (PHP)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "phpredis session lock (PHP)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Nextcloud file lock (PHP)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Spring Data Redis cache lock (Java)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "arq job in progress (Python)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Bull and BullMQ stalled check (Node.js)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Bull job (Node.js)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "BullMQ job (Node.js)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "DistributedLock read-write lock (.NET)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "DistributedLock semaphore (.NET)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "asynq unique task (Go)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "RQ scheduler (Python)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "RedBeat scheduler (Python)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Sentry lock (Python)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "resque-lock and resque-lock-timeout (Ruby)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "redis-mutex (Ruby)"),
    QT_TRANSLATE_NOOP("FamilyTitle", "rslock and redlock (Rust)"),
};

/// Short ones that are.
constexpr std::array shortTitles{
    QT_TRANSLATE_NOOP("FamilyTitle", "ActiveJob uniqueness"),
    QT_TRANSLATE_NOOP("FamilyTitle", "arq job"),
    QT_TRANSLATE_NOOP("FamilyTitle", "asynq unique task"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Bull job"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Bull stalled check"),
    QT_TRANSLATE_NOOP("FamilyTitle", "BullMQ job"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Dapr lock"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Discourse mutex"),
    QT_TRANSLATE_NOOP("FamilyTitle", "DistributedLock rw"),
    QT_TRANSLATE_NOOP("FamilyTitle", "DistributedLock sem."),
    QT_TRANSLATE_NOOP("FamilyTitle", "Dramatiq limiter"),
    QT_TRANSLATE_NOOP("FamilyTitle", "GitLab lease"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Hash by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Laravel funnel"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Leases by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Taken by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Lockhouse blocking"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Lockhouse handoff"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Lockhouse list fair"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Lockhouse rw"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Lockhouse semaphore"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Lockhouse zset fair"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Nextcloud file lock"),
    QT_TRANSLATE_NOOP("FamilyTitle", "machinery"),
    QT_TRANSLATE_NOOP("FamilyTitle", "mini_scheduler"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Moodle session"),
    QT_TRANSLATE_NOOP("FamilyTitle", "phpredis session"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Queue by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "redis-semaphore mutex"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson fair"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson latch"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson lock"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson multi lock"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson permits"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson rw"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Redisson semaphore"),
    QT_TRANSLATE_NOOP("FamilyTitle", "RQ scheduler"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Sentry lock"),
    QT_TRANSLATE_NOOP("FamilyTitle", "SETNX by hand"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Spring Data cache"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Symfony lock"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Symfony semaphore"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Token mutex"),
    QT_TRANSLATE_NOOP("FamilyTitle", "Yii2 mutex"),
};

QString titled(const std::string &title, std::span<const char *const> translated) {
  const auto known = std::ranges::find(translated, title);
  return known == translated.end() ? shown(title) : QCoreApplication::translate("FamilyTitle", *known);
}

} // namespace

QString familyTitle(const Family &family) { return titled(family.title, titles); }

QString familyName(const FamilyRegistry &families, std::string_view slug) {
  const Family *family = families.find(slug);
  return family && !family->shortTitle.empty() ? titled(family->shortTitle, shortTitles) : shown(slug, 40);
}

QString familyNames(const FamilyRegistry &families, const std::vector<std::string> &slugs) {
  QStringList names;
  for (const auto &slug : slugs)
    names << familyName(families, slug);
  return names.join(QCoreApplication::translate("FamilyTitle", ", ", "between two names"));
}

QString familyToolTip(const FamilyRegistry &families, std::string_view slug) {
  const Family *family = families.find(slug);
  const QString wanted = QCoreApplication::translate("FamilyTitle", "In the filter: %1").arg(QStringLiteral("family:") + shown(slug, 40));
  return family ? familyMeaning(*family) + u'\n' + wanted : wanted;
}

QString familyAbout(const Family &family) {
  const auto known = std::ranges::find(abouts, family.about);
  const QString about = known == abouts.end() ? shown(family.about) : QCoreApplication::translate("FamilyAbout", *known);
  return about.isEmpty() ? about : about + QCoreApplication::translate("FamilyAbout", ".", "end of a sentence");
}

QStringList familyAdvice(const Family &family) { return planSentences(releaseClassWords(family.releaseClass, family.waits)) + planSentences(family.advice); }

QStringList releaseAdvice(const Family &family, const LockRecord &lock) {
  const auto way = releaseWayOf(family, lock.id.key.bytes(), lock.isHeld() ? lock.holders.front().mode : HoldMode::Exclusive);
  return planSentences(releaseClassWords(way.releaseClass, family.waits)) + planSentences({way.advice.begin(), way.advice.end()}) +
         planSentences(family.advice);
}

QString familyMeaning(const Family &family) {
  QStringList said{familyTitle(family)};
  if (const QString about = familyAbout(family); !about.isEmpty())
    said << about;
  return (said << familyAdvice(family)).join(u'\n');
}

} // namespace lockhouse::ui
