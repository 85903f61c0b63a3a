-- SPDX-License-Identifier: Apache-2.0
-- Counts a latch down.
-- KEYS: 1 the counter. ARGV: 1 by how much, 2 the channel, 3 the command that publishes.
-- 1. No counter: the latch is open; answer 0, nothing is changed.
-- 2. Count down. Something is left: answer it.
-- 3. Nothing is left: delete the counter and publish "0", Redisson's word for open. A user without the right to publish has opened it all
--    the same. Answer 0.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local left = redis.call('DECRBY', KEYS[1], ARGV[1])
if left > 0 then
  return left
end
redis.call('DEL', KEYS[1])
redis.pcall(ARGV[3], ARGV[2], '0')
return 0
