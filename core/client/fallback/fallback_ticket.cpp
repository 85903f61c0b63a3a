// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback/fallback_ticket.h"

#include <unistd.h>

namespace lockhouse {

FallbackTicket::FallbackTicket(std::shared_ptr<FallbackQueue::Pass> pass) : m_process(::getpid()), m_inside(std::make_unique<Inside>(std::move(pass))) {}

FallbackTicket::~FallbackTicket() {
  if (isForeign()) { // a thread that did not come along may hold what its end would wait for
    static_cast<void>(m_inside.release());
    return;
  }
  m_inside->onLoss.reset();
  m_inside->pass->giveUp();
}

void FallbackTicket::leave() {
  if (!isForeign())
    m_inside->pass->giveUp();
}

void FallbackTicket::endWith(std::stop_token loss) { m_inside->onLoss.emplace(std::move(loss), Leave{m_inside->pass}); }

bool FallbackTicket::isHere() const { return !isForeign() && m_inside->pass->isInside(); }

bool FallbackTicket::isForeign() const { return ::getpid() != m_process; }

} // namespace lockhouse
