-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex whose waiters listen to a channel, or may.
-- KEYS[1] the lock · ARGV[1] the token that the operator saw · ARGV[2] the channel · ARGV[3] the message.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The user may not publish: nothing is changed. Redis before 7 cannot be asked beforehand: there it is published first.
-- 4. Delete it, and publish, on the sharded channel of that name too.
-- use compare_token
local listeners
if not redis.acl_check_cmd then
  listeners = redis.call('PUBLISH', ARGV[2], ARGV[3])
elseif not redis.acl_check_cmd('PUBLISH', ARGV[2], ARGV[3]) then
  return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
end
redis.call('DEL', KEYS[1])
listeners = listeners or redis.call('PUBLISH', ARGV[2], ARGV[3])
local sharded = redis.pcall('SPUBLISH', ARGV[2], ARGV[3])
if type(sharded) == 'number' then
  return {'released', tostring(listeners + sharded)}
end
return {'released', tostring(listeners), '', redis.acl_check_cmd and 'unsharded' or ''}
