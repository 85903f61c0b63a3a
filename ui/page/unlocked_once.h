// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/bridge/engine.h"

namespace lockhouse::ui {

/// Asks the engine for one change: `ask` returns its request. A console that is locked is unlocked for it, and locked again once
/// `answered` carries that request, even if whoever asked is gone by then.
template <class Ask, class Answered> quint64 unlockedOnce(Engine &engine, Ask ask, Answered answered) {
  if (engine.isUnlocked())
    return ask();
  engine.unlock();
  const quint64 request = ask();
  auto *patience = new QObject(&engine);
  QObject::connect(&engine, answered, patience, [&engine, request, patience](quint64 of) {
    if (of != request)
      return;
    patience->deleteLater();
    engine.lock();
  });
  return request;
}

} // namespace lockhouse::ui
