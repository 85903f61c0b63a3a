// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace lockhouse {
namespace {

constexpr unsigned firstBound = 14; // 2^14 ns = 16 us
constexpr unsigned lastBound = 36;  // 2^36 ns = 69 s

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"')
      text.push_back('\\');
    if (c == '\n')
      text += "\\n";
    else
      text.push_back(c);
  }
  return text;
}

std::string labelName(std::string_view name) {
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::string text(name.empty() || isDigit(name.front()) ? "_" : "");
  for (const char c : name)
    text.push_back(isLetter(c) || isDigit(c) ? c : '_');
  return text;
}

/// Each name once, as the format demands: ours stand last and keep theirs, others get "exported_" before them, as Prometheus itself does.
std::vector<std::string> namesOf(const MetricLabels &labels) {
  std::vector<std::string> names(labels.size());
  for (auto i = labels.size(); i-- > 0;) {
    names[i] = labelName(labels[i].first);
    while (std::find(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end(), names[i]) != names.end())
      names[i].insert(0, "exported_");
  }
  return names;
}

std::string braced(const MetricLabels &labels) {
  std::string text;
  const auto names = namesOf(labels);
  for (std::size_t i = 0; i < labels.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}=\"{}\"", text.empty() ? "{" : ",", names[i], escaped(labels[i].second));
  return text.empty() ? text : text + "}";
}

/// Nanoseconds as seconds, every digit of them: a double would round the bounds.
std::string inSeconds(std::int64_t nanoseconds) { return fmt::format("{}.{:09}", nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000); }

/// The text of one family after the other.
class Page {
public:
  explicit Page(std::span<const LabelledMetrics> clients) : m_clients(clients) {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    m_name = name;
    fmt::format_to(end(), "# HELP lockhouse_{0} {1}\n# TYPE lockhouse_{0} {2}\n", name, help, type);
  }
  void sample(const MetricLabels &labels, auto value) { fmt::format_to(end(), "lockhouse_{}{} {}\n", m_name, braced(labels), value); }

  void eachClient(const std::function<void(const Metrics &, const MetricLabels &)> &write) {
    for (const auto &client : m_clients)
      write(client.metrics, client.labels);
  }
  /// `write` is given the labels with the primitive's.
  void eachLock(const std::function<void(const LockMetrics &, MetricLabels)> &write) {
    for (const auto &client : m_clients)
      for (const auto &locks : client.metrics.locks) {
        auto labels = client.labels;
        labels.emplace_back("primitive", locks.primitive);
        write(locks, std::move(labels));
      }
  }
  /// Of a client of one node, that one; of a quorum, each with its name.
  void eachNode(const std::function<void(const NodeMetrics &, const MetricLabels &)> &write) {
    for (const auto &client : m_clients) {
      const auto &all = client.metrics;
      if (all.nodes.empty())
        write({NodeId(), all.commands, all.connects, all.connected}, client.labels);
      for (const auto &node : all.nodes) {
        auto labels = client.labels;
        labels.emplace_back("node", node.node.bytes());
        write(node, labels);
      }
    }
  }
  void gauge(std::string_view name, std::string_view help, std::int64_t LockMetrics::*number) {
    family(name, "gauge", help);
    eachLock([&](const LockMetrics &locks, const MetricLabels &labels) { sample(labels, locks.*number); });
  }
  void histogram(std::string_view name, std::string_view help, Histogram LockMetrics::*durations) {
    family(name, "histogram", help);
    eachLock([&](const LockMetrics &locks, const MetricLabels &labels) { writeBuckets(locks.*durations, labels); });
  }
  std::string take() { return std::move(m_text); }

private:
  std::back_insert_iterator<std::string> end() { return std::back_inserter(m_text); }

  void writeBuckets(const Histogram &durations, const MetricLabels &labels) {
    auto withBound = labels;
    auto &bound = withBound.emplace_back("le", "").second;
    const auto bucket = [&](std::string le, std::uint64_t count) {
      bound = std::move(le);
      fmt::format_to(end(), "lockhouse_{}_bucket{} {}\n", m_name, braced(withBound), count);
    };
    for (unsigned power = firstBound; power <= lastBound; ++power)
      bucket(inSeconds((std::int64_t{1} << power) - 1), durations.countBelow(power)); // an inclusive bound
    bucket("+Inf", durations.count());
    fmt::format_to(end(), "lockhouse_{0}_sum{1} {2}\nlockhouse_{0}_count{1} {3}\n", m_name, braced(labels), inSeconds(durations.sum().count()),
                   durations.count());
  }

  std::span<const LabelledMetrics> m_clients;
  std::string_view m_name;
  std::string m_text;
};

MetricLabels with(MetricLabels labels, std::string_view name, std::string_view value) {
  labels.emplace_back(name, value);
  return labels;
}

void writeAcquires(Page &page) {
  page.family("acquires_total", "counter", "Acquires by their outcome.");
  page.eachLock([&](const LockMetrics &locks, const MetricLabels &labels) {
    page.sample(with(labels, "outcome", "acquired"), locks.acquired);
    page.sample(with(labels, "outcome", "contended"), locks.contended);
    page.sample(with(labels, "outcome", "timed out"), locks.timedOut);
    page.sample(with(labels, "outcome", "cancelled"), locks.cancelled);
    page.sample(with(labels, "outcome", "in doubt"), locks.inDoubt);
    page.sample(with(labels, "outcome", "failed"), locks.failed);
  });
  page.family("refusals_total", "counter", "Answers that somebody else has the lock.");
  page.eachLock([&](const LockMetrics &locks, const MetricLabels &labels) { page.sample(labels, locks.refusals); });
}

void writeEnds(Page &page) {
  page.family("releases_total", "counter", "Releases by their outcome.");
  page.eachLock([&](const LockMetrics &locks, const MetricLabels &labels) {
    for (std::size_t i = 0; i < locks.releases.size(); ++i)
      page.sample(with(labels, "outcome", name(static_cast<ReleaseOutcome>(i))), locks.releases[i]);
  });
  page.family("lost_total", "counter", "Holds that ended without their owner's release, by cause.");
  page.eachLock([&](const LockMetrics &locks, const MetricLabels &labels) {
    for (std::size_t i = 0; i < locks.lost.size(); ++i)
      page.sample(with(labels, "cause", name(static_cast<LossReason>(i))), locks.lost[i]);
  });
  page.family("renewals_total", "counter", "Renewals by their outcome.");
  page.eachLock([&](const LockMetrics &locks, const MetricLabels &labels) {
    page.sample(with(labels, "outcome", "renewed"), locks.renewals);
    page.sample(with(labels, "outcome", "failed"), locks.renewalsFailed);
  });
}

void writeClients(Page &page) {
  page.family("subscriptions", "gauge", "Channels listened to.");
  page.eachClient([&](const Metrics &metrics, const MetricLabels &labels) { page.sample(labels, metrics.subscriptions); });
  page.family("commands_total", "counter", "Commands sent to Redis.");
  page.eachNode([&](const NodeMetrics &node, const MetricLabels &labels) { page.sample(labels, node.commands); });
  page.family("connects_total", "counter", "Times that the command connection became ready.");
  page.eachNode([&](const NodeMetrics &node, const MetricLabels &labels) { page.sample(labels, node.connects); });
  page.family("connected", "gauge", "Whether the command connection is ready.");
  page.eachNode([&](const NodeMetrics &node, const MetricLabels &labels) { page.sample(labels, node.connected ? 1 : 0); });
  page.family("quorum_connected", "gauge", "Whether so many nodes are connected that they are a quorum.");
  page.eachClient([&](const Metrics &metrics, const MetricLabels &labels) {
    if (!metrics.nodes.empty())
      page.sample(labels, metrics.connected ? 1 : 0);
  });
}

} // namespace

const LockMetrics *Metrics::of(std::string_view primitive) const {
  const auto found = std::ranges::find(locks, primitive, &LockMetrics::primitive);
  return found == locks.end() ? nullptr : &*found;
}

std::string prometheusText(std::span<const LabelledMetrics> clients) {
  Page page(clients);
  writeAcquires(page);
  writeEnds(page);
  page.gauge("holds", "Locks held now.", &LockMetrics::holds);
  page.gauge("waiters", "Acquires under way now.", &LockMetrics::waiters);
  page.histogram("wait_seconds", "From the call of an acquire to its grant.", &LockMetrics::wait);
  page.histogram("hold_seconds", "From a grant to its release or loss.", &LockMetrics::hold);
  page.histogram("handoff_seconds", "From a release to the grant of one that waited for it.", &LockMetrics::handoff);
  page.histogram("renewal_lateness_seconds", "From the planned time of a renewal to its answer.", &LockMetrics::renewalLateness);
  writeClients(page);
  return page.take();
}

std::string prometheusText(const Metrics &metrics, MetricLabels labels) {
  const LabelledMetrics one{metrics, std::move(labels)};
  return prometheusText(std::span(&one, 1));
}

} // namespace lockhouse
