// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/lab/workload/stress_options.h"
#include "core/net/address/uri.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/query/lock_query.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace lockhouse::ctl {

/// What the command line asks for.
struct Arguments {
  std::string verb;       ///< "list", "watch", …
  std::vector<Uri> nodes; ///< never empty
  bool json = false;
  bool all = false;                    ///< low-confidence rows too
  std::string node;                    ///< id or address of the one node meant; empty = every one
  std::string key;                     ///< bytes
  std::optional<std::string> shownKey; ///< of KEY: the other bytes that are shown as it
  std::optional<milliseconds> watchFor;
  std::optional<std::string> holder; ///< bytes; nothing: whoever it is, of --filter; of one KEY, that there may be none to be named
  std::optional<LockQuery> filter;   ///< of list, release and shorten
  std::optional<std::int64_t> count;
  std::optional<std::uint64_t> fence;  ///< of release and shorten: the one that was seen
  std::optional<std::string> time;     ///< the same: the time of the hold that the plan told
  std::optional<ValueType> type;       ///< the same: of the key
  std::optional<std::string> expected; ///< of many that are applied: the mark of the holds that the plan told (markOf)
  std::string reason;
  std::optional<milliseconds> shortenTo;
  bool many = false; ///< of release and shorten: what the filter lets through, or all that the holder has, and no one key
  bool apply = false;
  StressOptions stress;
  std::string auditPath;
  std::size_t last = 20;
  bool verify = false;
  std::string topic;                              ///< of help
  std::string page;                               ///< of primitives and families: whose page; empty = all in short
  bool shapes = false;                            ///< of families: what patterns may be made of
  std::string familiesPath;                       ///< of the settings file with the user's own families; empty: the usual one, if it is there
  std::shared_ptr<const FamilyRegistry> families; ///< read from it; null: the built-in ones
  std::string pagesFolder;                        ///< of primitives: where all pages are to be written
};

/// Why there is nothing to do but to say something and go: help and version (code 0), usage errors (code 2).
struct EarlyExit {
  int code = 0;
  std::string text; ///< help text, or one sentence
};

/// The usage error of a release or shorten of which nobody says whose hold is meant.
std::string needsHolder(const std::string &verb);

/// Reads the command line and LOCKHOUSE_URL. Never repeats a password.
std::expected<Arguments, EarlyExit> parseArguments(const std::vector<std::string> &words, const char *environmentUrl);

} // namespace lockhouse::ctl
