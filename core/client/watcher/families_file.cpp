// SPDX-License-Identifier: Apache-2.0
#include "core/client/watcher/families_file.h"

#include "core/base/safe_text.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace lockhouse {

std::string usualFamiliesPath() {
  namespace fs = std::filesystem;
  if (const char *config = std::getenv("XDG_CONFIG_HOME"); config && fs::path(config).is_absolute())
    return fs::path(config) / "lockhouse" / "families.toml";
  const char *home = std::getenv("HOME");
  return home && *home != 0 ? std::string(fs::path(home) / ".config" / "lockhouse" / "families.toml") : std::string();
}

Result<std::shared_ptr<const FamilyRegistry>> readFamilies(const std::string &path) {
  constexpr std::uintmax_t longestFile = 1024 * 1024;
  const auto found = path.empty() ? usualFamiliesPath() : path;
  const auto shown = safeText(found, 200);
  std::error_code error;
  if (found.empty() || (path.empty() && !std::filesystem::exists(found, error)))
    return std::shared_ptr<const FamilyRegistry>();
  const auto size = std::filesystem::file_size(found, error); // also an error of what is no file
  if (error)
    return fail(ErrorCode::Usage, LH_MESSAGE("ErrorWords", "the file of families cannot be read: %1")(systemMessage(error)), shown,
                LH_MESSAGE("ErrorWords", "name another with --families"));
  if (size > longestFile)
    return fail(ErrorCode::Usage, LH_MESSAGE("ErrorWords", "the file of families is longer than 1 MiB"), shown,
                LH_MESSAGE("ErrorWords", "name another with --families"));
  std::ifstream file(found, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return fail(ErrorCode::Usage, LH_MESSAGE("ErrorWords", "the file of families cannot be read: %1")(systemMessage(std::generic_category().message(errno))),
                shown, LH_MESSAGE("ErrorWords", "name another with --families"));
  return FamilyRegistry::with(text.str(), shown);
}

} // namespace lockhouse
