-- SPDX-License-Identifier: Apache-2.0
-- Tells how many permits one holder has in a semaphore of Lockhouse's, as the script that takes them out finds them. Writes nothing.
-- KEYS[1] the semaphore · ARGV[1] the holder.
-- 1. Another type lies there by now: nothing is told.
-- 2. How many there are, up to the first that is missing, and no more than that script takes.
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then
  return false
end
local count = 0
while count < 10000 and redis.call('ZSCORE', KEYS[1], ARGV[1] .. '/' .. (count + 1)) do
  count = count + 1
end
return count
