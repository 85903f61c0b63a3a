// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/query/lock_query.h"

namespace lockhouse {

/// The terms of a filter, in order; the grammar is that of LockQuery.
std::expected<std::vector<LockQuery::Term>, QueryFault> parseTerms(std::string_view text);

} // namespace lockhouse
