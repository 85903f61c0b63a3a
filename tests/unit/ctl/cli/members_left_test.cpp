// SPDX-License-Identifier: Apache-2.0
// What becomes of a Redlock where not all of its masters were released.
#include "app/ctl/cli/members_left.h"

#include <gmock/gmock.h>

namespace lockhouse::ctl {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> masters{"m1", "m2", "m3"};

class MembersLeft : public testing::Test {
protected:
  std::vector<ReleaseResult> m_results;
  std::vector<NodeStatus> m_nodes;
  LockRecord m_row;

  void SetUp() override {
    m_row.family = "token";
    m_row.id = {NodeId("m1"), 0, LockName("redlock:q")};
    m_row.holders = {{"his"}};
    m_row.masters = masters.size();
    for (const auto &master : masters) {
      m_row.members.emplace_back().node = NodeId(master);
      auto &node = m_nodes.emplace_back();
      node.id = NodeId(master);
      node.role = "master";
      node.state = NodeState::Live;
      ReleaseResult result;
      result.lock = {NodeId(master), 0, LockName("redlock:q")};
      result.verdict = Verdict::Released;
      result.detail = Message::verbatim("released");
      result.plan.emplace().expectHolder = "his";
      m_results.push_back(std::move(result));
    }
  }
  void tell() {
    const std::vector<LockRecordPtr> rows{std::make_shared<const LockRecord>(m_row)};
    tellWhatIsLeft(m_results, rows, m_nodes);
  }
  std::vector<std::string> details() const {
    std::vector<std::string> all;
    for (const auto &result : m_results)
      all.push_back(result.detail.english());
    return all;
  }
};

TEST_F(MembersLeft, isNothingWhereAllWereReleased) {
  tell();
  EXPECT_THAT(details(), Each(std::string("released")));
}

TEST_F(MembersLeft, isWhatWasNotReleased) {
  m_results[0].verdict = Verdict::NotAllowed;
  m_results[0].detail = Message::verbatim("refused");
  tell();
  EXPECT_THAT(m_results[1].detail.english(), HasSubstr("it stays on 1 of 3 masters"));
}

// Its key became another's, or a list, between the plan and the script.
TEST_F(MembersLeft, isNothingWhereTheHolderHadLostItBefore) {
  m_results[0].detail = Message::verbatim("lost");
  for (const auto verdict : {Verdict::NotALock, Verdict::Changed}) {
    m_results[0].verdict = verdict;
    tell();
    EXPECT_THAT(details(), Each(Not(HasSubstr("stays"))));
  }
}

TEST_F(MembersLeft, isWhatTheSameHolderTookAgain) {
  m_results[0].verdict = Verdict::Changed;
  m_results[0].now = std::make_shared<const LockRecord>(m_row);
  tell();
  EXPECT_THAT(m_results[1].detail.english(), HasSubstr("it stays on 1 of 3 masters"));
}

} // namespace
} // namespace lockhouse::ctl
