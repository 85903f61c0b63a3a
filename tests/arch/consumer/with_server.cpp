// SPDX-License-Identifier: Apache-2.0
// with_server PROGRAM: starts a private redis-server, runs PROGRAM with its URL as the only argument, and exits as PROGRAM did.
#include <lockhouse/core/lab/sandbox/sandbox.h>
#include <lockhouse/lockhouse.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const auto server = lockhouse::Sandbox::start({.tcp = true});
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().sentence().c_str());
    return 1;
  }
  const std::string url = "redis://" + server->tcpUri().address();
  const pid_t child = fork();
  if (child == 0) {
    execl(argv[1], argv[1], url.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
