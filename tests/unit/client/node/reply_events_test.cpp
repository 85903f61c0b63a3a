// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/reply_events.h"

#include <gtest/gtest.h>

using namespace lockhouse;

namespace {

const Primitive &mutex = *Primitive::find("Mutex");

Result<Reply> broken(ErrorCode code) { return fail(code, Message::verbatim("x")); }

} // namespace

TEST(ReadAnswer, onlyWhatWasSurelyNeverSentIsUnsent) {
  for (const auto code : {ErrorCode::Unreachable, ErrorCode::AuthFailed, ErrorCode::TlsRejected, ErrorCode::Usage}) {
    EXPECT_EQ(readAcquire(mutex, "SET", broken(code), "n").event.kind, AcquireEvent::Kind::Unsent);
    EXPECT_EQ(readRelease(mutex, broken(code), "n").event, ReleaseEvent::Unsent);
    EXPECT_EQ(readRenewal(mutex, broken(code)).kind, LeaseEvent::Kind::Unsent);
  }
  for (const auto code : {ErrorCode::Timeout, ErrorCode::InDoubt, ErrorCode::Protocol, ErrorCode::Cancelled, ErrorCode::Internal}) {
    EXPECT_EQ(readAcquire(mutex, "SET", broken(code), "n").event.kind, AcquireEvent::Kind::Unanswered);
    EXPECT_EQ(readRelease(mutex, broken(code), "n").event, ReleaseEvent::Unanswered);
    EXPECT_EQ(readRenewal(mutex, broken(code)).kind, LeaseEvent::Kind::Unanswered);
  }
}

TEST(ReadAnswer, errorRepliesBecomeErrorsWithTheNodesName) {
  const Result<Reply> noperm = Reply(Reply::Failure{"NOPERM this user has no permissions"});
  const auto acquire = readAcquire(mutex, "SET", noperm, "127.0.0.1:6379");
  EXPECT_EQ(acquire.event.kind, AcquireEvent::Kind::Rejected);
  ASSERT_TRUE(acquire.error);
  EXPECT_EQ(acquire.error->code, ErrorCode::NotPermitted);
  EXPECT_EQ(acquire.error->where, "127.0.0.1:6379");
  EXPECT_EQ(readRelease(mutex, noperm, "n").event, ReleaseEvent::Rejected);
  EXPECT_EQ(readRenewal(mutex, noperm).kind, LeaseEvent::Kind::Refused) << "a refused renewal is tried again until the lease ends";
}

TEST(ReadAnswer, aRefusalNamesTheHolder) {
  const Result<Reply> refused = Reply(Reply::Array{Reply(std::int64_t{70}), Reply(std::string("tok"))});
  const auto answer = readAcquire(mutex, "SET", refused, "n");
  EXPECT_EQ(answer.event.kind, AcquireEvent::Kind::Refused);
  EXPECT_EQ(answer.event.timeLeft, milliseconds(70));
  EXPECT_EQ(answer.holder, "tok");
  EXPECT_FALSE(answer.error);
}

TEST(ReadAnswer, aLostHoldIsTold) {
  const auto answer = readAcquire(*Primitive::find("ReentrantLock"), "EVALSHA", Reply(std::int64_t{0}), "n");
  EXPECT_EQ(answer.event.kind, AcquireEvent::Kind::Rejected);
  EXPECT_TRUE(answer.holdLost);
}

TEST(ReadAnswer, anotherReaderWhoIsBecomingTheWriterIsAnErrorOfItsOwn) {
  const Result<Reply> refused = Reply(Reply::Array{Reply(std::int64_t{-1}), Reply(std::string("other\r:7"))});
  const auto answer = readAcquire(*Primitive::find("FairReadWriteLock"), "EVALSHA", refused, "n");
  EXPECT_EQ(answer.event.kind, AcquireEvent::Kind::Rejected) << "waiting is no use";
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->code, ErrorCode::Deadlock);
  EXPECT_NE(answer.error->sentence().find(":7"), std::string::npos) << "by whom";
  EXPECT_EQ(answer.error->sentence().find('\r'), std::string::npos);
  EXPECT_FALSE(answer.holdLost);
}

TEST(ReadTogether, givesEachItsOwnAnswer) {
  const Reply answers(Reply::Array{Reply(std::int64_t{1}), Reply(std::int64_t{0})});
  EXPECT_EQ(readTogether(mutex, answers, 2), TogetherAnswer::Each);
}

TEST(ReadTogether, asksForEachAloneWhenItIsRefusedAsAWhole) {
  for (const auto *text : {"NOPERM x", "CROSSSLOT x", "READONLY x", "ERR unknown command"})
    EXPECT_EQ(readTogether(mutex, Reply(Reply::Failure{text}), 2), TogetherAnswer::Alone) << text;
  EXPECT_EQ(readTogether(mutex, Reply(Reply::Array{Reply(std::int64_t{1})}), 2), TogetherAnswer::Alone) << "too few answers are none";
}

TEST(ReadTogether, doesNotSendManyToANodeThatIsTooBusyForOne) {
  for (const auto *text : {"BUSY a script runs", "LOADING x", "CLUSTERDOWN x"})
    EXPECT_EQ(readTogether(mutex, Reply(Reply::Failure{text}), 2), TogetherAnswer::All) << text;
  EXPECT_EQ(readTogether(mutex, fail(ErrorCode::InDoubt, Message::verbatim("lost")), 2), TogetherAnswer::All);
}
