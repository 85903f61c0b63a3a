-- SPDX-License-Identifier: Apache-2.0
-- Gives up a reentrant lock, or one count of it, as Redisson's RLock does.
-- KEYS: 1 the lock. ARGV: 1 the lease in ms, 2 the owner's field, 3 the count to be left, 4 the channel,
-- 5 the command that publishes.
-- 1. No field of ours: answer -1, nothing is changed and nothing is published.
-- 2. Something is to be left: lower the count to it, unless this arrived before; the lease may grow, never shrink; answer what is left.
-- 3. Nothing is to be left: delete the lock, then publish "0", Redisson's word for free. A user without the right to publish has
--    released it all the same. Answer 0.
-- use lower_count
local count = redis.call('HGET', KEYS[1], ARGV[2])
if not count then
  return -1
end
if tonumber(ARGV[3]) > 0 then
  return lowerCount(count)
end
redis.call('DEL', KEYS[1])
redis.pcall(ARGV[5], ARGV[4], '0')
return 0
