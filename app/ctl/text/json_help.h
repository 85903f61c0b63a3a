// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockhouse::ctl {

/// Every field of the JSON output, in words. packaging/man/lockhousectl.1 says the same; a test holds both against the writers.
std::string_view jsonHelp();

} // namespace lockhouse::ctl
