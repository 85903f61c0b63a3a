// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/stress_run.h"
#include "core/watch/lock_snapshot.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace lockhouse::ui {

class PlainLabel;

/// What a stress run is to do: the choices of `lockhousectl stress`, and the node it goes to.
class LabChoices : public QWidget {
  Q_OBJECT

public:
  /// Unless `isDemo`, the chosen node's name has to be typed before it is confirmed.
  explicit LabChoices(bool isDemo, QWidget *parent = nullptr);

  StressOptions options() const;
  int nodeIndex() const; ///< -1 while no node is known
  bool isConfirmed() const;
  void setNodes(const std::vector<NodeStatus> &nodes);

signals:
  void changed();

private:
  bool m_isDemo;
  PlainLabel *m_heading = nullptr;
  QFormLayout *m_form = nullptr;
  QComboBox *m_primitive = nullptr;
  QComboBox *m_policy = nullptr;
  QSpinBox *m_clients = nullptr;
  QSpinBox *m_keys = nullptr;
  QSpinBox *m_hold = nullptr;
  QSpinBox *m_think = nullptr;
  QSpinBox *m_lease = nullptr;
  QComboBox *m_ending = nullptr;
  QSpinBox *m_duration = nullptr;
  QSpinBox *m_count = nullptr;
  QComboBox *m_node = nullptr;
  PlainLabel *m_confirmation = nullptr;
  QLineEdit *m_typed = nullptr;
  std::vector<std::string> m_addresses;

  void build();
  void addLock();
  void addLoad();
  void addEnding();
  void addNode();
  QSpinBox *addNumber(const QString &label, const QString &tip, int least, int most, int value, const QString &suffix = {});
  void addRow(const QString &label, QWidget *field);
  void wire();
  void choosePrimitive();
  void chooseEnding();
  void chooseNode();
  void sayHeading();
};

} // namespace lockhouse::ui
