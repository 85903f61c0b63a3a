-- SPDX-License-Identifier: Apache-2.0
-- Takes a lock whose waiters stand in a list, or a place at the list's end.
-- KEYS: 1 the lock, 2 the line, 3 the clients' deadlines. ARGV: 1 the asker's token, 2 the lease in ms, 3 the asker's client,
-- 4 as 0 or 1: a place is wanted.
-- 1. Ours already, by an ask that arrived before: let the lease run anew; answer {1}.
-- 2. Drop the heads of the line whose clients did not renew their deadlines; what is no waiter is left alone, and told as an error.
-- 3. Free, and nobody stands before us: leave the line, take it; answer {1}.
-- 4. Take a place at the end, if one is wanted and we have none, and renew our client's deadline.
-- 5. Answer {0, time left in ms, the first 256 bytes of the holder, 1 a new place, 0 the old one or -1 none}.
-- use queue_places
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {1}
end
local head = redis.call('LINDEX', KEYS[2], 0)
if head and not clientOf(head) then
  return noWaiter()
end
while head and head ~= ARGV[1] and timeLeft(redis.call('HGET', KEYS[3], clientOf(head)), serverTime()) == 0 do
  redis.call('LPOP', KEYS[2])
  head = redis.call('LINDEX', KEYS[2], 0)
end
if not held and (not head or head == ARGV[1]) then
  if head then
    redis.call('LPOP', KEYS[2])
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {1}
end
local placed = -1
if ARGV[4] == '1' then
  placed = 0
  if head ~= ARGV[1] and not redis.call('LPOS', KEYS[2], ARGV[1]) then
    redis.call('RPUSH', KEYS[2], ARGV[1])
    placed = 1
  end
  keepPlaces(ARGV[3], ARGV[2])
end
return {0, redis.call('PTTL', KEYS[1]), string.sub(held or '', 1, 256), placed}
