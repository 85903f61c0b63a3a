// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/plan_phrases.h"

#include <QCoreApplication>

#include <array>

namespace lockhouse::ui {

static constexpr std::array phrases{
    QT_TRANSLATE_NOOP("PlanWords", "refused: this user may not read %1 and others of its keys, most of which may be its holder's, who would keep it then"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: no fence is there to compare with the one that was seen"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: no time is there to compare with the one that was seen"),
    QT_TRANSLATE_NOOP("PlanWords", "refused on this cluster: the names of its keys put them into several slots, where no script may touch them together"),
    QT_TRANSLATE_NOOP("PlanWords", "refused: most of its keys may lie on masters of this cluster that are not watched or not reached, so its holder would "
                                   "keep it; watch these too (--url), or wait until they answer: %1"),
    QT_TRANSLATE_NOOP("PlanWords", "refused by %1 of %2 masters, so its holder would keep it"),
    QT_TRANSLATE_NOOP("PlanWords", "refused by %1 of %2 masters, and %3 more cannot be reached, so its holder would keep it"),
    QT_TRANSLATE_NOOP("PlanWords", "refused for %1 of its %2 keys, so its holder would keep it"),
    QT_TRANSLATE_NOOP("PlanWords", "refused by masters that may have most of its keys, so its holder would keep it"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 was woken"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 other hold stays"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 other holds stay"),
    QT_TRANSLATE_NOOP("PlanWords", "released; no client listens at this node"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 client was told"),
    QT_TRANSLATE_NOOP("PlanWords", "released; %1 clients were told"),
    QT_TRANSLATE_NOOP(
        "PlanWords",
        "released, but %1 was not listening at this node: it goes on when it looks again, or the next one does when its place or its lease lapses"),
    QT_TRANSLATE_NOOP("PlanWords", "released; no client was told, and those of a cluster could not be: this user may not SPUBLISH"),
    QT_TRANSLATE_NOOP("PlanWords", "released, but %1 was not told: if it is a client of a cluster, this user would have to be allowed to SPUBLISH"),
    QT_TRANSLATE_NOOP("PlanWords", "released; no client was told, and those of a cluster could not be told by SPUBLISH at this node"),
    QT_TRANSLATE_NOOP("PlanWords", "released, but %1 was not told: if it is a client of a cluster, it could not be told by SPUBLISH at this node"),
    QT_TRANSLATE_NOOP("PlanWords", "refused: the names of %1 and of the keys beside it put them into several slots of this cluster, where no script may touch "
                                   "them together; nothing was changed"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: this holder no longer holds it"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: others may hold it too now, and share its time to live; release the hold"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1, count %2, and %3 more"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1, count %2, and at most %3 more"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1, count %2"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: now held by %1"),
    QT_TRANSLATE_NOOP("PlanWords",
                      "changed: this holder is there as %1, count %2, and %3 more: name that hold, or release all of its holder: release --all --holder"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: this holder is there as %1, count %2: name that hold, or release all of its holder: release --all --holder"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: the same holder's count is %1 now"),
    QT_TRANSLATE_NOOP("PlanWords", "already free: the key is gone"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: %1 is gone, and this hold with it; a writer may hold the lock by now"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: %1 is gone, and this hold with it; readers may hold the lock by now"),
    QT_TRANSLATE_NOOP("PlanWords", "already free: the key is gone, or holds something else now"),
    QT_TRANSLATE_NOOP("PlanWords", "already free: there is no such key"),
    QT_TRANSLATE_NOOP("PlanWords", "released"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: acquired again since it was seen"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: the key was a %1 when it was seen, and is a %2 now"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: extended or acquired again since it was seen"),
    QT_TRANSLATE_NOOP("PlanWords", "changed: clients queue for it, so it is a fair lock now: plan it anew"),
};

std::span<const char *const> verdictPhrases() { return phrases; }

} // namespace lockhouse::ui
