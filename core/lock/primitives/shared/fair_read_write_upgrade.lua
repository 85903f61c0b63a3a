-- SPDX-License-Identifier: Apache-2.0
-- Makes a reader of a read-write lock its writer, or gives him a place before all others; he stays a reader until then.
-- KEYS: 1 the holders, 2 the queue, 3 the clients' deadlines, 4 the capacity. ARGV: 1 the owner's token, 2 the lease in ms, 3 the owner's
-- client, as 0 or 1: 4 a place is wanted, 5 the client's places are to last one lease from now; the numbers 6 of the first upgrade
-- of his that may count, 7 of this one.
-- 1. Forget holders whose leases have ended. No hold of ours is there: answer 0.
-- 2. The writer already, or still (that he became a reader did not arrive), or the only reader: he is the writer, his lease runs anew; answer
--    {1, the instant in us}.
-- 3. Drop the first of the queue whose clients are gone. Another reader stands there to become the writer: neither would ever see the other
--    leave; answer {-1, his token}.
-- 4. Take the place, if one is wanted; renew the client's deadline where it is missing or asked for.
-- 5. Answer {0, ms until the lease of the first of the others ends, the first 256 bytes of that one, 1 a new place, 0 the old one or -1 none,
--    1 if the deadline was renewed, the instant}.
-- use shared_lease
-- use readers
-- use shared_line
local now, instant = serverTime()
local lease = tonumber(ARGV[2])
if not look(now) then
  return redis.error_reply('WRONGTYPE the key holds a sorted set that is no lock')
end
local reader, mark = 'r/' .. ARGV[1], 'u' .. ARGV[7] .. '/' .. ARGV[1]
local writers = numbered('w', ARGV[1], ARGV[6], ARGV[7])
local writer = table.remove(writers)
local writes = first == writer
for i = 1, #writers do
  writes = writes or first == writers[i]
end
if not writes and not redis.call('ZSCORE', KEYS[1], reader) then
  return 0
end
if writes or redis.call('ZCARD', KEYS[1]) == 1 then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + lease), writer)
  keepAtLeast(KEYS[1], lease)
  redis.call('ZREM', KEYS[1], reader, unpack(writers))
  redis.call('ZREM', KEYS[2], mark)
  return {1, instant}
end
letHeadsIn(now, instant, nil, {})
local head = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
local rival = head and isUpgrade(head) and head ~= mark and string.match(head, '/(.*)')
if rival == ARGV[1] then -- an earlier one of ours, given up, but that did not arrive
  redis.call('ZREM', KEYS[2], head)
elseif rival then
  return {-1, rival}
end
local placed, renewed = -1, 0
if ARGV[4] == '1' then
  placed = redis.call('ZADD', KEYS[2], 'NX', -9007199254740992, mark)
  renewed = keepPlaces(ARGV[3], now, lease, ARGV[5] == '1')
  keepAtLeast(KEYS[2], lease)
end
local others = redis.call('ZRANGE', KEYS[1], 0, 1, 'WITHSCORES')
local i = others[1] == reader and 3 or 1
return {0, math.max(tonumber(others[i + 1]) - now, 0), string.sub(others[i], 1, 256), placed, renewed, instant}
