// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/json.h"
#include "app/ctl/verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse::ctl {
namespace {

std::string primitiveText(const PrimitiveInfo &primitive) {
  auto text = fmt::format("{}: {}\n", primitive.name, primitive.summary);
  const auto row = [&text](std::string_view title, std::string_view value) { text += fmt::format("  {:<14}{}\n", title, value); };
  row("use when", primitive.useWhen);
  row("avoid when", primitive.avoidWhen);
  row("policies", fmt::format("{}", fmt::join(primitive.policies, ", ")));
  for (const auto promise : primitive.promises)
    row("promises", promise);
  for (const auto missing : primitive.notPromised)
    row("not promised", missing);
  row("commands", primitive.commands);
  row("source", primitive.source);
  return text;
}

} // namespace

ExitCode runPrimitives(const Arguments &arguments, const Output &output) {
  std::string text;
  for (const auto &primitive : primitiveInfos())
    text += (text.empty() ? "" : "\n") + primitiveText(primitive);
  output.put(arguments.json ? oneLine(primitivesJson(primitiveInfos())) : text);
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
