-- SPDX-License-Identifier: Apache-2.0
-- Takes a fair lock, takes it once more, or takes a place in its line. Data as Redisson's fair lock has it: a hash with one field,
-- owner → count; a list of those who wait; a sorted set with the epoch ms at which each place lapses.
-- KEYS: 1 the lock, 2 the line, 3 when each place lapses. ARGV: 1 the lease in ms, 2 the owner's field, 3 the count wanted,
-- 4 "1" if a place is wanted.
-- 1. Ours: raise the count to the wanted one, unless this ask arrived before; the lease may grow, never shrink; answer the count wanted.
-- 2. Not ours and a re-entry wanted: the hold is lost; answer 0.
-- 3. Drop the lapsed places at the head of the line, all of them. Free, and nobody waits or we are first: take it with count 1 and give
--    up the place; answer 1. Nobody else's place is changed.
-- 4. A place, if one is wanted, is ours until one lease from now, by the server's clock, however many stand before us. Redisson takes
--    its waiting time off every place behind it when it gets in, so for each of Redisson's before us that much is put on it. Those of
--    our own are known by the zero that their number begins with.
-- 5. Answer {time left in ms or -1, holder or nothing, 1 for a new place, 0 for an old one, -1 for none}. The time left is the
--    holder's for who asks without a place or is first; of a free lock, that of the place before us.
-- use fair_line
local wanted = tonumber(ARGV[3])
local count = redis.call('HGET', KEYS[1], ARGV[2])
if count then
  if tonumber(count) < wanted then
    redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  end
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
  return wanted
end
if wanted > 1 then
  return 0
end
local free = redis.call('EXISTS', KEYS[1]) == 0
local first, firstLapses = firstInLine()
if free and (not first or first == ARGV[2]) then
  if first then
    redis.call('LPOP', KEYS[2])
    redis.call('ZREM', KEYS[3], ARGV[2])
  end
  redis.call('HSET', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return 1
end

local redissonWaits = 300000
local function isOfRedisson(waiter)
  return not string.find(waiter, ':0[0-9]+$')
end
local function takenOffBefore()
  local known, guessed = 0, 0
  for _, waiter in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if waiter == ARGV[2] then
      break
    end
    if isOfRedisson(waiter) then
      guessed = guessed + redissonWaits
      known = math.max(known, (tonumber(redis.call('ZSCORE', KEYS[3], waiter)) or 0) - serverTime())
    end
  end
  return math.max(known, guessed)
end
-- Of one whose place is timed: the line itself may have been lost.
local function isOutOfLine()
  if redis.call('LLEN', KEYS[2]) >= redis.call('ZCARD', KEYS[3]) then
    return false
  end
  for _, waiter in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if waiter == ARGV[2] then
      return false
    end
  end
  return true
end
local placed = -1
if ARGV[4] == '1' then
  local lapses = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[2]))
  local mixed = false
  if not lapses then
    local last = redis.call('LINDEX', KEYS[2], -1)
    mixed = last and isOfRedisson(last)
    lapses = last and tonumber(redis.call('ZSCORE', KEYS[3], last)) or 0
  end
  local wait = tonumber(ARGV[1])
  if mixed or lapses - serverTime() >= redissonWaits then
    wait = wait + takenOffBefore()
  end
  placed = redis.call('ZADD', KEYS[3], string.format('%.0f', serverTime() + wait), ARGV[2])
  if placed == 1 or isOutOfLine() then
    redis.call('RPUSH', KEYS[2], ARGV[2])
  end
end
if free then
  return {firstLapses - serverTime(), false, placed}
end
local left = -1
if placed == -1 or not first or first == ARGV[2] then
  left = redis.call('PTTL', KEYS[1])
end
return {left, redis.call('HLEN', KEYS[1]) == 1 and redis.call('HKEYS', KEYS[1])[1], placed}
