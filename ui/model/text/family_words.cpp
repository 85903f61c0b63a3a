// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/family_words.h"

#include "ui/model/text/message_text.h"
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

/// Their advice, as core/watch/recognisers says it, so that the translations know it.
[[maybe_unused]] constexpr std::array advices{
    QT_TRANSLATE_NOOP("PlanWords", "a lock of several resources lies under several keys with this same value: free each of them"),
    QT_TRANSLATE_NOOP("PlanWords", "when a worker was ended before its task was, this mark is what is left of it: see whether the task still exists"),
    QT_TRANSLATE_NOOP("PlanWords", "a running job whose lock cannot be extended moves to Failed"),
    QT_TRANSLATE_NOOP("PlanWords", "the evicted request loses what it writes to its session"),
    QT_TRANSLATE_NOOP("PlanWords", "the active scheduler's next renewal fails and it ends; one of the others takes over"),
    QT_TRANSLATE_NOOP("PlanWords", "one of the standby schedulers takes over"),
    QT_TRANSLATE_NOOP("PlanWords", "an evicted holder that was not told to compare (safeUpdate) may delete or overwrite the next owner's lock"),
    QT_TRANSLATE_NOOP("PlanWords", "a job may hold it for days while it is scheduled or retried: see that it is in no queue, schedule, retry set or process"),
    QT_TRANSLATE_NOOP("PlanWords", "every reader and writer of this cache goes on as soon as it is gone"),
    QT_TRANSLATE_NOOP("PlanWords", "only the value named is freed; whoever waits for another value of the group is woken for nothing"),
    QT_TRANSLATE_NOOP("PlanWords", "the job would be left behind: its process fails with a missing lock, and the queue runs the job once more; let the process "
                                   "end it, or use Bull to fail, retry or remove the job"),
    QT_TRANSLATE_NOOP("PlanWords", "the job would be left behind: its worker fails with a missing lock, and the queue runs the job once more; let the worker "
                                   "end it, or use BullMQ to fail, retry or remove the job"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "countDown() in any of its clients counts for one who will not come; at zero everybody goes on who waits for the others to arrive"),
    QT_TRANSLATE_NOOP("PlanWords", "nothing tells who holds a permit: release() in any of its clients gives one back and corrects the number, which is right "
                                   "only if its holder is gone for good"),
    QT_TRANSLATE_NOOP("PlanWords", "to keep its holder out, set the key on every master to a token of your own for longer than one lease (SET with XX and PX) "
                                   "instead: the holder's next renewal fails, and it gives up"),
    QT_TRANSLATE_NOOP("PlanWords", "its timer brings the key back until its process ends: find that in CLIENT LIST and end it first, or set the key on every "
                                   "master to a token of your own (SET with XX and PX) until it has ended"),
    QT_TRANSLATE_NOOP("PlanWords", "only an application that extends it without extend_only_if_locked makes it anew: where it comes back, set the key on every "
                                   "master to a token of your own for longer than one lease (SET with XX and PX), so that it cannot be extended"),
    QT_TRANSLATE_NOOP("PlanWords", "only an application that uses WithSetNXOnExtend makes it anew: where it comes back, set the key on every master to a token "
                                   "of your own for longer than one lease (SET with XX and PX), so that it cannot be extended"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "see that its holder has ended first: when he leaves he gives his token back, whoever has it by then, and two would have the next"),
    QT_TRANSLATE_NOOP("PlanWords", "see that its holder has ended first: then nobody is left who would delete the next owner's lock"),
    QT_TRANSLATE_NOOP("PlanWords", "its holder deletes nothing once the time of its own lease is past: if that is soon enough, let it lapse instead"),
    QT_TRANSLATE_NOOP("PlanWords", "where no consumer runs any more, Huey's flush_locks() clears what a crash has left"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "the mark lapses by itself soon after the longest time that the job may take; to end the job, use abort() of arq's Job or stop its worker"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "asynq's Inspector gives the mark back with the task: DeleteTask() for one that waits, CancelProcessing() for one that runs"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "the number lapses by itself when no task has come or gone for the limiter's ttl, 15 minutes unless it was set; to go on sooner, let its tasks end"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "a number of readers lapses by itself within an hour unless others come; in maintenance mode, when nobody reads, the key can be removed by hand"),
    QT_TRANSLATE_NOOP("PlanWords", "its own unlock(token), called in any of its clients, takes one holder out; holds older than stale_lock_expiration, an hour "
                                   "unless it was set, are dropped by whoever comes next"),
    QT_TRANSLATE_NOOP("PlanWords", "its Redlock variants take it again on the other masters as long as they hold it on most of them: free it on every one"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "its value names the application instance, not the thread: all locks of that instance carry it, and releasing by this holder would take them all"),
};

/// Their evidence.
[[maybe_unused]] constexpr std::array evidences{
    QT_TRANSLATE_NOOP("Evidence", "a queue of Redisson waiters lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "a random UUID without dashes"),
    QT_TRANSLATE_NOOP("Evidence", "hash of one field: Redisson client and thread, with its count"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and ends under the textbook's name of a semaphore"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and past times under a name that speaks of a lock: when each took it, or when it ended"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and past times under the textbook's name of a semaphore: when each took it"),
    QT_TRANSLATE_NOOP("Evidence", "value is ShedLock's: when, host, id"),
    QT_TRANSLATE_NOOP("Evidence", "value is a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "value is a time-based UUID without dashes, as redis-py writes"),
    QT_TRANSLATE_NOOP("Evidence", "value is that of an older ShedLock: when, host"),
    QT_TRANSLATE_NOOP("Evidence", "ActiveJob::Uniqueness's prefix and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "aiocache's suffix and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "arq's name of a job in progress"),
    QT_TRANSLATE_NOOP("Evidence", "asynq's name of a unique task and the task's id"),
    QT_TRANSLATE_NOOP("Evidence", "name and token as Bull writes them"),
    QT_TRANSLATE_NOOP("Evidence", "name and token as Bull writes them, and the job lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "prefix of python-redis-lock, and 24 letters of base64 as its tokens have"),
    QT_TRANSLATE_NOOP("Evidence", "prefix of python-redis-lock, and the list that wakes its waiters lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "prefix of walrus, and the list that wakes its waiters lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "Lock4j's prefix and a lock of Redisson"),
    QT_TRANSLATE_NOOP("Evidence", "Bull's name of a queue's guard, and when it was set"),
    QT_TRANSLATE_NOOP("Evidence", "name and token as BullMQ writes them: worker and running number"),
    QT_TRANSLATE_NOOP("Evidence", "name and token as BullMQ writes them, and the job lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "celery-once's prefix and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "celery-singleton's name and a task's id"),
    QT_TRANSLATE_NOOP("Evidence", "value is process, time and number, as cheprasov/php-redis-lock writes"),
    QT_TRANSLATE_NOOP("Evidence", "CSRedisCore's prefix and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "Dapr's name of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "value is machine, process and id, as DistributedLock for .NET writes, under a name that speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "value is machine, process and id, as DistributedLock for .NET writes; the name does not speak of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "DistributedLock's name of a writer; value is machine, process and id"),
    QT_TRANSLATE_NOOP("Evidence", "a writer waits for the readers to leave"),
    QT_TRANSLATE_NOOP("Evidence", "DistributedLock's set of readers; each is machine, process and id"),
    QT_TRANSLATE_NOOP("Evidence", "members are machine, process and id, as DistributedLock for .NET writes, with the ends of their leases"),
    QT_TRANSLATE_NOOP("Evidence", "a token of redis-py under a name as Django's cache makes them"),
    QT_TRANSLATE_NOOP("Evidence", "dogpile.cache's prefix and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "Foundatio's scope and 16 random letters and digits as JSON"),
    QT_TRANSLATE_NOOP("Evidence", "FreeRedis's prefix and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "name and times as the gem redis-semaphore writes them"),
    QT_TRANSLATE_NOOP("Evidence", "GitLab's prefix and a random UUID"),
    QT_TRANSLATE_NOOP("Evidence", "hash of one owner and a count under a name that speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "hash of one name and a count under a name that speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "list of tickets under a name that speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "list under a name that speaks of a lock: its first may be the owner"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of names and times under a name that speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and times under a name that speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "Hangfire's prefix and a random UUID"),
    QT_TRANSLATE_NOOP("Evidence", "a field of Huey's results that names a lock"),
    QT_TRANSLATE_NOOP("Evidence", "Huey's name of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "JetCache's suffix of a refresh lock"),
    QT_TRANSLATE_NOOP("Evidence", "kombu's name and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "kombu's name behind a prefix, and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of a unique job and 16 letters and digits"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of WithoutOverlapping and 16 letters and digits"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of a scheduled task and 16 letters and digits"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's prefixes and 16 random letters and digits"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's older prefixes and 16 random letters and digits"),
    QT_TRANSLATE_NOOP("Evidence", "Lock4j's prefix and a random UUID without dashes"),
    QT_TRANSLATE_NOOP("Evidence", "value is 18 bytes in base64, as BlockingLock writes"),
    QT_TRANSLATE_NOOP("Evidence", "the list that wakes BlockingLock's waiters lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "value is client, number and fence, as HandoffLock writes"),
    QT_TRANSLATE_NOOP("Evidence", "value is client and number, and a line of Lockhouse lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "readers with the ends of their leases, as FairReadWriteLock writes"),
    QT_TRANSLATE_NOOP("Evidence", "a writer with the end of its lease, as FairReadWriteLock writes"),
    QT_TRANSLATE_NOOP("Evidence", "permits with the ends of their leases, as LeasedSemaphore writes"),
    QT_TRANSLATE_NOOP("Evidence", "prefix, host and process as the gem redis-lock writes them"),
    QT_TRANSLATE_NOOP("Evidence", "Nextcloud's name of a file's lock, held exclusively"),
    QT_TRANSLATE_NOOP("Evidence", "Nextcloud's name of a file's lock, held by so many readers"),
    QT_TRANSLATE_NOOP("Evidence", "redis-lock's prefix and the time of its end"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it redis-lock's own and the time of its end"),
    QT_TRANSLATE_NOOP("Evidence", "php-lock's prefix and 64 hex digits"),
    QT_TRANSLATE_NOOP("Evidence", "ABP's name of a worker's lock; value is machine, process and id, as DistributedLock for .NET writes"),
    QT_TRANSLATE_NOOP("Evidence", "asynq's name of a unique task without a payload and the task's id"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and an owner's name as the manual of python-redis-lock has it"),
    QT_TRANSLATE_NOOP("Evidence", "machinery's prefix and a time in nanoseconds"),
    QT_TRANSLATE_NOOP("Evidence", "mini_scheduler's name of a queue's lock and a time in seconds"),
    QT_TRANSLATE_NOOP("Evidence", "Moodle's suffix, process, host and page"),
    QT_TRANSLATE_NOOP("Evidence", "phpredis's name, host and process"),
    QT_TRANSLATE_NOOP("Evidence", "phpredis's suffix, host and process"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and token as python-redis-lock writes them: 18 random bytes in base64"),
    QT_TRANSLATE_NOOP("Evidence", "RedBeat's name and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "a name that ends as RedBeat's, and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "value is a token, packed as PHP, Python, Java or JSON have it"),
    QT_TRANSLATE_NOOP("Evidence", "value is 16 random letters and digits as PHP serialises them"),
    QT_TRANSLATE_NOOP("Evidence", "an empty value under a name that redis-objects makes"),
    QT_TRANSLATE_NOOP("Evidence", "redis-semaphore's prefix and members with times of refresh"),
    QT_TRANSLATE_NOOP("Evidence", "redis-semaphore's prefix and permits with times of refresh"),
    QT_TRANSLATE_NOOP("Evidence", "redis-semaphore's prefix and a random UUID"),
    QT_TRANSLATE_NOOP("Evidence", "redis-semaphore's prefix and a random UUID with a suffix"),
    QT_TRANSLATE_NOOP("Evidence", "a number, and clients wait for it to reach zero"),
    QT_TRANSLATE_NOOP("Evidence", "hash of locked values, each with its owner, its count and its end"),
    QT_TRANSLATE_NOOP("Evidence", "a number of free permits, beside it those that are out"),
    QT_TRANSLATE_NOOP("Evidence", "hash with a mode and Redisson holders"),
    QT_TRANSLATE_NOOP("Evidence", "a number, and clients listen for its permits"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and random UUID as RedLock.net and pottery write them"),
    QT_TRANSLATE_NOOP("Evidence", "name and the time of its end as resque-lock writes them"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and the time of its end as redis-mutex writes them"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and the time of its end as resque-lock-timeout writes them"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and mark as resque-lock-timeout writes them"),
    QT_TRANSLATE_NOOP("Evidence", "resque-scheduler's name, host and process"),
    QT_TRANSLATE_NOOP("Evidence", "RQ's name of a scheduler's lock"),
    QT_TRANSLATE_NOOP("Evidence", "rueidislock's prefix and 24 random bytes"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of other data, whose members may have ends too"),
    QT_TRANSLATE_NOOP("Evidence", "24 random bytes under numbered keys, as rueidislock writes under a prefix of its users'"),
    QT_TRANSLATE_NOOP("Evidence", "Sentry's prefix and a random UUID without dashes"),
    QT_TRANSLATE_NOOP("Evidence", "value is a mark, a time or a name"),
    QT_TRANSLATE_NOOP("Evidence", "name, job ids and times as sidekiq-unique-jobs 8 writes them"),
    QT_TRANSLATE_NOOP("Evidence", "name, job ids and JSON as sidekiq-unique-jobs 9 writes them"),
    QT_TRANSLATE_NOOP("Evidence", "Spring Data's suffix and an empty value"),
    QT_TRANSLATE_NOOP("Evidence", "value is packed times and tokens, as suo writes"),
    QT_TRANSLATE_NOOP("Evidence", "members are Symfony's tokens with the ends of their leases"),
    QT_TRANSLATE_NOOP("Evidence", "name and ends of leases as Symfony's semaphores have them"),
    QT_TRANSLATE_NOOP("Evidence", "value has the form of an owner's token"),
    QT_TRANSLATE_NOOP("Evidence", "prefix and token as walrus writes them: 32 random bytes"),
    QT_TRANSLATE_NOOP("Evidence", "warlock's suffix and a time-based UUID in base64"),
    QT_TRANSLATE_NOOP("Evidence", "37 hex digits as name and a token of 20 letters, as Yii2 writes them"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it ActiveJob::Uniqueness's own and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it Lock4j's own and a random UUID without dashes"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it FreeRedis's own and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it CSRedisCore's own and a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "a name that ends as Hangfire's own locks, and a random UUID"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix that names RedBeat, and a token of redis-py"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of a scheduled task, and a value that is packed in its own way"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of WithoutOverlapping, and a value that is packed in its own way"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of a unique job, and a value that is packed in its own way"),
    QT_TRANSLATE_NOOP("Evidence", "a session's id, phpredis's suffix, host and process"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it a session's id, phpredis's suffix, host and process"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it redis-semaphore's own and permits with times of refresh"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it redis-semaphore's own and members with times of refresh"),
    QT_TRANSLATE_NOOP("Evidence", "a prefix, and behind it name, host and process as the gem redis-lock writes them"),
    QT_TRANSLATE_NOOP("Evidence", "name as BullMQ writes it, and a token of its caller's own"),
    QT_TRANSLATE_NOOP("Evidence", "name as BullMQ writes it, a token of its caller's own, and the job lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "name, tokens and ends of leases as Symfony's semaphores have them"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of a unique job and 16 letters and digits as PHP serialises them"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's prefixes and 16 letters and digits"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of WithoutOverlapping and 16 letters and digits as PHP serialises them"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's name of a scheduled task and 16 letters and digits as PHP serialises them"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's prefixes and 16 random letters and digits as PHP serialises them"),
    QT_TRANSLATE_NOOP("Evidence", "Laravel's older prefixes and 16 random letters and digits as PHP serialises them"),
    QT_TRANSLATE_NOOP("Evidence", "php-lock's prefix and 64 hex digits as PHP serialises them"),
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

QStringList familyAdvice(const Family &family) {
  return messageSentences(releaseClassMessages(family.releaseClass, family.waits)) + messageSentences(adviceOf(family));
}

QStringList releaseAdvice(const Family &family, const LockRecord &lock) {
  const auto way = releaseWayOf(family, lock.id.key.bytes(), lock.isHeld() ? lock.holders.front().mode : HoldMode::Exclusive);
  return messageSentences(releaseClassMessages(way.releaseClass, family.waits)) + messageSentences(adviceOf(way)) + messageSentences(adviceOf(family));
}

QString familyMeaning(const Family &family) {
  QStringList said{familyTitle(family)};
  if (const QString about = familyAbout(family); !about.isEmpty())
    said << about;
  return (said << familyAdvice(family)).join(u'\n');
}

} // namespace lockhouse::ui
