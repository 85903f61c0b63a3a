// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace lockhouse {

struct FamilyText {
  std::string_view file; ///< name
  std::string_view text; ///< TOML, see family_text.h
};

/// The files of this folder, embedded when the program is built.
std::span<const FamilyText> builtInTexts();

} // namespace lockhouse
