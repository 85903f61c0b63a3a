// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/arguments.h"

#include "core/base/encoding.h"
#include "core/base/safe_text.h"
#include "core/net/address/hide_passwords.h"
#include "core/store/audit_log.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sstream>

namespace lockhouse::ctl {
namespace {

/// Words as CLI11 collects them, before they have a meaning.
struct Raw {
  std::vector<std::string> urls;
  std::optional<std::string> key, keyBase64, holder, holderBase64, filter; // given and empty is one too
  std::string keys, acks;
  std::optional<double> forSeconds, durationSeconds;
  std::optional<std::int64_t> hold, think, lease, shortenTo;
  bool plan = false;
  const CLI::Option *primitive = nullptr, *stripes = nullptr;
};

std::unexpected<EarlyExit> usage(const std::string &sentence) { return std::unexpected(EarlyExit{2, sentence + "; see lockhousectl --help"}); }

// Digits only, so that nothing wraps, is cut or is rounded on its way to a number.
template <class Number> std::optional<Number> numberIn(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string &text) {
    const auto number = numberIn<std::uint64_t>(text);
    return number && *number >= least && *number <= most ? std::string() : fmt::format("give a whole number from {} to {}", least, most);
  };
  return {check, ""};
}

CLI::Validator someSeconds(double least, double most) {
  const auto check = [least, most](const std::string &text) {
    const auto number = numberIn<double>(text);
    return number && *number >= least && *number <= most ? std::string() : fmt::format("give seconds, from {} to {:.0f}", least, most); // nan is none of them
  };
  return {check, ""};
}

bool isOption(std::string_view word) {
  return word.starts_with("--") && std::ranges::all_of(word.substr(2), [](char c) { return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

// A forgotten value makes the parser take the option behind it.
CLI::Validator noOption() {
  return {[](const std::string &text) { return isOption(text) ? std::string("give it a value that is not an option") : std::string(); }, ""};
}

const std::map<std::string, ValueType> &types() {
  static const std::map<std::string, ValueType> known{
      {"string", ValueType::String}, {"hash", ValueType::Hash}, {"list", ValueType::List}, {"set", ValueType::Set}, {"zset", ValueType::SortedSet}};
  return known;
}

CLI::Validator typeOfKey() {
  return {[](const std::string &word) { return types().contains(word) ? std::string() : std::string("give string, hash, list, set or zset"); },
          "string|hash|list|set|zset"};
}

CLI::Validator someText() {
  const auto check = [](const std::string &text) {
    return text.empty() || isOption(text) ? std::string("give it a value that is neither empty nor an option") : std::string();
  };
  return {check, ""};
}

constexpr auto mostNumber = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::uint64_t mostMilliseconds = 1'000'000'000'000; // a stress run's own limits are lower

std::optional<milliseconds> fromSeconds(std::optional<double> number) {
  return number ? std::optional(milliseconds(std::llround(*number * 1000))) : std::nullopt;
}

void addLockWords(CLI::App &verb, Arguments &arguments, Raw &raw) {
  // By functions: the parser would take an empty word for an optional that is not there.
  const auto into = [](std::optional<std::string> &key) { return [&key](const std::string &word) { key = word; }; };
  verb.add_option_function<std::string>("KEY", into(raw.key), "the lock's key, or as list shows it; '' is the empty one");
  verb.add_option_function<std::string>("--key-b64", into(raw.keyBase64), "the key in base64, in place of KEY, for bytes that a shell cannot take")
      ->check(noOption());
  verb.add_option("--node", arguments.node, "only on this node: its id or address as list shows it")->check(someText());
}

void addFilter(CLI::App &verb, Raw &raw) {
  verb.add_option_function<std::string>(
          "--filter", [&raw](const std::string &text) { raw.filter = text; }, "only what these words let through: state:suspect family:redisson age>5m order")
      ->check(noOption());
}

void addHold(CLI::App &verb, Arguments &arguments, Raw &raw) {
  addLockWords(verb, arguments, raw);
  addFilter(verb, raw);
  const auto into = [](std::optional<std::string> &text) { return [&text](const std::string &word) { text = word; }; };
  verb.add_option_function<std::string>("--holder", into(raw.holder), "the holder you saw: its id as list shows it; '' where that is empty")->check(noOption());
  verb.add_option_function<std::string>("--holder-b64", into(raw.holderBase64), "the same in base64")->check(noOption());
  verb.add_option("--count", arguments.count, "the count you saw; left out: whatever it is now")->check(wholeNumber(1, mostNumber));
  verb.add_option("--fence", arguments.fence, "the fence you saw: where it is another now, the lock was acquired again, and that is refused")
      ->check(wholeNumber(0, mostNumber));
  verb.add_option("--time", arguments.time, "the time that the plan told of the hold: where it is another now, that is refused too")->check(someText());
  verb.add_option_function<std::string>(
          "--type", [&arguments](const std::string &word) { arguments.type = types().at(word); },
          "the type of the key that you saw: a lock of another type is another lock")
      ->check(typeOfKey());
  verb.add_option("--expect", arguments.expected, "of many: the mark that closed the plan; where they are not the same holds by then, nothing is done")
      ->check(someText());
  verb.add_option("--reason", arguments.reason, "why; kept in the audit log; --plan needs none")->check(someText());
  auto *plan = verb.add_flag("--plan", raw.plan, "only say what would happen");
  verb.add_flag("--apply", arguments.apply, "do it")->excludes(plan);
  verb.add_option("--audit", arguments.auditPath, "file of the audit log")->check(someText());
}

void addRelease(CLI::App &app, Arguments &arguments, Raw &raw) {
  addHold(*app.add_subcommand("release",
                              "Compare and release: frees a lock only if holder and count are as given; with --all and no KEY, everything that the holder has")
               ->fallthrough(),
          arguments, raw);
  auto &shorten = *app.add_subcommand("shorten", "Compare and shorten a lease: a holder that renews in time keeps it, any other loses it")->fallthrough();
  addHold(shorten, arguments, raw);
  shorten.add_option("--to", raw.shortenTo, "how long the lease is to last from now, in ms")->check(wholeNumber(1, mostMilliseconds));
}

void addStress(CLI::App &app, Arguments &arguments, Raw &raw) {
  auto &verb = *app.add_subcommand("stress", "Many virtual clients take and release locks; checks that no two were inside at once")->fallthrough();
  auto &stress = arguments.stress;
  constexpr auto mostUnsigned = std::numeric_limits<unsigned>::max();
  raw.primitive = verb.add_option("--primitive", stress.primitive, "a name from primitives; of several --url it is RedLock");
  verb.get_option("--primitive")->capture_default_str()->check(someText());
  verb.add_option("--policy", stress.policy, "how a client waits; see primitives")->check(someText());
  verb.add_option("--clients", stress.clients, "virtual clients")->capture_default_str()->check(wholeNumber(1, mostUnsigned));
  verb.add_option("--keys", raw.keys, "own = a key for each client, or how many they share (1)")->check(someText());
  raw.stripes = verb.add_option("--stripes", stress.stripes, "of StripedLock: on how many locks its keys live")
                    ->capture_default_str()
                    ->check(wholeNumber(1, mostUnsigned));
  verb.add_option("--hold", raw.hold, "milliseconds inside the lock (0)")->check(wholeNumber(0, mostMilliseconds));
  verb.add_option("--think", raw.think, "milliseconds between two rounds of a client (0)")->check(wholeNumber(0, mostMilliseconds));
  verb.add_option("--lease", raw.lease, "milliseconds of lease (30000)")->check(wholeNumber(1, mostMilliseconds));
  verb.add_option("--acks", raw.acks, "replicas that must have a hold: a number, majority or all (none)")->check(someText());
  auto *duration = verb.add_option("--duration", raw.durationSeconds, "seconds to run")->check(someSeconds(0.001, 1e7));
  verb.add_option("--count", stress.count, "pairs of acquire and release to run, in all")->check(wholeNumber(1, mostNumber))->excludes(duration);
}

void addVerbs(CLI::App &app, Arguments &arguments, Raw &raw) {
  addFilter(*app.add_subcommand("list", "Every lock of every node, once")->fallthrough(), raw);
  auto &watch = *app.add_subcommand("watch", "One line for every change, until interrupted")->fallthrough();
  watch.add_option("--for", raw.forSeconds, "stop after so many seconds")->check(someSeconds(0, 1e7));
  addLockWords(*app.add_subcommand("show", "One lock, read afresh: holders, queue, evidence")->fallthrough(), arguments, raw);
  addRelease(app, arguments, raw);
  addStress(app, arguments, raw);
  auto &primitives = *app.add_subcommand("primitives", "What each lock primitive promises, and what it does not")->fallthrough();
  auto *page = primitives.add_option("NAME", arguments.page, "all about this one: keys, costs, an example; or about outcomes, owners, replicas, fences")
                   ->check(someText());
  primitives.add_option("--pages", arguments.pagesFolder, "write the page of each into this folder, as Markdown")->check(someText())->excludes(page);
  auto &families = *app.add_subcommand("families", "Whose locks are recognised: libraries and primitives, by what, and how each is freed")->fallthrough();
  auto *slug = families.add_option("SLUG", arguments.page, "all about this one")->check(someText());
  families.add_flag("--shapes", arguments.shapes, "what the patterns of a family may be made of")->excludes(slug);
  auto &audit = *app.add_subcommand("audit", "The releases made from this machine")->fallthrough();
  audit.add_option("--last", arguments.last, "how many records")->capture_default_str()->check(wholeNumber(0, mostNumber));
  audit.add_flag("--verify", arguments.verify, "check the whole chain");
  audit.add_option("--audit", arguments.auditPath, "file of the audit log")->check(someText());
  app.add_subcommand("demo", "Private servers with traffic to look at, until interrupted")->fallthrough();
  app.add_subcommand("help", "This text; help VERB: its options; help json: the fields of the JSON output")
      ->fallthrough()
      ->add_option("TOPIC", arguments.topic, "a verb, or json");
}

void addGlobals(CLI::App &app, Arguments &arguments, Raw &raw) {
  app.add_option("--url", raw.urls, "a node: redis://, rediss:// or unix://; repeat for several (redis://127.0.0.1:6379, or LOCKHOUSE_URL)")
      ->type_name("URL")
      ->allow_extra_args(false);
  app.add_flag("--json", arguments.json, "JSON instead of text; lockhousectl help json lists the fields");
  app.add_option("--families", arguments.familiesPath, "settings file with families of your own (lockhouse/families.toml in $XDG_CONFIG_HOME or ~/.config)")
      ->type_name("FILE")
      ->check(someText());
  app.add_flag("--all", arguments.all,
               "rows that are probably no locks, too; of release and shorten such a KEY, and without a KEY everything that the holder has");
  app.set_version_flag("--version", "lockhousectl " LOCKHOUSE_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 2 usage, 3 nothing reachable, or not all that a release was meant for, 4 authentication or permission, 5 refused.");
}

// CLI11 takes a vector last word first; and for "--option=" the word behind it, where an empty one is meant.
std::vector<std::string> parserWords(const std::vector<std::string> &words) {
  std::vector<std::string> all;
  bool isOver = false; // behind "--" nothing is an option
  for (const auto &word : words) {
    isOver = isOver || word == "--";
    const auto name = word.substr(0, word.find('='));
    const bool isEmpty = !isOver && name.size() + 1 == word.size() && isOption(name);
    all.push_back(isEmpty ? name : word);
    if (isEmpty)
      all.emplace_back();
  }
  std::ranges::reverse(all);
  return all;
}

std::expected<void, EarlyExit> takeNodes(Arguments &arguments, std::vector<std::string> urls, const char *environmentUrl) {
  if (urls.empty() && environmentUrl != nullptr) {
    std::istringstream words(environmentUrl);
    for (std::string word; words >> word;)
      urls.push_back(word);
  }
  if (urls.empty())
    urls.emplace_back("redis://127.0.0.1:6379");
  auto nodes = parseUris(urls);
  if (!nodes)
    return usage(nodes.error().sentence());
  arguments.nodes = std::move(*nodes);
  return {};
}

std::expected<void, EarlyExit> takeKey(Arguments &arguments, const Raw &raw) {
  if (raw.key.has_value() == raw.keyBase64.has_value())
    return usage(arguments.verb + " takes one lock: give KEY or --key-b64");
  const auto key = raw.key ? raw.key : fromBase64(*raw.keyBase64);
  if (!key)
    return usage("--key-b64 is not padded base64");
  arguments.key = *key;
  arguments.shownKey = raw.key ? bytesShownAs(*raw.key) : std::nullopt;
  return {};
}

std::expected<void, EarlyExit> takeFilter(Arguments &arguments, const Raw &raw) {
  if (!raw.filter)
    return {};
  auto query = LockQuery::parse(*raw.filter);
  if (!query)
    return usage("--filter: " + safeText(query.error().sentence()));
  if (query->terms().empty())
    return usage("--filter is empty: name what is meant, as in --filter state:suspect");
  arguments.filter = std::move(*query);
  return {};
}

std::expected<void, EarlyExit> takeHolder(Arguments &arguments, const Raw &raw) {
  const bool isGiven = raw.holder || raw.holderBase64;
  if (!isGiven && arguments.many && !arguments.filter)
    return usage(needsHolder(arguments.verb));
  const auto bytes = raw.holderBase64 ? fromBase64(*raw.holderBase64) : raw.holder;
  if (isGiven && (!bytes || (raw.holder && raw.holderBase64)))
    return usage("give --holder, or --holder-b64 in padded base64");
  arguments.holder = bytes;
  return {};
}

std::expected<void, EarlyExit> takeRelease(Arguments &arguments, const Raw &raw) {
  const bool isOne = raw.key || raw.keyBase64;
  if (isOne && raw.filter)
    return usage(arguments.verb + " takes one lock or a --filter, not both");
  if (auto filter = takeFilter(arguments, raw); !filter)
    return filter;
  arguments.many = !isOne && (arguments.all || arguments.filter);
  if (auto key = arguments.many ? std::expected<void, EarlyExit>() : takeKey(arguments, raw); !key)
    return key;
  if (arguments.many && arguments.count)
    return usage(arguments.verb + " of many takes every hold as it is now: leave --count out");
  if (arguments.many && arguments.fence)
    return usage(arguments.verb + " of many takes every hold as it is now: leave --fence out");
  if (arguments.many && arguments.time)
    return usage(arguments.verb + " of many takes every hold as it is now: leave --time out");
  if (arguments.many && arguments.type)
    return usage(arguments.verb + " of many takes every hold as it is now: leave --type out");
  if (auto holder = takeHolder(arguments, raw); !holder)
    return holder;
  if (arguments.apply == raw.plan)
    return usage(arguments.verb + " needs --plan or --apply");
  if (arguments.expected && !(arguments.many && arguments.apply))
    return usage("--expect is of --apply with a --filter, or with --all and no KEY");
  if (arguments.apply && arguments.reason.find_first_not_of(" \t\r\n") == std::string::npos)
    return usage(arguments.verb + " needs --reason: it is kept in the audit log");
  if (arguments.verb == "shorten" && !raw.shortenTo)
    return usage("shorten needs --to: how many ms the lease is to last");
  if (raw.shortenTo)
    arguments.shortenTo = milliseconds(*raw.shortenTo);
  return {};
}

std::expected<void, EarlyExit> takeStress(Arguments &arguments, const Raw &raw) {
  auto &stress = arguments.stress;
  if (arguments.nodes.size() > 1 && raw.primitive->count() == 0)
    stress.primitive = "RedLock";
  if (raw.stripes->count() > 0 && stress.primitive != "StripedLock")
    return usage("--stripes is of StripedLock: add --primitive StripedLock");
  if (raw.keys == "own")
    stress.keys = 0;
  else if (!raw.keys.empty()) {
    const auto keys = numberIn<unsigned>(raw.keys);
    if (keys.value_or(0) == 0)
      return usage("--keys is own or a number above 0");
    stress.keys = *keys;
  }
  if (!raw.acks.empty()) {
    const auto acks = ReplicaAck::named(raw.acks);
    if (!acks)
      return usage("--acks is majority, all or a number above 0");
    stress.acknowledge = *acks;
  }
  stress.hold = milliseconds(raw.hold.value_or(stress.hold.count()));
  stress.think = milliseconds(raw.think.value_or(stress.think.count()));
  stress.lease = milliseconds(raw.lease.value_or(stress.lease.count()));
  stress.duration = fromSeconds(raw.durationSeconds);
  if (!stress.duration && !stress.count)
    return usage("stress needs --duration or --count");
  if (auto fitting = checkNodes(arguments.nodes, stress); !fitting)
    return usage(fitting.error().sentence());
  return {};
}

std::expected<Arguments, EarlyExit> understand(Arguments arguments, const Raw &raw, const char *environmentUrl) {
  if (auto nodes = takeNodes(arguments, raw.urls, environmentUrl); !nodes)
    return std::unexpected(nodes.error());
  std::expected<void, EarlyExit> taken;
  if (arguments.verb == "show")
    taken = takeKey(arguments, raw);
  else if (arguments.verb == "list")
    taken = takeFilter(arguments, raw);
  else if (arguments.verb == "release" || arguments.verb == "shorten")
    taken = takeRelease(arguments, raw);
  else if (arguments.verb == "stress")
    taken = takeStress(arguments, raw);
  if (!taken)
    return std::unexpected(taken.error());
  arguments.watchFor = fromSeconds(raw.forSeconds);
  if (arguments.auditPath.empty())
    arguments.auditPath = defaultAuditPath();
  return arguments;
}

EarlyExit ofParseError(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream out;
    std::ostringstream unused;
    app.exit(error, out, unused);
    return {0, out.str()};
  }
  const auto unknown = app.remaining(true);
  const bool verbIsMissing = app.get_subcommands().empty();
  if (!unknown.empty() && (verbIsMissing || dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr))
    return usage(fmt::format("unknown word {}", withoutPassword(unknown.front()))).error();
  if (verbIsMissing && dynamic_cast<const CLI::RequiredError *>(&error) != nullptr)
    return usage("say what to do: list, watch, show, release, shorten, stress, primitives, families, audit, demo or help").error();
  return usage(withoutPassword(error.what())).error();
}

EarlyExit helpOf(CLI::App &app, const std::string &topic) {
  if (topic.empty())
    return {0, app.help()};
  for (const auto *verb : app.get_subcommands({}))
    if (verb->get_name() == topic)
      return {0, verb->help(app.get_name())};
  return usage(fmt::format("help knows json and the verbs, not {}", withoutPassword(topic))).error();
}

} // namespace

std::string needsHolder(const std::string &verb) { return verb + " needs --holder: the id that list shows"; }

std::expected<Arguments, EarlyExit> parseArguments(const std::vector<std::string> &words, const char *environmentUrl) {
  CLI::App app("See, understand and release the locks kept in Redis.", "lockhousectl");
  Arguments arguments;
  Raw raw;
  addGlobals(app, arguments, raw);
  addVerbs(app, arguments, raw);
  try {
    app.parse(parserWords(words));
  } catch (const CLI::ParseError &error) {
    return std::unexpected(ofParseError(app, error));
  }
  arguments.verb = app.get_subcommands().front()->get_name();
  if (arguments.verb == "help" && arguments.topic != "json")
    return std::unexpected(helpOf(app, arguments.topic));
  return understand(std::move(arguments), raw, environmentUrl);
}

} // namespace lockhouse::ctl
