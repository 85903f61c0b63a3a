// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/primitive_words.h"

#include <QCoreApplication>

namespace lockhouse::ui {

// lupdate finds the summaries in the headers that are made of core's pages.
QString primitiveSummary(const PrimitiveInfo &info) { return QCoreApplication::translate("PrimitiveSummary", std::string(info.summary).c_str()); }

} // namespace lockhouse::ui
