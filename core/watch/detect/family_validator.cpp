// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_validator.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <span>

namespace lockhouse {
namespace {

struct Place {
  std::string_view list = {};
  std::size_t index = 0;
  std::string_view word = {};
};

/// Keeps the first.
class Faults {
public:
  void add(Place place, Message what, Message next) {
    if (!m_first)
      m_first = FamilyFault{place.list, place.index, place.word, std::move(what), std::move(next)};
  }
  std::optional<FamilyFault> first() { return std::move(m_first); }

private:
  std::optional<FamilyFault> m_first;
};

Place ofFamily(std::string_view word) { return {.word = word}; }
Place ofForm(std::size_t index, std::string_view word = {}) { return {"form", index, word}; }
Place ofCompanion(std::size_t index) { return {.list = "beside", .index = index}; }

// Whether every name in `pattern` is one of a lock's name in this form.
bool canBeMade(const Pattern &pattern, const Form &form) {
  Captures captures;
  captures.set("lock", "x");
  for (const auto &name : pattern.names())
    if (form.key && form.key->captures(name))
      captures.set(name, "x");
  return pattern.filled(captures).has_value();
}

// The same in some form.
bool canBeMade(const Pattern &pattern, const Family &family) {
  return std::ranges::any_of(family.forms, [&](const Form &form) { return canBeMade(pattern, form); });
}

// A form that is shown on its own and asks nothing of a key but its type.
bool fitsEverything(const Form &form) {
  const auto takesAll = [](const std::optional<Pattern> &pattern) { // none, or a lone capture without a shape
    return !pattern || (pattern->text().find('}') == pattern->text().size() - 1 && pattern->text().starts_with('{') && !pattern->text().contains(':'));
  };
  return form.confidence >= shownConfidence && form.score == ScoreMeaning::None && !form.isNamedLock && !form.hasEvidence && takesAll(form.key) &&
         takesAll(form.element) && takesAll(form.content);
}

// A lock that is a queue itself, or whose waiters lie in keys of forms that wait.
bool ofQueue(const Family &family) {
  return std::ranges::any_of(family.forms,
                             [](const Form &form) { return form.isWaiting || form.type == ValueType::List || form.score == ScoreMeaning::Order; });
}

Message rolesWords(Role role) {
  switch (role) {
  case Role::Queue: return LH_ENGLISH("write type = \"list\" or \"zset\"");
  case Role::Deadlines: return LH_ENGLISH("write type = \"zset\" or \"hash\"");
  case Role::Permits: return LH_ENGLISH("write type = \"zset\"");
  case Role::Readers: return LH_ENGLISH("write type = \"set\"");
  case Role::Signal: return LH_ENGLISH("write type = \"list\"");
  default: return LH_ENGLISH("write type = \"string\"");
  }
}

// A list beside the lock, or the lock itself.
bool isBlockedOnList(const Family &family) {
  return std::ranges::find(family.companion, Role::Signal, &CompanionKey::role) != family.companion.end() ||
         std::ranges::find(family.forms, ValueType::List, &Form::type) != family.forms.end();
}

// A key beside a lock is another than the lock's, and than the others.
void checkCompanions(Faults &faults, const Family &family) {
  const auto isOwn = [](const CompanionKey &companion, const Form &form) {
    return form.key && form.key->text() == companion.key.text() && form.type == companion.type;
  };
  for (std::size_t i = 0; i < family.companion.size(); ++i) {
    const auto &companion = family.companion[i];
    const auto isSame = [&](const CompanionKey &other) { return other.key.text() == companion.key.text() && other.type == companion.type; };
    if (companion.key.text().empty())
      faults.add(ofCompanion(i), LH_ENGLISH("'key' is empty, and no key has that name"),
                 LH_ENGLISH("write the pattern of its name, with {lock} for the lock's own"));
    if (companion.key.text() == "{lock}" || std::ranges::any_of(family.forms, std::bind_front(isOwn, std::cref(companion))))
      faults.add(ofCompanion(i), LH_ENGLISH("'%1' is the lock's own key")(companion.key.text()), LH_ENGLISH("name another, or leave it out"));
    if (std::ranges::find_if(family.companion, isSame) != family.companion.begin() + static_cast<std::ptrdiff_t>(i))
      faults.add(ofCompanion(i), LH_ENGLISH("'%1' is there twice")(companion.key.text()), LH_ENGLISH("leave one out"));
  }
}

bool hasCompanions(const Family &family, Role role) { return std::ranges::find(family.companion, role, &CompanionKey::role) != family.companion.end(); }

// What a release, or who waits, goes by has to be named.
void checkWays(Faults &faults, const Family &family) {
  if (family.releaseClass.contains('B') && !family.channel)
    faults.add(ofFamily("release"), LH_ENGLISH("B publishes, and there is no 'channel'"), LH_ENGLISH("say on which its waiters listen"));
  if (family.releaseClass.contains('C') && !hasCompanions(family, Role::Signal))
    faults.add(ofFamily("release"), LH_ENGLISH("C pushes to a list, and there is no [[family.beside]] with role \"signal\""),
               LH_ENGLISH("say which list its waiters are blocked on"));
  if (family.waits == Waits::Listening && !family.channel)
    faults.add(ofFamily("waits"), LH_ENGLISH("its waiters listen to a channel, and there is no 'channel'"), LH_ENGLISH("say which"));
  if (family.waits == Waits::Queued && !hasCompanions(family, Role::Queue) && !ofQueue(family))
    faults.add(ofFamily("waits"), LH_ENGLISH("its waiters stand in a queue, and there is no [[family.beside]] with role \"queue\""),
               LH_ENGLISH("say which key that is"));
  for (std::size_t i = 0; i < family.companion.size(); ++i)
    if (const auto &companion = family.companion[i]; !mayBeOf(companion.role, companion.type))
      faults.add(ofCompanion(i), LH_ENGLISH("a %1 is no %2")(name(companion.type), name(companion.role)), rolesWords(companion.role));
}

// Each form's locks are freed as their family says.
void checkTelling(Faults &faults, const Family &family) {
  if (family.releaseClass.contains('B') && family.releaseClass.contains('C'))
    faults.add(ofFamily("release"), LH_ENGLISH("'%1' has both B and C")(family.releaseClass),
               LH_ENGLISH("write the one by which its waiters are woken: they listen to a channel, or are blocked on a list"));
  for (std::size_t i = 0; i < family.forms.size(); ++i) {
    const auto &form = family.forms[i];
    const auto isSignal = [&](const CompanionKey &companion) { return companion.role == Role::Signal && canBeMade(companion.key, form); };
    if (form.isWaiting)
      continue;
    for (const auto &channel : {family.channel, family.alsoChannel})
      if (family.releaseClass.contains('B') && channel && canBeMade(*channel, family) && !canBeMade(*channel, form))
        faults.add(ofForm(i), LH_ENGLISH("B publishes, and '%1' has a name in it that this form's key has not")(channel->text()),
                   LH_ENGLISH("use those that all forms' keys have, or {lock} for the whole, or put this form into a family of its own"));
    if (family.releaseClass.contains('C') && std::ranges::none_of(family.companion, isSignal))
      faults.add(ofForm(i), LH_ENGLISH("C pushes to a list, and none with role \"signal\" can be named by this form's key"),
                 LH_ENGLISH("use names that this form's key has, or {lock} for the whole, or put this form into a family of its own"));
  }
}

// What is shown as a time or a fencing token, or ends a hold, is one: "12" as an end would be in 1970.
void checkMeanings(Faults &faults, const Form &form, std::size_t index) {
  constexpr std::array<std::string_view, 5> times{"seconds", "millis", "floatseconds", "iso", "uniqid"};
  constexpr std::array<std::string_view, 2> numbers{"digits", "count"};
  struct Meaning {
    std::string_view name;
    std::span<const std::string_view> shapes;
    Message what;
  };
  const std::array meanings{Meaning{"since", times, LH_ENGLISH("is a time")},     Meaning{"until", times, LH_ENGLISH("is a time")},
                            Meaning{"fence", numbers, LH_ENGLISH("is a number")}, Meaning{"free", numbers, LH_ENGLISH("is a number")},
                            Meaning{"left", numbers, LH_ENGLISH("is a number")},  Meaning{"count", numbers, LH_ENGLISH("is a number")}};
  const std::string_view element = form.type == ValueType::String ? "value" : form.type == ValueType::Hash ? "field" : "member";
  for (const auto &[word, pattern] : {std::pair(std::string_view("key"), &form.key), {element, &form.element}, {std::string_view("value"), &form.content}})
    for (const auto &[name, shapes, what] : meanings)
      for (const auto shape : *pattern ? (*pattern)->shapesOf(name) : std::vector<std::string_view>())
        if (std::ranges::find(shapes, shape) == shapes.end())
          faults.add(ofForm(index, word), LH_ENGLISH("'%1' %2, and '%3' may be anything else")(name, what, shape),
                     LH_ENGLISH("write one of %1, or give it another name")(fmt::format("{}", fmt::join(shapes, ", "))));
}

void checkForms(Faults &faults, const Family &family) {
  for (std::size_t i = 0; i < family.forms.size(); ++i) {
    const auto &form = family.forms[i];
    checkMeanings(faults, form, i);
    if (form.type == ValueType::SortedSet && form.score == ScoreMeaning::None)
      faults.add(ofForm(i), LH_ENGLISH("a form of type zset says nothing of its scores"),
                 LH_ENGLISH("write score = \"until\", \"until_s\", \"since\", \"since_s\" or \"order\""));
    if (form.key && form.key->text().empty())
      faults.add(ofForm(i, "key"), LH_ENGLISH("'key' is empty, and no lock has that name"), LH_ENGLISH("say what its name looks like, or leave it out"));
    if (form.key && form.key->captures("until"))
      faults.add(ofForm(i, "key"), LH_ENGLISH("an end in a lock's name ends no hold"), LH_ENGLISH("call it something else than until"));
    if (form.hasEvidence && family.companion.empty())
      faults.add(ofForm(i), LH_ENGLISH("this form wants a witness, and there is no [[family.beside]]"),
                 LH_ENGLISH("say which key lies beside it, or leave 'witnessed' out"));
    if (fitsEverything(form))
      faults.add(ofForm(i), LH_ENGLISH("this form fits every key of type %1")(name(form.type)),
                 LH_ENGLISH("say what its key, or what it holds, looks like, or write named_lock = true"));
  }
  for (std::size_t i = 0; i < family.companion.size(); ++i)
    if (!canBeMade(family.companion[i].key, family))
      faults.add(ofCompanion(i), LH_ENGLISH("'%1' has a name in it that no form's key has")(family.companion[i].key.text()),
                 LH_ENGLISH("use those of the form's key, or {lock} for the whole"));
}

void checkChannels(Faults &faults, const Family &family) {
  if (family.alsoChannel && !family.channel)
    faults.add(ofFamily("also_channel"), LH_ENGLISH("'also_channel' is told beside 'channel', and there is none"), LH_ENGLISH("write 'channel'"));
  for (const auto &[word, channel] : {std::pair("channel", &family.channel), std::pair("also_channel", &family.alsoChannel)})
    if (*channel && !canBeMade(**channel, family))
      faults.add(ofFamily(word), LH_ENGLISH("'%1' has a name in it that no form's key has")((*channel)->text()),
                 LH_ENGLISH("use those of the form's key, or {lock} for the whole"));
  if (family.waits == Waits::Blocked && !isBlockedOnList(family))
    faults.add(ofFamily("waits"), LH_ENGLISH("its waiters are blocked, and there is no [[family.beside]] with role \"signal\""),
               LH_ENGLISH("say on which list"));
  if (family.channel && family.waits != Waits::Listening && !family.releaseClass.contains('B'))
    faults.add(ofFamily("channel"), LH_ENGLISH("nobody listens to this 'channel'"),
               LH_ENGLISH("write waits = \"channel\", or put B into 'release', or leave the channel out"));
}

} // namespace

std::optional<FamilyFault> faultOf(const Family &family) {
  Faults faults;
  checkWays(faults, family);
  checkForms(faults, family);
  checkCompanions(faults, family);
  checkChannels(faults, family);
  checkTelling(faults, family);
  return faults.first();
}

} // namespace lockhouse
