// SPDX-License-Identifier: Apache-2.0
#include "core/release/result/audit_holds.h"

#include "core/base/encoding.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace lockhouse {
namespace {

using Json = nlohmann::json;

std::string textIn(const Json &object, const std::string &field) {
  if (const auto encoded = object.find(field + "_b64"); encoded != object.end() && encoded->is_string())
    if (auto bytes = fromBase64(encoded->get<std::string>()))
      return std::move(*bytes);
  const auto text = object.find(field);
  return text != object.end() && text->is_string() ? text->get<std::string>() : std::string();
}

// Nothing that is no list of objects: an altered record holds whatever it likes.
Json listIn(std::string_view json) {
  auto list = Json::parse(json, nullptr, false);
  if (!list.is_array())
    return Json::array();
  return list;
}

AuditHold holdIn(const Json &object) {
  const auto db = object.find("db");
  return {.key = textIn(object, "key"),
          .node = textIn(object, "node"),
          .holder = textIn(object, "holder"),
          .db = db != object.end() && db->is_number_integer() ? db->get<int>() : 0,
          .verdict = textIn(object, "verdict")};
}

auto idOf(const AuditHold &hold) { return std::tie(hold.key, hold.node, hold.holder, hold.db); }

} // namespace

std::vector<AuditHold> auditHolds(std::string_view json) {
  std::vector<AuditHold> holds;
  for (const auto &object : listIn(json))
    if (object.is_object())
      holds.push_back(holdIn(object));
  return holds;
}

void tellVerdicts(std::vector<AuditHold> &holds, std::string_view verdict, std::string_view before) {
  const auto list = listIn(before);
  const bool isMixed = !list.empty() && list.front().is_object();
  const auto most = isMixed ? textIn(list.front(), "most") : std::string(verdict);
  const auto others = auditHolds(before);
  std::map<decltype(idOf(AuditHold())), std::string_view> told;
  for (const auto &other : others)
    told.emplace(idOf(other), other.verdict);
  for (auto &hold : holds) {
    const auto other = told.find(idOf(hold));
    hold.verdict = other == told.end() ? most : std::string(other->second);
  }
}

std::vector<std::vector<std::size_t>> locksAmong(std::span<const AuditHold> holds) {
  std::vector<std::vector<std::size_t>> locks;
  std::map<std::tuple<std::string_view, int>, std::vector<std::size_t>> named; // places in `locks`
  for (std::size_t i = 0; i < holds.size(); ++i) {
    auto &places = named[{holds[i].key, holds[i].db}];
    const auto isOf = [&](std::size_t place) {
      return std::ranges::any_of(locks[place], [&](std::size_t other) { return holds[other].node == holds[i].node || holds[other].holder == holds[i].holder; });
    };
    const auto place = std::ranges::find_if(places, isOf);
    if (place != places.end()) {
      locks[*place].push_back(i);
      continue;
    }
    places.push_back(locks.size());
    locks.push_back({i});
  }
  return locks;
}

} // namespace lockhouse
