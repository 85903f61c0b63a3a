// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/error.h"

#include <string_view>

namespace lockhouse {

/// A fresh owner token of 24 characters, base64 of 16 random bytes and of two that check them: whoever meets one in Redis knows it for
/// Lockhouse's, whatever its key is called. Of other texts of that form one in 65 536 looks like it. Error Internal: no entropy.
Result<LockToken> sealedToken();
bool isSealedToken(std::string_view text);

} // namespace lockhouse
