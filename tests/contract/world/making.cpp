// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/making.h"

#include "core/lock/formats/stripe.h"

#include <algorithm>

namespace lockhouse::test {

std::vector<Subject> compositions() {
  const auto *mutex = Primitive::find("Mutex");
  const auto *reentrant = Primitive::find("ReentrantLock");
  return {{"MultiLockInOneScript", mutex, Making::MultiInOneSlot},
          {"MultiLock", mutex, Making::MultiInTwoSlots},
          {"ReentrantMultiLock", reentrant, Making::MultiInTwoSlots},
          {"MultiLockOfNodes", mutex, Making::MultiAtTwoNodes},
          {"ReentrantMultiLockOfNodes", reentrant, Making::MultiAtTwoNodes},
          {"StripedLock", mutex, Making::Striped},
          {"FallbackLock", mutex, Making::Fallback}};
}

Subject subjectNamed(std::string_view name) {
  if (const auto *primitive = Primitive::find(name))
    return {name, primitive};
  const auto all = compositions();
  return *std::ranges::find(all, name, &Subject::name);
}

// The companion's name is less than any that the cases use: it is taken first, and given back when the other is refused.
std::vector<std::string> keysOf(Making making, std::string_view lock) {
  const std::string key(lock);
  switch (making) {
  case Making::Alone:
  case Making::RedLock:
  case Making::MultiAtTwoNodes:
  case Making::Fallback: return {key};
  case Making::MultiInOneSlot: return {"!{" + key + "}", key};
  case Making::MultiInTwoSlots: return {"!" + key, key};
  case Making::Striped: return {stripeName(LockName(std::string(stripesName)), stripeOf(lock, stripes)).bytes()};
  }
  return {};
}

} // namespace lockhouse::test
