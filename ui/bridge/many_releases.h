// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"

#include <QObject>

#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace lockhouse {
class ReleaseService;
struct BulkProgress;
} // namespace lockhouse

namespace lockhouse::ui {

/// How far a request about many locks has come; counted in holds on nodes.
struct ManyProgress {
  std::size_t total = 0;
  std::size_t answered = 0; ///< what a stop left alone is not among them
  std::size_t done = 0;     ///< of those answered: released, or shortened
  std::size_t refused = 0;  ///< of those answered: any other verdict
  std::size_t unknown = 0;  ///< sent and given up: no answer came
  bool operator==(const ManyProgress &) const = default;
};

/// Requests about many locks, of which each is answered once, in the order it was asked in. GUI thread. Has to outlive the operator.
///
/// Applied is in two goes: the locks that nobody was known to wait for, then, once all of those are free on every node, the others;
/// so that whoever is let in finds the rest of what its holder had free, too.
class ManyReleases : public QObject {
  Q_OBJECT

public:
  using QObject::QObject;

  void plan(ReleaseService &hand, quint64 request, std::vector<ReleaseIntent> intents);
  void apply(ReleaseService &hand, quint64 request, std::vector<ReleaseResult> planned, std::string reason);
  void stop(quint64 request); ///< what was not begun by then is left out, verdict Stopped

signals:
  void progressed(quint64 request, const lockhouse::ui::ManyProgress &progress);
  void planned(quint64 request, const std::vector<lockhouse::ReleaseResult> &results);
  void applied(quint64 request, const std::vector<lockhouse::ReleaseResult> &results);

private:
  struct Run;
  std::map<quint64, std::stop_source> m_underWay;

  void goOn(ReleaseService &hand, const std::shared_ptr<Run> &run);
  void tell(quint64 request, const ManyProgress &before, const BulkProgress &now);
};

} // namespace lockhouse::ui
