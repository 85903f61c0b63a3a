// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/lease_length_picker.h"

#include "ui/model/text/verdict_text.h"
#include "ui/page/release/release_flow.h"
#include "ui/widget/parts/no_wheel_combo.h"
#include "ui/widget/style/plain_text.h"

#include <QHBoxLayout>

#include <algorithm>
#include <array>

namespace lockhouse::ui {
namespace {

constexpr std::array lengths{milliseconds(5'000), ReleaseFlow::usualLength, milliseconds(30'000), milliseconds(60'000)};

} // namespace

LeaseLengthPicker::LeaseLengthPicker(QWidget *parent) : QWidget(parent) {
  m_lengths = new NoWheelCombo(this);
  for (const milliseconds length : lengths)
    m_lengths->addItem(leaseLength(length));
  connect(m_lengths, &QComboBox::activated, this, [this](int index) { emit chosen(lengths.at(static_cast<std::size_t>(index))); });
  auto *label = new PlainLabel(tr("The lease is to end in"), this);
  label->setBuddy(m_lengths);
  auto *row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(m_lengths);
  row->addStretch(1);
}

void LeaseLengthPicker::show(milliseconds length, bool mayChoose) {
  m_lengths->setEnabled(mayChoose);
  const auto *const chosen = std::ranges::find(lengths, length);
  m_lengths->setCurrentIndex(chosen == lengths.end() ? -1 : static_cast<int>(chosen - lengths.begin()));
}

} // namespace lockhouse::ui
