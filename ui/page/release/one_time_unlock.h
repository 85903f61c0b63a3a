// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/bridge/engine.h"

namespace lockhouse::ui {

/// Asks the engine for one change: `ask` returns its request. On a console that is locked it is allowed alone, until `answered` carries that
/// request, even if whoever asked is gone by then; for anything else the console stays locked.
template <class Ask, class Answered> quint64 unlockedOnce(Engine &engine, Ask ask, Answered answered) {
  if (engine.isUnlocked())
    return ask();
  const quint64 allowed = engine.allowOnce();
  const quint64 request = ask();
  auto *patience = new QObject(&engine);
  QObject::connect(&engine, answered, patience, [&engine, request, allowed, patience](quint64 of) {
    if (of != request)
      return;
    patience->deleteLater();
    engine.endOnce(allowed);
  });
  return request;
}

} // namespace lockhouse::ui
