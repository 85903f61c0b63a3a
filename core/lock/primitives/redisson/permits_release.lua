-- SPDX-License-Identifier: Apache-2.0
-- Gives permits of a semaphore back.
-- KEYS: 1 the counter, 2 the permits that are out, 3 how many there are, where we made the counter.
-- ARGV: 1 the channel, 2 the command that publishes, 3 and following the ids of our permits.
-- 1. Ours are not out: answer -1; the counter is untouched. No counter, or another type under its name: they are forgotten all the same.
-- 2. Add them to the free ones and publish the new number, as Redisson does. A user without the right to publish has given them back
--    all the same. We made the counter, and all are free: delete it. Answer 0.
local counter = redis.pcall('GET', KEYS[1])
local given = 0
for i = 3, #ARGV do
  given = given + redis.call('ZREM', KEYS[2], ARGV[i])
end
local out = redis.call('EXISTS', KEYS[2]) == 1
if not counter or type(counter) == 'table' then
  if not out then
    redis.call('DEL', KEYS[3])
  end
  return -1
end
if given == 0 then
  return -1
end
local free = redis.call('INCRBY', KEYS[1], given)
local all = redis.call('GET', KEYS[3])
if all and not out and free >= tonumber(all) then
  redis.call('DEL', KEYS[1], KEYS[3])
end
redis.pcall(ARGV[2], ARGV[1], free)
return 0
