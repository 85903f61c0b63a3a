// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/many_releases.h"

#include "core/client/release/release_service.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace lockhouse::ui {

/// One application of many plans, go by go. GUI thread, but for what is on its way there.
struct ManyReleases::Run {
  quint64 request = 0;
  std::string reason;
  std::vector<ReleaseResult> results;
  std::vector<std::vector<std::size_t>> goes; ///< places in results; the next one last
  ManyProgress before;                        ///< of the goes that are over
};

namespace {

void count(const ReleaseResult &answer, ManyProgress &progress) {
  if (answer.verdict == Verdict::Stopped)
    return; // it was left alone: that is no answer
  ++progress.answered;
  ++(isAsAsked(answer.verdict) ? progress.done : answer.inDoubt ? progress.unknown : progress.refused);
}

} // namespace

void ManyReleases::plan(ReleaseService &hand, quint64 request, std::vector<ReleaseIntent> intents) {
  const ManyProgress before{intents.size(), 0, 0, 0, 0};
  hand.planMany(
      std::move(intents), m_underWay[request].get_token(), [this, request, before](const BulkProgress &now) { tell(request, before, now); },
      [this, request](std::vector<ReleaseResult> results) {
        auto answer = std::make_shared<std::vector<ReleaseResult>>(std::move(results));
        QMetaObject::invokeMethod(
            this,
            [this, request, answer] {
              m_underWay.erase(request);
              emit planned(request, *answer);
            },
            Qt::QueuedConnection);
      });
}

void ManyReleases::apply(ReleaseService &hand, quint64 request, std::vector<ReleaseResult> planned, std::string reason) {
  auto run = std::make_shared<Run>();
  run->request = request;
  run->reason = std::move(reason);
  run->before.total = planned.size();
  std::vector<std::size_t> places(planned.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto awaited = std::ranges::stable_partition(places, [&](std::size_t at) { return !planned[at].now || planned[at].now->waiters.value_or(0) == 0; });
  if (!awaited.empty())
    run->goes.emplace_back(awaited.begin(), awaited.end());
  run->goes.emplace_back(places.begin(), awaited.begin());
  run->results = std::move(planned);
  m_underWay.try_emplace(request);
  goOn(hand, run);
}

// The next go is asked for on this thread, by which the operator is ended, too: never of one that is no more.
void ManyReleases::goOn(ReleaseService &hand, const std::shared_ptr<Run> &run) {
  if (run->goes.empty()) {
    m_underWay.erase(run->request);
    emit applied(run->request, run->results);
    return;
  }
  std::vector<ReleaseResult> part;
  for (const auto place : run->goes.back())
    part.push_back(std::move(run->results[place]));
  hand.applyMany(
      std::move(part), run->reason, m_underWay[run->request].get_token(),
      [this, request = run->request, before = run->before](const BulkProgress &now) { tell(request, before, now); },
      [this, &hand, run](std::vector<ReleaseResult> results) {
        auto answer = std::make_shared<std::vector<ReleaseResult>>(std::move(results));
        const auto take = [this, &hand, run, answer] {
          for (std::size_t i = 0; i < answer->size(); ++i) {
            count((*answer)[i], run->before);
            run->results[run->goes.back()[i]] = std::move((*answer)[i]);
          }
          run->goes.pop_back();
          goOn(hand, run);
        };
        QMetaObject::invokeMethod(this, take, Qt::QueuedConnection);
      });
}

void ManyReleases::stop(quint64 request) {
  if (const auto found = m_underWay.find(request); found != m_underWay.end())
    found->second.request_stop();
}

void ManyReleases::tell(quint64 request, const ManyProgress &before, const BulkProgress &now) {
  const ManyProgress sum{before.total, before.answered + now.answered, before.done + now.released, before.refused + now.refused, before.unknown + now.unknown};
  QMetaObject::invokeMethod(this, [this, request, sum] { emit progressed(request, sum); }, Qt::QueuedConnection);
}

} // namespace lockhouse::ui
