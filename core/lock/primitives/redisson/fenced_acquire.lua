-- SPDX-License-Identifier: Apache-2.0
-- Takes a fenced lock, or takes it once more. Data as Redisson's fenced lock has it: a hash with one field, owner → count, and a
-- counter that every hold raises and that never goes.
-- KEYS: 1 the lock, 2 the counter. ARGV: 1 the lease in ms, 2 the owner's field, 3 the count wanted.
-- 1. Ours: raise the count to the wanted one, unless this ask arrived before; the lease may grow, never shrink; answer {1, the counter},
--    which nobody else raises meanwhile.
-- 2. Not ours, but a re-entry is wanted: the hold is lost; answer 0.
-- 3. Free: raise the counter by one, and at least to the server's time in us, so that it grows though it was deleted or lost; take the
--    lock with count 1 and the lease; answer {1, the counter}.
-- 4. Somebody else's: answer {0, time left in ms, holder}; without the holder if it is not a single field.
local function raised()
  local fence = redis.call('INCR', KEYS[2])
  local now = redis.call('TIME')
  local micros = tonumber(now[1]) * 1000000 + tonumber(now[2])
  if fence < micros then
    redis.call('INCRBY', KEYS[2], string.format('%.0f', micros - fence))
  end
  return redis.call('GET', KEYS[2])
end
local wanted = tonumber(ARGV[3])
local count = redis.call('HGET', KEYS[1], ARGV[2])
if count then
  if tonumber(count) < wanted then
    redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  end
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
  return {1, redis.call('GET', KEYS[2]) or raised()}
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  if wanted > 1 then
    return 0
  end
  local fence = raised()
  redis.call('HSET', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return {1, fence}
end
local left = redis.call('PTTL', KEYS[1])
if redis.call('HLEN', KEYS[1]) > 1 then
  return {0, left}
end
return {0, left, redis.call('HKEYS', KEYS[1])[1]}
