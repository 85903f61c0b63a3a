-- SPDX-License-Identifier: Apache-2.0
-- Releases a mutex.
-- KEYS: 1 the lock. ARGV: 1 the holder's token.
-- 1. Somebody else's or no key: answer 0, nothing is changed.
-- 2. Ours: delete it; answer 1.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
