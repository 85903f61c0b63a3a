// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/workload/stress_options.h"
#include "core/watch/record/lock_snapshot.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;

namespace lockhouse::ui {

class CountBox;
class ElidedCombo;
class PlainLabel;
class SpanBox;

/// The options of a stress run, as in `lockhousectl stress`, and its node.
class StressChoices : public QWidget {
  Q_OBJECT

public:
  /// Unless `isDemo`, the name of the node has to be typed before the run can start.
  explicit StressChoices(bool isDemo, QWidget *parent = nullptr);

  StressOptions options() const;
  int nodeIndex() const; ///< -1 while no node is known
  bool isConfirmed() const;
  void setNodes(const std::vector<NodeStatus> &nodes);

signals:
  void changed();

private:
  bool m_isDemo;
  PlainLabel *m_heading = nullptr;
  PlainLabel *m_explanation = nullptr;
  QFormLayout *m_form = nullptr;
  QComboBox *m_primitive = nullptr;
  QComboBox *m_policy = nullptr;
  CountBox *m_clients = nullptr;
  CountBox *m_keys = nullptr;
  CountBox *m_stripes = nullptr;
  SpanBox *m_hold = nullptr;
  SpanBox *m_think = nullptr;
  SpanBox *m_lease = nullptr;
  QComboBox *m_ending = nullptr;
  SpanBox *m_duration = nullptr;
  CountBox *m_count = nullptr;
  ElidedCombo *m_node = nullptr;
  PlainLabel *m_confirmation = nullptr;
  QLineEdit *m_typed = nullptr;
  std::vector<std::string> m_addresses;

  void build();
  void addLock();
  void addLoad();
  void addEnding();
  void addNode();
  CountBox *addNumber(const QString &label, const QString &tip, int least, int most, int value);
  SpanBox *addSpan(const QString &label, const QString &tip, milliseconds least, milliseconds most, milliseconds value);
  void addRow(const QString &label, QWidget *field);
  void wire();
  void choosePrimitive();
  void chooseEnding();
  void chooseNode();
  void sayHeading();
  void sayHow();
};

} // namespace lockhouse::ui
