// SPDX-License-Identifier: Apache-2.0
// Who may include whom: design in directions. `app → ui → core`; inside core the rooms only look down.
#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <regex>
#include <set>

namespace lockhouse::arch {
namespace {

struct Include {
  const SourceFile *from;
  std::size_t line;
  std::string target;
  bool quoted;
};

std::vector<Include> includesOf(const SourceTree &tree) {
  static const std::regex directive(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> all;
  for (const auto &file : tree.files())
    if (file.isCpp())
      for (std::size_t i = 0; i < file.lines.size(); ++i)
        if (std::smatch found; std::regex_search(file.lines[i], found, directive))
          all.push_back({&file, i + 1, found[2], found[1] == "\""});
  return all;
}

std::vector<Offence> where(const SourceTree &tree, const std::function<bool(const Include &)> &isWrong) {
  std::vector<Offence> offences;
  for (const auto &include : includesOf(tree))
    if (isWrong(include))
      offences.push_back({include.from->path, include.line, "includes " + include.target});
  return offences;
}

bool isProduct(const SourceFile &file) { return file.isUnder("core/") || file.isUnder("ui/") || file.isUnder("app/"); }

bool isQt(const std::string &target) {
  static const std::regex qt("^(Qt[A-Za-z0-9]*/)?(Q[A-Z]|Qt|qcustomplot)");
  return std::regex_search(target, qt);
}

// "core/net/address/uri.h" → "net"; empty if it is not of core.
std::string roomOf(std::string_view path) {
  if (!path.starts_with("core/"))
    return {};
  path.remove_prefix(5);
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::string{} : std::string(path.substr(0, slash));
}

std::vector<Offence> coreHasNoQt(const SourceTree &tree) {
  return where(tree, [](const Include &include) { return include.from->isUnder("core/") && isQt(include.target); });
}

std::vector<Offence> onlyNetKnowsTheNetwork(const SourceTree &tree) {
  static const std::regex network("^(asio|openssl|hiredis)\\b");
  return where(tree, [](const Include &include) {
    return isProduct(*include.from) && !include.from->isUnder("core/net/") && std::regex_search(include.target, network);
  });
}

std::vector<Offence> onlyStoreKnowsSqlite(const SourceTree &tree) {
  return where(
      tree, [](const Include &include) { return isProduct(*include.from) && !include.from->isUnder("core/store/") && include.target.starts_with("sqlite3"); });
}

std::vector<Offence> onlyPlotKnowsQCustomPlot(const SourceTree &tree) {
  return where(tree, [](const Include &include) {
    return isProduct(*include.from) && !include.from->isUnder("ui/plot/") && include.target.find("qcustomplot") != std::string::npos;
  });
}

// The window may hold values of core; whatever runs (loop, connection, watcher, demo) is reached through the bridge.
std::vector<Offence> onlyTheBridgeRunsCore(const SourceTree &tree) {
  static const std::set<std::string> rooms{"base", "watch", "release"};
  static const std::set<std::string> values{"core/lab/workload/stress_options.h", "core/lab/stress/stress_run.h", "core/lock/pages/primitive_info.h",
                                            "core/store/audit_record.h"};
  return where(tree, [](const Include &include) {
    const auto room = roomOf(include.target);
    return include.from->isUnder("ui/") && !include.from->isUnder("ui/bridge/") && !room.empty() && !rooms.contains(room) && !values.contains(include.target);
  });
}

std::vector<Offence> noRoomLooksUp(const SourceTree &tree) {
  using Rooms = std::set<std::string>;
  static const std::map<std::string, Rooms> below{
      {"base", {}},
      {"lock", {"base"}},
      {"watch", {"base", "lock"}},
      {"release", {"base", "lock", "watch"}},
      {"net", {"base"}},
      {"store", {"base"}},
      {"client", {"base", "lock", "watch", "release", "net", "store"}},
      {"lab", {"base", "lock", "watch", "release", "net", "store", "client"}},
  };
  return where(tree, [](const Include &include) {
    const auto &from = *include.from;
    if (from.isUnder("core/") && (include.target.starts_with("ui/") || include.target.starts_with("app/")))
      return true;
    if (from.isUnder("ui/") && include.target.starts_with("app/"))
      return true;
    if (isProduct(from) && include.target.starts_with("tests/"))
      return true;
    const auto mine = roomOf(from.path), theirs = roomOf(include.target);
    if (mine.empty() || theirs.empty() || mine == theirs)
      return false;
    const auto known = below.find(mine);
    return known == below.end() || !known->second.contains(theirs);
  });
}

// The folders of a room, lowest first: a file includes only from its own folder and from those before it. Files that lie in the room itself
// look at all of them, and none of them looks at those; what is generated belongs to no folder.
const std::map<std::string, std::vector<std::string>> &folderOrder() {
  static const std::map<std::string, std::vector<std::string>> order{
      {"core/lock",
       {"options", "machines", "fencing", "formats", "pages", "primitives", "primitives/blocking", "primitives/handoff", "primitives/multi", "primitives/mutex",
        "primitives/queue", "primitives/redisson", "primitives/setnx", "primitives/shared"}},
      {"core/watch", {"text", "record", "detect", "recognisers", "query", "scan", "server", "node", "fleet"}},
      {"core/release", {"plan", "check", "result", "warnings", "method"}},
      {"core/net", {"address", "loop", "resp", "stream", "connection"}},
      {"core/client", {"support", "watcher", "connection", "node", "release", "quorum", "api", "fallback"}},
      {"core/lab", {"sandbox", "workload", "demo", "stress"}},
      {"ui/model", {"text", "locks", "tables"}},
      {"ui/widget", {"style", "cells", "parts"}},
      {"ui/page", {"actions", "audit", "monitor", "stress", "release", "locks", "window"}},
      {"app/ctl", {"cli", "session", "text", "verbs"}},
  };
  return order;
}

// "core/watch/scan/keyspace_scan.h" → {"core/watch", "scan"}.
std::pair<std::string, std::string> folderOf(const std::string &path) {
  const auto room = path.find('/', path.find('/') + 1), file = path.rfind('/');
  if (room == path.npos)
    return {};
  return {path.substr(0, room), room == file ? std::string{} : path.substr(room + 1, file - room - 1)};
}

std::vector<Offence> noFolderLooksUp(const SourceTree &tree) {
  return where(tree, [](const Include &include) {
    const auto [room, mine] = folderOf(include.from->path);
    const auto [theirRoom, theirs] = folderOf(include.target);
    const auto order = folderOrder().find(room);
    if (room != theirRoom || mine == theirs || mine.empty() || order == folderOrder().end() || include.target.ends_with("/scripts.h"))
      return false;
    const auto &folders = order->second;
    const auto place = [&](const std::string &folder) { return std::ranges::find(folders, folder) - folders.begin(); };
    return place(theirs) >= place(mine);
  });
}

// A folder that the order does not know has no place in it.
std::vector<Offence> everyFolderHasItsPlace(const SourceTree &tree) {
  std::vector<Offence> offences;
  for (const auto &file : tree.files()) {
    const auto [room, folder] = folderOf(file.path);
    const auto order = folderOrder().find(room);
    if (file.isCpp() && !folder.empty() && order != folderOrder().end() && std::ranges::find(order->second, folder) == order->second.end())
      offences.push_back({file.path, 0, "lies in a folder without a place in the order of " + room});
  }
  return offences;
}

std::vector<Offence> ownHeadersAreNamedFromTheRoot(const SourceTree &tree) {
  static const std::array roots{"core/", "ui/", "app/", "tests/"};
  return where(tree, [](const Include &include) {
    const bool rooted = std::ranges::any_of(roots, [&](std::string_view root) { return include.target.starts_with(root); });
    const bool generated = include.target.ends_with(".moc");
    const bool stranger = include.from->isUnder("tests/arch/consumer/"); // another project
    return include.quoted && !rooted && !generated && !stranger;
  });
}

} // namespace

const std::vector<Rule> &includeRules() {
  static const std::vector<Rule> rules{
      {"coreHasNoQt", coreHasNoQt},
      {"onlyNetKnowsTheNetwork", onlyNetKnowsTheNetwork},
      {"onlyStoreKnowsSqlite", onlyStoreKnowsSqlite},
      {"onlyPlotKnowsQCustomPlot", onlyPlotKnowsQCustomPlot},
      {"onlyTheBridgeRunsCore", onlyTheBridgeRunsCore},
      {"noRoomLooksUp", noRoomLooksUp},
      {"noFolderLooksUp", noFolderLooksUp},
      {"everyFolderHasItsPlace", everyFolderHasItsPlace},
      {"ownHeadersAreNamedFromTheRoot", ownHeadersAreNamedFromTheRoot},
  };
  return rules;
}

} // namespace lockhouse::arch
