-- SPDX-License-Identifier: Apache-2.0
-- Takes a lock whose waiters stand in a sorted set, or a place in it.
-- KEYS: 1 the lock, 2 the line, 3 the clients' deadlines. ARGV: 1 the asker's token, 2 the lease in ms, 3 the asker's client,
-- 4 as 0 or 1: a place is wanted.
-- 1. Ours already, by an ask that arrived before: let the lease run anew; answer {1}.
-- 2. Drop the first of the line whose clients did not renew their deadlines; what is no waiter is left alone, and told as an error.
-- 3. Free, and nobody stands before us (rank 0, or an empty line): leave the line, take it; answer {1}.
-- 4. Take a place behind the last by the server's own sequence, if one is wanted and we have none, and renew our client's deadline.
-- 5. Answer {0, time left in ms, the first 256 bytes of the holder, 1 a new place, 0 the old one or -1 none}.
-- use queue_places
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {1}
end
local head = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if head and not clientOf(head) then
  return noWaiter()
end
while head and head ~= ARGV[1] and timeLeft(redis.call('HGET', KEYS[3], clientOf(head)), serverTime()) == 0 do
  redis.call('ZREM', KEYS[2], head)
  head = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
end
if not held and (not head or redis.call('ZRANK', KEYS[2], ARGV[1]) == 0) then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {1}
end
local placed = -1
if ARGV[4] == '1' then
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
  placed = redis.call('ZADD', KEYS[2], 'NX', (tonumber(last[2]) or 0) + 1, ARGV[1])
  keepPlaces(ARGV[3], ARGV[2])
end
return {0, redis.call('PTTL', KEYS[1]), string.sub(held or '', 1, 256), placed}
