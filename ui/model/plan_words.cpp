// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/plan_words.h"

#include "ui/model/error_words.h"
#include "ui/model/format.h"
#include "ui/model/phrase_book.h"
#include "ui/widget/plain_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>
#include <optional>

namespace lockhouse::ui {
namespace {

/// What a plan says in English, %1 … being what was filled in, in the words of the translations.
constexpr std::array phrases{
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1 if its value is still the same"),
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1 if its value is still %2"),
    QT_TRANSLATE_NOOP("PlanWords", "tells nobody: clients of this kind of lock try again by themselves"),
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1 and with it the hold of %2"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 0 on %1 (PUBLISH and SPUBLISH): in each waiting client one waiter tries again at once"),
    QT_TRANSLATE_NOOP("PlanWords", "drops %1 lapsed place at the head of the queue"),
    QT_TRANSLATE_NOOP("PlanWords", "drops %1 lapsed places at the head of the queue"),
    QT_TRANSLATE_NOOP("PlanWords", "drops at least %1 lapsed places at the head of the queue, in several runs"),
    QT_TRANSLATE_NOOP("PlanWords", "takes %1 out of the queue: nobody listens on its channel"),
    QT_TRANSLATE_NOOP("PlanWords", "takes %1 out of the queue, and %2 more: nobody listens on their channels"),
    QT_TRANSLATE_NOOP("PlanWords", "who is taken out of the queue and comes back queues anew, at its end"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "nobody listens on the channel of %1 at this node: unless its client does at another, everyone waits until its place lapses or "
                      "is removed from %2 (LREM) and %3 (ZREM)"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), where nobody listens"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "nobody listens on the channels of the first %1 in the queue, and no more were looked at: who listens behind them goes on only when "
                      "their places lapse or are removed from %2 (LREM) and %3 (ZREM)"),
    QT_TRANSLATE_NOOP("PlanWords", "pushes one element to %1 unless it lies there already: one waiter that is blocked there goes on"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 was free already: it was not pushed a second time"),
    QT_TRANSLATE_NOOP("PlanWords", "clears nothing in %1"),
    QT_TRANSLATE_NOOP("PlanWords", "clears the digest's marker, :PRIMED and :INFO"),
    QT_TRANSLATE_NOOP("PlanWords", "clears the digest's marker, :PRIMED, :INFO and its entry in %1"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 beside it holds something else and is left"),
    QT_TRANSLATE_NOOP("PlanWords", "tells nobody: the queue is empty"),
    QT_TRANSLATE_NOOP("PlanWords", "makes %1 the holder of %2, with a greater fence, if its value is still %3"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes the grant on %1 (PUBLISH), the inbox of its client"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes on %1 (PUBLISH), the inbox of its client, that it is the turn of %2"),
    QT_TRANSLATE_NOOP("PlanWords", "lets %1 in"),
    QT_TRANSLATE_NOOP("PlanWords", "lets %1 in, and %2 more who wait"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes to the inbox of each one's client (PUBLISH) that it has the lock"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes to the inbox of each one's client (PUBLISH) that it has its permits"),
    QT_TRANSLATE_NOOP("PlanWords", "lets nobody in yet: %1, who is first in the queue, waits for those who stay"),
    QT_TRANSLATE_NOOP("PlanWords", "tells the first in the queue who lives, which gets the lock next: its name was not read"),
    QT_TRANSLATE_NOOP("PlanWords", "tells nobody: what lies beside it is no queue of such a lock"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), which gets the lock next: its name was not read"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 0 on the own channel of %1 (PUBLISH and SPUBLISH), which gets the lock next"),
    QT_TRANSLATE_NOOP("PlanWords", "wakes nobody: the head of the queue, %1, is no Redisson client"),
    QT_TRANSLATE_NOOP("PlanWords", "the head of the queue, %1, is no Redisson client: those behind it wait until its place lapses or is removed from %2"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 is of the holder's own client, which may have handed it the lock already without a word to the server: if it has come "
                                   "and gone since, its client gives the lock back when it is told"),
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1 and with it the read hold of %2"),
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1 and with it the write hold of %2"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): every waiting reader and writer tries again at once"),
    QT_TRANSLATE_NOOP("PlanWords", "removes the write hold of %1; its read hold stays"),
    QT_TRANSLATE_NOOP("PlanWords", "removes the write hold of %1; %2 other hold stays"),
    QT_TRANSLATE_NOOP("PlanWords", "removes the write hold of %1; %2 other holds stay"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): waiting readers may enter at once"),
    QT_TRANSLATE_NOOP("PlanWords", "removes the read hold of %1 and its timeout keys; %2 other hold stays"),
    QT_TRANSLATE_NOOP("PlanWords", "removes the read hold of %1 and its timeout keys; %2 other holds stay"),
    QT_TRANSLATE_NOOP("PlanWords", "shortens the lease to the longest of those that stay, where their timeout keys are there; tells nobody, since no writer "
                                   "can enter yet"),
    QT_TRANSLATE_NOOP("PlanWords", "the lock never expires: whether its holder still works cannot be seen from Redis"),
    QT_TRANSLATE_NOOP("PlanWords", "the end that it names is past: whoever asks next may take it, and its holder may still be working"),
    QT_TRANSLATE_NOOP("PlanWords", "the lease still runs for %1: the holder may still be working"),
    QT_TRANSLATE_NOOP("PlanWords", "if its lease is the usual %1 of its library, which renews it, it was taken or renewed %2 ago: the holder looks alive; "
                                   "releasing now lets the next client in while it may still be working"),
    QT_TRANSLATE_NOOP("PlanWords", "if its lease is the usual %1 of its library, which renews it every %2, it was last taken or renewed %3 ago and is overdue; "
                                   "its holder may still be working"),
    QT_TRANSLATE_NOOP("PlanWords", "the holder last renewed %1 ago and is overdue; it may still be working"),
    QT_TRANSLATE_NOOP("PlanWords", "the holder looks alive: it renewed %1 ago; releasing now lets the next client in while it may still be working"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "the evicted holder is not told: it goes on until its next renewal or release fails; only a fencing token protects what it writes"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "%1 is %2 deep: where Redisson's watchdog renews it, other threads of its client, the next owner too, may not be renewed for "
                      "about %3 and may lose the lock: end that process first"),
    QT_TRANSLATE_NOOP("PlanWords", "on a cluster this is refused: the names of the keys put them into several slots, where no script may touch them together"),
    QT_TRANSLATE_NOOP("PlanWords", "does that by a script of its own, once the lock is free: %1 lies in another slot of this cluster, on %2"),
    QT_TRANSLATE_NOOP("PlanWords", "pushes nothing to %1, which lies on %2, a node of this cluster that is not watched: wakes nobody"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 lies on %2, a node of this cluster that is not watched: nobody goes on before his own wait ends; watch that node too, "
                                   "or push %3 to the list there afterwards"),
    QT_TRANSLATE_NOOP("PlanWords", "refused on this cluster: the names of its keys put them into several slots, where no script may touch them together"),
    QT_TRANSLATE_NOOP("PlanWords", "by hand it can be done key by key, each on the master that serves it, and nothing keeps them together meanwhile: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "nothing was changed"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 places of its queue were dropped by then"),
    QT_TRANSLATE_NOOP("PlanWords", "takes each key by a script of its own: they lie in several slots of this cluster"),
    QT_TRANSLATE_NOOP("PlanWords", "its other keys may lie on other masters of this cluster: the lock is free only when most of its keys are released"),
    QT_TRANSLATE_NOOP("PlanWords", "refused: most of its keys may lie on masters of this cluster that are not watched, so its holder would keep it; watch "
                                   "these too (--url): %1"),
    QT_TRANSLATE_NOOP("PlanWords", "refused by %1 of %2 masters, so its holder would keep it"),
    QT_TRANSLATE_NOOP("PlanWords", "one element was left in %1: one waiter that is blocked there takes the lock"),
    QT_TRANSLATE_NOOP("PlanWords", "nothing was pushed to %1, which is no list: who waits was not told"),
    QT_TRANSLATE_NOOP("PlanWords", "nothing could be pushed to %1, so nobody was woken: %2"),
    QT_TRANSLATE_NOOP("PlanWords", "some of its keys are released, but not %1: %2"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 waits for this lock"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 wait for this lock"),
    QT_TRANSLATE_NOOP(
        "PlanWords", "only the head of the queue, %1, may take the lock; its place lasts for another %2, and if it no longer listens everyone waits that long"),
    QT_TRANSLATE_NOOP(
        "PlanWords", "only the head of the queue, %1, may take the lock; its place lasts without an end, and if it no longer listens everyone waits that long"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 other hold remains: a waiting writer goes on waiting"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 other holds remain: a waiting writer goes on waiting"),
    QT_TRANSLATE_NOOP("PlanWords", "if this key is one of several nodes of a Redlock, the lock is free only when most of its nodes are released"),
    QT_TRANSLATE_NOOP("PlanWords", "masters on which another token lies under this name, which stays there: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "the key looks like a lock with a confidence of %1: make sure that it is one"),
    QT_TRANSLATE_NOOP("PlanWords", "its holder has other keys here too: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "its holder has more than eight other keys here"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "the same token may lie under other keys, which were not looked for: release --all --holder of this token frees all of them"),
    QT_TRANSLATE_NOOP("PlanWords", "to free all of these together, release all of its holder: release --all --holder"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 was woken"),
    QT_TRANSLATE_NOOP("PlanWords", "released; no client listens at this node"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 client was told"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 clients were told"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "released, but %1 was not listening at this node: it gets the lock when it looks again, or the next one does when its place lapses"),
    QT_TRANSLATE_NOOP("PlanWords", "released; no client was told, and those of a cluster could not be: this user may not SPUBLISH"),
    QT_TRANSLATE_NOOP("PlanWords", "released, but %1 was not told: if it is a client of a cluster, this user would have to be allowed to SPUBLISH"),
    QT_TRANSLATE_NOOP("PlanWords", "refused: the names of %1 and of the keys beside it put them into several slots of this cluster, where no script may touch "
                                   "them together; nothing was changed"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: this holder no longer holds it"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: others may hold it too now, and share its time to live; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "this user may not run scripts (EVAL and EVALSHA) on these keys, so this would be refused"),
    QT_TRANSLATE_NOOP(
        "PlanWords", "the cluster is moving the slot of these keys, so this would be refused: plan it again when it has moved, on the master that has it then"),
    QT_TRANSLATE_NOOP("PlanWords", "this user may not run EVAL: this is done only if the server knows the script already (EVALSHA), and refused else"),
    QT_TRANSLATE_NOOP("PlanWords", "this user may not run EVAL, and the server does not know the script yet, so this would be refused"),
    QT_TRANSLATE_NOOP("PlanWords", "this node is a replica that takes no writes, so this would be refused: the lock has to be released at its master"),
    QT_TRANSLATE_NOOP("PlanWords", "this node is a replica that takes no writes, so this was refused: the lock has to be released at its master"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "this node is a replica: unless it takes writes this is refused; where it does, its master keeps the lock all the same, and writes it "
                      "here again when it is renewed or copied anew: release it at its master"),
    QT_TRANSLATE_NOOP("PlanWords", "taken away at this replica alone: its master keeps the lock, and may write it here again; release it at its master"),
    QT_TRANSLATE_NOOP("PlanWords", "shortened at this replica alone: its master keeps the lease, and may write it here again; shorten it at its master"),
    QT_TRANSLATE_NOOP("PlanWords", "not tried: it was stopped before"),
    QT_TRANSLATE_NOOP("PlanWords", "not planned: it was stopped before"),
    QT_TRANSLATE_NOOP("PlanWords", "what was seen of it is older than two minutes: look again"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1, count %2, and %3 more"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1, count %2"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "changed: this holder is there as %1, count %2, and %3 more: name that hold, or release all of its holder: release --all --holder"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: this holder is there as %1, count %2: name that hold, or release all of its holder: release --all --holder"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: the same holder's count is %1 now"),
    QT_TRANSLATE_NOOP("PlanWords", "its node is not followed any more: whether it is still held so is not known"),
    QT_TRANSLATE_NOOP("PlanWords", "already free: the key is gone"),
    QT_TRANSLATE_NOOP("PlanWords", "the key holds something else now, which looks like data, not like a lock"),
    QT_TRANSLATE_NOOP("PlanWords", "already free: the key is gone, or holds something else now"),
    QT_TRANSLATE_NOOP("PlanWords", "the key is gone"),
    QT_TRANSLATE_NOOP("PlanWords", "already free: there is no such key"),
    QT_TRANSLATE_NOOP("PlanWords", "there is no such key"),
    QT_TRANSLATE_NOOP("PlanWords", "this node is a replica: what its master has may not be here"),
    QT_TRANSLATE_NOOP("PlanWords", "this node is a replica of %1: what that has may still be on its way here"),
    QT_TRANSLATE_NOOP("PlanWords", "this node is a replica of %1, cut off from it: what that has may not be here"),
    QT_TRANSLATE_NOOP("PlanWords", "this node is a replica of %1, cut off from it for %2: what that has had since is not here"),
    QT_TRANSLATE_NOOP("PlanWords", "look for the lock at its master instead"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "good replicas of this master: %1, fewer than its min-replicas-to-write, so this would be refused: bring its replicas back, or lower that"),
    QT_TRANSLATE_NOOP("PlanWords", "nobody holds the lock"),
    QT_TRANSLATE_NOOP("PlanWords", "read-only: unlock this console before it may write"),
    QT_TRANSLATE_NOOP("PlanWords", "no connection leads to this node and database"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes %1 on %2 (PUBLISH and SPUBLISH): who listens there tries again at once"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes the new number on %1 (PUBLISH and SPUBLISH): a waiter that it is enough for goes on"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes the new number on %1 (PUBLISH and SPUBLISH): nobody goes on before it is more than 0"),
    QT_TRANSLATE_NOOP("PlanWords", "takes the permit %1 back and counts it as free"),
    QT_TRANSLATE_NOOP("PlanWords", "leaves one element in %1: one waiter that is blocked there takes the lock"),
    QT_TRANSLATE_NOOP("PlanWords", "pushes one element to %1: one waiter that is blocked there goes on"),
    QT_TRANSLATE_NOOP("PlanWords", "leaves one element in %1 for %2, once the lock is free: where it is of %3, one waiter that is blocked there takes it"),
    QT_TRANSLATE_NOOP("PlanWords", "unless it is of %1, an evicted holder deletes whatever lies there when he leaves, the next owner's lock too"),
    QT_TRANSLATE_NOOP("PlanWords", "pushes nothing to %1, which is no list: wakes nobody"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 holds something else than the list by which who waits is woken: nobody goes on before his own wait ends; move that "
                                   "key away first, or push %2 to a list of that name afterwards"),
    QT_TRANSLATE_NOOP("PlanWords", "takes %1 out of %2"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 other hold stays"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 other holds stay"),
    QT_TRANSLATE_NOOP("PlanWords", "lets the hold of %1 end in %2, if it does not end sooner anyway"),
    QT_TRANSLATE_NOOP("PlanWords", "tells nobody: its clients are told by the server that the keys changed"),
    QT_TRANSLATE_NOOP("PlanWords", "deleting it is enough: who waits looks again by himself"),
    QT_TRANSLATE_NOOP("PlanWords", "who waits listens to a channel and has to be told there"),
    QT_TRANSLATE_NOOP("PlanWords", "who waits is blocked on a list and has to be woken by a push"),
    QT_TRANSLATE_NOOP("PlanWords", "one holder of several is taken out; the others stay"),
    QT_TRANSLATE_NOOP("PlanWords", "a number is corrected: nobody is named as its holder"),
    QT_TRANSLATE_NOOP("PlanWords", "a job hangs on it that goes on without it"),
    QT_TRANSLATE_NOOP("PlanWords", "its holder's renewal may make the deleted key anew"),
    QT_TRANSLATE_NOOP("PlanWords", "an evicted holder deletes whatever lies there when he leaves, the next owner's lock too"),
    QT_TRANSLATE_NOOP("PlanWords", "several libraries leave the same bytes; it may be %1 too"),
    QT_TRANSLATE_NOOP("PlanWords", "a holder that renews in time lengthens the lease again: then it lives"),
    QT_TRANSLATE_NOOP("PlanWords", "its holder has renewed it every %1: where that is less, it lengthens the lease again, and lives"),
    QT_TRANSLATE_NOOP("PlanWords", "it never expires: its library may count on that"),
    QT_TRANSLATE_NOOP("PlanWords", "a lock of several resources lies under several keys with this same value: free each of them"),
    QT_TRANSLATE_NOOP("PlanWords", "a lock of several keys lies under several keys with this same value: free each of them"),
    QT_TRANSLATE_NOOP("PlanWords", "when a worker was ended before its task was, this mark is what is left of it: see whether the task still exists"),
    QT_TRANSLATE_NOOP("PlanWords", "a running job whose lock cannot be extended moves to Failed"),
    QT_TRANSLATE_NOOP("PlanWords", "the evicted request loses what it writes to its session"),
    QT_TRANSLATE_NOOP("PlanWords", "the active scheduler's next renewal fails and it ends; one of the others takes over"),
    QT_TRANSLATE_NOOP("PlanWords", "one of the standby schedulers takes over"),
    QT_TRANSLATE_NOOP("PlanWords", "an evicted holder that was not told to compare (safeUpdate) may delete or overwrite the next owner's lock"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "a job may hold it for days while it is scheduled or retried: see whether the job is in no queue, schedule, retry set or process"),
    QT_TRANSLATE_NOOP("PlanWords", "every reader and writer of this cache goes on as soon as it is gone"),
    QT_TRANSLATE_NOOP("PlanWords", "only the value named is freed; whoever waits for another value of the group is woken for nothing"),
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1 if it is the time at which this hold ends"),
    QT_TRANSLATE_NOOP("PlanWords", "deletes %1"),
    QT_TRANSLATE_NOOP("PlanWords", "shortened; unless its holder renews it, it ends then"),
    QT_TRANSLATE_NOOP("PlanWords", "kept: it ends sooner anyway, in %1"),
    QT_TRANSLATE_NOOP("PlanWords", "it ends within %1 anyway"),
    QT_TRANSLATE_NOOP("PlanWords", "whoever waits is blocked on a list and would not be told when the lease ends; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "a job hangs on it that would go on without it"),
    QT_TRANSLATE_NOOP("PlanWords", "its lease is not that of this key alone, or the key holds more than the lock; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "it has no lease that could be shortened; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "when a hold lapses is known to its library's clients alone; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "each of its permits has a lease of its own, or none; release the permit"),
    QT_TRANSLATE_NOOP("PlanWords", "a number has no lease of a holder's; release a permit where they are named"),
    QT_TRANSLATE_NOOP("PlanWords", "all of its holders share one time to live; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "the family %1 is not known here"),
    QT_TRANSLATE_NOOP("PlanWords", "the job would be left behind: its process fails with a missing lock, and the queue runs the job once more; let the process "
                                   "end it, or use Bull to fail, retry or remove the job"),
    QT_TRANSLATE_NOOP("PlanWords", "the job would be left behind: its worker fails with a missing lock, and the queue runs the job once more; let the worker "
                                   "end it, or use BullMQ to fail, retry or remove the job"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 holds no number of free permits, so none can be given back to it; write there how many it has in all less those that "
                                   "are out (SET), and release then"),
    QT_TRANSLATE_NOOP("PlanWords", "nothing tells who holds it, so nobody's hold can be taken away"),
    QT_TRANSLATE_NOOP("PlanWords", "its holders lie in one packed value, which only its own library can rewrite"),
    QT_TRANSLATE_NOOP("PlanWords", "record %1 is missing"),
    QT_TRANSLATE_NOOP("PlanWords", "record %1 is missing: numbers were given up to %2"),
    QT_TRANSLATE_NOOP("PlanWords", "record %1 was altered after it was written"),
    QT_TRANSLATE_NOOP("PlanWords", "record %1 does not follow record %2: one of them was replaced or moved"),
    QT_TRANSLATE_NOOP("PlanWords", "the highest number given was set back to %1"),
    QT_TRANSLATE_NOOP("PlanWords", "keep a copy of the file and compare it with a backup, or give another path"),
    QT_TRANSLATE_NOOP("PlanWords", "leaves the lease as it is; tells nobody, since no writer can enter yet"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 is not among the entries that were read, and %2 were not: whether it holds the lock is seen when it is taken out"),
    QT_TRANSLATE_NOOP("PlanWords", "released"),
    QT_TRANSLATE_NOOP("PlanWords", "%1 beside it holds something else and was left"),
    QT_TRANSLATE_NOOP("PlanWords", "with it go all %1 of its permits"),
    QT_TRANSLATE_NOOP("PlanWords", "its count is no number: none of its library's clients can free it"),
    QT_TRANSLATE_NOOP("PlanWords", "entries that are not what its library writes, which keep it closed, are deleted with it: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "entries that are not what its library writes, which may keep it closed, stay: %1"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "countDown() in any of its clients counts for one who will not come; at zero everybody goes on who waits for the others to arrive"),
    QT_TRANSLATE_NOOP("PlanWords", "nothing tells who holds a permit: release() in any of its clients gives one back and corrects the number, which is right "
                                   "only if its holder is gone for good"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: acquired again since it was seen"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: clients queue for it, so it is a fair lock now: plan it anew"),
    QT_TRANSLATE_NOOP("PlanWords", "the key looks like data, not like a lock (confidence %1)"),
    QT_TRANSLATE_NOOP("PlanWords", "to keep its holder out, set the key on every master to a token of your own for longer than one lease (SET with XX and PX) "
                                   "instead: the holder's next renewal fails, and it gives up"),
    QT_TRANSLATE_NOOP("PlanWords", "its timer brings the key back until its process ends: find that in CLIENT LIST and end it before you release, or set the "
                                   "key on every master to a token of your own (SET with XX and PX) until it has ended"),
    QT_TRANSLATE_NOOP("PlanWords", "only an application that extends it without extend_only_if_locked makes it anew: where it comes back, set the key on every "
                                   "master to a token of your own for longer than one lease (SET with XX and PX), so that it cannot be extended"),
    QT_TRANSLATE_NOOP("PlanWords", "only an application that uses WithSetNXOnExtend makes it anew: where it comes back, set the key on every master to a token "
                                   "of your own for longer than one lease (SET with XX and PX), so that it cannot be extended"),
    QT_TRANSLATE_NOOP("PlanWords", "where it is of %1, its holder may make the deleted key anew: if it comes back, end that process, or set the key on every "
                                   "master to a token of your own for longer than one lease (SET with XX and PX)"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "see that its holder has ended before you release: when he leaves he gives his token back, whoever has it by then, and two would have the next"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "its library renews it every %1 where its user chose nothing else: a holder that lives comes too late for %2, and loses it too"),
    QT_TRANSLATE_NOOP("PlanWords", "see that its holder has ended before you release: then nobody is left who would delete the next owner's lock"),
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
    QT_TRANSLATE_NOOP("PlanWords", "this user lacks rights, so this would be refused: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "this user lacks rights inside the script, which needs all of these: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "whether it may do the rest cannot be asked without EVAL: %1"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "its number of free permits is missing: as in its library's own release it begins anew with this one, whatever it was before"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "its value names the application instance, not the thread: all locks of that instance carry it, and releasing by this holder would take them all"),
    QT_TRANSLATE_NOOP("PlanWords", "the last of its leases still runs for %1; that of this holder may end sooner, and he may still be working"),
    QT_TRANSLATE_NOOP("PlanWords", "not all of its holds have an end: whether this holder still works cannot be seen from Redis"),
    QT_TRANSLATE_NOOP("PlanWords", "empties %1"),
    QT_TRANSLATE_NOOP("PlanWords", "lets all of %1 lapse in %2"),
    QT_TRANSLATE_NOOP("PlanWords", "clears the digest's entry in %1"),
    QT_TRANSLATE_NOOP("PlanWords", "clears the digest's marker, :PRIMED, :INFO and its entries in %1 and %2"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "%1 alone may take it, until its place in the queue lapses: where its client is gone, take it out of %2 (LREM) and %3 (ZREM), then publish 0 on %4"),
    QT_TRANSLATE_NOOP("PlanWords", "tells nobody: nobody in the queue looks before the time that he was given when he came"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): every waiting reader and writer sees when it ends now"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 0 on %1 (PUBLISH and SPUBLISH): in each waiting client one waiter sees when it ends now"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "the head of the queue sleeps until the lease that it saw would have ended, and goes on no sooner; a release wakes it at once"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "where it is of %1, who waits for a message hears none when the lease ends, and sleeps until his own wait does; a release tells him"),
    QT_TRANSLATE_NOOP("PlanWords", "tells nobody: who waits for a message hears none when a lease ends"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "where its clients wait for messages, lock() looks again when the registry's expireAfter has passed, 60 s unless it was set, and "
                      "tryLock() when its own time is over; those that poll come within 100 ms; a release tells all of them"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes nothing on %1: this user may not, and it only may be that somebody listens there"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes nothing on %1: this user may not, and who listens there goes on no sooner than the lease would have ended"),
    QT_TRANSLATE_NOOP("PlanWords", "publishes 0 on %1 (PUBLISH) too, where clients of Redisson of 2016 listen: %2"),
    QT_TRANSLATE_NOOP("PlanWords", "clients of Redisson of 2016 wait on a channel of their own, and this user may not PUBLISH there"),
    QT_TRANSLATE_NOOP("PlanWords", "where you know that it is one, lockhousectl does this with --all"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "the key looks like data, not like a lock (confidence %1): make sure that it is one, for whatever lies there is treated as such"),
};

// A span of time is filled in with the units of English, a holder with his depth; what else is filled in are names and numbers.
QString inOwnUnits(const QString &value) {
  static const QRegularExpression deep(QStringLiteral("^(.*) \\((\\d+) deep\\)$"));
  if (const auto match = deep.match(value); match.hasMatch())
    return QCoreApplication::translate("PlanWords", "%1 (%2 deep)", "a holder, how often he holds it").arg(match.captured(1), match.captured(2));
  static const QRegularExpression span(QStringLiteral("^\\d+(?:\\.\\d)? (?:ms|s|min|h|d)(?: \\d+ (?:s|min|h))?$"));
  if (!span.match(value).hasMatch())
    return value;
  QStringList parts = value.split(u' ');
  for (qsizetype i = 1; i < parts.size(); i += 2)
    parts[i] = unitWord(parts[i]);
  return parts.join(QChar(0x2009));
}

const PhraseBook &book() {
  static const PhraseBook book("PlanWords", phrases);
  return book;
}

// A sentence of a plan, or of an Error.
std::optional<QString> known(const QString &words) {
  auto plan = book().translated(words, inOwnUnits);
  return plan ? plan : knownError(words);
}

// A refusal is several phrases in a row: what stands in the way, then what its library advises. Where the first of them ends.
qsizetype endOfFirst(const QString &words) {
  const QString between = QStringLiteral("; ");
  qsizetype end = words.size();
  while (end > 0 && !known(words.left(end))) // the longest: a phrase may have one of its own
    end = words.lastIndexOf(between, end - 1);
  return end;
}

QString translated(const QString &words) {
  const QString between = QStringLiteral("; ");
  const auto end = endOfFirst(words);
  if (end <= 0)
    return words;
  const QString first = *known(words.left(end));
  return end == words.size()
             ? first
             : first + QCoreApplication::translate("PlanWords", "; ", "between two parts of a sentence") + translated(words.mid(end + between.size()));
}

// A name is written as it is.
bool opensWithValue(const QString &words) {
  const auto end = endOfFirst(words);
  const auto first = words.left(end);
  return end > 0 && book().opensWithValue(first).value_or(errorOpensWithValue(first));
}

QString asSentence(const QString &words) {
  QString text = translated(words);
  const bool opensWithCode = text.section(u' ', 0, 0).endsWith(u"()");
  if (!text.isEmpty() && !opensWithCode && !opensWithValue(words))
    text[0] = text[0].toUpper();
  const QString stop = QCoreApplication::translate("PlanWords", ".", "end of a sentence");
  return text.endsWith(u'.') || text.endsWith(stop) ? text : text + stop;
}

} // namespace

QString planSentence(std::string_view words) { return asSentence(fromUtf8(words)); }

QStringList planSentences(const std::vector<std::string> &words) {
  QStringList sentences;
  for (const std::string &sentence : words)
    sentences << planSentence(sentence);
  return sentences;
}

} // namespace lockhouse::ui
