// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"

namespace lockhouse {

/// What one family makes of a key.
struct FamilyMatch {
  LockRecord draft;
  bool isByName = false;    ///< the name speaks for this family, not the value alone
  bool isMeant = false;     ///< a user's own family, by a word in the name: whatever else may leave such bytes, he means this
  bool isCompanion = false; ///< the lock lies beside its key, which is there and holds something else
  bool isLine = false;      ///< one entry of its key holds it, and all others wait
};

/// Nothing if the facts are none of this family's, or if a claim by its forms alone would be no surer than `above`. A form of confidence 0
/// claims nothing.
std::optional<FamilyMatch> matchOf(const Family &family, const KeyFacts &facts, double above = 0);

/// Whether a lock of this form that is not there may be known by a queue beside it, whoever stands there: only a user's own, and one that has a name.
bool mayWaitAlone(const Family &family, const Form &form);
/// Whether a lock of the family that is not there may be known by those who stand in a queue beside it (CompanionKey::waiters).
bool knowsItsWaiters(const Family &family);
/// Of a key that is not there: a lock that is free, and whose waiters wait yet.
std::optional<FamilyMatch> matchQueueAlone(const Family &family, const KeyFacts &facts);

/// The same by the surest of its forms alone, whatever else the family has to say.
std::optional<FamilyMatch> matchByForms(const Family &family, const KeyFacts &facts, double above = 0);

/// Whether name and parts are of this form, all of them, whatever that proves.
bool formFits(const Form &form, const KeyFacts &facts);

/// How many parts are not of this form, where those that are convince without them: by their majority, or, if `isSupported` or by the
/// form's own name, by being no fewer. Nothing: it is not this form.
std::optional<std::size_t> unexpectedEntriesOf(const Form &form, const KeyFacts &facts, bool isSupported);

/// The first form of `family` that fits, if need be with strays, and what its patterns captured; null: none.
const Form *fittingForm(const Family &family, const KeyFacts &facts, Captures *captures = nullptr, bool isSupported = false);

/// Whether what the family wants beside its lock lies there as another family's, whose keys have the same names: of another type.
bool isRefuted(const Family &family, const KeyFacts &facts);
/// Whether one of the keys that belong beside its lock is there, and none refutes it.
bool hasCompanionEvidence(const Family &family, const KeyFacts &facts);

/// Of a lock whose waiters are known by those who listen to its channel: a client does so once, however many of its threads wait.
inline constexpr auto clientsListen = LH_MESSAGE("Evidence", "clients listen for its release");

/// Where only the form of its members spoke for it: below what is shown, and why.
void doubtAsData(LockRecord &draft);

/// Says that so many entries are not what the library writes, and is less sure for it.
void noteUnexpected(std::size_t unexpectedEntries, LockRecord &draft);

/// Whether it is host and process, or a token: "sku-7" and "alice-7" are what is counted as often.
bool looksLikeOwner(std::string_view id);

/// Of a form that only a name makes a lock's: is less sure where the name speaks of another use too, and says so.
void doubtMixedName(const Form &form, const KeyFacts &facts, LockRecord &draft);

/// When a hold ends that lasts until these epoch ms; nothing if they are no time: for ever, or nonsense.
std::optional<SteadyTime> endOf(const KeyFacts &facts, double epochMs);

/// Of a hold whose bytes name when it ends, which Redis does not know: its end, or that it is over, with these words.
void noteEnd(const KeyFacts &facts, milliseconds end, LockRecord &draft,
             const Message &over = LH_MESSAGE("Evidence", "the end that it names is over: whoever asks next may take it"));

/// Who waits, and the fencing token, as far as the draft does not tell them yet.
void addCompanion(const Family &family, const KeyFacts &facts, LockRecord &draft);

/// The draft that this form makes of facts that fit it, with or without strays: holders, counts, mode, ends, extras, evidence and confidence.
LockRecord draftOf(const Family &family, const Form &form, const KeyFacts &facts);
/// Of a key that is a queue itself: its first entry has the lock, the others wait.
FamilyMatch matchLine(const Family &family, const Form &form, const KeyFacts &facts);

} // namespace lockhouse
