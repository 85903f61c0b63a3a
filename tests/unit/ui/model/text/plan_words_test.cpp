// SPDX-License-Identifier: Apache-2.0
#include "core/release/make_plan.h"
#include "core/release/method/cross_slot.h"
#include "core/release/method/fair_plan.h"
#include "core/release/method/holder_probe.h"
#include "core/release/plan/remove_member.h"
#include "core/release/result/script_result.h"
#include "tests/unit/ui/locks.h"
#include "ui/model/text/plan_words.h"

#include <QCoreApplication>
#include <QTranslator>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using tests::Locks;
using namespace std::chrono_literals;

// Marks everything that it is asked for, so that a sentence that went untranslated is told from one that did not.
class Marker : public QTranslator {
public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char *context, const char *source, const char *, int) const override {
    return std::string_view(context) == "PlanWords" ? u'»' + QString::fromUtf8(source) : QString();
  }
};

std::vector<LockRecord> examples() {
  const SteadyTime now{1h};
  LockRecord token = Locks::record("t", {"3f786850e387550fdab836ed7e6dc881"});
  token.family = "token";
  token.kind = LockKind::Mutex;
  token.type = ValueType::String;
  token.confidence = 0.7;
  token.expiresAt = now + 20s;
  LockRecord reentrant = Locks::record("stock", {"5b1c:42"});
  reentrant.holders.front().count = 3;
  reentrant.waiters = 1;
  reentrant.type = ValueType::Hash;
  LockRecord renewed = reentrant;
  renewed.expiresAt = now + 20s;
  renewed.renewedAt = now - 2s;
  renewed.waiters = 4;
  LockRecord overdue = renewed;
  overdue.renewedAt = now - 60s;
  overdue.renewalPeriod = 10s;
  overdue.renewals = 5;
  LockRecord fair = renewed;
  fair.family = "redisson-fair";
  fair.kind = LockKind::Fair;
  LockRecord queued = fair;
  queued.queue = {{"w:1", now - 1s}, {"w:2", now + 30s}};
  LockRecord endless = fair;
  endless.queue = {{"w:1", now - 1s}, {"w:2", now - 1s}, {"w:3", std::nullopt}};
  LockRecord writer = renewed;
  writer.family = "redisson-rw";
  writer.kind = LockKind::ReadWrite;
  writer.holders.front().mode = HoldMode::Write;
  LockRecord readers = writer;
  readers.holders = {{"r:1", 1, HoldMode::Read}, {"r:2", 1, HoldMode::Read}};
  LockRecord three = readers;
  three.holders.push_back({"r:3", 2, HoldMode::Read});
  LockRecord reader = readers;
  reader.holders.pop_back();
  LockRecord both = writer;
  both.holders.push_back({writer.holders.front().id, 1, HoldMode::Read});
  LockRecord braced = reentrant;
  braced.id.key = LockName("a}b{");
  return {token, reentrant, renewed, overdue, fair, queued, endless, writer, readers, three, reader, both, braced};
}

TEST(PlanWords, knowEverySentenceThatAPlanSays) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  for (const LockRecord &lock : examples()) {
    const auto plan = planRelease(lock, {lock.id, lock.holders.front().id, lock.holders.front().count, "test"}, SteadyTime{1h});
    ASSERT_TRUE(plan) << lock.family;
    for (const auto &said : {wordsOf(plan->effects), plan->risks})
      for (const std::string &words : said)
        EXPECT_TRUE(planSentence(words).startsWith(u'»')) << words;
  }
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, openWithACapitalUnlessWithWhatIsWrittenAsItIs) {
  EXPECT_TRUE(planSentence("the lock never expires: whether its holder still works cannot be seen from Redis").startsWith(u'T'));
  EXPECT_TRUE(planSentence("words of a family of one's own").startsWith(u'W'));
  EXPECT_TRUE(planSentence("c9cbd740-cc60-485b-a1e1-e233ab266c7d:1 is 3 deep: where Redisson's watchdog renews it, other threads of its client, the next owner "
                           "too, may not be renewed for about 30.0 s and may lose the lock: end that process first")
                  .startsWith(u"c9cb"));
  EXPECT_TRUE(planSentence("redis-1:6379: the server did not answer in time; look at the lock again").startsWith(u"redis-1"));
}

TEST(PlanWords, knowWhatShorteningPlansAndWhyNot) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  int plans = 0;
  for (const LockRecord &lock : examples()) {
    const auto plan = planRelease(lock, {lock.id, lock.holders.front().id, lock.holders.front().count, "test", 10s}, SteadyTime{1h});
    plans += plan ? 1 : 0;
    if (!plan) {
      EXPECT_TRUE(planSentence(plan.error().detail).startsWith(u'»')) << plan.error().detail;
    }
    for (const std::string &words : plan ? wordsOf(plan->effects) : std::vector<std::string>())
      EXPECT_TRUE(planSentence(words).startsWith(u'»')) << words;
  }
  EXPECT_GT(plans, 3);
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, knowEveryRefusalAndAdviceOfTheBuiltInFamilies) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  int refused = 0;
  for (const Family &family : FamilyRegistry::builtIn().all()) {
    for (const std::string &advice : family.advice)
      EXPECT_TRUE(planSentence(advice).startsWith(u'»')) << family.slug << ": " << advice;
    for (const Form &form : family.forms)
      for (const std::string &advice : form.advice)
        EXPECT_TRUE(planSentence(advice).startsWith(u'»')) << family.slug << ": " << advice;
    const bool isHonest = !family.releaseClass.contains('J') && family.releaseClass != "E" && family.slug != "suo";
    for (const ValueType type : {ValueType::String, ValueType::Hash, ValueType::SortedSet, ValueType::Set, ValueType::List})
      for (const std::optional<milliseconds> shortenTo : {std::optional<milliseconds>(), std::optional<milliseconds>(10s)}) {
        if (isHonest && !shortenTo)
          continue; // it is released in its own way, by what its own names say
        LockRecord lock = Locks::record("a", {"one", "two"});
        lock.family = family.slug;
        lock.type = type;
        lock.kind = family.kind;
        const auto plan = planRelease(lock, {lock.id, "one", 1, "test", shortenTo}, SteadyTime{1h});
        if (plan || plan.error().verdict != Verdict::Unreleasable)
          continue;
        ++refused;
        const QString said = planSentence(plan.error().detail);
        EXPECT_TRUE(said.startsWith(u'»')) << plan.error().detail;
        for (const QString &part : said.split(QStringLiteral("»; ")).mid(1))
          EXPECT_TRUE(part.startsWith(u'»')) << said.toStdString();
      }
  }
  EXPECT_GT(refused, 50);
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, knowHowALockOfSeveralSlotsIsTakenApart) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  LockRecord pushed = Locks::record("lock:a", {"Zk9xT2w3dFp1R2hYc0pLbWJ2"});
  pushed.family = "python-redis-lock";
  pushed.type = ValueType::String;
  LockRecord votes = Locks::record("rueidislock:0:a", {"a token"});
  votes.family = "rueidislock";
  votes.type = ValueType::String;
  LockRecord braced = Locks::record("a}b{", {"5b1c:42"});
  const Result<Reply> moved = Reply(Reply::Failure{"MOVED 7 10.0.0.7:7001"}), list = Reply(std::string("list")), string = Reply(std::string("string"));
  const LockId there{NodeId("10.0.0.7:7001"), 0, LockName("lock:a")};
  for (const auto &[lock, answers] : std::vector<std::pair<LockRecord, std::vector<Result<Reply>>>>{
           {pushed, {moved}}, {pushed, {list}}, {pushed, {string}}, {votes, {string, moved, string}}, {braced, {}}}) {
    auto plan = planRelease(lock, {lock.id, lock.holders.front().id, {}, "test"}, SteadyTime{1h});
    ASSERT_TRUE(plan) << plan.error().detail;
    std::vector<KeyPlace> places;
    for (std::size_t i = 0; i < answers.size(); ++i)
      places.push_back({keysToFind(*plan).at(i), there, answers[i]});
    takeApart(*plan, places);
    for (const auto &said : {wordsOf(plan->effects), plan->risks, {plan->refusal.value_or("released") + "; nothing was changed"}})
      for (const std::string &words : said)
        EXPECT_TRUE(planSentence(words).startsWith(u'»')) << words;
    for (const auto &part : plan->parts)
      for (const Verdict verdict : {Verdict::Released, Verdict::NotALock, Verdict::Unreachable}) {
        const QString said = planSentence(withPart({Verdict::Released, "released"}, part, {verdict, "released"}).detail);
        for (const QString &words : said.split(QStringLiteral("; ")))
          EXPECT_TRUE(words.startsWith(u'»')) << said.toStdString();
      }
  }
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, takeNoPhraseForWhatIsFilledIntoAnother) {
  EXPECT_EQ(planSentence("7 other holds stay"), QStringLiteral("7 other holds stay."));
  EXPECT_EQ(planSentence("at most 7 other holds stay"), QStringLiteral("At most 7 other holds stay."));
}

TEST(PlanWords, knowWhatIsSaidOfAQueueAndOfRegistriesThatWereLookedAt) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  const auto knows = [](const ReleasePlan &plan) {
    for (const auto &said : {wordsOf(plan.effects), plan.risks})
      for (const std::string &words : said)
        EXPECT_TRUE(planSentence(words).startsWith(u'»')) << words;
  };
  LockRecord fair = Locks::record("stock", {"5b1c:42"});
  fair.family = "redisson-fair";
  fair.kind = LockKind::Fair;
  FairLook look{.isTold = true, .length = 20'000, .looked = 10'000, .isCut = true, .isAlone = true, .unheard = {{"5b1c:1", {}}, {"5b1c:2", {}}}};
  for (const bool isFound : {false, true}) {
    look.first = isFound ? std::optional(Waiter{"5b1c:3", {}}) : std::nullopt;
    look.isCut = !isFound;
    const auto lock = withLook(fair, look, SteadyTime{1h});
    auto plan = planRelease(lock, {lock.id, lock.holders.front().id, {}, "test"}, SteadyTime{1h});
    ASSERT_TRUE(plan) << plan.error().detail;
    takeOutUnheard(*plan, look);
    knows(*plan);
  }
  for (const auto *family : {"sidekiq-unique-jobs", "sidekiq-unique-jobs-9"}) {
    LockRecord job = Locks::record("uniquejobs:a:LOCKED", {"4e1f0a9b3c7d5e6f8a9b0c1d"});
    job.family = family;
    job.type = ValueType::Hash;
    auto plan = planRelease(job, {job.id, job.holders.front().id, {}, "test"}, SteadyTime{1h});
    ASSERT_TRUE(plan) << plan.error().detail;
    for (const auto &registry : registriesOf(*plan)) {
      addRegistryRisk(*plan, registry, Reply(std::string("string")));
      knows(*plan);
    }
  }
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, knowWhatAReleaseAnswers) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  ReleasePlan plan;
  plan.lock.key = LockName("a}b{");
  const auto answered = [&plan](std::vector<std::string> words) {
    Reply::Array array;
    for (auto &word : words)
      array.emplace_back(std::move(word));
    return answerOf(Reply(std::move(array)), plan, "node").detail;
  };
  for (const auto &detail :
       {answered({"released", "1"}), answered({"released", "2"}), answered({"released", "1", "w:1"}), answered({"released", "0", "w:1"}),
        answered({"shortened"}), answered({"kept", "4200"}), answered({"released", "0", "", "unsharded"}), answered({"released", "0", "w:1", "unsharded"}),
        answered({"released", "", "", "", "", "0"}), answered({"released", "0", "", "unspoken"}), answered({"released", "0", "w:1", "unspoken"}),
        answerOf(Reply(Reply::Failure{"CROSSSLOT Keys in request don't hash to the same slot"}), plan, "node").detail})
    EXPECT_TRUE(planSentence(detail).startsWith(u'»')) << detail;
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, knowWhoIsToldByAnInboxAndWhoIsNot) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  LockRecord mutex = Locks::record("order:7:lock", {"3f786850e387550fdab836ed7e6dc881"});
  mutex.family = "token";
  mutex.type = ValueType::String;
  mutex.queue = {{"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:7", {}}};
  mutex.waiters = 1;
  auto plan = planRelease(mutex, {mutex.id, mutex.holders.front().id, {}, "test"}, SteadyTime{1h});
  ASSERT_TRUE(plan) << plan.error().detail;
  ASSERT_EQ(plan->wakes.size(), 1U);
  const auto told = wordsOf(plan->effects);
  leaveUnpushed(*plan, "lockhouse:listeners:{order:7:lock}");
  const auto answer =
      answerOf(Reply(Reply::Array{Reply(std::string("released")), Reply(std::string()), Reply(std::string()), Reply(std::string("unasked"))}), *plan, "node");
  for (const auto &all : {told, wordsOf(plan->effects)})
    for (const auto &words : all)
      EXPECT_TRUE(planSentence(words).startsWith(u'»')) << words;
  for (const QString &part : planSentence(answer.detail).split(QStringLiteral("; ")))
    EXPECT_TRUE(part.startsWith(u'»')) << answer.detail;
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, knowWhatALockOfOursDoesWithItsQueue) {
  Marker marker;
  ASSERT_TRUE(QCoreApplication::installTranslator(&marker));
  const SteadyTime now{1h};
  const std::string holder = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:7", waiter = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:9";
  struct Ours {
    std::string family, before, queue;
    LockKind kind;
    std::string kindOfWaiter;
  };
  std::size_t told = 0;
  for (const auto &ours : {Ours{"lockhouse-handoff", "", "lockhouse:queue:{stock}", LockKind::Fair, ""},
                           Ours{"lockhouse-list-fair", "", "lockhouse:line:{stock}", LockKind::Fair, ""},
                           Ours{"lockhouse-rw", "w/", "lockhouse:queue:{stock}", LockKind::ReadWrite, "r/"},
                           Ours{"lockhouse-semaphore", "", "lockhouse:queue:{stock}", LockKind::Semaphore, "1/"}})
    for (const std::string what : {"none", "closed", "foreign", "lives", "lapsed", "undated", "stranger"}) {
      LockRecord lock = Locks::record("stock", {ours.before + holder});
      lock.family = ours.family;
      lock.kind = ours.kind;
      lock.type = ours.family == "lockhouse-handoff" || ours.family == "lockhouse-list-fair" ? ValueType::String : ValueType::SortedSet;
      lock.seenAt = now;
      if (what == "closed" || what == "foreign")
        (what == "closed" ? lock.closed : lock.foreign) = {ours.queue};
      else if (what != "none")
        lock.queue = {{what == "stranger" ? "order-17" : ours.kindOfWaiter + waiter, what == "lives" ? std::optional(now + 9s) : std::nullopt}};
      if (what == "lapsed")
        lock.queue.front().leavesAt = now - 1s;
      if (what != "undated" && !lock.queue.empty())
        lock.waiters = what == "lapsed" ? 0 : 1;
      const auto plan = planRelease(lock, {lock.id, lock.holders.front().id, {}, "test"}, now);
      ASSERT_TRUE(plan) << ours.family << ": " << plan.error().detail;
      for (const auto &said : {wordsOf(plan->effects), plan->risks})
        for (const std::string &words : said) {
          EXPECT_TRUE(planSentence(words).startsWith(u'»')) << words;
          ++told;
        }
    }
  EXPECT_GT(told, 60U);
  QCoreApplication::removeTranslator(&marker);
}

TEST(PlanWords, sayInEnglishWhatThePlanSays) {
  EXPECT_EQ(planSentence("deletes stock and with it the hold of 5b1c:42 (3 deep)"), u"Deletes stock and with it the hold of 5b1c:42 (3 deep).");
  EXPECT_EQ(planSentence("2 wait for this lock"), u"2 wait for this lock.");
}

TEST(PlanWords, adviseTheMenuInsteadOfAVerbOfTheCommandLine) {
  EXPECT_EQ(planSentence("to free all of these together, release all of its holder: release --all --holder"),
            u"To free all of these together, release all of its holder: Lock › Release all of this holder.");
  EXPECT_EQ(planSentence("the same token may lie under other keys, which were not looked for: release --all --holder of this token frees them all"),
            u"The same token may lie under other keys, which were not looked for: Lock › Release all of this holder frees them all.");
}

TEST(PlanWords, nameFamiliesAsTheDetailsDo) {
  EXPECT_EQ(planSentence("several libraries leave the same bytes; it may be bsm-redislock, walrus too"),
            u"Several libraries leave the same bytes; it may be bsm/redislock, walrus too.");
  EXPECT_EQ(planSentence("bsm-redislock beside it holds something else and is left"), u"bsm-redislock beside it holds something else and is left.")
      << "that is a key";
}

TEST(PlanWords, leaveNothingOutThatTheyDoNotKnow) { EXPECT_EQ(planSentence("a risk of next year: 7 %1 things"), u"A risk of next year: 7 %1 things."); }

TEST(PlanWords, fillInNamesThatLookLikePlaces) {
  EXPECT_EQ(planSentence("deletes %2 and with it the hold of %1 %s"), u"Deletes %2 and with it the hold of %1 %s.");
}

} // namespace
} // namespace lockhouse::ui
