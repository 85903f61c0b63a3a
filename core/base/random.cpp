// SPDX-License-Identifier: Apache-2.0
#include "core/base/random.h"

#include "core/base/clock.h"
#include "core/base/encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <sys/random.h>

namespace lockhouse {
namespace {

bool fill(std::span<char> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

// All zero means empty. That is what the kernel makes of it in a child process, however it was forked (MADV_WIPEONFORK), so
// no child hands out its parent's bytes and no system call is spent on asking who we are.
struct Stock {
  std::size_t left;
  std::array<char, 1024> bytes;
};

class Pool {
public:
  Pool() {
    void *page = mmap(nullptr, sizeof(Stock), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
      return;
    if (madvise(page, sizeof(Stock), MADV_WIPEONFORK) != 0) {
      munmap(page, sizeof(Stock));
      return;
    }
    madvise(page, sizeof(Stock), MADV_DONTDUMP);
    m_stock = new (page) Stock{};
  }
  ~Pool() {
    if (m_stock != nullptr)
      munmap(m_stock, sizeof(Stock));
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  bool take(std::span<char> out) {
    if (out.empty())
      return true;
    if (m_stock == nullptr || out.size() > m_stock->bytes.size() / 4)
      return fill(out); // no pool on this kernel, or not worth one
    if (m_stock->left < out.size()) {
      m_stock->left = 0;
      if (!fill(m_stock->bytes))
        return false;
      m_stock->left = m_stock->bytes.size();
    }
    m_stock->left -= out.size();
    char *from = m_stock->bytes.data() + m_stock->left;
    std::memcpy(out.data(), from, out.size());
    std::memset(from, 0, out.size());
    return true;
  }

private:
  Stock *m_stock = nullptr;
};

} // namespace

Result<void> randomBytes(std::span<char> out) {
  thread_local Pool pool;
  if (!pool.take(out))
    return fail(ErrorCode::Internal, LH_MESSAGE("ErrorWords", "the operating system gave no entropy"));
  return {};
}

Result<LockToken> randomToken() {
  std::array<char, 16> bytes{};
  if (auto done = randomBytes(bytes); !done)
    return std::unexpected(done.error());
  return LockToken(hex(std::string_view(bytes.data(), bytes.size())));
}

Result<std::string> randomUuid() {
  std::array<char, 16> bytes{};
  if (auto done = randomBytes(bytes); !done)
    return std::unexpected(done.error());
  bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0fU) | 0x40U);
  bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3fU) | 0x80U);
  std::string text = hex(std::string_view(bytes.data(), bytes.size()));
  for (const std::size_t at : {20U, 16U, 12U, 8U})
    text.insert(at, 1, '-');
  return text;
}

std::uint64_t randomSeed() {
  std::array<char, sizeof(std::uint64_t)> bytes{};
  if (!randomBytes(bytes))
    return static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count()); // tokens refuse then; pauses need not
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint64_t Jitter::next() {
  std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

double Jitter::unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

} // namespace lockhouse
