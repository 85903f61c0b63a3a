-- SPDX-License-Identifier: Apache-2.0
-- Takes one permit of an expirable semaphore of Redisson back from its holder.
-- KEYS[1] the number of free permits · KEYS[2] the permits that are out, each until when · KEYS[3] of a semaphore of Lockhouse's: how many
-- permits there are, where its clients made the number
-- ARGV[1] the permit · ARGV[2] the channel by which waiters are told.
-- 1. Something else than a number that Redis can count up: not this lock any more. No number at all counts as none free, as the library's
--    own release has it.
-- 2. The permit is not out any more: changed; without a number already free.
-- 3. The user may not do all that follows: nothing is changed. Redis before 7 cannot be asked beforehand: there each command is tried in a way
--    that changes nothing, and it is published first.
-- 4. Take the permit out, and count one more as free. Lockhouse's clients made the number, and all are free: delete it.
-- 5. Publish the new number: as many waiters wake as it says; on the sharded channel too.
-- use why_unsharded
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'string' then
  return {'not-a-lock', kind}
end
-- canGrow(): an integer as Redis writes it, and not the last one.
local function canGrow(number)
  local sign, digits = string.match(number, '^([-]?)([1-9][0-9]*)$')
  return number == '0' or (digits and (#digits < 19 or (#digits == 19 and digits <= (sign == '-' and '9223372036854775808' or '9223372036854775806'))))
end
if kind == 'string' and not canGrow(redis.call('GET', KEYS[1])) then
  return {'not-a-lock', kind}
end
if redis.call('TYPE', KEYS[2]).ok ~= 'zset' or not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return {kind == 'none' and 'already-free' or 'changed'}
end
local all = KEYS[3] and redis.call('TYPE', KEYS[3]).ok == 'string' and tonumber(redis.call('GET', KEYS[3]))
if redis.acl_check_cmd and not (redis.acl_check_cmd('PUBLISH', ARGV[2], '1') and redis.acl_check_cmd('ZREM', KEYS[2], ARGV[1]) and
    redis.acl_check_cmd('INCRBY', KEYS[1], '1') and (not KEYS[3] or redis.acl_check_cmd('DEL', KEYS[1], KEYS[3]))) then
  return redis.error_reply('NOPERM this user may not take the permit out, count it as free or publish that; nothing was changed')
end
local listeners
if not redis.acl_check_cmd then
  redis.call('ZREM', KEYS[2], 'nobody')
  listeners = redis.call('PUBLISH', ARGV[2], tostring(redis.call('INCRBY', KEYS[1], '0') + 1))
end
redis.call('ZREM', KEYS[2], ARGV[1])
local free = redis.call('INCRBY', KEYS[1], '1')
if all and free >= all and redis.call('TYPE', KEYS[2]).ok == 'none' then
  redis.call('DEL', KEYS[1], KEYS[3])
end
listeners = listeners or redis.call('PUBLISH', ARGV[2], tostring(free))
local sharded = redis.pcall('SPUBLISH', ARGV[2], tostring(free))
if type(sharded) == 'number' then
  return {'released', tostring(listeners + sharded)}
end
return {'released', tostring(listeners), '', whyUnsharded(ARGV[2], tostring(free))}
