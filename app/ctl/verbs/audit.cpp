// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json.h"
#include "app/ctl/text/lock_text.h"
#include "app/ctl/text/text_table.h"
#include "app/ctl/verbs/verbs.h"

#include "core/base/safe_text.h"
#include "core/net/address/digest.h"
#include "core/release/result/audit_holds.h"
#include "core/store/audit_files.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <span>

namespace lockhouse::ctl {
namespace {

constexpr std::size_t mostNamed = 8;

struct Place {
  std::string lock, node;
};

std::string joined(std::span<const std::string> names, std::string_view between = " ") {
  std::string words;
  for (const auto &name : names)
    words += (words.empty() ? std::string() : std::string(between)) + safeText(name, 40);
  return words;
}

// Of many that were meant as one: the first, and how many more; --json names them all. One on several masters is one.
Place placeOf(const AuditRecord &record, const AuditRecord &intent) {
  if (!record.action.ends_with("-many"))
    return {keyWords(record.key, 40), safeText(record.node, 40)};
  // An outcome alone lists only those to which something else came.
  const auto holds = record.subject.empty() || &record != &intent ? auditHolds(intent.before) : std::vector<AuditHold>();
  if (holds.empty())
    return {fmt::format("{} hold{}", record.count, record.count == 1 ? "" : "s"), safeText(record.node, 40)};
  std::vector<std::string> nodes;
  for (const auto &hold : holds)
    if (std::ranges::find(nodes, hold.node) == nodes.end())
      nodes.push_back(hold.node);
  const auto more = locksAmong(holds).size() - 1;
  const auto first = keyWords(holds.front().key, 40);
  return {more == 0 ? first : fmt::format("{} and {} more", first, more), joined(nodes)};
}

// What lists the holds of a record: itself, or of an outcome what was to be done; itself too where that is not among them.
const AuditRecord &intentOf(const AuditRecord &record, std::span<const AuditRecord> records) {
  const auto found = std::ranges::find(records, record.subject, &AuditRecord::id);
  return record.subject.empty() || found == records.end() ? record : *found;
}

std::string auditText(std::span<const AuditRecord> records, const std::optional<AuditLog::End> &verified, bool colour) {
  TextTable table({{"ID"}, {"AT (UTC)"}, {"WHO"}, {"ACTION"}, {"LOCK"}, {"NODE"}, {"HOLDER"}, {"COUNT", true}, {"VERDICT"}, {"REASON"}});
  for (const auto &record : records) {
    const auto place = placeOf(record, intentOf(record, records));
    const auto second = static_cast<std::time_t>(record.at.time_since_epoch().count() / 1'000'000);
    table.add({{safeText(record.id, 40)},
               {fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(second))},
               {safeText(record.who, 40)},
               {safeText(record.action, 20)},
               {place.lock},
               {place.node},
               {safeText(record.holder, 48)},
               {std::to_string(record.count)},
               {safeText(record.verdict, 20)},
               {safeText(record.reason, 60)}});
  }
  auto text = !records.empty() ? table.text(colour) : std::string(verified && verified->records > 0 ? "" : "No release has been recorded here yet.\n");
  if (verified)
    text += fmt::format("\nThe chain is sound: {} record{} checked, the last with the hash {}.\nKeep both elsewhere: a later check has to count no fewer, "
                        "for a log whose end was cut off with every trace looks like a shorter one.\n",
                        verified->records, verified->records == 1 ? "" : "s", verified->hash);
  if (const auto ids = verified ? std::span(verified->unanswered) : std::span<const std::string>(); !ids.empty())
    text += fmt::format("\n{} of them {} no outcome: {}{}. What came of that is not known from here: it is under way, or its program ended, or could not "
                        "record it. Look at the locks themselves.\n",
                        ids.size(), ids.size() == 1 ? "has" : "have", joined(ids.first(std::min(ids.size(), mostNamed)), ", "),
                        ids.size() > mostNamed ? ", …" : "");
  return text;
}

} // namespace

ExitCode runAudit(const Arguments &arguments, const Output &output) {
  std::vector<AuditRecord> records;
  std::optional<AuditLog::End> verified;
  const auto failed = [&](const Error &error) {
    if (arguments.json)
      output.put(oneLine(auditJson({}, {}, error)));
    return output.failed(error);
  };
  const auto log = AuditLog::openIfThere(arguments.auditPath, sha256);
  if (!log)
    return failed(log.error());
  if (const auto none = *log ? AuditFiles::NoLog() : AuditFiles::noLogAt(arguments.auditPath); none.why == AuditFiles::NoLog::Why::Emptied)
    return failed(*none.error);
  if (arguments.verify && !*log)
    return failed({ErrorCode::Storage, LH_MESSAGE("ErrorWords", "there is no audit log to verify"), safeText(arguments.auditPath),
                   LH_MESSAGE("ErrorWords", "nothing was released from here yet, or the file was removed: check --audit, HOME and XDG_STATE_HOME")});
  std::optional<Error> broken; // which is told last, behind what the log says all the same
  if (arguments.verify) {
    auto sound = (*log)->verify();
    if (sound)
      verified = std::move(*sound);
    else
      broken = std::move(sound.error());
  }
  if (*log) {
    auto latest = (*log)->latest(arguments.last);
    if (!latest && !broken)
      broken = std::move(latest.error());
    else if (latest)
      records = std::move(*latest);
  }
  if (arguments.json)
    output.put(oneLine(auditJson(records, verified, broken)));
  else if (!records.empty() || (!broken && (verified || arguments.last > 0))) // of none that were asked for there is nothing to say
    output.put(auditText(records, verified, output.colour()));
  return broken ? output.failed(*broken) : ExitCode::Done;
}

} // namespace lockhouse::ctl
