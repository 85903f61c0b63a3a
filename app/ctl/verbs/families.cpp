// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json.h"
#include "app/ctl/verbs/verbs.h"

#include "core/base/message.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse::ctl {
namespace {

// Of its forms, each fact once.
std::string evidenceText(const Family &family) {
  std::string text;
  for (const auto &form : family.forms)
    if (!form.evidence.empty() && !text.contains(form.evidence))
      text.append(text.empty() ? "" : "; or ").append(form.evidence);
  return text;
}

std::string listText(const FamilyRegistry &families) {
  std::string text;
  for (const auto &family : families.all())
    text +=
        fmt::format("{:<26}{:<12}{}{}\n{:<26}{}\n", family.slug, name(family.kind), family.title, family.isUsers ? " (yours)" : "", "", evidenceText(family));
  return text + "\nlockhousectl families SLUG tells what one looks like and how it is freed\n";
}

std::string formText(const Form &form, Waits waits) {
  std::string text = fmt::format("  {:<14}{}", name(form.type), form.evidence);
  const auto row = [&text](std::string_view title, const std::optional<Pattern> &pattern) {
    if (pattern)
      text += fmt::format("\n  {:<14}{} {}", "", title, pattern->text().empty() ? "(empty)" : safeText(pattern->text()));
  };
  row("key", form.key);
  row(form.type == ValueType::String ? "value" : form.type == ValueType::Hash ? "field" : "member", form.element);
  row("value", form.content);
  if (form.score != ScoreMeaning::None)
    text += fmt::format("\n  {:<14}score {}", "", name(form.score));
  if (!form.releaseClass.empty())
    text += fmt::format("\n  {:<14}release {}", "", fmt::join(englishOf(releaseClassMessages(form.releaseClass, waits)), "; "));
  for (const auto &advice : form.advice)
    text += fmt::format("\n  {:<14}mind {}", "", advice);
  return text + fmt::format("\n  {:<14}{}\n", "",
                            form.confidence > 0 ? fmt::format("confidence {:.2f}", form.confidence)
                                                : std::string("proves nothing alone: named among those it may be"));
}

std::string pageText(const Family &family) {
  auto text = fmt::format("{}: {}\n{}\n\n", family.slug, family.title, family.about);
  const auto row = [&text](std::string_view title, std::string_view value) { text += fmt::format("  {:<14}{}\n", title, value); };
  row("kind", name(family.kind));
  for (const auto &way : releaseClassMessages(family.releaseClass, family.waits))
    row("release", way.english());
  for (const auto &advice : family.advice)
    row("mind", advice);
  for (const auto &channel : {family.channel, family.alsoChannel})
    if (channel)
      row("channel", safeText(channel->text()));
  if (family.lease)
    row("lease", fmt::format("{} where its user chose none, then renewed every {}", durationWords(*family.lease), durationWords(*family.renewedEvery)));
  if (family.isTokenShared)
    row("token", "may lie under several keys: of a lock of several resources, or of one instance");
  if (family.isHolderRepeated)
    row("holder", "the same in each of his holds: one cannot be told from the next");
  for (const auto &form : family.forms)
    text += formText(form, family.waits);
  for (const auto &companion : family.companion)
    row(name(companion.role), fmt::format("{} ({})", safeText(companion.key.text()), name(companion.type)));
  row("source", family.source);
  return text;
}

std::string shapesText() {
  std::string text = "A pattern is text as it is, and in braces what varies: {name:shape}, {name:shape*24}, {name:shape*1..8}, {name} for any bytes.\n\n";
  for (const auto &shape : shapes())
    text += fmt::format("  {:<14}{}\n", shape.name, shape.words);
  return text;
}

} // namespace

ExitCode runFamilies(const Arguments &arguments, const Output &output) {
  const auto &all = arguments.families ? *arguments.families : FamilyRegistry::builtIn();
  if (arguments.shapes) {
    output.put(arguments.json ? oneLine(shapesJson()) : shapesText());
    return ExitCode::Done;
  }
  if (arguments.page.empty()) {
    output.put(arguments.json ? oneLine(familiesJson(all.all())) : listText(all));
    return ExitCode::Done;
  }
  const auto *family = all.find(arguments.page);
  if (!family)
    return output.failed(ExitCode::Usage, fmt::format("there is no family \"{}\"; lockhousectl families lists them", safeText(arguments.page, 80)));
  output.put(arguments.json ? oneLine(familiesJson(std::span(family, 1))) : pageText(*family));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
