// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/lock.h"
#include "core/lab/sandbox/sandbox.h"
#include "tests/contract/world/lock_world.h"
#include "tests/interop/foreign.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace lockhouse::test {

/// One format that we and a library both speak.
struct Format {
  /// How a waiter of the library hears that the lock is free.
  enum class Wake { ByPolling, ByChannel, ByQueue, ByList };
  std::string name;           ///< of its tests
  std::string library, kind;  ///< as Foreign calls them
  std::string_view primitive; ///< ours
  Wake wake;
  std::string holder;        ///< pattern of what the library writes as the holder
  std::string mark = {};     ///< behind the holder in the key
  std::string prefix = {};   ///< of the key, before the name that the library is given
  milliseconds poll{0};      ///< ByPolling: the library's pause between two asks
  std::string asksWith = {}; ///< ByPolling: a Redis command that it runs once for each ask, and we never while we hold the lock
  bool isReentrant() const { return Primitive::find(primitive)->isReentrant(); }
};

/// Our client and a driver of the library on one private server.
class Meeting : public testing::TestWithParam<Format> {
protected:
  void SetUp() override;
  void TearDown() override;

  const Format &format() const { return GetParam(); }
  std::string key() const { return format().prefix + "k"; }
  Probe &probe() { return *m_probe; }
  Client &client() { return *m_client; }
  Foreign &foreign() { return *m_foreign; }

  /// Ours, with a policy that does not ask before it is woken, where there is one.
  Lock ours(LockOptions options = {});
  std::future<Foreign::Answer> theirs(const std::string &owner, const std::string &verb, const std::string &more = "");
  Foreign::Answer takeTheirs(const std::string &owner = "one", milliseconds lease = 30s);
  std::future<Foreign::Answer> waitTheirs(const std::string &owner = "one", milliseconds limit = 25s);
  Foreign::Answer giveTheirs(const std::string &owner = "one") { return theirs(owner, "give").get(); }
  std::future<LockResult> waitOurs(LockOptions options = {});

  std::string holder(); ///< as it stands in the key, without the mark; empty without one
  /// True once somebody who waits has been seen to; `begin` starts whatever waits.
  template <class Begin> auto whenWaiting(Begin begin) {
    const auto asked = askedSoFar();
    auto waiting = begin();
    EXPECT_TRUE(eventually([&] { return isWaitedFor(asked); })) << "nobody waits";
    return waiting;
  }

  /// Of somebody's waiting: what was asked before, and whether somebody waits since.
  std::uint64_t askedSoFar();
  bool isWaitedFor(std::uint64_t askedBefore);

private:
  std::string withoutMark(std::string field);

  std::optional<Sandbox> m_server;
  std::unique_ptr<Loop> m_loop;
  std::unique_ptr<Probe> m_probe;
  std::optional<Client> m_client;
  std::unique_ptr<Foreign> m_foreign;
};

/// Far below every lease in these tests, far above what a message takes on a loaded machine.
constexpr milliseconds farBelowTheLease{2000};

std::vector<Format> formats(); ///< every one there is
std::vector<Format> formatsThat(const std::function<bool(const Format &)> &suit);
void PrintTo(const Format &format, std::ostream *out);
std::string formatName(const testing::TestParamInfo<Format> &info);

} // namespace lockhouse::test
