// SPDX-License-Identifier: Apache-2.0
#include "core/lab/sandbox/sandbox_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockhouse {
namespace {

// The longest that fits sockaddr_un, its NUL included.
constexpr std::size_t socketPathLimit = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::string_view socketName = "/redis.sock";
constexpr std::string_view ownerName = "/owner";
constexpr std::string_view folderName = "/lockhouse-XXXXXX";

int openOwner(const std::string &folder, int more) { return ::open((folder + std::string(ownerName)).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | more, 0600); }

bool isOurFolder(const std::filesystem::path &path) {
  struct stat info{};
  const auto name = path.filename().string();
  return name.size() + 1 == folderName.size() && name.starts_with("lockhouse-") && lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == geteuid();
}

// Its socket is there and nobody listens. A folder that is being made has none yet.
bool isDeserted(const std::string &socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() > socketPathLimit)
    return false;
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool refused = ::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0 && errno == ECONNREFUSED;
  ::close(fd);
  return refused;
}

void removeLeftovers(const std::string &parent) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(parent, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const auto path = entry->path();
    if (!isOurFolder(path))
      continue;
    const int owner = openOwner(path.string(), 0);
    if (owner < 0)
      continue;
    std::error_code unremoved;
    if (flock(owner, LOCK_EX | LOCK_NB) == 0 && isDeserted(path.string() + std::string(socketName)))
      std::filesystem::remove_all(path, unremoved);
    ::close(owner);
  }
}

} // namespace

Result<SandboxFolder> SandboxFolder::make() {
  std::error_code error;
  std::string parent = std::filesystem::temp_directory_path(error).string();
  if (error)
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "there is no temporary folder: %1")(systemMessage(error)), parent,
                LH_MESSAGE("ErrorWords", "set TMPDIR to a folder that exists"));
  if (parent.size() + folderName.size() + socketName.size() > socketPathLimit)
    parent = "/tmp";
  removeLeftovers(parent);
  std::string path = parent.append(folderName);
  if (mkdtemp(path.data()) == nullptr)
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "no temporary folder could be made: %1")(std::strerror(errno)), path,
                LH_MESSAGE("ErrorWords", "check TMPDIR"));
  SandboxFolder folder(path, openOwner(path, O_CREAT));
  if (folder.m_owner < 0 || flock(folder.m_owner, LOCK_EX) != 0)
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "no file could be made: %1")(std::strerror(errno)), path,
                LH_MESSAGE("ErrorWords", "check TMPDIR"));
  return folder;
}

SandboxFolder::~SandboxFolder() {
  std::error_code ignored;
  if (!m_path.empty())
    std::filesystem::remove_all(m_path, ignored);
  if (m_owner >= 0)
    ::close(m_owner);
}

SandboxFolder::SandboxFolder(SandboxFolder &&other) noexcept : m_path(std::exchange(other.m_path, {})), m_owner(std::exchange(other.m_owner, -1)) {}

std::string SandboxFolder::socket() const { return m_path + std::string(socketName); }

} // namespace lockhouse
