// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace lockhouse::ui {

class Engine;
class ReleaseManyFlow;

/// What the dialog of many releases says.

QString manyTitle(const ReleaseManyFlow &flow);
QString manyHolder(const ReleaseManyFlow &flow); ///< who it is, where the holds of one are meant; else empty
QString manySentence(const ReleaseManyFlow &flow);
/// What the plans warn of: sentences that differ in names and numbers only are one, with how many there are.
QStringList manyRisks(const ReleaseManyFlow &flow);
/// Which locks have more holds than were read, which stay; empty: none has.
QStringList manyUnread(const ReleaseManyFlow &flow);
/// Done: of how many holds the audit log has no outcome, and why; empty: of none.
QStringList manyUnrecorded(const ReleaseManyFlow &flow);
/// Done: of which locks not every master let go, though most did.
QStringList manyOnMost(const ReleaseManyFlow &flow);
/// How many came to what, most first: "6 × Released".
QStringList manyVerdicts(const ReleaseManyFlow &flow);
QString manyReport(const ReleaseManyFlow &flow); ///< plain text for a ticket: what came of each, a line each
/// The lockhousectl command lines that do what is planned, one for each hold.
QString manyCommands(const ReleaseManyFlow &flow, const Engine &engine, const QString &reason);

} // namespace lockhouse::ui
