// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/release_actions.h"

#include "core/base/redisson_names.h"
#include "core/release/method/shorten_plan.h"
#include "core/release/plan/hold_selection.h"
#include "ui/bridge/engine.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/page/actions/message_boxes.h"
#include "ui/page/actions/window_actions.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/release/release_dialog.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/release_many_dialog.h"
#include "ui/widget/style/plain_text.h"

#include <QAction>
#include <QComboBox>
#include <QInputDialog>

#include <algorithm>
#include <iterator>
#include <span>

namespace lockhouse::ui {
namespace {

constexpr std::size_t shownOfName = 64;

// Any lock may have such a mark or time.
bool namesNoOwner(const std::string &holder) { return namesNobody(holder) || isOnlyATime(holder); }

} // namespace

ReleaseActions::ReleaseActions(Engine &engine, WindowActions &actions, LocksPage &locks, QWidget &window)
    : QObject(&window), m_engine(engine), m_actions(actions), m_locks(locks), m_window(window) {
  wire();
  offer();
}

void ReleaseActions::wire() {
  connect(m_actions.release, &QAction::triggered, this, [this] { openSelected(); });
  connect(m_actions.releaseSelected, &QAction::triggered, this, [this] { openSelected(); });
  connect(m_actions.shorten, &QAction::triggered, this, [this] { openSelected(ReleaseFlow::usualLength); });
  connect(m_actions.releaseShown, &QAction::triggered, this, &ReleaseActions::openShown);
  connect(m_actions.releaseHolder, &QAction::triggered, this, &ReleaseActions::openHolder);
  connect(&m_locks, &LocksPage::currentChanged, this, &ReleaseActions::offer);
  connect(&m_locks, &LocksPage::shownChanged, this, &ReleaseActions::offer);
}

void ReleaseActions::offer() {
  const bool canRelease = m_locks.canRelease();
  const QString nothing = canRelease ? QString() : tr("Select a lock that is held first.");
  allow(*m_actions.release, nothing);
  allow(*m_actions.shorten, canRelease ? whyNotShortened() : nothing);
  allow(*m_actions.releaseSelected, canRelease && m_locks.selectedCount() > 1 ? QString() : tr("Select several locks first."));
  allow(*m_actions.releaseHolder, canRelease ? whyNotLookedFor() : nothing);
  allow(*m_actions.releaseShown, m_locks.hasShown() ? QString() : tr("No lock that is held is shown."));
}

// A disabled action says why.
void ReleaseActions::allow(QAction &action, const QString &refused) {
  action.setEnabled(refused.isEmpty());
  action.setToolTip(plainToolTip(refused.isEmpty() ? action.statusTip() : refused));
}

QString ReleaseActions::whyNotLookedFor() const {
  const LockRecordPtr lock = m_locks.current();
  if (!lock || m_locks.selectedCount() != 1)
    return tr("Select one lock alone: its holder is meant.");
  if (lock->isDoubtful()) // its holder may be any data
    return tr("This row looks more like data than like a lock: it is released by itself, and nothing is looked for by its holder.");
  return std::ranges::all_of(lock->holders, [](const Holder &holder) { return namesNoOwner(holder.id); }) ? nobodyWords() : QString();
}

// The plan answers this for each of several locks, and for each hold of one holder.
QString ReleaseActions::whyNotShortened() const {
  const LockRecordPtr lock = m_locks.current();
  Message reason;
  for (const Holder &holder : lock ? lock->holders : std::vector<Holder>()) {
    const auto plan = planShorten(*lock, holder, ReleaseFlow::usualLength, m_engine.families(), m_locks.table().now());
    if (plan || plan.error().verdict != Verdict::Unreleasable)
      return {};
    reason = plan.error().detail;
  }
  return reason.empty() ? QString() : messageSentence(reason);
}

void ReleaseActions::openSelected(std::optional<milliseconds> shortenTo) { open(m_locks.selected(), {}, shortenTo); }

void ReleaseActions::openShown() { open(m_locks.shown(), {}, {}, {}, m_locks.shownButNotReleasable()); }

bool ReleaseActions::isMeant(const LockRecord &lock, const Holder &holder) const { return m_locks.meansHold(lock, holder); }

std::size_t ReleaseActions::firstMeant(const LockRecord &lock, const std::vector<Holder> &holders) const {
  const auto first = std::ranges::find_if(holders, [&](const Holder &holder) { return isMeant(lock, holder); });
  return first == holders.end() ? 0 : static_cast<std::size_t>(first - holders.begin());
}

void ReleaseActions::openHolder() {
  const LockRecordPtr lock = m_locks.current();
  if (!lock || !lock->isHeld())
    return open({}, {}, {});
  std::vector<Holder> owners; // a holder may read and write
  for (const Holder &holder : lock->holders)
    if (std::ranges::find(owners, holder.id, &Holder::id) == owners.end())
      owners.push_back(holder);
  if (owners.size() > 1)
    return chooseHolder(*lock, std::move(owners));
  openAllOf(owners.front().id);
}

QString ReleaseActions::nobodyWords() {
  return tr("What stands there is a mark or a time and names nobody: the locks that carry it have no holder in common. Release each by itself.");
}

void ReleaseActions::openAllOf(const std::string &holder) {
  if (namesNoOwner(holder))
    return tell(m_window, tr("Nothing to release"), nobodyWords(), tr("Choose locks that are held."));
  open(m_locks.heldBy(holder), holder, {}, m_locks.hidingFrom(holder), m_locks.doubtfulOf(holder));
}

void ReleaseActions::chooseHolder(const LockRecord &lock, std::vector<Holder> owners) {
  QStringList names;
  for (const Holder &owner : owners)
    names << shown(redisson::asKnown(lock.family, owner.id), shownOfName);
  const auto meant = firstMeant(lock, owners);
  choose(tr("Release all of a holder"), tr("Several hold this lock. Whose holds are to be planned?"), names, meant,
         [this, owners = std::move(owners)](std::size_t place) { openAllOf(owners[place].id); });
}

// A lock on several masters has the dialog of many locks.
void ReleaseActions::chooseHold(const LockRecordPtr &lock, std::vector<Holder> holds, std::optional<milliseconds> shortenTo) {
  QStringList names;
  for (const Holder &hold : holds)
    names << tr("%1, count %2").arg(shown(redisson::asKnown(lock->family, hold.id), shownOfName), QString::number(hold.count));
  names << tr("all of them");
  const auto isThat = [](const Holder &one, const Holder &other) { return one.id == other.id && one.mode == other.mode; };
  choose(shortenTo ? tr("Shorten a lease") : tr("Release one of several"),
         tr("Several hold this lock on %1 masters. Whose hold is to be planned, on all of them?").arg(lock->members.size()), names, 0,
         [=, this, holds = std::move(holds)](std::size_t place) {
           openMany(holdsToRelease({lock}, {}, shortenTo, [&](const LockRecord &, const Holder &holder) {
             const auto meant = place < holds.size() ? std::span(holds).subspan(place, 1) : std::span(holds);
             return std::ranges::any_of(meant, [&](const Holder &one) { return isThat(one, holder); });
           }));
         });
}

void ReleaseActions::choose(const QString &title, const QString &question, const QStringList &names, std::size_t meant,
                            std::function<void(std::size_t)> onChosen) {
  constexpr int letters = 64; // wide enough for the title, to which the desktop adds the name of the program
  auto *choice = new QInputDialog(&m_window);
  choice->setAttribute(Qt::WA_DeleteOnClose);
  choice->setWindowTitle(title);
  choice->setLabelText(question);
  choice->setComboBoxItems(names);
  choice->setOkButtonText(tr("Plan"));
  choice->setCancelButtonText(tr("Cancel"));
  choice->resize(choice->fontMetrics().averageCharWidth() * letters, choice->sizeHint().height());
  auto *box = choice->findChild<QComboBox *>(); // by its index: names that are cut may look alike
  box->setCurrentIndex(static_cast<int>(meant));
  connect(choice, &QDialog::accepted, this, [box, onChosen = std::move(onChosen)] { onChosen(static_cast<std::size_t>(std::max(box->currentIndex(), 0))); });
  choice->open();
}

// One hold of one lock has its own dialog, which says more.
void ReleaseActions::open(std::vector<LockRecordPtr> locks, const std::optional<std::string> &holder, std::optional<milliseconds> shortenTo,
                          std::vector<LockRecordPtr> hiding, std::vector<LockRecordPtr> leftOut) {
  const auto free = std::ranges::stable_partition(locks, [](const LockRecordPtr &lock) { return lock->isHeld(); });
  leftOut.insert(leftOut.end(), free.begin(), free.end());
  locks.erase(free.begin(), free.end());
  const auto sayNothing = [this] { tell(m_window, tr("Nothing to release"), tr("Nobody holds what is meant."), tr("Choose locks that are held.")); };
  if (locks.empty())
    return sayNothing();
  const LockRecord &first = *locks.front();
  const bool isAlone = locks.size() == 1 && hiding.empty() && leftOut.empty();
  if (isAlone && first.members.size() < 2 && (!holder || (first.holders.size() == 1 && first.unread == 0))) {
    auto *one = new ReleaseDialog(m_engine, locks.front(), &m_window, shortenTo);
    if (const auto meant = firstMeant(first, first.holders); meant > 0)
      one->chooseHolder(meant);
    return one->open();
  }
  std::vector<Holder> meant;
  std::ranges::copy_if(first.holders, std::back_inserter(meant), [&](const Holder &hold) { return isMeant(first, hold); });
  if (isAlone && !holder && !first.isSplit() && meant.size() > 1)
    return chooseHold(locks.front(), std::move(meant), shortenTo);
  const auto isAnyMeant = [&](const LockRecord &lock, const Holder &hold) { return holder || isMeant(lock, hold); };
  auto holds = holdsToRelease(std::move(locks), holder, shortenTo, isAnyMeant);
  if (holds.empty() && hiding.empty())
    return sayNothing();
  openMany(std::move(holds), holder ? std::optional(ReleaseManyFlow::OfHolder{*holder, std::move(hiding)}) : std::nullopt, std::move(leftOut));
}

void ReleaseActions::openMany(std::vector<HoldToRelease> holds, std::optional<ReleaseManyFlow::OfHolder> of, std::vector<LockRecordPtr> leftOut) {
  auto *many = new ReleaseManyDialog(m_engine, std::move(holds), m_locks.table().nodeNames(), &m_window, std::move(of));
  many->setLeftOut(std::move(leftOut));
  many->open();
}

} // namespace lockhouse::ui
