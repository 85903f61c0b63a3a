-- SPDX-License-Identifier: Apache-2.0
-- Gives up a fair lock, one count of it, or a place in its line.
-- KEYS: 1 the lock, 2 the line, 3 when each place lapses. ARGV: 1 the lease in ms, 2 the owner's field, 3 the count to be left,
-- 4 the channel; that of a waiter has ":" and his name behind it; 5 the command that publishes.
-- 1. Not ours, or no fair lock any more: give up our place. If the lock is free, it may be the next one's turn: do as in 4. Answer 0 if
--    we had a place, else -1.
-- 2. Something is to be left: lower the count to it, unless this arrived before; the lease may grow, never shrink; answer what is left.
-- 3. Nothing is to be left: delete the lock, do as in 4, answer 0.
-- 4. Drop the lapsed places at the head of the line and publish "0" to the first who is left. A user without the right to publish has
--    released it all the same.
-- use fair_line
-- use lower_count
local function tellFirst()
  local first = firstInLine()
  if first then
    redis.pcall(ARGV[5], ARGV[4] .. ':' .. first, '0')
  end
end
local count = redis.pcall('HGET', KEYS[1], ARGV[2])
if not count or type(count) == 'table' then
  local placed = redis.call('ZREM', KEYS[3], ARGV[2]) + redis.call('LREM', KEYS[2], 0, ARGV[2])
  if placed == 0 then
    return -1
  end
  if redis.call('EXISTS', KEYS[1]) == 0 then
    tellFirst()
  end
  return 0
end
if tonumber(ARGV[3]) > 0 then
  return lowerCount(count)
end
redis.call('DEL', KEYS[1])
tellFirst()
return 0
