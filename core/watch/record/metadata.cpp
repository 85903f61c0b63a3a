// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/metadata.h"

#include "core/base/ascii.h"
#include "core/base/encoding.h"
#include "core/base/safe_text.h"
#include "core/lock/primitives/owner_id.h"
#include "core/watch/text/id_time.h"

#include <algorithm>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lockhouse {
namespace {

std::string timeWords(milliseconds at) {
  const std::chrono::sys_time<milliseconds> time(at);
  const auto whole = std::chrono::floor<seconds>(time);
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(whole.time_since_epoch().count())), (time - whole).count());
}

// The 32 hex digits of a UUID in any of its spellings.
std::string uuidDigits(std::string_view text) {
  if (const auto bytes = text.size() == 24 ? fromBase64(text) : std::nullopt)
    return hex(*bytes);
  std::string digits(text);
  std::erase(digits, '-');
  return digits;
}

void addSince(milliseconds at, milliseconds now, std::vector<MetadataEntry> &out) {
  if (mayBePast(at, now))
    out.push_back({"since", timeWords(at)});
}

// A time-based UUID: when it was made, then the network card's address, or a random one with its multicast bit set.
void addV1(std::string_view text, milliseconds now, std::vector<MetadataEntry> &out) {
  const auto digits = uuidDigits(text);
  const auto at = timeOfUuid1(digits);
  if (!at || !mayBePast(*at, now)) // then it is random
    return;
  addSince(*at, now, out);
  const auto first = parseNumber(digits.substr(20, 2), 16);
  if (first && (*first & 1) == 0)
    out.push_back({"mac", fmt::format("{}:{}:{}:{}:{}:{}", digits.substr(20, 2), digits.substr(22, 2), digits.substr(24, 2), digits.substr(26, 2),
                                      digits.substr(28, 2), digits.substr(30, 2))});
}

void addSnowflake(std::string_view text, milliseconds now, std::vector<MetadataEntry> &out) {
  const auto number = parseNumber(text);
  const auto at = std::chrono::floor<milliseconds>(SnowflakeIds::timeOf(number.value_or(0))).time_since_epoch();
  if (!number || !mayBePast(at, now))
    return;
  addSince(at, now, out);
  out.push_back({"worker", fmt::format("{}", SnowflakeIds::workerOf(*number))});
}

// What sidekiq-unique-jobs 9 writes of a job that holds a digest: a JSON object, whose braces are left out. One too long to be kept whole tells nothing.
void addJob(std::string_view inside, milliseconds now, std::vector<MetadataEntry> &out) {
  const auto job = nlohmann::json::parse(fmt::format("{{{}}}", inside), nullptr, false);
  if (!job.is_object())
    return;
  const auto time = job.find("time");
  if (const auto at = time != job.end() && time->is_number() ? instantOf(time->dump()) : std::nullopt)
    addSince(*at, now, out);
  for (const auto *name : {"queue", "worker"})
    if (const auto value = job.find(name); value != job.end() && value->is_string())
      out.push_back({name, safeText(value->get_ref<const std::string &>(), 128)});
}

} // namespace

std::vector<MetadataEntry> metadataOf(const Captures &captures, milliseconds now) {
  std::vector<MetadataEntry> extras;
  for (const auto &[name, bytes] : captures) {
    if (name == "v1")
      addV1(bytes, now, extras);
    else if (name == "snowflake")
      addSnowflake(bytes, now, extras);
    else if (name == "info")
      addJob(bytes, now, extras);
    else if (name == "since" || name == "until") {
      if (const auto at = instantOf(bytes); at && (name == "until" || mayBePast(*at, now)))
        extras.push_back({std::string(name), timeWords(*at)});
    } else if (std::ranges::find(plainMetadata, name) != plainMetadata.end())
      extras.push_back({std::string(name), safeText(bytes, 128)});
  }
  if (extras.size() < 2)
    return extras;
  std::ranges::stable_sort(extras, {}, &MetadataEntry::name);
  const auto repeated = std::ranges::unique(extras, {}, &MetadataEntry::name);
  extras.erase(repeated.begin(), repeated.end());
  return extras;
}

void joinMetadata(std::vector<MetadataEntry> &all, std::vector<MetadataEntry> more, std::size_t index) {
  constexpr std::size_t mostNamed = 8;
  constexpr std::string_view unknown = "-";
  if (index > mostNamed)
    return;
  if (index == mostNamed) {
    for (auto &extra : all)
      extra.value += ", …";
    return;
  }
  for (auto &extra : more)
    if (std::ranges::find(all, extra.name, &MetadataEntry::name) == all.end()) {
      std::string before;
      for (std::size_t i = 1; i < index; ++i)
        before.append(unknown).append(", ");
      all.push_back({extra.name, index > 0 ? before.append(unknown) : std::string()});
    }
  for (auto &extra : all) {
    const auto found = std::ranges::find(more, extra.name, &MetadataEntry::name);
    extra.value.append(index > 0 ? ", " : "").append(found == more.end() ? unknown : std::string_view(found->value));
  }
  std::ranges::sort(all, {}, &MetadataEntry::name);
}

} // namespace lockhouse
