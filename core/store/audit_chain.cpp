// SPDX-License-Identifier: Apache-2.0
#include "core/store/audit_chain.h"

#include "core/base/encoding.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

// Every field with its length before it: no two different records have the same bytes.
std::string sealedBytes(const AuditRecord &record) {
  std::string bytes = "lockhouse-audit-1";
  const auto put = [&bytes](std::string_view field) { bytes.append(std::to_string(field.size())).append(":").append(field); };
  put(std::to_string(record.seq));
  put(std::to_string(record.at.time_since_epoch().count()));
  put(record.who);
  put(record.node);
  put(std::to_string(record.db));
  for (const auto *field : {&record.key, &record.family, &record.holder})
    put(*field);
  put(std::to_string(record.count));
  for (const auto *field : {&record.action, &record.reason, &record.script, &record.before, &record.verdict, &record.subject, &record.previousHash})
    put(*field);
  return bytes;
}

std::string idOf(const AuditRecord &record) { return fmt::format("a-{:06}-{}", record.seq, std::string_view(record.hash).substr(0, 8)); }

} // namespace

const std::string &chainStart() {
  static const std::string zeros(64, '0');
  return zeros;
}

void sealRecord(AuditRecord &record, const AuditLog::Digest &digest) {
  record.hash = hex(digest(sealedBytes(record)));
  record.id = idOf(record);
}

Message brokenLink(const AuditRecord &record, std::int64_t lastSeq, const std::string &lastHash, const AuditLog::Digest &digest) {
  if (record.seq != lastSeq + 1)
    return LH_MESSAGE("ErrorWords", "record %1 is missing")(lastSeq + 1);
  AuditRecord sealed = record;
  sealRecord(sealed, digest);
  if (sealed.hash != record.hash || sealed.id != record.id)
    return LH_MESSAGE("ErrorWords", "record %1 was altered after it was written")(record.seq);
  if (record.previousHash != lastHash)
    return LH_MESSAGE("ErrorWords", "record %1 does not follow record %2: one of them was replaced or moved")(record.seq, lastSeq);
  return {};
}

} // namespace lockhouse
