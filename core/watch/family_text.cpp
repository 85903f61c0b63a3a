// SPDX-License-Identifier: Apache-2.0
#include "core/watch/family_text.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
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

  void fail(const toml::node &at, std::string what, std::string next = {}) { fail(at.source().begin.line, std::move(what), std::move(next)); }
  void fail(std::size_t line, std::string what, std::string next = {}) {
    if (!m_error)
      m_error = Error{ErrorCode::Usage, std::move(what), fmt::format("{}:{}", m_file, line), std::move(next)};
  }

  void onlyKnows(const toml::table &table, std::string_view what, std::span<const std::string_view> names) {
    for (const auto &[key, value] : table)
      if (std::ranges::find(names, key.str()) == names.end())
        fail(value, fmt::format("'{}' is nothing that a {} has", key.str(), what), fmt::format("write one of: {}", fmt::join(names, ", ")));
  }

  std::string text(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (!node)
      return {};
    const auto value = node->value_exact<std::string>();
    if (!value)
      fail(*node, fmt::format("'{}' is no text", name), "put it in quotes");
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
      fail(*node, fmt::format("'{}' is no list of texts", name), "write it as [\"…\"]");
    else
      for (const auto &each : *node->as_array())
        if (const auto value = each.value_exact<std::string>())
          all.push_back(safeText(*value, mostWords));
        else
          fail(each, fmt::format("'{}' has something in it that is no text", name), "put each in quotes");
    return all;
  }

  bool flag(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (node && !node->is_boolean())
      fail(*node, fmt::format("'{}' is neither true nor false", name));
    return node && node->value_or(false);
  }

  std::optional<milliseconds> span(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (!node)
      return std::nullopt;
    const auto value = node->value_exact<std::int64_t>().value_or(0);
    if (value <= 0)
      fail(*node, fmt::format("'{}' is no number of milliseconds", name), "write a whole number above 0");
    return milliseconds(value);
  }

  std::optional<Pattern> pattern(const toml::table &table, std::string_view name) {
    const auto *node = table.get(name);
    if (!node)
      return std::nullopt;
    auto pattern = Pattern::parse(text(table, name));
    if (!pattern)
      fail(*node, fmt::format("'{}' is no pattern: {}", name, pattern.error()));
    return pattern ? std::optional(std::move(*pattern)) : std::nullopt;
  }

  template <class Value> Value word(const toml::table &table, std::string_view name, Words<Value> words, std::optional<Value> otherwise) {
    const auto *node = table.get(name);
    if (!node && !otherwise)
      fail(table, fmt::format("'{}' is missing", name), allowed(words));
    if (!node || failed())
      return otherwise.value_or(Value{});
    const auto given = text(table, name);
    const auto found = std::ranges::find(words, given, [](const auto &each) { return each.first; });
    if (found != words.end())
      return found->second;
    fail(*node, fmt::format("'{}' is no {}", given, name), allowed(words));
    return Value{};
  }

  /// Visits each table of the array `name`.
  template <class Visit> void each(const toml::table &table, std::string_view name, Visit visit) {
    const auto *node = table.get(name);
    if (!node)
      return;
    if (!node->is_array_of_tables())
      return fail(*node, fmt::format("'{}' is no list of tables", name), fmt::format("open each with [[{}]]", name));
    for (const auto &entry : *node->as_array())
      if (!failed())
        visit(*entry.as_table());
  }

private:
  static constexpr std::size_t mostWords = 2000;
  std::string_view m_file;
  std::optional<Error> m_error;

  template <class Value> static std::string allowed(Words<Value> words) {
    std::string all = "write one of: ";
    for (const auto &[word, value] : words)
      all += fmt::format("{}{}", &word == &words.front().first ? "" : ", ", word);
    return all;
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
    named(std::array{Role::Queue, Role::Deadlines, Role::Counter, Role::Permits, Role::Readers, Role::Signal, Role::Vote, Role::Witness, Role::Part});

double confidenceOf(Reader &reader, const toml::table &table) {
  const auto *node = table.get("confidence");
  const auto value = node ? node->value<double>() : std::nullopt;
  if (!node)
    reader.fail(table, "'confidence' is missing", "say from 0 to 1 how sure the form makes it; 0.5 and more is shown");
  else if (!value || !(*value >= 0 && *value <= 1))
    reader.fail(*node, "'confidence' is no number from 0 to 1");
  return value.value_or(0);
}

std::string classesOf(Reader &reader, const toml::table &table, std::string otherwise) {
  if (!table.contains("release"))
    return otherwise;
  auto classes = reader.text(table, "release");
  if (!reader.failed() && (classes.empty() || classes.find_first_not_of(releaseClasses) != classes.npos))
    reader.fail(*table.get("release"), fmt::format("'{}' is no way of releasing", classes), fmt::format("write letters of {}", releaseClasses));
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes.find(classes[i], i + 1) != classes.npos)
      reader.fail(*table.get("release"), fmt::format("'{}' names {} twice", classes, classes[i]), "write each letter once");
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
      reader.fail(*node, fmt::format("'{}' is nothing that this type has", other), fmt::format("write '{}'", element));
  form.element = reader.pattern(table, element);
  if (isHash)
    form.content = reader.pattern(table, "value");
  form.score = reader.word<ScoreMeaning>(table, "score", scores, ScoreMeaning::None);
  if (form.score != ScoreMeaning::None && form.type != ValueType::SortedSet)
    reader.fail(*table.get("score"), "only a zset has scores");
  form.mode = reader.word<HoldMode>(table, "mode", modes, HoldMode::Exclusive);
  form.confidence = confidenceOf(reader, table);
  form.evidence = reader.words(table, "evidence");
  form.isNamedLock = reader.flag(table, "named_lock");
  form.isAmidOthers = reader.flag(table, "amid_others");
  form.isLone = reader.flag(table, "lone");
  form.isWaiting = reader.flag(table, "waiting");
  form.isWitnessed = reader.flag(table, "witnessed");
  form.isLeased = reader.flag(table, "leased");
  form.releaseClass = classesOf(reader, table, {});
  if (form.releaseClass.find_first_of("BC") != form.releaseClass.npos)
    reader.fail(*table.get("release"), "B and C are of all of a family's locks", "write them into its own 'release'");
  form.advice = reader.texts(table, "advice");
  return form;
}

void readBeside(Reader &reader, const toml::table &table, Family &family) {
  static constexpr std::array<std::string_view, 6> known{"key", "type", "role", "field", "wake", "opening"};
  reader.onlyKnows(table, "key beside a lock", known);
  auto key = reader.pattern(table, "key");
  const auto type = reader.word<ValueType>(table, "type", types, std::nullopt);
  const auto role = reader.word<Role>(table, "role", roles, Role::Part);
  if (!key)
    return reader.fail(table, "'key' is missing", "write the pattern of its name, with {lock} for the lock's own");
  auto field = reader.text(table, "field");
  if (!field.empty() && (role != Role::Witness || type != ValueType::Hash))
    reader.fail(*table.get("field"), "only a witness of type hash is asked for a field");
  auto opening = reader.text(table, "opening"), wake = reader.text(table, "wake");
  for (const auto &[word, of] : {std::pair("opening", Role::Vote), std::pair("wake", Role::Queue)})
    if (const auto *node = table.get(word); node && role != of)
      reader.fail(*node, fmt::format("only a {} has '{}'", name(of), word));
  family.beside.push_back({std::move(*key), type, role, std::move(field), std::move(opening), std::move(wake)});
}

// Whether every name in `pattern` is one of a lock's name, in some form.
bool canBeMade(const Pattern &pattern, const Family &family) {
  return std::ranges::any_of(family.forms, [&](const Form &form) {
    Captures captures;
    captures.set("lock", "x");
    for (const auto &name : pattern.names())
      if (form.key && form.key->captures(name))
        captures.set(name, "x");
    return pattern.filled(captures).has_value();
  });
}

// A form that is shown on its own and asks nothing of a key but its type.
bool fitsEverything(const Form &form) {
  const auto takesAll = [](const std::optional<Pattern> &pattern) { // none, or a lone capture without a shape
    return !pattern || (pattern->text().find('}') == pattern->text().size() - 1 && pattern->text().starts_with('{') && !pattern->text().contains(':'));
  };
  return form.confidence >= shownConfidence && form.score == ScoreMeaning::None && !form.isNamedLock && !form.isWitnessed && takesAll(form.key) &&
         takesAll(form.element) && takesAll(form.content);
}

// A lock that is a queue itself, or whose waiters lie in keys of forms that wait.
bool ofQueue(const Family &family) {
  return std::ranges::any_of(family.forms,
                             [](const Form &form) { return form.isWaiting || form.type == ValueType::List || form.score == ScoreMeaning::Order; });
}

std::string rolesWords(Role role) {
  switch (role) {
  case Role::Queue: return "write type = \"list\" or \"zset\"";
  case Role::Deadlines: return "write type = \"zset\" or \"hash\"";
  case Role::Permits: return "write type = \"zset\"";
  case Role::Readers: return "write type = \"set\"";
  case Role::Signal: return "write type = \"list\"";
  default: return "write type = \"string\"";
  }
}

const toml::node &tableOf(const toml::table &family, std::string_view list, std::size_t index) { return *family.get(list)->as_array()->get(index); }

// A list beside the lock, or the lock itself.
bool isBlockedOnList(const Family &family) {
  return std::ranges::find(family.beside, Role::Signal, &BesideForm::role) != family.beside.end() ||
         std::ranges::find(family.forms, ValueType::List, &Form::type) != family.forms.end();
}

// A key beside a lock is another than the lock's, and than the others.
void checkBeside(Reader &reader, const toml::table &table, const Family &family) {
  const auto isOwn = [](const BesideForm &beside, const Form &form) { return form.key && form.key->text() == beside.key.text() && form.type == beside.type; };
  for (std::size_t i = 0; i < family.beside.size(); ++i) {
    const auto &beside = family.beside[i];
    const auto isSame = [&](const BesideForm &other) { return other.key.text() == beside.key.text() && other.type == beside.type; };
    if (beside.key.text().empty())
      reader.fail(tableOf(table, "beside", i), "'key' is empty, and no key has that name", "write the pattern of its name, with {lock} for the lock's own");
    if (beside.key.text() == "{lock}" || std::ranges::any_of(family.forms, std::bind_front(isOwn, std::cref(beside))))
      reader.fail(tableOf(table, "beside", i), fmt::format("'{}' is the lock's own key", beside.key.text()), "name another, or leave it out");
    if (std::ranges::find_if(family.beside, isSame) != family.beside.begin() + static_cast<std::ptrdiff_t>(i))
      reader.fail(tableOf(table, "beside", i), fmt::format("'{}' is there twice", beside.key.text()), "leave one out");
  }
}

// What could never come to anything, or would come to everything.
void checkUsers(Reader &reader, const toml::table &table, const Family &family) {
  const auto &classNode = table.contains("release") ? *table.get("release") : static_cast<const toml::node &>(table);
  for (std::size_t i = 0; i < family.forms.size(); ++i)
    if (const auto &own = family.forms[i].releaseClass; own.find_first_of("BC") != own.npos)
      reader.fail(*tableOf(table, "form", i).as_table()->get("release"), "B and C are of all of a family's locks", "write them in the family's own 'release'");
  if (family.releaseClass.contains('B') && !family.channel)
    reader.fail(classNode, "B publishes, and there is no 'channel'", "say on which its waiters listen");
  if (family.releaseClass.contains('C') && std::ranges::find(family.beside, Role::Signal, &BesideForm::role) == family.beside.end())
    reader.fail(classNode, "C pushes to a list, and there is no [[family.beside]] with role \"signal\"", "say which list its waiters are blocked on");
  if (family.waits == Waits::Listening && !family.channel)
    reader.fail(*table.get("waits"), "its waiters listen to a channel, and there is no 'channel'", "say which");
  if (family.waits == Waits::Queued && std::ranges::find(family.beside, Role::Queue, &BesideForm::role) == family.beside.end() && !ofQueue(family))
    reader.fail(*table.get("waits"), "its waiters stand in a queue, and there is no [[family.beside]] with role \"queue\"", "say which key that is");
  for (std::size_t i = 0; i < family.beside.size(); ++i)
    if (const auto &beside = family.beside[i]; !mayBeOf(beside.role, beside.type))
      reader.fail(tableOf(table, "beside", i), fmt::format("a {} is no {}", name(beside.type), name(beside.role)), rolesWords(beside.role));
  for (std::size_t i = 0; i < family.forms.size(); ++i) {
    const auto &form = family.forms[i];
    if (form.type == ValueType::SortedSet && form.score == ScoreMeaning::None)
      reader.fail(tableOf(table, "form", i), "a form of type zset says nothing of its scores",
                  "write score = \"until\", \"until_s\", \"since\", \"since_s\" or \"order\"");
    if (form.key && form.key->text().empty())
      reader.fail(*tableOf(table, "form", i).as_table()->get("key"), "'key' is empty, and no lock has that name",
                  "say what its name looks like, or leave it out");
    if (form.isWitnessed && family.beside.empty())
      reader.fail(tableOf(table, "form", i), "this form wants a witness, and there is no [[family.beside]]",
                  "say which key lies beside it, or leave 'witnessed' out");
    if (fitsEverything(form))
      reader.fail(tableOf(table, "form", i), fmt::format("this form fits every key of type {}", name(form.type)),
                  "say what its key, or what it holds, looks like, or write named_lock = true");
  }
  for (std::size_t i = 0; i < family.beside.size(); ++i)
    if (!canBeMade(family.beside[i].key, family))
      reader.fail(tableOf(table, "beside", i), fmt::format("'{}' has a name in it that no form's key has", family.beside[i].key.text()),
                  "use those of the form's key, or {lock} for the whole");
  checkBeside(reader, table, family);
  if (family.alsoChannel && !family.channel)
    reader.fail(*table.get("also_channel"), "'also_channel' is told beside 'channel', and there is none", "write 'channel'");
  for (const auto &channel : {family.channel, family.alsoChannel})
    if (channel && !canBeMade(*channel, family))
      reader.fail(table, fmt::format("'{}' has a name in it that no form's key has", channel->text()), "use those of the form's key, or {lock} for the whole");
  if (family.waits == Waits::Blocked && !isBlockedOnList(family))
    reader.fail(*table.get("waits"), "its waiters are blocked, and there is no [[family.beside]] with role \"signal\"", "say on which list");
  if (family.channel && family.waits != Waits::Listening && !family.releaseClass.contains('B'))
    reader.fail(*table.get("channel"), "nobody listens to this 'channel'", "write waits = \"channel\", or put B into 'release', or leave the channel out");
}

std::string slugOf(Reader &reader, const toml::table &table, const std::vector<Family> &before, std::span<const Family> taken) {
  auto slug = reader.text(table, "slug");
  const auto isAllowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (slug.empty() || !std::ranges::all_of(slug, isAllowed) || slug.front() == '-' || slug.back() == '-' || slug.size() > 40)
    reader.fail(table.contains("slug") ? *table.get("slug") : static_cast<const toml::node &>(table),
                slug.empty() ? std::string("'slug' is missing") : fmt::format("'{}' is no slug", slug),
                "name it with lower-case letters, digits and dashes, the library first, at most 40");
  else if (std::ranges::find(before, slug, &Family::slug) != before.end())
    reader.fail(*table.get("slug"), fmt::format("the family '{}' is there twice", slug), "give it a name of its own, or put its forms together");
  else if (std::ranges::find(taken, slug, &Family::slug) != taken.end())
    reader.fail(*table.get("slug"), fmt::format("the family '{}' is built in", slug), "give yours a name of its own");
  return slug;
}

Family readFamily(Reader &reader, const toml::table &table, const std::vector<Family> &before, std::span<const Family> taken) {
  static constexpr std::array<std::string_view, 16> known{
      "lease_ms", "renewed_every_ms", "slug",         "title",  "short",  "about", "kind",   "release",
      "waits",    "channel",          "also_channel", "advice", "source", "form",  "beside", "shares_token"};
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
    reader.fail(*table.get(family.lease ? "lease_ms" : "renewed_every_ms"), "a lease that is renewed has a length, and a shorter time between renewals",
                "write both 'lease_ms' and 'renewed_every_ms', or neither");
  family.isTokenShared = reader.flag(table, "shares_token");
  reader.each(table, "form", [&](const toml::table &form) { family.forms.push_back(readForm(reader, form)); });
  reader.each(table, "beside", [&](const toml::table &beside) { readBeside(reader, beside, family); });
  if (family.forms.empty())
    reader.fail(table, fmt::format("the family '{}' has no form", family.slug), "say under [[family.form]] what its locks look like");
  if (!taken.empty() && !reader.failed())
    checkUsers(reader, table, family);
  return family;
}

} // namespace

Result<std::vector<Family>> readFamilies(std::string_view text, std::string_view file, std::span<const Family> taken) {
  Reader reader(file);
  const auto parsed = toml::parse(text, file);
  if (!parsed) {
    reader.fail(parsed.error().source().begin.line, fmt::format("this is no TOML: {}", parsed.error().description()));
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
