-- SPDX-License-Identifier: Apache-2.0
-- Takes a reentrant lock, or takes it once more. Data as Redisson's RLock has it: a hash with one field, owner → count.
-- KEYS: 1 the lock. ARGV: 1 the lease in ms, 2 the owner's field, 3 the count wanted.
-- 1. No such key and a first hold wanted: make it with count 1 and the lease; answer 1.
-- 2. No such key and a re-entry wanted: the hold is lost; answer 0.
-- 3. Ours: raise the count to the wanted one, unless this ask arrived before and it is there already; the lease may grow, never
--    shrink; answer the count wanted.
-- 4. Somebody else's: answer {time left in ms, holder}; without the holder if it is not a single field.
local wanted = tonumber(ARGV[3])
if redis.call('EXISTS', KEYS[1]) == 0 then
  if wanted > 1 then
    return 0
  end
  redis.call('HSET', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return 1
end
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
local left = redis.call('PTTL', KEYS[1])
if redis.call('HLEN', KEYS[1]) > 1 then
  return {left}
end
return {left, redis.call('HKEYS', KEYS[1])[1]}
