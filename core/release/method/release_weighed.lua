-- SPDX-License-Identifier: Apache-2.0
-- Takes one holder out of a semaphore that keeps its holders in two sorted sets: until when each holds, and how many permits he has.
-- KEYS[1] the ends · KEYS[2] the weights · ARGV[1] the holder · ARGV[2] the weight that the operator saw.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. The holder has no end, or another weight: changed; the reply tells which. Without any weight his end alone is taken out.
-- 3. Take him out of both. What is no sorted set is left, and the reply names it.
-- 4. The reply tells how many other holds stay that have not lapsed, where this user may ask for that: others may have come or gone since the plan.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'zset' then
  return {'not-a-lock', kind}
elseif not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return {'changed'}
end
local weights = redis.call('TYPE', KEYS[2]).ok
local weight = weights == 'zset' and redis.call('ZSCORE', KEYS[2], ARGV[1])
if weight and math.floor(tonumber(weight)) ~= tonumber(ARGV[2]) then
  return {'changed', ARGV[1], weight}
elseif weight then
  if redis.acl_check_cmd and not redis.acl_check_cmd('ZREM', KEYS[1], ARGV[1]) then
    return redis.error_reply('NOPERM this user may not take holders out of the semaphore; nothing was changed')
  end
  redis.call('ZREM', KEYS[2], ARGV[1])
end
redis.call('ZREM', KEYS[1], ARGV[1])
local time = redis.pcall('TIME')
local others = time[1] and redis.pcall('ZCOUNT', KEYS[1], '(' .. time[1], '+inf')
return {'released', '', '', '', weights ~= 'none' and weights ~= 'zset' and KEYS[2] or '', '', type(others) == 'number' and tostring(others) or ''}
