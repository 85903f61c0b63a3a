// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json.h"
#include "app/ctl/text/page.h"
#include "app/ctl/verbs/verbs.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <system_error>

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

std::string listText(std::span<const PrimitiveInfo> primitives) {
  std::string text;
  for (const auto &primitive : primitives)
    text += primitiveText(primitive) + "\n";
  std::vector<std::string_view> topics;
  for (const auto &topic : topicInfos())
    topics.push_back(topic.name);
  return text +
         fmt::format("lockhousectl primitives NAME prints the page of one, with keys, costs and an example; further pages: {}\n", fmt::join(topics, ", "));
}

bool isSame(std::string_view name, std::string_view wanted) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(name, wanted, {}, lower, lower);
}

ExitCode showPage(const Arguments &arguments, const Output &output) {
  std::vector<std::string_view> names;
  for (const auto &primitive : primitiveInfos()) {
    names.push_back(primitive.name);
    if (isSame(primitive.name, arguments.page)) {
      output.put(arguments.json ? oneLine(primitivesJson(std::span(&primitive, 1), {})) : plainText(pageOf(primitive)));
      return ExitCode::Done;
    }
  }
  for (const auto &topic : topicInfos()) {
    names.push_back(topic.name);
    if (isSame(topic.name, arguments.page)) {
      output.put(arguments.json ? oneLine(primitivesJson({}, std::span(&topic, 1))) : plainText(pageOf(topic)));
      return ExitCode::Done;
    }
  }
  return output.failed(ExitCode::Usage, fmt::format("there is no page \"{}\"; choose one of {}", safeText(arguments.page, 80), fmt::join(names, ", ")));
}

bool writeFile(const std::filesystem::path &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  return static_cast<bool>(file.flush());
}

ExitCode writePages(const Arguments &arguments, const Output &output) {
  namespace fs = std::filesystem;
  const fs::path folder(arguments.pagesFolder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return output.failed(ExitCode::Refused,
                         fmt::format("{}: it cannot be made, {}; name another folder", safeText(arguments.pagesFolder, 200), error.message()));
  const auto pages = allPages();
  auto files = Json::array();
  const auto write = [&](const std::string &name, const std::string &text) {
    files.push_back(name);
    return writeFile(folder / name, text);
  };
  bool written = write("index.md", markdownIndex(pages));
  for (const auto &page : pages)
    written = written && write(page.name + ".md", markdown(page));
  if (!written)
    return output.failed(ExitCode::Refused, fmt::format("{}: {} cannot be written; make room, or name another folder", safeText(arguments.pagesFolder, 200),
                                                        files.back().get<std::string>()));
  output.put(arguments.json ? oneLine(Json{{"pages", std::move(files)}})
                            : fmt::format("{} pages and index.md are in {}\n", pages.size(), safeText(arguments.pagesFolder, 200)));
  return ExitCode::Done;
}

} // namespace

ExitCode runPrimitives(const Arguments &arguments, const Output &output) {
  if (!arguments.pagesFolder.empty())
    return writePages(arguments, output);
  if (!arguments.page.empty())
    return showPage(arguments, output);
  const auto primitives = primitiveInfos();
  output.put(arguments.json ? oneLine(primitivesJson(primitives, topicInfos())) : listText(primitives));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
