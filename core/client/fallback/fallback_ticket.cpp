// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback/fallback_ticket.h"

#include <unistd.h>

namespace lockhouse {

FallbackTicket::FallbackTicket(std::shared_ptr<FallbackQueue::Pass> pass) : m_process(::getpid()), m_inside(std::make_unique<Inside>(std::move(pass))) {}

FallbackTicket::~FallbackTicket() {
  if (isForkedChild()) { // a thread that does not exist here may hold a mutex that its end would wait for
    static_cast<void>(m_inside.release());
    return;
  }
  m_inside->onLoss.reset();
  m_inside->pass->end();
}

void FallbackTicket::leave() {
  if (!isForkedChild())
    m_inside->pass->end();
}

void FallbackTicket::endWith(std::stop_token loss) { m_inside->onLoss.emplace(std::move(loss), Leave{m_inside->pass}); }

bool FallbackTicket::isValid() const { return !isForkedChild() && m_inside->pass->isValid(); }

bool FallbackTicket::isForkedChild() const { return ::getpid() != m_process; }

} // namespace lockhouse
