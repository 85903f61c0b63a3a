-- SPDX-License-Identifier: Apache-2.0
-- Takes permits of a semaphore. Data as Redisson has them: a counter of the free ones.
-- KEYS: 1 the counter, 2 the permits that are out, 3 how many there are, where we made the counter.
-- ARGV: 1 the lease in ms, 2 how many there are, if nobody has said so before, 3 the channel, 4 the command that publishes, 5 and following the
-- ids of our permits.
-- 1. No counter: make it, and forget what was out of an earlier one.
-- 2. Ours are out already, by an ask that arrived before: let their lease run anew; answer {1, 0}.
-- 3. Take back what has lapsed, at most 1000 at once; publish the new number of free ones.
-- 4. Enough are free: take them; answer {1, how many are left}.
-- 5. Answer {0, time in ms until the first of those that are out lapses, or the counter; -1 if neither does}.
-- use redisson_permits
local wanted = #ARGV - 4
local free = redis.call('GET', KEYS[1])
if not free then
  redis.call('DEL', KEYS[2])
  redis.call('SET', KEYS[1], ARGV[2])
  redis.call('SET', KEYS[3], ARGV[2])
  free = ARGV[2]
end
free = tonumber(free)
if not free then
  return redis.error_reply('ERR the key holds no number of permits')
end
local now = serverTime()
if redis.call('ZSCORE', KEYS[2], ARGV[5]) then
  hold(5, now + tonumber(ARGV[1]))
  return {1, 0}
end
local lapsed = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1000)
if #lapsed > 0 then
  redis.call('ZREM', KEYS[2], unpack(lapsed))
  free = redis.call('INCRBY', KEYS[1], #lapsed)
  redis.pcall(ARGV[4], ARGV[3], free)
end
if free >= wanted then
  redis.call('DECRBY', KEYS[1], wanted)
  hold(5, now + tonumber(ARGV[1]))
  return {1, free - wanted}
end
local left = redis.call('PTTL', KEYS[1])
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if first and (left < 0 or tonumber(first) - now < left) then
  left = tonumber(first) - now
end
return {0, left}
