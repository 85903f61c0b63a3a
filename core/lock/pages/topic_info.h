// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace lockhouse {

/// What holds for several primitives and has a page of its own in the library's documentation, as PrimitiveInfo has: the outcomes, the
/// names of owners, replica acknowledgement, the resource's side of fences.
struct TopicInfo {
  struct Section {
    std::string_view title;
    std::span<const std::string_view> lines;
  };
  std::string_view name;    ///< "owners"
  std::string_view summary; ///< one sentence
  std::span<const Section> sections;
  std::string_view example; ///< C++, compiled and run by tests/contract; knows `client`, `quorum` and `work()`
  std::string_view source;
};

/// In the order in which people are shown them.
std::span<const TopicInfo> topicInfos();

} // namespace lockhouse
