// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json.h"

#include "core/base/encoding.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <set>

namespace lockhouse::ctl {
namespace {

template <class T> Json orNull(const std::optional<T> &value) { return value ? Json(*value) : Json(nullptr); }

Json textOrNull(const std::optional<Message> &text) { return text ? Json(text->english()) : Json(nullptr); }

Json textOrNull(const std::string &text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ageOrNull(std::optional<SteadyTime> time, SteadyTime now) {
  return time ? Json(std::chrono::duration_cast<milliseconds>(now - *time).count()) : Json(nullptr);
}

Json lockOrNull(const LockRecordPtr &record, SteadyTime now) { return record ? lockJson(*record, now) : Json(nullptr); }

/// What was read of the locks of a release. Of many holders of one lock the list is told once, or it would be as often there as it is long.
class LocksRead {
public:
  explicit LocksRead(SteadyTime now) : m_now(now) {}

  Json json(const ReleaseResult &result) {
    if (!result.now || result.now->holders.size() <= mostAgain || m_told.insert(result.lock).second)
      return lockOrNull(result.now, m_now);
    if (m_of != result.now) {
      m_of = result.now;
      m_one = *result.now;
      m_one.queue.clear();
    }
    const auto &all = m_of->holders;
    const auto own = std::ranges::find(all, holderMeant(result), &Holder::id);
    m_one.holders = {own == all.end() ? all.front() : *own};
    auto lock = lockJson(m_one, m_now);
    lock["holders_left_out"] = all.size() - 1;
    lock["queue_left_out"] = m_of->queue.size();
    return lock;
  }

private:
  static constexpr std::size_t mostAgain = 16;
  SteadyTime m_now;
  std::set<LockId> m_told;
  LockRecordPtr m_of;
  LockRecord m_one;
};

// A list of bytes; beside it, under `field`_b64, the exact ones when any of them is not UTF-8.
void putAll(Json &object, const char *field, const std::vector<std::string> &list) {
  object[field] = Json::array();
  for (const auto &bytes : list)
    object[field].push_back(isUtf8(bytes) ? bytes : safeText(bytes));
  if (std::ranges::all_of(list, isUtf8))
    return;
  auto &exact = object[std::string(field) + "_b64"] = Json::array();
  for (const auto &bytes : list)
    exact.push_back(base64(bytes));
}

Json planJson(const ReleasePlan &plan) {
  auto object = Json::object();
  object["script"] = plan.script == nullptr ? Json(nullptr) : Json(plan.script->name);
  putAll(object, "keys", plan.keys);
  putBytes(object["expect"] = Json::object(), "holder", plan.expectHolder);
  object["expect"]["count"] = plan.expectCount;
  if (plan.expectTime)
    object["expect"]["time"] = *plan.expectTime;
  object["effects"] = englishOf(textsOf(plan.effects));
  putAll(object, "wakes", plan.wakes);
  if (plan.next)
    putBytes(object, "next", *plan.next);
  else
    object["next"] = nullptr;
  object["risks"] = englishOf(plan.warnings);
  object["refusal"] = textOrNull(plan.refusal);
  object["parts"] = Json::array();
  for (const auto &part : plan.parts) {
    auto &one = object["parts"].emplace_back(Json{{"node", safeText(part.lock.node.bytes())}, {"db", part.lock.db}, {"script", part.script->name}});
    putAll(one, "keys", part.keys);
  }
  object["next_unheard"] = plan.isNextUnheard;
  return object;
}

double microsecondsOf(std::chrono::nanoseconds duration) { return static_cast<double>(duration.count()) / 1000; }

Json recordJson(const AuditRecord &record) {
  auto object = Json::object();
  object["seq"] = record.seq;
  object["id"] = record.id;
  object["at_ms"] = record.at.time_since_epoch().count() / 1000;
  putBytes(object, "who", record.who);
  putBytes(object, "node", record.node);
  object["db"] = record.db;
  putBytes(object, "key", record.key);
  putBytes(object, "family", record.family);
  putBytes(object, "holder", record.holder);
  object["count"] = record.count;
  putBytes(object, "action", record.action);
  putBytes(object, "reason", record.reason);
  putBytes(object, "script", record.script);
  const auto before = Json::parse(record.before, nullptr, false);
  object["before"] = before.is_discarded() ? Json(nullptr) : before;
  putBytes(object, "verdict", record.verdict);
  object["subject"] = textOrNull(record.subject);
  putBytes(object, "previous_hash", record.previousHash);
  putBytes(object, "hash", record.hash);
  return object;
}

} // namespace

Json nodeJson(const NodeStatus &node, std::span<const NodeStatus> nodes, SteadyTime now) {
  auto object = Json::object();
  object["id"] = safeText(node.id.bytes());
  object["address"] = safeText(node.address);
  object["role"] = node.role;
  object["run_id"] = node.runId;
  object["state"] = name(node.state == NodeState::Connecting ? NodeState::Stale : node.state); // not looked at to the end yet
  object["feed"] = name(node.feed == FeedKind::None ? FeedKind::Poll : node.feed);             // nothing announces changes
  object["scan"]["complete"] = node.scanComplete;
  object["scan"]["keys_scanned"] = node.keysScanned;
  object["scan"]["keys_refused"] = node.keysRefused;
  object["scan"]["keys_cut"] = node.keysCut;
  object["scan"]["age_ms"] = ageOrNull(node.scannedAt, now);
  object["scan"]["slots_moved"] = node.slotsTold ? Json(node.slotsMoved) : Json(nullptr);
  object["error"] = node.error ? Json(node.error->sentence()) : Json(nullptr);
  object["unwatched_dbs"] = unwatchedDatabases(node, nodes);
  object["cluster_masters"] = node.clusterMasters > 0 ? Json(node.clusterMasters) : Json(nullptr);
  return object;
}

Json listJson(const std::vector<NodeStatus> &nodes, std::span<const LockRecordPtr> locks, SteadyTime now, std::size_t leftOut) {
  Json object{{"nodes", Json::array()}, {"locks", Json::array()}};
  for (const auto &node : nodes)
    object["nodes"].push_back(nodeJson(node, nodes, now));
  for (const auto &lock : locks)
    object["locks"].push_back(lockJson(*lock, now));
  object["left_out"] = leftOut;
  return object;
}

Json changeJson(const LockChange &change, SteadyTime now) {
  auto object = Json::object();
  object["seq"] = change.seq;
  object["at_ms"] = change.at.time_since_epoch().count() / 1000;
  object["node"] = safeText(change.id.node.bytes());
  object["db"] = change.id.db;
  putBytes(object, "key", change.id.key.bytes());
  object["change"] = name(change.kind);
  object["cause"] = change.cause ? Json(name(*change.cause)) : Json(nullptr);
  object["before"] = lockOrNull(change.before, now);
  object["after"] = lockOrNull(change.after, now);
  return object;
}

Json releaseJson(std::span<const ReleaseResult> results, SteadyTime now, std::span<const UnreadHolds> unread, std::span<const NodeStatus> nodes,
                 std::span<const std::string> warnings, const std::optional<std::string> &mark) {
  Json list{{"results", Json::array()}};
  LocksRead locks(now);
  for (const auto &result : results) {
    auto object = Json::object();
    putBytes(object, "key", result.lock.key.bytes());
    object["family"] = textOrNull(result.family);
    object["node"] = safeText(result.lock.node.bytes());
    object["plan"] = result.plan ? planJson(*result.plan) : Json(nullptr);
    if (const auto type = result.plan && result.now ? name(result.now->type) : std::string_view(); !type.empty())
      object["plan"]["type"] = type;
    object["verdict"] = result.verdict ? Json(name(*result.verdict)) : Json(nullptr);
    object["now"] = locks.json(result);
    object["audit_id"] = textOrNull(result.auditId);
    object["db"] = result.lock.db;
    object["detail"] = result.detail.english();
    object["in_doubt"] = result.inDoubt;
    if (const auto &holder = holderMeant(result); holder.empty())
      object["holder"] = nullptr;
    else
      putBytes(object, "holder", holder);
    list["results"].push_back(std::move(object));
  }
  list["unread"] = Json::array();
  for (const auto &[lock, holds] : unread) {
    auto object = Json::object();
    putBytes(object, "key", lock.key.bytes());
    object["node"] = safeText(lock.node.bytes());
    object["db"] = lock.db;
    object["holds"] = holds;
    list["unread"].push_back(std::move(object));
  }
  list["nodes"] = Json::array();
  for (const auto &node : nodes)
    list["nodes"].push_back(nodeJson(node, nodes, now));
  list["warnings"] = warnings;
  list["mark"] = mark ? Json(*mark) : Json(nullptr);
  return list;
}

Json stressJson(const StressReport &report) {
  auto object = Json::object();
  const auto &options = report.options;
  object["primitive"] = options.primitive;
  object["policy"] = options.policy;
  object["nodes"] = report.nodes;
  object["clients"] = options.clients;
  object["keys"] = options.keys == 0 ? Json("own") : Json(options.keys);
  object["stripes"] = report.stripesUsed > 0 ? Json(options.stripes) : Json(nullptr);
  object["stripes_used"] = report.stripesUsed > 0 ? Json(report.stripesUsed) : Json(nullptr);
  object["acks"] = options.acknowledge.isWanted() ? Json(options.acknowledge.name()) : Json(nullptr);
  object["seconds"] = report.seconds;
  object["pairs"] = report.pairs;
  object["pairs_per_s"] = report.seconds > 0 ? static_cast<double>(report.pairs) / report.seconds : 0.0;
  object["acquire_us"]["p50"] = microsecondsOf(report.acquireP50);
  object["acquire_us"]["p99"] = microsecondsOf(report.acquireP99);
  object["acquire_us"]["max"] = microsecondsOf(report.acquireMax);
  object["commands_per_pair"] = report.commandsPerPair;
  object["server_calls_per_pair"] = orNull(report.serverCallsPerPair);
  object["per_client"]["min"] = report.perClientMin;
  object["per_client"]["max"] = report.perClientMax;
  object["violations"] = report.violations;
  object["in_doubt"] = report.inDoubt;
  object["lost"] = report.lost;
  object["stopped"] = report.stopped;
  object["failure"] = report.failure ? Json(report.failure->sentence()) : Json(nullptr);
  object["away_s"] = report.secondsAway;
  return object;
}

namespace {

Json placesJson(const PrimitiveInfo &primitive) {
  auto places = Json::array();
  for (const auto &place : primitive.places)
    places.push_back(Json{{"name", place.name}, {"type", place.type}, {"meaning", place.meaning}});
  return places;
}

Json costsJson(const LockCosts &costs) {
  if (costs.commands <= 0)
    return nullptr;
  return Json{{"commands", costs.commands}, {"calls", costs.calls}, {"crowded_commands", costs.crowdedCommands}, {"crowded_calls", costs.crowdedCalls}};
}

Json textOrNull(const std::optional<Pattern> &pattern) { return pattern ? Json(pattern->text()) : Json(nullptr); }

Json formJson(const Form &form) {
  auto object = Json::object();
  object["type"] = name(form.type);
  object["key"] = textOrNull(form.key);
  object[form.type == ValueType::String ? "value" : form.type == ValueType::Hash ? "field" : "member"] = textOrNull(form.element);
  if (form.type == ValueType::Hash)
    object["value"] = textOrNull(form.content);
  if (form.type == ValueType::SortedSet)
    object["score"] = name(form.score);
  object["confidence"] = form.confidence;
  object["evidence"] = form.evidence;
  object["release"] = textOrNull(form.releaseClass);
  object["advice"] = form.advice;
  return object;
}

Json topicJson(const TopicInfo &topic) {
  Json object{{"name", topic.name}, {"summary", topic.summary}, {"sections", Json::array()}, {"example", topic.example}, {"source", topic.source}};
  for (const auto &section : topic.sections)
    object["sections"].push_back(Json{{"title", section.title}, {"lines", section.lines}});
  return object;
}

} // namespace

Json primitivesJson(std::span<const PrimitiveInfo> primitives, std::span<const TopicInfo> topics) {
  Json list{{"primitives", Json::array()}, {"topics", Json::array()}};
  for (const auto &primitive : primitives) {
    auto object = Json::object();
    object["name"] = primitive.name;
    object["summary"] = primitive.summary;
    object["use_when"] = primitive.useWhen;
    object["avoid_when"] = primitive.avoidWhen;
    object["policies"] = primitive.policies;
    object["promises"] = primitive.promises;
    object["not_promised"] = primitive.notPromised;
    object["commands"] = primitive.commands;
    object["source"] = primitive.source;
    object["shared_with"] = primitive.sharedWith;
    object["places"] = placesJson(primitive);
    object["waiting"] = primitive.waiting;
    object["outcomes"] = primitive.outcomes;
    object["costs"] = costsJson(primitive.costs);
    object["example"] = primitive.example;
    list["primitives"].push_back(std::move(object));
  }
  for (const auto &topic : topics)
    list["topics"].push_back(topicJson(topic));
  return list;
}

Json familiesJson(std::span<const Family> families) {
  Json list{{"families", Json::array()}};
  for (const auto &family : families) {
    auto object = Json::object();
    object["slug"] = family.slug;
    object["title"] = family.title;
    object["about"] = family.about;
    object["kind"] = name(family.kind);
    object["release"] = family.releaseClass;
    object["release_words"] = englishOf(releaseClassMessages(family.releaseClass, family.waits));
    object["waits"] = name(family.waits);
    object["channel"] = textOrNull(family.channel);
    object["also_channel"] = textOrNull(family.alsoChannel);
    object["lease_ms"] = family.lease ? Json(family.lease->count()) : Json(nullptr);
    object["renewed_every_ms"] = family.renewedEvery ? Json(family.renewedEvery->count()) : Json(nullptr);
    object["shares_token"] = family.isTokenShared;
    object["repeats_holder"] = family.isHolderRepeated;
    object["advice"] = family.advice;
    object["forms"] = Json::array();
    for (const auto &form : family.forms)
      object["forms"].push_back(formJson(form));
    object["beside"] = Json::array();
    for (const auto &companion : family.companion)
      object["beside"].push_back(Json{{"key", companion.key.text()}, {"type", name(companion.type)}, {"role", name(companion.role)}});
    object["source"] = family.source;
    object["built_in"] = !family.isUsers;
    list["families"].push_back(std::move(object));
  }
  return list;
}

Json shapesJson() {
  Json list{{"shapes", Json::array()}};
  for (const auto &shape : shapes())
    list["shapes"].push_back(Json{{"name", shape.name}, {"words", shape.words}});
  return list;
}

Json auditJson(std::span<const AuditRecord> records, const std::optional<AuditLog::End> &verified, const std::optional<Error> &broken) {
  Json object{{"records", Json::array()}, {"verified", nullptr}, {"last_hash", nullptr}, {"error", nullptr}, {"unanswered", nullptr}};
  if (verified) {
    object["verified"] = verified->records;
    object["last_hash"] = verified->hash;
    object["unanswered"] = verified->unanswered;
  }
  if (broken)
    object["error"] = broken->sentence();
  for (const auto &record : records)
    object["records"].push_back(recordJson(record));
  return object;
}

std::string oneLine(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

} // namespace lockhouse::ctl
