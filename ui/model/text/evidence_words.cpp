// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/evidence_words.h"

#include "ui/model/text/console_words.h"
#include "ui/model/text/form_evidence.h"
#include "ui/model/text/phrase_book.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace lockhouse::ui {
namespace {

/// Every fact that core/watch states, so that the translations know them, but for those of formEvidence().
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
    QT_TRANSLATE_NOOP("Evidence", "its last two bytes check the others, as in BlockingLock's tokens"),
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
    QT_TRANSLATE_NOOP("Evidence", "value is text: an owner's words, or anything"),
    QT_TRANSLATE_NOOP("Evidence", "value is random text behind a mark, as keys and ids are given out"),
    QT_TRANSLATE_NOOP("Evidence", "value has no form that owners have"),
    QT_TRANSLATE_NOOP("Evidence", "value is longer than the tokens of libraries"),
    QT_TRANSLATE_NOOP("Evidence", "value is cut: it has %1 bytes, of which the first %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "value is a UUID"),
    QT_TRANSLATE_NOOP("Evidence", "value is a UUID with a suffix"),
    QT_TRANSLATE_NOOP("Evidence", "value is empty"),
    QT_TRANSLATE_NOOP("Evidence", "value is random bytes, as rslock or rueidislock write"),
    QT_TRANSLATE_NOOP("Evidence", "value is ShedLock's: when, host, id"),
    QT_TRANSLATE_NOOP("Evidence", "value is that of an older ShedLock: when, host"),
    QT_TRANSLATE_NOOP("Evidence", "value is host, process and id, as DistributedLock for .NET writes"),
    QT_TRANSLATE_NOOP("Evidence", "a queue of Redisson waiters lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "deadlines of Redisson waiters lie beside it, and no queue of them"),
    QT_TRANSLATE_NOOP("Evidence", "deadlines of Redisson waiters lie beside it"),
    QT_TRANSLATE_NOOP("Evidence", "its writer's key holds something else"),
    QT_TRANSLATE_NOOP("Evidence", "nobody holds it: the head of the queue has not taken its turn"),
    QT_TRANSLATE_NOOP("Evidence", "hash of one field: Redisson client and thread, with its count"),
    QT_TRANSLATE_NOOP("Evidence", "hash with a field of one Redisson client and thread, with its count"),
    QT_TRANSLATE_NOOP("Evidence", "a fencing counter lies beside it"),
    QT_TRANSLATE_NOOP("Evidence", "clients listen for its release"),
    QT_TRANSLATE_NOOP("Evidence", "channels are of all databases of the server: who listens may want the lock of this name in another one"),
    QT_TRANSLATE_NOOP("Evidence", "they may be locks of their own, on masters that have nothing to do with each other"),
    QT_TRANSLATE_NOOP("Evidence", "hash with mode read and Redisson holders"),
    QT_TRANSLATE_NOOP("Evidence", "hash with mode write and Redisson holders"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of a leader"),
    QT_TRANSLATE_NOOP("Evidence", "the name is a resource's, as examples of Redlock libraries have it"),
    QT_TRANSLATE_NOOP("Evidence", "it has no lease, without which Redisson takes no lock"),
    QT_TRANSLATE_NOOP("Evidence", "what is counted for each client has names like this too: its lease tells whether it is a lock"),
    QT_TRANSLATE_NOOP("Evidence", "its name speaks of another use too"),
    QT_TRANSLATE_NOOP("Evidence", "its name tells of data, its lease is longer than a lock's: with less than five minutes left it is shown as a lock"),
    QT_TRANSLATE_NOOP("Evidence", "its lease is longer than those of Sentry's locks"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and past times under a name that speaks of a lock: when each took it, or when it ended"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and past times under the textbook's name of a semaphore: when each took it"),
    QT_TRANSLATE_NOOP("Evidence", "the name does not speak of a lock"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of something else too"),
    QT_TRANSLATE_NOOP("Evidence", "the name is that of an entry of a cache of Spring's"),
    QT_TRANSLATE_NOOP("Evidence", "the name speaks of something about a lock"),
    QT_TRANSLATE_NOOP("Evidence", "a random UUID without dashes"),
    QT_TRANSLATE_NOOP("Evidence", "it has a lease"),
    QT_TRANSLATE_NOOP("Evidence", "it never expires"),
    QT_TRANSLATE_NOOP("Evidence", "its key never expires, and its value is a time: when the hold ends, or when it began"),
    QT_TRANSLATE_NOOP("Evidence", "a flag of that name would look the same: as a lock it is one that SETNX left without a lease"),
    QT_TRANSLATE_NOOP("Evidence", "it had a queue before"),
    QT_TRANSLATE_NOOP("Evidence", "it has been seen as a lock before, and its holder is the same"),
    QT_TRANSLATE_NOOP("Evidence", "its lease has been longer than a lock's before, and its holder is the same"),
    QT_TRANSLATE_NOOP("Evidence", "not everyone in its queue is a Redisson client"),
    QT_TRANSLATE_NOOP("Evidence", "they are letters and digits alone, as Redisson's permits never are"),
    QT_TRANSLATE_NOOP("Evidence", "most of its lease has passed: its job may be over, and the lock kept for its least time (lockAtLeastFor)"),
    QT_TRANSLATE_NOOP("Evidence", "the end that it names is over: whoever asks next may take it"),
    QT_TRANSLATE_NOOP("Evidence", "the time that it names is past: its end, or when a hold without end began"),
    QT_TRANSLATE_NOOP("Evidence", "only its mark of a writer is left, which keeps it closed"),
    QT_TRANSLATE_NOOP("Evidence", "fewer than two of its keys: unless its clients are set to one, nobody holds it"),
    QT_TRANSLATE_NOOP("Evidence", "held exclusively: its mark of a writer is there"),
    QT_TRANSLATE_NOOP("Evidence", "shared: there is no mark of a writer"),
    QT_TRANSLATE_NOOP("Evidence", "clients that listen for its release at a replica: %1"),
    QT_TRANSLATE_NOOP("Evidence", "clients that listen for its release at other nodes of the cluster: %1"),
    QT_TRANSLATE_NOOP("Evidence", "clients that listen for its release at masters of the cluster that are not watched or not reached are not counted"),
    QT_TRANSLATE_NOOP("Evidence", "holders that have lapsed and were not cleared away yet: %1"),
    QT_TRANSLATE_NOOP("Evidence", "it has %1 entries, of which %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "entries that are not what its library writes: %1"),
    QT_TRANSLATE_NOOP("Evidence", "%1 wait, of whom %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "keys that carry this holder's token: %1"),
    QT_TRANSLATE_NOOP("Evidence", "clients that have some of its keys: %1"),
    QT_TRANSLATE_NOOP("Evidence", "places in its queue: %1, of which %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "places in its queue that have lapsed, and were not cleared away yet: %1"),
    QT_TRANSLATE_NOOP("Evidence", "its holder's client may have handed it on inside, and those may have had it already: of the first in the queue, %1"),
    QT_TRANSLATE_NOOP("Evidence", "whether the places behind those have lapsed too is not known"),
    QT_TRANSLATE_NOOP("Evidence", "who waits for Lockhouse's Mutex stands in the queue beside it"),
    QT_TRANSLATE_NOOP("Evidence", "how many of those in its queue have lapsed is not known: the deadlines that were read are of others"),
    QT_TRANSLATE_NOOP("Evidence", "how many of those in its queue have lapsed is not known: the deadlines cannot be read"),
    QT_TRANSLATE_NOOP("Evidence", "places of its waiters have lapsed, or their queue is gone: whether they wait still is not known"),
    QT_TRANSLATE_NOOP("Evidence", "free permits: %1"),
    QT_TRANSLATE_NOOP("Evidence", "%1 permits are out, of which %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "%1 permits are free; nothing tells who has the others"),
    QT_TRANSLATE_NOOP("Evidence", "%1 have not counted down yet"),
    QT_TRANSLATE_NOOP("Evidence", "values that have lapsed: %1"),
    QT_TRANSLATE_NOOP("Evidence", "fields that are left of holds which have lapsed: %1"),
    QT_TRANSLATE_NOOP("Evidence", "it has %1 holders, of whom %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "it has %1 readers, of whom %2 were read"),
    QT_TRANSLATE_NOOP("Evidence", "readers of whose own leases nothing is known: %1"),
    QT_TRANSLATE_NOOP("Evidence", "clients of this database that a blocking command keeps waiting, for whichever key: %1"),
    QT_TRANSLATE_NOOP("Evidence", "the same token lies on %1 of %2 masters: a Redlock without a majority, which nobody holds"),
    QT_TRANSLATE_NOOP("Evidence", "the same token lies on %1 of %2 masters: a Redlock that nobody holds, unless no more than %3 masters are its own"),
    QT_TRANSLATE_NOOP("Evidence",
                      "the same token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: a Redlock, and who holds it is not known"),
    QT_TRANSLATE_NOOP("Evidence", "the same holders lie on %1 of %2 masters: a Redlock that nobody holds, unless no more than %3 masters are its own"),
    QT_TRANSLATE_NOOP("Evidence",
                      "the same holders lie on %1 of %2 masters, of which %3 are not followed or refuse keys: a Redlock, and who holds it is not known"),
    QT_TRANSLATE_NOOP("Evidence", "the same token lies on %1 of %2 masters: a Redlock, held by its majority"),
    QT_TRANSLATE_NOOP("Evidence", "the same token lies on %1 of %2 masters, %3 of them as last seen: a Redlock, held by its majority"),
    QT_TRANSLATE_NOOP("Evidence", "the same holders lie on %1 of %2 masters, %3 of them as last seen: a Redlock, held by its majority"),
    QT_TRANSLATE_NOOP("Evidence", "the same holders lie on %1 of %2 masters: a Redlock without a majority, which nobody holds"),
    QT_TRANSLATE_NOOP("Evidence", "the same holders lie on %1 of %2 masters: a Redlock, held by its majority"),
    QT_TRANSLATE_NOOP(
        "Evidence",
        "its token lies on %1 of %2 masters, and by its name or library it is a Redlock: unless its clients use this master alone, nobody holds it"),
    QT_TRANSLATE_NOOP("Evidence", "its token lies on %1 of %2 masters: a lock of this master alone, or what is left of a Redlock that nobody holds"),
    QT_TRANSLATE_NOOP("Evidence",
                      "its token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: if it is a Redlock, who holds it is not known"),
    QT_TRANSLATE_NOOP("Evidence", "tokens of %1 holders lie on %2 of %3 masters, none on most of them: if it is a Redlock, nobody holds it"),
    QT_TRANSLATE_NOOP("Evidence", "tokens of %1 holders lie on %2 of %3 masters, none on most of them, and %4 are not followed or refuse keys: if it is a "
                                  "Redlock, who holds it is not known"),
    QT_TRANSLATE_NOOP("Evidence", "holders who lie on most of the %1 masters, each by himself: %2"),
    QT_TRANSLATE_NOOP("Evidence", "holders on too few masters, who do not hold it: %1"),
    QT_TRANSLATE_NOOP("Evidence", "holders on too few masters, who may hold it, for %1 are not followed or refuse keys: %2"),
    QT_TRANSLATE_NOOP("Evidence", "masters on which its holder has another count: %1"),
    QT_TRANSLATE_NOOP("Evidence", "masters on which its token never expires: %1"),
    QT_TRANSLATE_NOOP("Evidence", "masters on which another token lies under this name: %1"),
    QT_TRANSLATE_NOOP(
        "Evidence", "masters on which a client's thread of this number holds this name: %1 of %2; a RedissonRedLock lies so, each lock by a client of its own"),
    QT_TRANSLATE_NOOP("Evidence", "only a replica shows it: its master has no such lock, or nothing there tells that it is one"),
    QT_TRANSLATE_NOOP("Evidence", "its other keys may lie where nothing is seen of them: on masters that are not watched, or that refuse keys"),
    QT_TRANSLATE_NOOP("Evidence", "nobody holds it, and a queue of it lies there"),
    QT_TRANSLATE_NOOP("Evidence", "ends that lie more than a day ahead, as those of locks do not"),
    QT_TRANSLATE_NOOP("Evidence", "permits that are out lie beside it"),
    QT_TRANSLATE_NOOP("Evidence", "its number of free permits is missing"),
    QT_TRANSLATE_NOOP("Evidence", "its number of free permits is no number"),
    QT_TRANSLATE_NOOP("Evidence", "scores that are no times: %1"),
    QT_TRANSLATE_NOOP("Evidence", "holds without an end: %1"),
    QT_TRANSLATE_NOOP("Evidence", "sorted set of owners and ends under the textbook's name of a semaphore"),
    QT_TRANSLATE_NOOP("Evidence", "its end, in a key of its own, is no time: %1"),
    QT_TRANSLATE_NOOP("Evidence", "ends that are no times: %1"),
    QT_TRANSLATE_NOOP("Evidence", "values that are no times: %1"),
    QT_TRANSLATE_NOOP("Evidence", "its count is no number"),
    QT_TRANSLATE_NOOP("Evidence", "deadlines in its queue that are no times: %1"),
    QT_TRANSLATE_NOOP("Evidence", "its count is a time, such as that at which a client was last seen"),
};

/// With a name in them.
constexpr std::array ofKeys{
    QT_TRANSLATE_NOOP("Evidence", "%1 beside it holds something else"),
    QT_TRANSLATE_NOOP("Evidence", "%1 beside it may not be read by this user"),
    QT_TRANSLATE_NOOP("Evidence", "%1 beside it cannot be read now: the cluster is moving its slot, or does not serve it; look again when it does"),
    QT_TRANSLATE_NOOP("Evidence", "%1 beside it holds entries that are too long to be fetched"),
    QT_TRANSLATE_NOOP("Evidence", "its holder has other keys here too: %1"),
    QT_TRANSLATE_NOOP("Evidence", "its holder has more than eight other keys here"),
    QT_TRANSLATE_NOOP("Evidence", "the same token may lie under other keys, which were not looked for: release --all --holder of this token frees them all"),
    QT_TRANSLATE_NOOP("Evidence", "one token under several keys, as %1 writes"),
    QT_TRANSLATE_NOOP("Evidence", "its lease ends a second after the time that it names, as Discourse has it"),
    QT_TRANSLATE_NOOP("Evidence", "%1 beside it is missing"),
    QT_TRANSLATE_NOOP("Evidence", "its count is %1, which its library never writes"),
    QT_TRANSLATE_NOOP("Evidence", "its count is %1, more than a count can be"),
};

const char *knownFact(std::string_view fact) {
  for (const std::span<const char *const> phrases : {std::span<const char *const>(facts), formEvidence()})
    if (const auto known = std::ranges::find(phrases, fact); known != phrases.end())
      return *known;
  return nullptr;
}

/// "2 of 3" is "%1 of %2" with 2 and 3.
std::pair<std::string, QStringList> withoutNumbers(std::string_view fact) {
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  std::string form;
  QStringList numbers;
  for (std::size_t i = 0; i < fact.size();) {
    if (!isDigit(fact[i])) {
      form += fact[i++];
      continue;
    }
    QString number;
    for (; i < fact.size() && isDigit(fact[i]); ++i)
      number += QLatin1Char(fact[i]);
    numbers << number;
    form += '%' + std::to_string(numbers.size());
  }
  return {form, numbers};
}

/// What core has made safe already, which is only made sure of: its escapes are not escaped again.
QString shownOnce(std::string_view safe) {
  QStringList parts;
  for (std::size_t from = 0; from <= safe.size();) {
    const auto end = std::min(safe.find('\\', from), safe.size());
    parts << shown(safe.substr(from, end - from), 1'000);
    from = end + 1;
  }
  return parts.join(u'\\');
}

QString valueWords(const QString &value) { return shownOnce(value.toStdString()); }

} // namespace

QString evidenceText(std::string_view fact) {
  static const PhraseBook book("Evidence", {ofKeys});
  if (const auto named = book.translated(fromUtf8(fact), valueWords))
    return inConsoleWords(*named);
  if (const char *known = knownFact(fact))
    return inConsoleWords(QCoreApplication::translate("Evidence", known));
  const auto [form, numbers] = withoutNumbers(fact);
  const char *known = knownFact(form);
  if (!known)
    return shownOnce(fact);
  QString text = QCoreApplication::translate("Evidence", known);
  for (const auto &number : numbers)
    text = text.arg(number);
  return text;
}

} // namespace lockhouse::ui
