// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lockhouse.h"

#include <span>
#include <string>
#include <string_view>

namespace lockhouse::test {

/// What an example on a page knows. `work` stands for what the lock guards.
struct PageExample {
  std::string_view name;
  void (*run)(const Client &client, const Quorum &quorum, const std::string &url, void (*work)());
};

/// Those of all pages; generated.
std::span<const PageExample> pageExamples();

} // namespace lockhouse::test
