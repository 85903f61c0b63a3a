// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/claim.h"

namespace lockhouse {

using OwnRecogniser = std::optional<Claim> (*)(const Family &family, const KeyFacts &facts);

/// Of the built-in families whose evidence is more than a form can say; null: a form says it all.
OwnRecogniser ownRecogniser(std::string_view slug);
/// Whether the family may claim keys of this type that none of its forms fits.
bool looksBeyondForms(const Family &family, ValueType type);
/// None of the family's claims is surer.
double surestClaim(const Family &family);

std::optional<Claim> claimRedissonLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonFair(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonReadWrite(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonMultiLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonPermits(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonLatch(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRueidisLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDiscourse(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimBlockingLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimHandoff(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimLeasedSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimMlanett(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDistributedReadWrite(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSymfony(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedisSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSymfonySemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSuo(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimToken(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSetnxLegacy(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDistributedLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimFoundatio(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimLaravelFunnel(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimShedLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimLaravel(const Family &family, const KeyFacts &facts);
/// Of families whose forms ordinary data has too.
std::optional<Claim> claimUnlessNamedOtherwise(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDistributedSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSentry(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimHandmadeCount(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimHandmadeList(const Family &family, const KeyFacts &facts);

} // namespace lockhouse
