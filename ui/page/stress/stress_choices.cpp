// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/stress/stress_choices.h"

#include "core/lock/pages/primitive_info.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/node_names.h"
#include "ui/model/text/primitive_words.h"
#include "ui/widget/parts/elided_combo.h"
#include "ui/widget/parts/number_spin_box.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>

namespace lockhouse::ui {
namespace {

constexpr int mostClients = 100'000;
constexpr std::chrono::hours hour{1};

enum Ending { AfterTime, AfterCount };

} // namespace

StressChoices::StressChoices(bool isDemo, QWidget *parent) : QWidget(parent), m_isDemo(isDemo) {
  build();
  wire();
  choosePrimitive();
  chooseEnding();
  chooseNode();
  sayHeading();
}

void StressChoices::build() {
  m_heading = new PlainLabel(this);
  m_heading->setWordWrap(true);
  m_heading->setFont(scaledFont(font(), 1.05, QFont::DemiBold));
  m_explanation = new PlainLabel(this);
  m_explanation->setWordWrap(true);
  m_form = new QFormLayout(this);
  m_form->setContentsMargins(16, 16, 16, 8);
  m_form->setVerticalSpacing(8);
  m_form->setHorizontalSpacing(16);
  m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  m_form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  m_form->addRow(m_heading);
  m_form->addRow(m_explanation);
  addLock();
  addLoad();
  addEnding();
  addNode();
}

void StressChoices::addLock() {
  m_primitive = new QComboBox(this);
  for (const PrimitiveInfo &info : primitiveInfos()) {
    m_primitive->addItem(fromUtf8(info.name));
    m_primitive->setItemData(m_primitive->count() - 1, plainToolTip(primitiveSummary(info)), Qt::ToolTipRole);
  }
  m_policy = new QComboBox(this);
  addRow(tr("Lock"), m_primitive);
  addRow(tr("Waiting by"), m_policy);
}

void StressChoices::addLoad() {
  m_clients = addNumber(tr("Clients"), tr("Virtual clients in this program; they share its connection."), 1, mostClients, 16);
  m_keys = addNumber(tr("Keys"), tr("How many locks they share. With a key each, nobody ever waits."), 0, mostClients, 1);
  m_keys->setSpecialValueText(tr("one for each client"));
  m_stripes = addNumber(tr("Stripes"), tr("On how many locks the keys live. Clients whose keys share a stripe wait for each other."), 1, mostClients,
                        static_cast<int>(StressOptions{}.stripes));
  m_hold = addSpan(tr("Hold"), {}, {}, hour, milliseconds(1));
  m_think = addSpan(tr("Think"), tr("How long it pauses before it wants the lock again."), {}, hour, {});
  m_lease =
      addSpan(tr("Lease"), tr("After this long without renewal Redis lets go by itself. It is renewed every third."), milliseconds(10), 24 * hour, seconds(30));
}

void StressChoices::addEnding() {
  m_ending = new QComboBox(this);
  m_ending->addItem(tr("for a time"), AfterTime);
  m_ending->addItem(tr("for a count"), AfterCount);
  addRow(tr("Run"), m_ending);
  m_duration = addSpan(tr("Time"), {}, seconds(1), 24 * hour, seconds(5));
  m_count = addNumber(tr("Acquisitions"), tr("In all, spread over the clients."), 1, 1'000'000'000, 1'000);
}

void StressChoices::addNode() {
  m_node = new ElidedCombo(this);
  addRow(tr("Node"), m_node);
  m_confirmation = new PlainLabel(this);
  m_confirmation->setWordWrap(true);
  m_form->addRow(m_confirmation);
  m_typed = new QLineEdit(this);
  m_typed->setFont(fixedFont());
  m_confirmation->setBuddy(m_typed);
  m_form->addRow(m_typed);
}

CountBox *StressChoices::addNumber(const QString &label, const QString &tip, int least, int most, int value) {
  auto *box = new CountBox(this);
  box->setRange(least, most);
  box->setValue(value);
  box->setToolTip(plainToolTip(tip));
  addRow(label, box);
  return box;
}

SpanBox *StressChoices::addSpan(const QString &label, const QString &tip, milliseconds least, milliseconds most, milliseconds value) {
  auto *box = new SpanBox(this);
  box->setSpanRange(least, most);
  box->setSpan(value);
  box->setToolTip(plainToolTip(tip));
  addRow(label, box);
  return box;
}

void StressChoices::addRow(const QString &label, QWidget *field) {
  field->setMinimumHeight(24);
  field->setAccessibleName(label);
  m_form->addRow(label, field);
}

void StressChoices::wire() {
  connect(m_primitive, &QComboBox::currentIndexChanged, this, &StressChoices::choosePrimitive);
  connect(m_ending, &QComboBox::currentIndexChanged, this, &StressChoices::chooseEnding);
  connect(m_node, &QComboBox::currentIndexChanged, this, &StressChoices::chooseNode);
  connect(m_typed, &QLineEdit::textChanged, this, &StressChoices::changed);
  connect(m_keys, &CountBox::valueChanged, this, &StressChoices::sayHeading);
}

void StressChoices::choosePrimitive() {
  const auto infos = primitiveInfos();
  const auto index = static_cast<std::size_t>(m_primitive->currentIndex());
  m_policy->clear();
  if (index >= infos.size())
    return;
  m_primitive->setToolTip(plainToolTip(primitiveSummary(infos[index])));
  for (const std::string_view policy : infos[index].policies)
    m_policy->addItem(fromUtf8(policy));
  const bool isStriped = hasStripes(infos[index].name);
  m_stripes->setVisible(isStriped);
  m_form->labelForField(m_stripes)->setVisible(isStriped);
  sayHow();
  sayHeading();
}

// A latch excludes nobody and has no lease.
void StressChoices::sayHow() {
  const bool meets = isLatch(m_primitive->currentText().toStdString());
  m_explanation->setText(meets ? tr("Each client counts down, waits for all, goes on. A check in this program tells whether one ever went on too early.")
                               : tr("Each client takes the lock, works, lets go. A check in this program tells whether two were ever inside at once."));
  m_hold->setToolTip(plainToolTip(meets ? tr("How long a client works when it could go on.") : tr("How long a client works while it has the lock.")));
  m_lease->setVisible(!meets);
  m_form->labelForField(m_lease)->setVisible(!meets);
}

void StressChoices::chooseEnding() {
  const bool byTime = m_ending->currentData() == AfterTime;
  m_duration->setVisible(byTime);
  m_form->labelForField(m_duration)->setVisible(byTime);
  m_count->setVisible(!byTime);
  m_form->labelForField(m_count)->setVisible(!byTime);
}

void StressChoices::chooseNode() {
  const bool ask = !m_isDemo && nodeIndex() >= 0;
  m_confirmation->setVisible(ask);
  m_typed->setVisible(ask);
  m_typed->clear();
  if (ask)
    m_confirmation->setText(tr("This is not the demo. The run writes keys to that server and loads it: type %1 to allow it.")
                                .arg(shown(m_addresses[static_cast<std::size_t>(nodeIndex())])));
  emit changed();
}

void StressChoices::setNodes(const std::vector<NodeStatus> &nodes) {
  std::vector<std::string> addresses;
  for (const NodeStatus &node : nodes)
    addresses.push_back(node.id.bytes());
  if (addresses == m_addresses)
    return;
  m_addresses = std::move(addresses);
  m_node->clear();
  for (std::size_t i = 0; i < m_addresses.size(); ++i)
    m_node->addName(tr("%1  %2", "a node's letter and its address").arg(NodeNames::letter(i), shown(m_addresses[i])));
  chooseNode();
}

void StressChoices::sayHeading() {
  const int keys = m_keys->value();
  const bool meets = isLatch(m_primitive->currentText().toStdString());
  if (keys == 0)
    m_heading->setText(meets ? tr("Every client has a latch of its own") : tr("Every client has a lock of its own"));
  else if (meets)
    m_heading->setText(keys == 1 ? tr("All clients meet at one latch") : tr("The clients meet at %1 latches").arg(countText(static_cast<std::uint64_t>(keys))));
  else
    m_heading->setText(keys == 1 ? tr("All clients want one lock") : tr("All clients share %1 locks").arg(countText(static_cast<std::uint64_t>(keys))));
}

StressOptions StressChoices::options() const {
  StressOptions options;
  options.primitive = m_primitive->currentText().toStdString();
  options.policy = m_policy->currentText().toStdString();
  options.clients = static_cast<unsigned>(m_clients->value());
  options.keys = static_cast<unsigned>(m_keys->value());
  options.stripes = static_cast<unsigned>(m_stripes->value());
  options.hold = m_hold->span();
  options.think = m_think->span();
  options.lease = m_lease->span();
  if (m_ending->currentData() == AfterTime)
    options.duration = m_duration->span();
  else
    options.count = static_cast<std::uint64_t>(m_count->value());
  return options;
}

int StressChoices::nodeIndex() const { return m_node->currentIndex(); }

bool StressChoices::isConfirmed() const {
  if (nodeIndex() < 0)
    return false;
  return m_isDemo || m_typed->text().toStdString() == m_addresses[static_cast<std::size_t>(nodeIndex())];
}

} // namespace lockhouse::ui
