// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/window/status_line.h"

#include "ui/model/text/formatting.h"
#include "ui/model/text/node_names.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int dot = 8;
constexpr int gap = 6;
constexpr int space = 20;
constexpr std::size_t mostAddress = 120;

QColor dotInk(NodeState state, const Theme &theme) {
  switch (state) {
  case NodeState::Live: return theme.held.ink;
  case NodeState::Connecting: return theme.stale.ink;
  case NodeState::Stale: return theme.contended.ink;
  case NodeState::Down: return theme.danger.ink;
  }
  return theme.stale.ink;
}

/// A letter, the address, and the state in a word unless it is the good one.
QString nodeText(const NodeStatus &node, std::size_t index) {
  QString text = NodeNames::letter(index) + QStringLiteral("  ") + shown(node.address, mostAddress);
  if (node.state != NodeState::Live)
    text += QStringLiteral(" · ") + nodeStateWord(node.state);
  return text;
}

} // namespace

class StatusLine::Nodes : public QWidget {
public:
  using QWidget::QWidget;

  void set(const std::vector<NodeStatus> &nodes) {
    std::vector<std::pair<NodeState, QString>> now;
    QStringList said;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      now.emplace_back(nodes[i].state, nodeText(nodes[i], i));
      said << now.back().second + u' ' + nodeStateWord(nodes[i].state);
    }
    if (now == m_nodes)
      return;
    m_nodes = std::move(now);
    setAccessibleName(said.join(QStringLiteral(", ")));
    setToolTip(plainToolTip(said.join(u'\n')));
    updateGeometry();
    update();
  }

  QSize sizeHint() const override {
    int width = 0;
    for (const auto &[state, text] : m_nodes)
      width += dot + gap + fontMetrics().horizontalAdvance(text) + space;
    return {width, scaledLength(font(), 20)};
  }
  QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

protected:
  void paintEvent(QPaintEvent *) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::of(palette());
    const int most = width() >= sizeHint().width() ? width() : shareOfEach();
    int x = 4;
    for (const auto &[state, text] : m_nodes) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(dotInk(state, theme));
      painter.drawEllipse(QRectF(x, (height() - dot) / 2.0, dot, dot));
      x += dot + gap;
      painter.setPen(theme.soft);
      const QString fitting = fontMetrics().elidedText(text, Qt::ElideMiddle, most);
      painter.drawText(QRect(x, 0, std::max(width() - x, 0), height()), Qt::AlignLeft | Qt::AlignVCenter, fitting);
      x += fontMetrics().horizontalAdvance(fitting) + space;
    }
  }

private:
  std::vector<std::pair<NodeState, QString>> m_nodes;

  // Where not all of them fit, each gets as much as the others; the tooltip has them whole.
  int shareOfEach() const { return std::max(width() / static_cast<int>(std::max<std::size_t>(m_nodes.size(), 1)) - dot - gap - space, 24); }
};

StatusLine::StatusLine(QWidget *parent) : QStatusBar(parent), m_nodes(new Nodes(this)), m_divergences(new PlainLabel(this)), m_writes(new PlainLabel(this)) {
  setSizeGripEnabled(false);
  const QFont small = scaledFont(font(), 0.92);
  for (QWidget *part : std::initializer_list<QWidget *>{m_nodes, m_divergences, m_writes})
    part->setFont(small);
  for (PlainLabel *label : {m_divergences, m_writes}) {
    label->setContentsMargins(8, 0, 8, 0);
    label->setFixedHeight(scaledLength(font(), 20));
    label->setForegroundRole(QPalette::Dark); // the palette's soft text
  }
  m_divergences->setToolTip(plainToolTip(tr("What full scans found that no change had announced")));
  setFixedHeight(scaledLength(font(), 26));
  addWidget(m_nodes, 1);
  addPermanentWidget(m_divergences);
  addPermanentWidget(m_writes);
  setWrites(0, 0);
}

void StatusLine::setNodes(const std::vector<NodeStatus> &nodes) {
  m_nodes->set(nodes);
  std::uint64_t divergences = 0;
  for (const NodeStatus &node : nodes)
    divergences += node.divergences;
  m_divergences->setText(tr("%n divergences since start", nullptr, static_cast<int>(std::min<std::uint64_t>(divergences, 2'000'000'000))));
}

void StatusLine::setWrites(quint64 locks, quint64 nodes) {
  const auto number = [](quint64 count) { return static_cast<int>(std::min<quint64>(count, 2'000'000'000)); };
  const QString written = withGroups(tr("audit: %n locks written", nullptr, number(locks)), locks);
  m_written = nodes > 1 ? tr("%1 on %2", "how many locks, how many nodes").arg(written, tr("%n nodes", nullptr, number(nodes))) : written;
  sayWrites();
}

void StatusLine::setAudit(AuditStanding standing) {
  m_audit = standing;
  sayWrites();
}

void StatusLine::sayWrites() {
  const bool isSound = m_audit == AuditStanding::Sound;
  const QString fault = m_audit == AuditStanding::Unread ? tr("%1 · the log cannot be opened", "audit: what was written")
                                                         : tr("%1 · the log is not sound", "audit: what was written");
  m_writes->setText(isSound ? m_written : fault.arg(m_written));
  m_writes->setForegroundRole(isSound ? QPalette::Dark : QPalette::WindowText); // Dark is the palette's soft text
  QPalette inks = palette();
  if (!isSound)
    inks.setColor(QPalette::WindowText, Theme::of(inks).danger.ink);
  m_writes->setPalette(inks);
}

void StatusLine::changeEvent(QEvent *event) {
  QStatusBar::changeEvent(event);
  if (m_writes && event->type() == QEvent::PaletteChange)
    sayWrites();
}

} // namespace lockhouse::ui
