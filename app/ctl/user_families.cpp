// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/user_families.h"

#include "core/base/safe_text.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace lockhouse::ctl {
namespace {

constexpr std::uintmax_t longestFile = 1024 * 1024;

} // namespace

std::string usualFamiliesPath() {
  namespace fs = std::filesystem;
  if (const char *config = std::getenv("XDG_CONFIG_HOME"); config && fs::path(config).is_absolute())
    return fs::path(config) / "lockhouse" / "families.toml";
  const char *home = std::getenv("HOME");
  return home && *home != 0 ? std::string(fs::path(home) / ".config" / "lockhouse" / "families.toml") : std::string();
}

Result<std::shared_ptr<const Families>> userFamilies(const Arguments &arguments) {
  const auto path = arguments.familiesPath.empty() ? usualFamiliesPath() : arguments.familiesPath;
  const auto shown = safeText(path, 200);
  std::error_code error;
  if (path.empty() || (arguments.familiesPath.empty() && !std::filesystem::exists(path, error)))
    return std::shared_ptr<const Families>();
  const auto size = std::filesystem::file_size(path, error); // also an error of what is no file
  if (error)
    return fail(ErrorCode::Usage, "the file of families cannot be read: " + error.message(), shown, "name another with --families");
  if (size > longestFile)
    return fail(ErrorCode::Usage, "the file of families is longer than 1 MiB", shown, "name another with --families");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return fail(ErrorCode::Usage, "the file of families cannot be read: " + std::generic_category().message(errno), shown, "name another with --families");
  return Families::with(text.str(), shown);
}

} // namespace lockhouse::ctl
