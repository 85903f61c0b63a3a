// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/verbs/verbs.h"
#include "core/client/watcher/families_file.h"
#include "core/net/address/hide_passwords.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace {

using namespace lockhouse::ctl;

using Verb = ExitCode (*)(const Arguments &, const Output &);
constexpr std::array<std::pair<std::string_view, Verb>, 11> verbs{{
    {"list", runList},
    {"watch", runWatch},
    {"show", runShow},
    {"release", runRelease},
    {"shorten", runRelease},
    {"stress", runStress},
    {"primitives", runPrimitives},
    {"families", runFamilies},
    {"audit", runAudit},
    {"demo", runDemo},
    {"help", runHelp},
}};

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  lockhouse::hidePasswords(argc, argv);
  const Output output;
  auto arguments = parseArguments(words, std::getenv("LOCKHOUSE_URL"));
  if (!arguments) {
    const auto &early = arguments.error();
    if (early.code != 0)
      return static_cast<int>(output.failed(static_cast<ExitCode>(early.code), early.text));
    output.put(early.text);
    return static_cast<int>(output.ended(ExitCode::Done));
  }
  auto families = lockhouse::readFamilies(arguments->familiesPath);
  if (!families)
    return static_cast<int>(output.ended(output.failed(families.error())));
  arguments->families = std::move(*families);
  const auto *verb = std::ranges::find(verbs, arguments->verb, &std::pair<std::string_view, Verb>::first);
  return static_cast<int>(output.ended(verb->second(*arguments, output)));
}
