// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/net/address/uri.h"

#include <string>
#include <variant>
#include <vector>

namespace lockhouse::ui {

/// What the command line asks of the console.
struct GuiOptions {
  std::vector<Uri> nodes;
  bool demo = false;          ///< asked for, or nothing else to show
  std::string screenshot;     ///< file to write; empty = stay open
  std::string screenshotPage; ///< what to show on it
  std::string language;       ///< empty = the system's
  std::string theme;          ///< "light", "dark", empty = the desktop's
  std::string familiesPath;   ///< settings file with families of one's own; empty = the usual one, if it is there
};

/// The program is to end at once with this code; everything was said.
struct ExitAtOnce {
  int code = 0;
};

/// Reads the words of the command line without Qt, so that --help and --version need no display. Writes help to stdout, a complaint
/// of one sentence, which never repeats a password, to stderr (code 2).
std::variant<GuiOptions, ExitAtOnce> readOptions(const std::vector<std::string> &words);

} // namespace lockhouse::ui
