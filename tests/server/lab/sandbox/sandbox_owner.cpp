// SPDX-License-Identifier: Apache-2.0
// A process that owns a server and then ends in the way its argument says: "exit" without any destructor, "wait" until somebody
// kills it. It prints the server's pid and folder first. Started by sandbox_test.cpp.
#include "core/lab/sandbox/sandbox.h"

#include <cstdio>
#include <string_view>

#include <unistd.h>

int main(int argc, char **argv) {
  const auto server = lockhouse::Sandbox::start({});
  if (!server || argc != 2)
    return 1;
  std::printf("%d %s\n", server->pid(), server->folder().c_str());
  std::fflush(stdout);
  if (std::string_view(argv[1]) == "exit")
    _exit(9);
  for (;;)
    pause();
}
