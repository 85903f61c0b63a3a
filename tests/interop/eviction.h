// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/interop/foreign.h"
#include "tests/server/ctl/ctl_house.h"

#include <optional>
#include <string>
#include <vector>

namespace lockhouse::test {

/// A lock of a library, and what Lockhouse is to see of it while one of its processes holds it and another waits.
struct Contested {
  std::string name;          ///< of its tests
  std::string library, kind; ///< as Foreign calls them
  std::string given;         ///< the lock's name, as the library is asked for it
  std::string key;           ///< as it lies in Redis
  std::string family;        ///< slug that is shown
  std::string mayBe = {};    ///< slug that is among those it may be too
  std::string shape = "mutex";
  int deep = 1;                    ///< count of who took it twice
  bool isTakenTwice = true;        ///< whether its holder may take it again
  std::optional<int> waiters = {}; ///< while one client waits; nothing: cannot be known
  std::string waitsBy = {};        ///< how one who waits is seen, where `waiters` does not show him: see ReleaseOf::hasBegunToWait()
  bool tellsWho = true;            ///< whether the library tells whom it writes
  std::string behind = {};         ///< what it writes behind him
  std::size_t ahead = 0;           ///< characters that it writes before him
  bool looksOnlyAtTheEnd = false;  ///< who waits looks again when he is told, or when his limit is over
};

/// Two processes of a library on a private server of their own, and the real lockhousectl.
class Eviction : public CtlHouse {
protected:
  /// Starts the processes "one" and "two" of the library, for this server and those of the other ports.
  void start(const std::string &library, const std::vector<std::uint16_t> &otherPorts = {});
  void TearDown() override;

  /// What an owner is asked, "lock take orders 120000": "one" is in the process of that name, everybody else in "two".
  std::future<Foreign::Answer> ask(const std::string &whose, const std::string &words);
  Foreign::Answer asked(const std::string &whose, const std::string &words) { return ask(whose, words).get(); }
  void endProcess(const std::string &whose) { process(whose).kill(); }

  /// By lockhousectl.
  nlohmann::json listed() const { return json({"list"})["locks"]; }
  /// The lock of this key as list tells, after show told the same; null and a failure if either does not.
  nlohmann::json seen(const std::string &key) const;
  /// Exact bytes.
  static std::string holderOf(const nlohmann::json &lock, std::size_t at = 0);
  std::string text(const std::string &key) { return std::string(redis({"GET", key}).text().value_or("")); }
  /// How often the server ran this command since it started.
  std::int64_t calls(const std::string &command);

  /// What lockhousectl says of a release; `words` more of its command line. The result of the only node.
  nlohmann::json planned(const std::string &key, const std::string &holder) const { return result(key, holder, {"--plan"}); }
  nlohmann::json released(const std::string &key, const std::string &holder) const { return result(key, holder, {"--apply"}); }
  static std::string risksOf(const nlohmann::json &result); ///< one a line

private:
  nlohmann::json result(const std::string &key, const std::string &holder, std::vector<std::string> words) const;
  Foreign &process(const std::string &whose) { return whose == "one" ? *m_one : *m_two; }

  std::unique_ptr<Foreign> m_one, m_two;
};

/// Longer than anybody waits, and the longest that anybody waits: who gets in within half of that was told, or asks by himself often.
constexpr std::chrono::seconds leaseLength{120}, waitLimit{40};
inline const std::string lease = " " + std::to_string(std::chrono::milliseconds(leaseLength).count());
inline const std::string leaseAndLimit = lease + " " + std::to_string(std::chrono::milliseconds(waitLimit).count());

/// The sentence that warns of a late unlock which compares nothing.
inline constexpr auto unconditionalUnlock = "deletes whatever lies there when he leaves";

} // namespace lockhouse::test
