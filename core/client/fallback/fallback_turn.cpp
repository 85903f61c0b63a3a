// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback/fallback_turn.h"

#include <unistd.h>

namespace lockhouse {

FallbackTurn::FallbackTurn(std::shared_ptr<FallbackLine::Pass> pass) : m_process(::getpid()), m_inside(std::make_unique<Inside>(std::move(pass))) {}

FallbackTurn::~FallbackTurn() {
  if (isForeign()) { // a thread that did not come along may hold what its end would wait for
    static_cast<void>(m_inside.release());
    return;
  }
  m_inside->onLoss.reset();
  m_inside->pass->giveUp();
}

void FallbackTurn::leave() {
  if (!isForeign())
    m_inside->pass->giveUp();
}

void FallbackTurn::endWith(std::stop_token loss) { m_inside->onLoss.emplace(std::move(loss), Leave{m_inside->pass}); }

bool FallbackTurn::isHere() const { return !isForeign() && m_inside->pass->isInside(); }

bool FallbackTurn::isForeign() const { return ::getpid() != m_process; }

} // namespace lockhouse
