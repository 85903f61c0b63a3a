// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json_help.h"
#include "app/ctl/verbs/verbs.h"

namespace lockhouse::ctl {

ExitCode runHelp(const Arguments &, const Output &output) {
  output.put(jsonHelp());
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
