-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex whose waiters listen to one of several channels, or may.
-- KEYS[1] the lock · ARGV[1] the token that the operator saw · ARGV[2] nothing, or of a longer one its length and SHA-1
-- ARGV[3] the message · ARGV[4] may, where it only may be of a library whose waiters listen, else must · ARGV[5…] the channels.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The user may not publish on one of them: nothing is changed; where it only may be of that library, that channel is left out. Redis before 7
--    cannot be asked beforehand: there it is published first.
-- 4. Delete it, and publish on each, on the sharded channel of that name too.
-- use compare_token
-- use tell
local channels = {}
for i = 5, #ARGV do
  if not redis.acl_check_cmd or redis.acl_check_cmd('PUBLISH', ARGV[i], ARGV[3]) then
    channels[#channels + 1] = ARGV[i]
  elseif ARGV[4] == 'must' then
    return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
  end
end
local listeners = not redis.acl_check_cmd and tell('PUBLISH', channels, ARGV[3], ARGV[4] == 'must')
redis.call('DEL', KEYS[1])
if #channels == 0 then
  return {'released'}
end
listeners = listeners or tell('PUBLISH', channels, ARGV[3], ARGV[4] == 'must') or 0
local sharded = tell('SPUBLISH', channels, ARGV[3])
if sharded then
  return {'released', tostring(listeners + sharded)}
end
return {'released', tostring(listeners), '', redis.acl_check_cmd and ARGV[4] == 'must' and 'unsharded' or ''}
