// SPDX-License-Identifier: Apache-2.0
#include "core/watch/query/lock_json.h"

#include "core/base/encoding.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lockhouse {
namespace {

using Json = nlohmann::ordered_json;

Json leftJson(const std::optional<SteadyTime> &end, SteadyTime now) {
  return end ? Json(std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*end - now)).count()) : Json(nullptr);
}

Json holderJson(const Holder &holder, const LockRecord &record, SteadyTime now) {
  auto object = Json::object();
  putBytes(object, "id", holder.id);
  object["count"] = holder.count;
  if (holder.bytes > 0)
    object["bytes"] = holder.bytes;
  if (record.kind == LockKind::ReadWrite)
    object["mode"] = name(holder.mode);
  if (holder.expiresAt)
    object["ttl_ms"] = leftJson(holder.expiresAt, now);
  return object;
}

Json holdersJson(const LockRecord &record, SteadyTime now) {
  auto holders = Json::array();
  for (const Holder &holder : record.holders)
    holders.push_back(holderJson(holder, record, now));
  return holders;
}

Json queueJson(const LockRecord &record, SteadyTime now) {
  auto queue = Json::array();
  for (const Waiter &waiter : record.queue) {
    auto object = Json::object();
    putBytes(object, "id", waiter.id);
    if (waiter.leavesAt)
      object["deadline_ms"] = std::chrono::duration_cast<milliseconds>(*waiter.leavesAt - now).count();
    else
      object["deadline_ms"] = nullptr;
    queue.push_back(std::move(object));
  }
  return queue;
}

Json membersJson(const LockRecord &record, SteadyTime now) {
  auto members = Json::array();
  for (const auto &member : record.members) {
    auto object = Json::object();
    object["node"] = safeText(member.node.bytes());
    object["db"] = member.db;
    object["ttl_ms"] = leftJson(member.expiresAt, now);
    if (member.own)
      object["holder"] = holderJson(*member.own, record, now);
    if (member.there)
      object["holders"] = holdersJson(*member.there, now);
    members.push_back(std::move(object));
  }
  return members;
}

} // namespace

void putBytes(Json &object, const char *field, std::string_view bytes) {
  if (isUtf8(bytes)) {
    object[field] = bytes;
    return;
  }
  object[field] = safeText(bytes);
  object[std::string(field) + "_b64"] = base64(bytes);
}

Json lockJson(const LockRecord &record, SteadyTime now) {
  auto lock = Json::object();
  lock["node"] = safeText(record.id.node.bytes());
  lock["db"] = record.id.db;
  putBytes(lock, "key", record.id.key.bytes());
  lock["family"] = record.family;
  lock["kind"] = name(record.kind);
  lock["state"] = name(stateAt(record, now));
  lock["holders"] = holdersJson(record, now);
  const auto left = timeLeft(record, now);
  lock["ttl_ms"] = left ? Json(left->count()) : Json(nullptr);
  lock["waiters"] = record.waiters ? Json(*record.waiters) : Json(nullptr);
  lock["queue"] = queueJson(record, now);
  lock["fence"] = record.fence ? Json(record.fence->value) : Json(nullptr);
  lock["confidence"] = std::round(record.confidence * 100) / 100;
  lock["evidence"] = englishOf(record.evidence);
  lock["seen_ms_ago"] = std::chrono::duration_cast<milliseconds>(now - record.seenAt).count();
  lock["extras"] = Json::object();
  for (const auto &extra : record.extras)
    lock["extras"][extra.name] = extra.value;
  lock["may_be"] = record.mayBe;
  lock["members"] = membersJson(record, now);
  lock["waiters_at_least"] = record.areMoreToWait();
  return lock;
}

} // namespace lockhouse
