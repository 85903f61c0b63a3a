// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/page.h"

#include "core/lock/pages/composition.h"
#include "core/lock/primitives/primitive.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::ctl {
namespace {

std::vector<std::string> strings(std::span<const std::string_view> words) { return {words.begin(), words.end()}; }

// "acquire: …; release: …": a point each.
std::vector<std::string> parts(std::string_view words) {
  std::vector<std::string> all;
  while (!words.empty()) {
    const auto end = words.find("; ");
    all.emplace_back(words.substr(0, end));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 2);
  }
  return all;
}

std::vector<std::string> policyPoints(const PrimitiveInfo &info) {
  std::vector<std::string> points;
  for (const auto name : info.policies)
    points.push_back(fmt::format("{}{}: {}", name, points.empty() ? " (the default)" : "", AcquirePolicy::named(name).value_or(AcquirePolicy{}).explanation()));
  return points;
}

std::vector<std::string> costPoints(const PrimitiveInfo &info) {
  const auto &costs = info.costs;
  if (costs.commands <= 0)
    return {};
  const auto *primitive = Primitive::find(info.name);
  const auto *crowd = primitive != nullptr && primitive->hasReaders()   ? ", of whom every tenth is a writer"
                      : primitive != nullptr && primitive->hasPermits() ? ", four of whom may be in"
                                                                        : "";
  return {
      fmt::format("measured: {} commands and {} calls of the server for an acquire and its release while nobody else wants it", costs.commands, costs.calls),
      fmt::format("measured: about {} commands and {} calls for each among 16 clients of one process that want one key all the time{}", costs.crowdedCommands,
                  costs.crowdedCalls, crowd),
      "calls are what INFO commandstats counts: the commands, and what scripts call"};
}

Page::Section places(const PrimitiveInfo &info) {
  Page::Section section{.title = "Keys and channels"};
  for (const auto &place : info.places)
    section.rows.push_back({std::string(place.name), std::string(place.type), std::string(place.meaning)});
  const auto any = [&](auto which) { return std::ranges::any_of(info.places, which); };
  section.words.emplace_back("NAME is the lock's name.");
  if (any([](const LockPlace &place) { return place.name.contains("{NAME}"); }))
    section.words.back() += " One that has a hash tag of its own, a part in braces, is put in without further braces.";
  if (any([](const LockPlace &place) { return place.name.starts_with("lockhouse:") && place.name.contains(":{NAME}"); }))
    section.words.back() += " In keys that begin with lockhouse: another colon stands before it.";
  return section;
}

Page::Section commands(const PrimitiveInfo &info) {
  Page::Section section{.title = "Commands and round trips", .points = parts(info.commands)};
  std::ranges::move(costPoints(info), std::back_inserter(section.points));
  if (info.commands.contains("EVALSHA"))
    section.points.emplace_back("a script that the server does not know, as after SCRIPT FLUSH, costs an EVAL more, once");
  return section;
}

Page::Section stress(const PrimitiveInfo &info) {
  const auto *nodes = info.name == redLockInfo().name ? "--url redis://a:6379 --url redis://b:6379 --url redis://c:6379" : "--url redis://127.0.0.1:6379";
  std::string lines;
  for (const auto policy : info.policies)
    lines += fmt::format("lockhousectl {} stress --primitive {} --policy {} --clients 64 --keys 1 --duration 5\n", nodes, info.name, policy);
  return {.title = "How to stress it", .code = std::move(lines), .language = "sh"};
}

Page::Section example(std::string_view code) {
  return {.title = "Example",
          .words = {"client is a Client::connect(url), work() is what the lock guards; #include <lockhouse/lockhouse.h>."},
          .code = std::string(code),
          .language = "cpp"};
}

} // namespace

Page pageOf(const PrimitiveInfo &info) {
  auto outcomes = strings(info.outcomes);
  outcomes.emplace_back("everything else as every primitive: see outcomes");
  return {.name = std::string(info.name),
          .summary = std::string(info.summary),
          .sections = {{.title = "Use it when", .words = {std::string(info.useWhen)}},
                       {.title = "Avoid it when", .words = {std::string(info.avoidWhen)}},
                       {.title = "Promised", .points = strings(info.promises)},
                       {.title = "Not promised", .points = strings(info.notPromised)},
                       {.title = "Shared with", .words = {std::string(info.sharedWith)}},
                       {.title = "Policies", .points = policyPoints(info)},
                       commands(info),
                       {.title = "Waiting", .words = {std::string(info.waiting)}},
                       places(info),
                       {.title = "Outcomes", .points = std::move(outcomes)},
                       example(info.example),
                       stress(info),
                       {.title = "Source", .words = {std::string(info.source)}}}};
}

Page pageOf(const TopicInfo &topic) {
  Page page{.name = std::string(topic.name), .summary = std::string(topic.summary), .sections = {}};
  for (const auto &section : topic.sections)
    page.sections.push_back({.title = std::string(section.title), .points = strings(section.lines)});
  page.sections.push_back(example(topic.example));
  page.sections.push_back({.title = "Source", .words = {std::string(topic.source)}});
  return page;
}

std::vector<Page> allPages() {
  std::vector<Page> pages;
  for (const auto &info : primitiveInfos())
    pages.push_back(pageOf(info));
  for (const auto &topic : topicInfos())
    pages.push_back(pageOf(topic));
  return pages;
}

} // namespace lockhouse::ctl
