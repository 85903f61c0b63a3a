// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/client_house.h"

using namespace lockhouse;
using namespace lockhouse::test;

class OwnerFormats : public ClientHouse {
protected:
  Client withOwners(OwnerOptions owners) {
    ClientOptions options;
    options.owners = owners;
    return *Client::connect(server->unixUri(), std::move(options));
  }
};

TEST_F(OwnerFormats, areWhatAStrangerSeesOfTheHolder) {
  const auto snowflakes = withOwners({.format = OwnerFormat::Snowflake, .worker = 9});
  auto held = snowflakes.mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(SnowflakeIds::workerOf(std::stoull(held->token().bytes())), 9);
  EXPECT_LT(wallNow() - SnowflakeIds::timeOf(std::stoull(held->token().bytes())), 1h);
  const auto refused = client->mutex(LockName("k")).acquireFor(30ms);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence().find(held->token().bytes()), std::string::npos) << refused.error().sentence();
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);

  const auto numbered = withOwners({.format = OwnerFormat::UuidNumber});
  auto one = numbered.mutex(LockName("k")).tryAcquire();
  auto two = numbered.reentrantLock(LockName("r")).tryAcquire();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->token().bytes().substr(0, 37), two->token().bytes().substr(0, 37)) << "one client, one UUID";
  EXPECT_NE(one->token(), two->token());
}

TEST_F(OwnerFormats, thatDoNotFitAreRefusedBeforeAnythingIsSent) {
  const auto tokens = withOwners({.format = OwnerFormat::Token});
  const auto before = tokens.commandsSent();
  const auto refused = tokens.reentrantLock(LockName("k")).tryAcquire();
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().is<Failed>());
  EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Usage);
  EXPECT_EQ(tokens.commandsSent(), before);
  EXPECT_TRUE(tokens.mutex(LockName("k")).tryAcquire());
}
