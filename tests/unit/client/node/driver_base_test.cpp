// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/driver_base.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>

using namespace lockhouse;

namespace {

class House final : public DriverBase {
public:
  explicit House(Loop &loop) : DriverBase(loop) {}
  ~House() {
    beginEnd();
    destroyAll();
  }
  using DriverBase::newTask;
  using DriverBase::notifyReconnected;
};

struct Guest final : DriverBase::OwnedTask, TimerHeap::Alarm {
  Guest(House &theHouse, std::string itsName, std::string &itsDiary) : house(theHouse), name(std::move(itsName)), diary(itsDiary) {}
  ~Guest() override {
    house.dropAlarm(*this);
    diary += name + " gone; ";
  }
  void onAlarm(SteadyTime) override {
    diary += name + " rings; ";
    if (onRing)
      onRing();
  }
  void reconnected(std::size_t node, bool restarted, SteadyTime) override {
    diary += name + " hears of " + std::to_string(node) + (restarted ? " anew; " : "; ");
    if (onReconnected)
      onReconnected();
  }

  House &house;
  std::string name;
  std::string &diary;
  Loop::Task onRing, onReconnected;
};

} // namespace

class DriverBaseTest : public testing::Test {
protected:
  DriverBaseTest() {
    loop.call([this] { house.emplace(loop); });
  }
  ~DriverBaseTest() override {
    loop.call([this] { house.reset(); });
  }
  Guest &guest(const char *name) { return house->newTask<Guest>(*house, name, diary); }

  Loop loop;
  std::string diary;
  std::optional<House> house; // the loop's
};

TEST_F(DriverBaseTest, whoRetiresIsDeletedWhenTheOutermostVisitEnds) {
  loop.call([this] {
    {
      const DriverBase::ReentrancyGuard outer(*house);
      auto &a = guest("a");
      {
        const DriverBase::ReentrancyGuard inner(*house);
        house->retire(a);
        house->retire(a); // once is enough
      }
      EXPECT_EQ(diary, "");
    }
    EXPECT_EQ(diary, "a gone; ");
  });
}

TEST_F(DriverBaseTest, theOthersStayWhateverThePlaceOfWhoRetires) {
  loop.call([this] {
    auto &a = guest("a");
    auto &b = guest("b");
    guest("c");
    {
      const DriverBase::ReentrancyGuard guard(*house);
      house->retire(b);
      house->retire(a);
    }
    house->notifyReconnected(2, true, SteadyClock::now());
    EXPECT_TRUE(diary.ends_with("c hears of 2 anew; ")) << diary;
    EXPECT_NE(diary.find("a gone; "), std::string::npos) << diary;
    EXPECT_NE(diary.find("b gone; "), std::string::npos) << diary;
  });
}

TEST_F(DriverBaseTest, whoComesWhileTheOthersAreToldIsToldToo) {
  loop.call([this] {
    guest("a").onReconnected = [this] { guest("b"); };
    house->notifyReconnected(0, false, SteadyClock::now());
    EXPECT_EQ(diary, "a hears of 0; b hears of 0; ");
  });
}

TEST_F(DriverBaseTest, alarmsRingInTheirOrderAndOneThatIsSetMeanwhileToo) {
  std::promise<void> last;
  loop.call([&] {
    const auto now = SteadyClock::now();
    auto &a = guest("a");
    auto &b = guest("b");
    auto &c = guest("c");
    c.onRing = [&] { last.set_value(); };
    b.onRing = [&] { house->setAlarm(c, SteadyClock::now()); };
    house->setAlarm(b, now + milliseconds(2));
    house->setAlarm(a, now + milliseconds(1));
  });
  last.get_future().wait();
  loop.call([this] { EXPECT_EQ(diary, "a rings; b rings; c rings; "); });
}

TEST_F(DriverBaseTest, isSettledWhenNobodyHasAnythingToGiveBack) {
  std::promise<void> told;
  loop.call([&] {
    bool atOnce = false;
    house->whenSettled([&] { atOnce = true; });
    EXPECT_TRUE(atOnce);
    auto &a = guest("a");
    auto &b = guest("b");
    house->setUnsettled(a, true);
    house->setUnsettled(a, true); // told twice, counted once
    house->setUnsettled(b, true);
    house->whenSettled([&] {
      diary += "settled; ";
      told.set_value();
    });
    house->setUnsettled(a, false);
    EXPECT_FALSE(house->isSettled());
    house->setUnsettled(b, false);
    EXPECT_TRUE(house->isSettled());
    EXPECT_EQ(diary, "") << "who is in the middle of something is not called back there";
  });
  told.get_future().wait();
}
