-- SPDX-License-Identifier: Apache-2.0
-- Releases a mutex and tells those who wait by pub/sub.
-- KEYS: 1 the lock. ARGV: 1 the holder's token, 2 the channel, 3 the command that publishes.
-- 1. Somebody else's or no key: answer 0, nothing is changed.
-- 2. Ours: delete it, then publish; a user without the right to publish has released it all the same. Answer 1.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.pcall(ARGV[3], ARGV[2], '0')
  return 1
end
return 0
