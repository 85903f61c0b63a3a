// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"
#include "core/watch/detect/family_registry.h"

namespace lockhouse {

/// After the release of one reader others still read.
inline constexpr auto otherReaderStays = LH_MESSAGE("PlanWords", "%1 other hold remains: a waiting writer goes on waiting");
inline constexpr auto otherReadersStay = LH_MESSAGE("PlanWords", "%1 other holds remain: a waiting writer goes on waiting");

/// What is said of a lock that may lie on other masters too, of which nothing is known.
inline constexpr auto severalNodes =
    LH_MESSAGE("PlanWords", "if this key is one of several nodes of a Redlock, the lock is free only when most of its nodes are released");
/// Drops that where most of three masters or more were seen to have the lock, by its row of all of them.
void dropSeveralNodes(std::vector<Message> &warnings, const LockRecord &row);

/// How many wait for it, where somebody is known to.
void addWaiters(std::vector<Message> &warnings, const LockRecord &record);
/// What holds of a lapse as of a release: that it may be one of several nodes, or no lock at all.
void addToken(std::vector<Message> &warnings, const LockRecord &record);
/// What a person should weigh before taking `holder`'s hold away, in plain sentences, the gravest first. Nothing is claimed that
/// the record does not show, but what `family` (null: unknown) says of its leases, and that as what it is.
std::vector<Message> releaseWarnings(const LockRecord &record, const Holder &holder, const Family *family, SteadyTime now);

/// Why nothing that a release compares tells this hold from the next one that looks like it; nothing: something does. `family` may be null.
std::optional<Message> repeatable(const LockRecord &record, const Holder &holder, const Family *family);

/// The same where it is of one of the families that it may be of too; nothing: each of those tells its holds apart.
std::optional<Message> mayRepeat(const LockRecord &record, const FamilyRegistry &families);

} // namespace lockhouse
