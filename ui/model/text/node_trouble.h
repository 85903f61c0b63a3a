// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

#include <string>
#include <vector>

namespace lockhouse::ui {

/// What is wrong with a node, for a place that names the node already: "connection refused; start the server." Without the address.
QString troubleText(const Error &error);
QString troubleWhat(const Error &error); ///< without what to do: "connection refused."
/// The same as the title of a page: "The login was refused". Null for what has no better words than that nothing can be reached.
QString troubleTitle(ErrorCode code);
/// Masters of a cluster that are not among the nodes, by their addresses; null: there are none.
QString unwatchedText(const std::vector<std::string> &masters);
/// What whoever sits here does about it.
QString troubleStep(ErrorCode code);

} // namespace lockhouse::ui
