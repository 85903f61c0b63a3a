// SPDX-License-Identifier: Apache-2.0
// What Medallion.Threading names its holders by: machine, process and id. Ordinary data is named so too.
#include "core/base/encoding.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <array>

namespace lockhouse {
namespace {

bool isYear(std::string_view pid) { return pid.size() >= 4 && pid.size() != 5 && (pid.starts_with("19") || pid.starts_with("20")); } // or a day

// Who gave his machine no number: "ubuntu", "Johns-MacBook-Pro.local"; of any other word "seg_1024_<hash>" may be a part of a film.
bool isUsualHost(std::string_view host) {
  constexpr std::array<std::string_view, 9> names{"localhost", "ubuntu", "debian", "centos", "fedora", "alpine", "raspberrypi", "vps", "server"};
  constexpr std::array<std::string_view, 4> domains{".local", ".lan", ".internal", ".localdomain"};
  return std::ranges::find(names, host) != names.end() || std::ranges::any_of(domains, [host](std::string_view end) { return host.ends_with(end); });
}

// "WEB01", "web-1", "web01", a container's twelve hex digits; not "report", of which "report_2026_<hash>" may tell a version.
bool isMachine(std::string_view host, std::string_view pid) {
  const auto has = [host](char least, char most) { return std::ranges::any_of(host, [=](char c) { return c >= least && c <= most; }); };
  const bool isNumbered = has('0', '9') && (host.contains('-') || (host.size() == 12 && isHex(host)) || (has('a', 'z') && !isYear(pid)));
  return isNumbered || (has('A', 'Z') && !has('a', 'z'));
}

// "img_1_<hash>" of a picture is no machine, process and id, nor is "report_2026_<hash>", or "report_7_<hash>" among the reports.
bool isOfData(const Holder &holder, std::string_view key) { // "<host>_<pid>_<32 hex>"
  const std::string_view machine = holder.id;
  const auto head = machine.substr(0, machine.size() - std::min<std::size_t>(machine.size(), 33));
  const auto mark = std::min(head.rfind('_'), head.size());
  const auto host = head.substr(0, mark), pid = head.substr(std::min(mark + 1, head.size()));
  return namesData(nameEvidence(host)) || (!isMachine(host, pid) && (isYear(pid) || key.contains(host)));
}

} // namespace

std::optional<FamilyMatch> matchDistributedSemaphore(const Family &family, const KeyFacts &facts) {
  auto match = matchByForms(family, facts);
  const auto isData = [&facts](const Holder &holder) { return isOfData(holder, facts.key); };
  if (match && (namesData(facts.name()) || (!facts.name().lock && std::ranges::all_of(match->draft.holders, isData))))
    doubtAsData(match->draft);
  return match;
}

// Machine, process and id say nearly all, where they are held for as long as a lock.
std::optional<FamilyMatch> matchDistributedLock(const Family &family, const KeyFacts &facts) {
  constexpr double byValue = 0.55, named = 0.9;
  auto match = matchByForms(family, facts);
  if (!match || match->draft.confidence >= shownConfidence || !facts.ttl || *facts.ttl > longestHold)
    return match;
  const auto &name = facts.name();
  const auto head = std::string_view(facts.value).substr(0, facts.value.size() - 33);
  const auto mark = head.rfind('_');
  const auto host = head.substr(0, mark), pid = head.substr(mark + 1);
  const bool speaks = name.lock && !name.hidden && !name.explained;
  if (name.attribute || !(isMachine(host, pid) || isUsualHost(host)) || ((name.contrary || name.data || name.connected) && !speaks))
    return match;
  match->draft.confidence = speaks ? named : byValue;
  if (speaks)
    match->draft.evidence.front() = evidenceOf(family.forms.front());
  return match;
}

} // namespace lockhouse
