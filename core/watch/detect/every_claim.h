// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_matcher.h"

namespace lockhouse {

using OwnRecogniser = std::optional<FamilyMatch> (*)(const Family &family, const KeyFacts &facts);

/// Of the built-in families whose evidence is more than a form can say; null: a form says it all.
OwnRecogniser ownRecogniser(std::string_view slug);
/// Whether the family may claim keys of this type that none of its forms fits.
bool looksBeyondForms(const Family &family, ValueType type);
/// None of the family's claims is surer.
double surestMatch(const Family &family);

std::optional<FamilyMatch> matchRedissonLock(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedissonFair(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedissonReadWrite(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedissonMultiLock(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedissonPermits(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedissonSemaphore(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedissonLatch(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRueidisLock(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchDiscourse(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchBlockingLock(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchHandoff(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchLeasedSemaphore(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchMlanett(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchDistributedReadWrite(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchSymfony(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchRedisSemaphore(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchSymfonySemaphore(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchSuo(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchToken(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchSetnxLegacy(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchDistributedLock(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchFoundatio(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchLaravelFunnel(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchShedLock(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchLaravel(const Family &family, const KeyFacts &facts);
/// Of families whose forms ordinary data has too.
std::optional<FamilyMatch> matchUnlessNamedOtherwise(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchDistributedSemaphore(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchSentry(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchHandmadeCount(const Family &family, const KeyFacts &facts);
std::optional<FamilyMatch> matchHandmadeList(const Family &family, const KeyFacts &facts);

} // namespace lockhouse
