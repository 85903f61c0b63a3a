// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/pages/primitive_info.h"
#include "core/lock/pages/topic_info.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse::ctl {

/// A page of the library's documentation, before it is text of either kind.
struct Page {
  struct Section {
    std::string title;
    std::vector<std::string> words = {};               ///< a paragraph each
    std::vector<std::string> points = {};              ///< a list
    std::vector<std::array<std::string, 3>> rows = {}; ///< name, type, meaning
    std::string code = {}, language = {};              ///< as it stands; for Markdown
  };
  std::string name, summary;
  std::vector<Section> sections;
};

Page pageOf(const PrimitiveInfo &primitive);
Page pageOf(const TopicInfo &topic);
/// First the primitives, then the topics.
std::vector<Page> allPages();

/// For a terminal, in lines of at most 100 columns where the words allow it.
std::string plainText(const Page &page);
std::string markdown(const Page &page);
/// Names and summaries of all pages, with links to <name>.md.
std::string markdownIndex(const std::vector<Page> &pages);

} // namespace lockhouse::ctl
