// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/model/locks/lock_history.h"
#include "ui/model/locks/lock_row.h"
#include "ui/widget/parts/scroll_pane.h"

#include <array>

namespace lockhouse::ui {

class LeaseBar;
class LineList;
class PlainLabel;
class Prose;
class StateBadge;
class WindowActions;

/// All that is known of the selected lock: a sentence, then the lease, the holders, the masters, the queue, the family, the history.
class DetailsPane : public ScrollPane {
  Q_OBJECT

public:
  /// `families` outlive the pane.
  DetailsPane(WindowActions &actions, const FamilyRegistry &families, QWidget *parent = nullptr);

  void setNodes(const std::vector<NodeStatus> &nodes) { m_nodes = nodes; } ///< of the snapshot of the next lock
  /// Null: nothing is selected.
  void setLock(const LockRow *row, SteadyTime now);
  void setMany(const std::vector<LockRecordPtr> &locks, std::size_t gone); ///< several are selected; `gone` of them do not exist any more
  /// The lock that was selected exists, but the table does not show it.
  void setHidden(const QString &key);
  void setHistory(const std::vector<LockChange> &changes);
  QString text() const;                   ///< the sentence as shown
  QSize minimumSizeHint() const override; ///< as wide as its buttons: it never scrolls sideways

protected:
  void changeEvent(QEvent *event) override;

private:
  const FamilyRegistry &m_families;
  std::vector<NodeStatus> m_nodes;
  QWidget *m_body = nullptr;
  PlainLabel *m_name = nullptr;
  StateBadge *m_badge = nullptr;
  Prose *m_sentence = nullptr;
  QWidget *m_buttons = nullptr;
  QWidget *m_manyButtons = nullptr;
  PlainLabel *m_whyNot = nullptr; ///< why the release button is disabled
  struct Section {
    PlainLabel *title = nullptr;
    PlainLabel *note = nullptr;
    QWidget *box = nullptr;
    LineList *lines = nullptr;
  };
  LeaseBar *m_bar = nullptr;
  PlainLabel *m_left = nullptr;
  Section m_lease, m_holders, m_members, m_queue, m_family, m_releasing, m_history;

  void build(WindowActions &actions);
  std::array<Section, 7> sections() const { return {m_lease, m_holders, m_members, m_queue, m_family, m_releasing, m_history}; }
  QWidget *buildHead();
  void buildButtons(WindowActions &actions);
  Section makeSection(const QString &title);
  void addLeaseBar();
  void dress();
  void showLease(const LockRow &row, SteadyTime now);
  void showHolders(const LockRow &row, SteadyTime now);
  void showMembers(const LockRow &row, SteadyTime now);
  void showQueue(const LockRow &row, SteadyTime now);
  void showFamily(const LockRow &row);
  void showNothing(const QString &title, bool isName, const QString &sentence);
  void setTitle(const QString &text, bool isName);
};

} // namespace lockhouse::ui
