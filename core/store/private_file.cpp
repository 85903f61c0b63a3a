// SPDX-License-Identifier: Apache-2.0
#include "core/store/private_file.h"

#include "core/base/safe_text.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace lockhouse {
namespace {

std::unexpected<Error> refused(Message what, int reason, const std::string &path) {
  return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "%1: %2")(std::move(what), systemMessage(std::generic_category().message(reason))), safeText(path),
              LH_MESSAGE("ErrorWords", "give a path that you may write"));
}

Result<void> makeFolders(const std::string &path) {
  for (auto slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto folder = path.substr(0, slash);
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST)
      continue;
    const int reason = errno;
    struct stat there{};
    if (stat(folder.c_str(), &there) != 0) // a read-only root answers EROFS or EACCES for folders that do exist
      return refused(LH_MESSAGE("ErrorWords", "cannot make the folder"), reason, folder);
  }
  return {};
}

} // namespace

Result<void> checkCanMakeFile(const std::string &path) {
  for (auto slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1)) {
    const auto folder = path.substr(0, slash);
    struct stat there{};
    int reason = stat(folder.c_str(), &there) != 0 ? errno : !S_ISDIR(there.st_mode) ? ENOTDIR : 0;
    if (reason == ENOENT || (reason == ENOTDIR && there.st_mode == 0))
      continue; // the one above it tells
    if (reason == 0 && access(folder.c_str(), W_OK | X_OK) != 0)
      reason = errno;
    if (reason == 0)
      return {};
    return refused(slash == path.rfind('/') ? LH_MESSAGE("ErrorWords", "cannot make the file") : LH_MESSAGE("ErrorWords", "cannot make the folder"), reason,
                   path);
  }
  return {};
}

// Never opens the file: closing it would drop the locks that this process holds on it through SQLite (fcntl(2)).
Result<bool> makePrivateFile(const std::string &path) {
  if (auto made = makeFolders(path); !made)
    return std::unexpected(made.error());
  const bool isNew = mknod(path.c_str(), S_IFREG | 0600, 0) == 0;
  if (!isNew && errno != EEXIST)
    return refused(LH_MESSAGE("ErrorWords", "cannot make the file"), errno, path);
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0)
    return refused(LH_MESSAGE("ErrorWords", "cannot read the file's rights"), errno, path);
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "not a regular file"), safeText(path), LH_MESSAGE("ErrorWords", "give another path"));
  if ((info.st_mode & 0077U) != 0 && fchmodat(AT_FDCWD, path.c_str(), 0600, AT_SYMLINK_NOFOLLOW) != 0)
    return refused(LH_MESSAGE("ErrorWords", "others may read the file and its rights cannot be changed"), errno, path);
  return !isNew && isEmptyToSqlite(info.st_size);
}

} // namespace lockhouse
