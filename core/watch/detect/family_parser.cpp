// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_parser.h"

#include "core/base/safe_text.h"
#include "core/watch/detect/family_validator.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace lockhouse {
namespace {

template <class Value> using Words = std::span<const std::pair<std::string_view, Value>>;

constexpr std::array<std::pair<std::string_view, ValueType>, 5> types{
    {{"string", ValueType::String}, {"hash", ValueType::Hash}, {"zset", ValueType::SortedSet}, {"set", ValueType::Set}, {"list", ValueType::List}}};

/// One table of the file on its way to becoming a family: remembers the first thing that is wrong.
class Reader {
public:
  explicit Reader(std::string_view file) : m_file(file) {}

  bool failed() const { return m_error.has_value(); }
  Error takeError() { return std::move(*m_error); }

  void fail(const toml::node &at, Message what, Message next = {}) { fail(at.source().begin.line, std::move(what), std::move(next)); }
  void fail(std::size_t line, Message what, Message next = {}) {
    if (!m_error)
      m_error = Error{ErrorCode::Usage, std::move(what), fmt::format("{}:{}", m_file, line), std::move(next)};
  }

  void onlyKnows(const toml::table &table, std::string_view what, std::span<const std::string_view> names) {
    for (const auto &[key, value] : table)
      if (std::ranges::find(names, key.str()) == names.end())
        fail(value, LH_ENGLISH("'%1' is nothing that a %2 has")(key.str(), what), LH_ENGLISH("write one of: %1")(fmt::format("{}", fmt::join(names, ", "))));
  }

  std::string text(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (!node)
      return {};
    const auto value = node->value_exact<std::string>();
    if (!value)
      fail(*node, LH_ENGLISH("'%1' is no text")(name), LH_ENGLISH("put it in quotes"));
    return value.value_or("");
  }

  /// For people: bytes that would steer a terminal are shown and not obeyed.
  std::string words(const toml::table &table, std::string_view name) { return safeText(text(table, name), mostWords); }

  std::vector<std::string> texts(const toml::table &table, std::string_view name) {
    std::vector<std::string> all;
    const auto *node = table.get(name);
    if (!node)
      return all;
    if (!node->is_array())
      fail(*node, LH_ENGLISH("'%1' is no list of texts")(name), LH_ENGLISH("write it as [\"…\"]"));
    else
      for (const auto &each : *node->as_array())
        if (const auto value = each.value_exact<std::string>())
          all.push_back(safeText(*value, mostWords));
        else
          fail(each, LH_ENGLISH("'%1' has something in it that is no text")(name), LH_ENGLISH("put each in quotes"));
    return all;
  }

  bool flag(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (node && !node->is_boolean())
      fail(*node, LH_ENGLISH("'%1' is neither true nor false")(name));
    return node && node->value_or(false);
  }

  std::optional<milliseconds> span(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (!node)
      return std::nullopt;
    const auto value = node->value_exact<std::int64_t>().value_or(0);
    if (value <= 0)
      fail(*node, LH_ENGLISH("'%1' is no number of milliseconds")(name), LH_ENGLISH("write a whole number above 0"));
    return milliseconds(value);
  }

  std::optional<Pattern> pattern(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    return node ? patternOf(*node, name, text(table, name)) : std::nullopt;
  }

  std::vector<Pattern> patterns(const toml::table &table, std::string_view name) {
    std::vector<Pattern> all;
    for (const auto &each : texts(table, name))
      if (auto pattern = patternOf(*table.get(name), name, each))
        all.push_back(std::move(*pattern));
    return all;
  }

  template <class Value> Value word(const toml::table &table, std::string_view name, Words<Value> words, std::optional<Value> otherwise) {
    const auto *node = table.get(name);
    if (!node && !otherwise)
      fail(table, LH_ENGLISH("'%1' is missing")(name), allowed(words));
    if (!node || failed())
      return otherwise.value_or(Value{});
    const auto given = text(table, name);
    const auto found = std::ranges::find(words, given, [](const auto &each) { return each.first; });
    if (found != words.end())
      return found->second;
    fail(*node, LH_ENGLISH("'%1' is no %2")(given, name), allowed(words));
    return Value{};
  }

  /// Visits each table of the array whose whole name is `path`, "family.form", and which lies in `table`.
  template <class Visit> void each(const toml::table &table, std::string_view path, Visit visit) {
    const auto name = path.substr(path.rfind('.') + 1);
    const auto *node = table.get(name);
    if (!node)
      return;
    if (!node->is_array_of_tables())
      return fail(*node, LH_ENGLISH("'%1' is no list of tables")(name), LH_ENGLISH("open each with [[%1]]")(path));
    for (const auto &entry : *node->as_array())
      if (!failed())
        visit(*entry.as_table());
  }

private:
  static constexpr std::size_t mostWords = 2000;
  std::string_view m_file;
  std::optional<Error> m_error;

  std::optional<Pattern> patternOf(const toml::node &node, std::string_view name, std::string_view text) {
    auto pattern = Pattern::parse(text);
    if (!pattern)
      fail(node, LH_ENGLISH("'%1' is no pattern: %2")(name, pattern.error()));
    return pattern ? std::optional(std::move(*pattern)) : std::nullopt;
  }

  template <class Value> static Message allowed(Words<Value> words) {
    std::string all;
    for (const auto &[word, value] : words)
      all += fmt::format("{}{}", &word == &words.front().first ? "" : ", ", word);
    return LH_ENGLISH("write one of: %1")(all);
  }
};

template <class Value, std::size_t n> std::array<std::pair<std::string_view, Value>, n> named(const std::array<Value, n> &values) {
  std::array<std::pair<std::string_view, Value>, n> words;
  std::ranges::transform(values, words.begin(), [](Value value) { return std::pair(name(value), value); });
  return words;
}

const auto kinds = named(std::array{LockKind::Mutex, LockKind::Reentrant, LockKind::Fair, LockKind::ReadWrite, LockKind::Semaphore, LockKind::Latch});
const auto waits = named(std::array{Waits::Unseen, Waits::Never, Waits::Listening, Waits::Queued, Waits::Blocked});
const auto scores = named(std::array{ScoreMeaning::Until, ScoreMeaning::UntilSeconds, ScoreMeaning::Since, ScoreMeaning::SinceSeconds, ScoreMeaning::Order});
const auto modes = named(std::array{HoldMode::Exclusive, HoldMode::Read, HoldMode::Write});
const auto roles =
    named(std::array{Role::Queue, Role::Deadlines, Role::Counter, Role::Permits, Role::Readers, Role::Signal, Role::Vote, Role::Support, Role::Part});

double confidenceOf(Reader &reader, const toml::table &table) {
  const auto *node = table.get("confidence");
  const auto value = node ? node->value<double>() : std::nullopt;
  if (!node)
    reader.fail(table, LH_ENGLISH("'confidence' is missing"), LH_ENGLISH("say from 0 to 1 how sure the form makes it; 0.5 and more is shown"));
  else if (!value || !(*value >= 0 && *value <= 1))
    reader.fail(*node, LH_ENGLISH("'confidence' is no number from 0 to 1"));
  return value.value_or(0);
}

std::string classesOf(Reader &reader, const toml::table &table, std::string otherwise) {
  if (!table.contains("release"))
    return otherwise;
  auto classes = reader.text(table, "release");
  if (!reader.failed() && (classes.empty() || classes.find_first_not_of(releaseClasses) != classes.npos))
    reader.fail(*table.get("release"), LH_ENGLISH("'%1' is no way of releasing")(classes), LH_ENGLISH("write letters of %1")(releaseClasses));
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes.find(classes[i], i + 1) != classes.npos)
      reader.fail(*table.get("release"), LH_ENGLISH("'%1' names %2 twice")(classes, std::string(1, classes[i])), LH_ENGLISH("write each letter once"));
  return classes;
}

Form readForm(Reader &reader, const toml::table &table) {
  static constexpr std::array<std::string_view, 17> known{"leased", "type",    "key",        "value",    "field",      "member",
                                                          "score",  "mode",    "confidence", "evidence", "named_lock", "amid_others",
                                                          "lone",   "waiting", "witnessed",  "release",  "advice"};
  reader.onlyKnows(table, "form", known);
  Form form;
  form.type = reader.word<ValueType>(table, "type", types, std::nullopt);
  form.key = reader.pattern(table, "key");
  const bool isHash = form.type == ValueType::Hash, isString = form.type == ValueType::String;
  const std::string_view element = isString ? "value" : isHash ? "field" : "member";
  for (const std::string_view other : {"value", "field", "member"})
    if (const auto *node = table.get(other); node && other != element && !(isHash && other == "value"))
      reader.fail(*node, LH_ENGLISH("'%1' is nothing that this type has")(other), LH_ENGLISH("write '%1'")(element));
  form.element = reader.pattern(table, element);
  if (isHash)
    form.content = reader.pattern(table, "value");
  if (form.content && form.content->captures("id"))
    reader.fail(*table.get("value"), LH_ENGLISH("the holders of a hash are its fields, not their values"), LH_ENGLISH("write {id} into 'field'"));
  form.score = reader.word<ScoreMeaning>(table, "score", scores, ScoreMeaning::None);
  if (form.score != ScoreMeaning::None && form.type != ValueType::SortedSet)
    reader.fail(*table.get("score"), LH_ENGLISH("only a zset has scores"));
  form.mode = reader.word<HoldMode>(table, "mode", modes, HoldMode::Exclusive);
  form.confidence = confidenceOf(reader, table);
  form.evidence = reader.words(table, "evidence");
  form.isNamedLock = reader.flag(table, "named_lock");
  form.isAmidOthers = reader.flag(table, "amid_others");
  form.isLone = reader.flag(table, "lone");
  form.isWaiting = reader.flag(table, "waiting");
  form.hasEvidence = reader.flag(table, "witnessed");
  form.isLeased = reader.flag(table, "leased");
  form.releaseClass = classesOf(reader, table, {});
  if (form.releaseClass.find_first_of("BC") != form.releaseClass.npos)
    reader.fail(*table.get("release"), LH_ENGLISH("B and C are of all of a family's locks"), LH_ENGLISH("write them into its own 'release'"));
  form.advice = reader.texts(table, "advice");
  return form;
}

void readCompanions(Reader &reader, const toml::table &table, Family &family) {
  static constexpr std::array<std::string_view, 8> known{"key", "type", "role", "field", "wake", "opening", "score", "waiters"};
  reader.onlyKnows(table, "key beside a lock", known);
  auto key = reader.pattern(table, "key");
  const auto type = reader.word<ValueType>(table, "type", types, std::nullopt);
  const auto role = reader.word<Role>(table, "role", roles, Role::Part);
  if (!key)
    return reader.fail(table, LH_ENGLISH("'key' is missing"), LH_ENGLISH("write the pattern of its name, with {lock} for the lock's own"));
  auto field = reader.text(table, "field");
  if (!field.empty() && (role != Role::Support || type != ValueType::Hash))
    reader.fail(*table.get("field"), LH_ENGLISH("only a witness of type hash is asked for a field"));
  auto opening = reader.text(table, "opening"), wake = reader.text(table, "wake");
  for (const auto &[word, of] : {std::pair("opening", Role::Vote), std::pair("wake", Role::Queue), std::pair("waiters", Role::Queue)})
    if (const auto *node = table.get(word); node && role != of)
      reader.fail(*node, LH_ENGLISH("only a %1 has '%2'")(name(of), word));
  auto waiters = reader.patterns(table, "waiters");
  if (const auto *node = table.get("waiters");
      node && !reader.failed() && (waiters.empty() || std::ranges::any_of(waiters, &std::string::empty, &Pattern::text)))
    reader.fail(*node, LH_ENGLISH("'waiters' names nobody who could stand in the queue"),
                LH_ENGLISH("write a pattern of each kind of those who do, as [\"{host:word}:{pid:digits}\"]"));
  const auto score = reader.word<ScoreMeaning>(table, "score", scores, ScoreMeaning::None);
  const bool isEnd = score == ScoreMeaning::None || score == ScoreMeaning::Until || score == ScoreMeaning::UntilSeconds;
  if (table.contains("score") && (role != Role::Queue || type != ValueType::SortedSet || !isEnd))
    reader.fail(*table.get("score"), LH_ENGLISH("only a queue of type zset has 'score', and only for when its places lapse"),
                LH_ENGLISH("write score = \"until\" or \"until_s\", or leave it out"));
  family.companion.push_back({std::move(*key), type, role, std::move(field), std::move(opening), std::move(wake), score, std::move(waiters)});
}

const toml::node &placeOf(const toml::table &family, const FamilyFault &fault) {
  const auto *table = fault.list.empty() ? &family : family.get(fault.list)->as_array()->get(fault.index)->as_table();
  const auto *node = table->get(fault.word);
  return node ? *node : *table;
}

std::string slugOf(Reader &reader, const toml::table &table, const std::vector<Family> &before, std::span<const Family> taken) {
  auto slug = reader.text(table, "slug");
  const auto isAllowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (slug.empty() || !std::ranges::all_of(slug, isAllowed) || slug.front() == '-' || slug.back() == '-' || slug.size() > 40)
    reader.fail(table.contains("slug") ? *table.get("slug") : static_cast<const toml::node &>(table),
                slug.empty() ? Message(LH_ENGLISH("'slug' is missing")) : LH_ENGLISH("'%1' is no slug")(slug),
                LH_ENGLISH("name it with lower-case letters, digits and dashes, the library first, at most 40"));
  else if (std::ranges::find(before, slug, &Family::slug) != before.end())
    reader.fail(*table.get("slug"), LH_ENGLISH("the family '%1' is there twice")(slug), LH_ENGLISH("give it a name of its own, or put its forms together"));
  else if (std::ranges::find(taken, slug, &Family::slug) != taken.end())
    reader.fail(*table.get("slug"), LH_ENGLISH("the family '%1' is built in")(slug), LH_ENGLISH("give yours a name of its own"));
  return slug;
}

std::size_t companionKeysOf(std::span<const Family> families) {
  std::size_t keys = 0;
  for (const auto &family : families)
    keys += family.companion.size();
  return keys;
}

Family readFamily(Reader &reader, const toml::table &table, const std::vector<Family> &before, std::span<const Family> taken) {
  static constexpr std::array<std::string_view, 17> known{
      "lease_ms", "renewed_every_ms", "slug",   "title",  "short", "about",  "kind",         "release",       "waits",
      "channel",  "also_channel",     "advice", "source", "form",  "beside", "shares_token", "repeats_holder"};
  reader.onlyKnows(table, "family", known);
  Family family;
  family.slug = slugOf(reader, table, before, taken);
  family.title = table.contains("title") ? reader.words(table, "title") : family.slug;
  family.shortTitle = table.contains("short") ? reader.words(table, "short") : family.title.substr(0, family.title.find(" ("));
  family.about = reader.words(table, "about");
  family.source = reader.words(table, "source");
  family.advice = reader.texts(table, "advice");
  family.kind = reader.word<LockKind>(table, "kind", kinds, LockKind::Mutex);
  family.releaseClass = classesOf(reader, table, "A");
  family.waits = reader.word<Waits>(table, "waits", waits, Waits::Unseen);
  family.channel = reader.pattern(table, "channel");
  family.alsoChannel = reader.pattern(table, "also_channel");
  family.lease = reader.span(table, "lease_ms");
  family.renewedEvery = reader.span(table, "renewed_every_ms");
  if (!reader.failed() && (family.lease.has_value() != family.renewedEvery.has_value() || family.lease < family.renewedEvery))
    reader.fail(*table.get(family.lease ? "lease_ms" : "renewed_every_ms"),
                LH_ENGLISH("a lease that is renewed has a length, and a shorter time between renewals"),
                LH_ENGLISH("write both 'lease_ms' and 'renewed_every_ms', or neither"));
  family.isTokenShared = reader.flag(table, "shares_token");
  family.isHolderRepeated = reader.flag(table, "repeats_holder");
  reader.each(table, "family.form", [&](const toml::table &form) { family.forms.push_back(readForm(reader, form)); });
  reader.each(table, "family.beside", [&](const toml::table &companion) {
    if (const auto room = mostCompanionKeys - companionKeysOf(taken); !taken.empty() && companionKeysOf(before) + family.companion.size() == room)
      reader.fail(companion, LH_ENGLISH("'%1' has one key too many beside its locks: all families of a file have %2 together")(family.slug, room),
                  LH_ENGLISH("leave out those that hold nothing of a lock"));
    readCompanions(reader, companion, family);
  });
  if (family.forms.empty())
    reader.fail(table, LH_ENGLISH("the family '%1' has no form")(family.slug), LH_ENGLISH("say under [[family.form]] what its locks look like"));
  if (const auto fault = taken.empty() || reader.failed() ? std::nullopt : faultOf(family))
    reader.fail(placeOf(table, *fault), fault->what, fault->next);
  return family;
}

} // namespace

Result<std::vector<Family>> readFamilies(std::string_view text, std::string_view file, std::span<const Family> taken) {
  Reader reader(file);
  const auto parsed = toml::parse(text, file);
  if (!parsed) {
    reader.fail(parsed.error().source().begin.line, LH_ENGLISH("this is no TOML: %1")(parsed.error().description()));
    return std::unexpected(reader.takeError());
  }
  const auto &table = parsed.table();
  static constexpr std::array<std::string_view, 1> known{"family"};
  reader.onlyKnows(table, "file of families", known);
  std::vector<Family> families;
  reader.each(table, "family", [&](const toml::table &entry) { families.push_back(readFamily(reader, entry, families, taken)); });
  if (reader.failed())
    return std::unexpected(reader.takeError());
  return families;
}

} // namespace lockhouse
