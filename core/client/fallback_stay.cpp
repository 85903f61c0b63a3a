// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback_stay.h"

#include <unistd.h>

namespace lockhouse {

FallbackStay::FallbackStay(std::shared_ptr<FallbackLine::Pass> pass) : m_process(::getpid()), m_inside(std::make_unique<Inside>(std::move(pass))) {}

FallbackStay::~FallbackStay() {
  if (isForeign()) { // a thread that did not come along may hold what its end would wait for
    static_cast<void>(m_inside.release());
    return;
  }
  m_inside->onLoss.reset();
  m_inside->pass->giveUp();
}

void FallbackStay::leave() {
  if (!isForeign())
    m_inside->pass->giveUp();
}

void FallbackStay::endWith(std::stop_token loss) { m_inside->onLoss.emplace(std::move(loss), Leave{m_inside->pass}); }

bool FallbackStay::isHere() const { return !isForeign() && m_inside->pass->isInside(); }

bool FallbackStay::isForeign() const { return ::getpid() != m_process; }

} // namespace lockhouse
