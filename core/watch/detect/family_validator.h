// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family.h"

#include <optional>

namespace lockhouse {

/// What is wrong with a family of a user's, and where in its text that stands.
struct FamilyFault {
  std::string_view list; ///< "form" or "beside", of which `index` is meant; empty: the family itself
  std::size_t index = 0;
  std::string_view word; ///< in there; empty, or not written: all of it
  Message what, next;
};

/// What could never come to anything, or would come to everything: the first that is found. Each word of it is one that there is
/// (see readFamilies). Nothing: it is sound.
std::optional<FamilyFault> faultOf(const Family &family);

} // namespace lockhouse
