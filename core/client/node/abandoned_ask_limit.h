// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

namespace lockhouse {

class Acquisition;

/// How many asks for one lock may be under way that nobody of this client wants any more. An acquire that is given up returns at once;
/// its ask is answered and what it took is given back behind. Callers who give up sooner than a server answers, and ask again at once,
/// would so outrun it, and all others would wait behind what is void. Once `most` are void, new asks of who waits stay here until half of
/// them are settled. Loop thread only.
class AbandonedAskLimit {
public:
  static constexpr unsigned most = 16;

  /// An ask that would leave now. True if it has to stay; it is given back by settled(), takeAll() or forget().
  bool holdsBack(Acquisition &asker) {
    if (m_abandoned < most && m_held.empty())
      return false;
    m_held.push_back(&asker);
    return true;
  }
  void forget(Acquisition &asker) { std::erase(m_held, &asker); }

  /// One more that nobody wants.
  void abandoned() { ++m_abandoned; }
  /// One less: who may ask now.
  std::vector<Acquisition *> settled() { return --m_abandoned > most / 2 ? std::vector<Acquisition *>{} : takeAll(); }
  std::vector<Acquisition *> takeAll() { return std::exchange(m_held, {}); }

private:
  unsigned m_abandoned = 0;
  std::vector<Acquisition *> m_held;
};

} // namespace lockhouse
