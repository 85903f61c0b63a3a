// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/arguments.h"
#include "app/ctl/cli/output.h"

namespace lockhouse::ctl {

/// One function, one file, for each verb.
ExitCode runList(const Arguments &arguments, const Output &output);
ExitCode runWatch(const Arguments &arguments, const Output &output);
ExitCode runShow(const Arguments &arguments, const Output &output);
ExitCode runRelease(const Arguments &arguments, const Output &output);
ExitCode runStress(const Arguments &arguments, const Output &output);
ExitCode runPrimitives(const Arguments &arguments, const Output &output);
ExitCode runFamilies(const Arguments &arguments, const Output &output);
ExitCode runAudit(const Arguments &arguments, const Output &output);
ExitCode runDemo(const Arguments &arguments, const Output &output);
ExitCode runHelp(const Arguments &arguments, const Output &output);

} // namespace lockhouse::ctl
