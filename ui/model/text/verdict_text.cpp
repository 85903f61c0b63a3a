// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/verdict_text.h"

#include "core/release/method/shorten_plan.h"
#include "ui/model/text/family_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>
#include <QStringList>

namespace lockhouse::ui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Release)
};

constexpr std::size_t wholeId = 200;

} // namespace

QString verdictWord(std::string_view verdict, std::string_view action) {
  if (verdict == "released")
    return Words::tr("released");
  if (verdict == "changed")
    return action.starts_with("shorten") ? Words::tr("changed, not shortened") : Words::tr("changed, not released");
  if (verdict == "already-free")
    return Words::tr("already free");
  if (verdict == "not-a-lock")
    return Words::tr("not a lock");
  if (verdict == "read-only")
    return Words::tr("refused: read-only");
  if (verdict == "not-allowed")
    return Words::tr("not allowed");
  if (verdict == "unreachable")
    return Words::tr("node unreachable");
  if (verdict == "shortened")
    return Words::tr("lease shortened");
  if (verdict == "kept")
    return Words::tr("kept: it ends sooner");
  if (verdict == "unreleasable")
    return Words::tr("not to be freed from outside");
  if (verdict == "stopped")
    return Words::tr("not tried: stopped");
  if (verdict == "mixed")
    return Words::tr("several verdicts");
  if (verdict == "in-doubt")
    return Words::tr("in doubt: no answer came");
  if (verdict == "intent")
    return Words::tr("no outcome recorded");
  return shown(verdict, 40);
}

QString verdictTitle(const ReleaseResult &result, const ReleaseIntent &intent) {
  if (!result.verdict)
    return Words::tr("Nothing was done");
  if (intent.shortenTo && result.verdict == Verdict::Changed)
    return Words::tr("Changed meanwhile, not shortened");
  if (intent.shortenTo && result.verdict == Verdict::Unreleasable)
    return Words::tr("The lease of this hold cannot be shortened from outside");
  switch (*result.verdict) {
  case Verdict::Released: return Words::tr("Released");
  case Verdict::Changed: return Words::tr("Changed meanwhile, not released");
  case Verdict::AlreadyFree: return Words::tr("Already free");
  case Verdict::NotALock: return Words::tr("This is not a lock that can be released");
  case Verdict::ReadOnly: return Words::tr("Refused: read-only");
  case Verdict::NotAllowed: return Words::tr("Not allowed");
  case Verdict::Unreachable:
    return result.inDoubt ? Words::tr("In doubt: it was sent, and no answer came") : Words::tr("The node could not be reached, or was not ready");
  case Verdict::Unreleasable: return Words::tr("This lock cannot be freed honestly from outside");
  case Verdict::Shortened: return Words::tr("Lease shortened");
  case Verdict::Kept: return Words::tr("Kept: it ends sooner anyway");
  case Verdict::Stopped: return Words::tr("Not tried: stopped before");
  }
  return {};
}

QString verdictExplanation(const ReleaseResult &result) {
  if (!result.verdict)
    return {};
  switch (*result.verdict) {
  case Verdict::Released:
    return result.plan && !result.plan->parts.empty()
               ? Words::tr(
                     "Its keys lie in several slots of a cluster: it was done by scripts one after the other, each in one step. Its holder was not told: it "
                     "goes on until its next renewal or release fails.")
               : Words::tr("The hold was compared and ended in one step. Its holder was not told: it goes on until its next renewal or release fails.");
  case Verdict::Changed: return Words::tr("Holder or count were no longer what you saw, so that nothing was touched.");
  case Verdict::AlreadyFree: return Words::tr("Nobody held it any more; nothing was touched.");
  case Verdict::NotALock:
    return Words::tr("What is stored under this key does not look like a lock of a family that can be released here; nothing was touched.");
  case Verdict::ReadOnly: return Words::tr("Writing is locked here, or the node is a replica; nothing was touched.");
  case Verdict::NotAllowed: return Words::tr("This was not allowed, so that nothing was touched.");
  case Verdict::Unreleasable: // what was sent tells for itself what became of it
    return result.auditId.empty() ? Words::tr("Nobody's hold could be taken away here without harm: what its library does is told below. Nothing was touched.")
                                  : QString();
  case Verdict::Shortened:
    return result.plan && comesTooLate(*result.plan)
               ? Words::tr("A holder that lives may renew it too late, and loses it then, as its plan said; look at it again after that.")
               : Words::tr("A holder that lives renews it and keeps its lock; look at it again after that.");
  case Verdict::Kept:
  case Verdict::Stopped: return Words::tr("Nothing was touched.");
  case Verdict::Unreachable:
    if (result.inDoubt)
      return Words::tr("The connection was lost on the way, so that it may have been done. Look at the lock before you try again.");
    return result.auditId.empty() ? Words::tr("Nothing was sent, so that nothing was touched: the node did not say first how the lock stands.") : QString();
  }
  return {};
}

QString holderNow(const ReleaseResult &result) {
  if (!result.now)
    return result.verdict == Verdict::Unreachable || result.verdict == Verdict::Unreleasable ? Words::tr("not known") : Words::tr("nobody");
  if (!result.now->isHeld())
    return Words::tr("nobody; waiting: %1").arg(waitersText(*result.now));
  const Holder &first = result.now->holders.front();
  if (result.now->holders.size() > 1)
    return holderSummary(*result.now);
  return Words::tr("%1, count %2").arg(holderName(result.now->family, first.id), QString::number(first.count));
}

QString leaseLength(milliseconds length) {
  const bool isMinutes = length >= std::chrono::minutes(1) && length % std::chrono::minutes(1) == milliseconds(0);
  const auto unit = isMinutes ? milliseconds(std::chrono::minutes(1)) : milliseconds(std::chrono::seconds(1));
  return QString::number(length / unit) + QChar(0x2009) + unitWord(isMinutes ? QStringLiteral("min") : QStringLiteral("s"));
}

QString reportOf(const ReleaseResult &result, const ReleaseIntent &intent, const FamilyRegistry &families) {
  QStringList lines;
  const auto line = [&lines](const QString &what, const QString &value) { lines << Words::tr("%1: %2", "a line of the report").arg(what, value); };
  line(Words::tr("Lock"), shownName(intent.lock.key.bytes(), wholeId));
  line(Words::tr("Node"), Words::tr("%1, db %2").arg(nodeName(intent.lock.node), QString::number(intent.lock.db)));
  line(Words::tr("Family"), familyName(families, result.family));
  line(intent.shortenTo ? Words::tr("Holder") : Words::tr("Holder to release"), shown(intent.holder, wholeId));
  if (intent.shortenTo)
    line(Words::tr("Lease to end in"), leaseLength(*intent.shortenTo));
  line(Words::tr("Reason"), fromUtf8(intent.reason));
  line(Words::tr("Verdict"), verdictTitle(result, intent));
  if (!result.detail.empty())
    line(Words::tr("In detail"), messageSentence(result.detail));
  line(Words::tr("Held now by"), holderNow(result));
  line(Words::tr("Audit record"), result.auditId.empty() ? Words::tr("none, nothing was sent") : fromUtf8(result.auditId));
  return lines.join(u'\n');
}

} // namespace lockhouse::ui
