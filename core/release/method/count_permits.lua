-- SPDX-License-Identifier: Apache-2.0
-- Tells how many permits one holder has in a semaphore that is a sorted set, as the script that takes them out finds them. Writes nothing.
-- KEYS[1] the semaphore · ARGV[1] the holder.
-- 1. Another type lies there by now: nothing is told.
-- 2. How many there are, however many.
-- use numbered_permits
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then
  return false
end
return #numberedPermits(ARGV[1], math.huge)
