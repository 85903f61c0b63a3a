// SPDX-License-Identifier: Apache-2.0
// Usage: lock_holder UNIX_SOCKET KEY LEASE_MS
// Takes a mutex and says "held"; at the next line of input says whether it still believes, and what its release found.
#include "core/lockhouse.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace lockhouse;

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  auto client = Client::connect("unix://" + std::string(argv[1]));
  if (!client)
    return 1;
  auto held = client->mutex(LockName(argv[2]), {.lease = milliseconds(std::atoi(argv[3]))}).tryAcquire();
  if (!held)
    return 1;
  std::cout << "held" << std::endl;
  std::string line;
  std::getline(std::cin, line);
  const bool believes = held->isHeld();
  const auto released = held->release();
  std::cout << (believes ? "believes, " : "knows, ") << name(released) << std::endl;
  return 0;
}
