// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/signal_wait.h"
#include "app/ctl/text/json.h"
#include "app/ctl/verbs/verbs.h"

#include "core/lab/demo/demo.h"

#include <fmt/format.h>

namespace lockhouse::ctl {

ExitCode runDemo(const Arguments &arguments, const Output &output) {
  const SignalWait waiting;
  const auto demo = Demo::start();
  if (!demo)
    return output.failed(demo.error());
  Json json{{"nodes", Json::array()}};
  std::string urls;
  for (const auto &node : (*demo)->nodes()) {
    json["nodes"].push_back(node.shown());
    urls += fmt::format(" --url {}", node.shown());
  }
  const bool isRead = output.put(
      arguments.json ? oneLine(json) : fmt::format("The demo runs until you press Ctrl+C. Look at it with\n\n  lockhousectl{} list\n", urls), &waiting);
  while (isRead && waiting.wait() != SignalWait::Woken::Interrupted) {
    // nothing else can happen here
  }
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
