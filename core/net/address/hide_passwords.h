// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockhouse {

/// Overwrites the passwords of URLs in argv, so that they do not show in the list of processes. For both programs, before anything
/// else; what they need of their words they copy first. A reader of the list that is quicker than this still sees them.
void hidePasswords(int argc, char **argv);

/// A word or sentence from a command line as an error may repeat it: safe text, cut at 120 bytes, passwords of URLs as ***.
std::string withoutPassword(std::string word);

} // namespace lockhouse
