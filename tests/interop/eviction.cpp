// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/eviction.h"

#include "core/base/encoding.h"

#include <algorithm>
#include <charconv>

namespace lockhouse::test {
namespace {

nlohmann::json withoutAges(nlohmann::json lock) {
  for (const auto *field : {"ttl_ms", "seen_ms_ago", "queue"})
    lock.erase(field);
  for (auto &holder : lock["holders"])
    holder.erase("ttl_ms");
  auto &evidence = lock["evidence"]; // who looks at one key sees no others
  for (auto fact = evidence.begin(); fact != evidence.end();)
    fact = fact->get<std::string>().starts_with("its holder has ") ? evidence.erase(fact) : fact + 1;
  return lock;
}

} // namespace

void Eviction::start(const std::string &library, const std::vector<std::uint16_t> &otherPorts) {
  auto ports = otherPorts;
  ports.insert(ports.begin(), m_server.tcpUri().port);
  for (auto *process : {&m_one, &m_two}) {
    auto started = Foreign::start(library, ports);
    ASSERT_TRUE(started) << started.error().sentence();
    *process = std::move(*started);
  }
}

void Eviction::TearDown() {
  m_one.reset();
  m_two.reset();
}

std::future<Foreign::Answer> Eviction::ask(const std::string &whose, const std::string &words) { return process(whose).ask(whose, words); }

nlohmann::json Eviction::seen(const std::string &key) const {
  const auto locks = listed();
  const auto found = std::ranges::find(locks, key, [](const auto &lock) { return lock["key"].template get<std::string>(); });
  EXPECT_NE(found, locks.end()) << key << " is no lock in " << locks.dump();
  if (found == locks.end())
    return nullptr;
  const auto shown = json({"show", key})["locks"];
  EXPECT_EQ(shown.size(), 1U);
  EXPECT_TRUE(shown.size() == 1 && withoutAges(shown[0]) == withoutAges(*found)) << "list: " << found->dump() << "\nshow: " << shown.dump();
  return *found;
}

std::string Eviction::holderOf(const nlohmann::json &lock, std::size_t at) {
  const auto holders = lock.value("holders", nlohmann::json::array());
  if (at >= holders.size())
    return "nobody";
  const auto &holder = holders[at];
  return holder.contains("id_b64") ? fromBase64(holder["id_b64"].get<std::string>()).value_or("") : holder["id"].get<std::string>();
}

std::int64_t Eviction::calls(const std::string &command) {
  const auto reply = redis({"INFO", "commandstats"});
  const auto stats = reply.text().value_or("");
  const std::string name = "cmdstat_" + command + ":calls=";
  const auto at = stats.find(name);
  std::int64_t number = 0;
  if (at != stats.npos)
    std::from_chars(stats.data() + at + name.size(), stats.data() + stats.size(), number);
  return number;
}

nlohmann::json Eviction::result(const std::string &key, const std::string &holder, std::vector<std::string> words) const {
  words.insert(words.begin(), {"release", key, "--holder-b64", base64(holder), "--reason", "its host is gone"});
  const auto results = json(std::move(words))["results"];
  EXPECT_EQ(results.size(), 1U) << results.dump();
  return results.empty() ? nlohmann::json::object() : results[0];
}

std::string Eviction::risksOf(const nlohmann::json &result) {
  std::string lines;
  if (result["plan"].is_object())
    for (const auto &risk : result["plan"]["risks"])
      lines += risk.get<std::string>() + "\n";
  return lines;
}

} // namespace lockhouse::test
