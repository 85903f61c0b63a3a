-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex whose waiters listen to one of several channels, or may, or may be blocked on a list.
-- KEYS[1] the lock · the other KEYS: lists on which somebody is blocked if it is of a library that it only may be of · ARGV[1] the token that the operator saw · ARGV[2] nothing, or of a longer one its length and SHA-1
-- ARGV[3] the message · ARGV[4] may, where it only may be of a library whose waiters listen, else must · ARGV[5] what is pushed ·
-- ARGV[6] how long it lasts in ms · ARGV[7…] the channels.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The user may not publish on one of them: nothing is changed; where it only may be of that library, that channel is left out, and the reply
--    tells it. Redis before 7 cannot be asked beforehand: there it is published first.
-- 4. Delete it, leave one element in each list that is empty, and publish on each channel, on the sharded one of that name too. A list in which
--    something lies may be anybody's, and nobody can be blocked on it; what holds something else is left, and the reply names it; one that the
--    user may not push to, or let lapse, is left too, and the reply tells it.
-- use compare_token
-- use tell
local channels, lacks = {}, ''
local function mayPush(list)
  if redis.acl_check_cmd then
    return redis.acl_check_cmd('LPUSH', list, ARGV[5]) and redis.acl_check_cmd('PEXPIRE', list, ARGV[6])
  end
  return type(redis.pcall('PEXPIRE', list, ARGV[6])) == 'number' -- nothing is there that could lapse
end
local function push()
  local foreign, unpushed = '', ''
  for i = 2, #KEYS do
    local kind = redis.call('TYPE', KEYS[i]).ok
    if kind == 'none' and mayPush(KEYS[i]) and type(redis.pcall('LPUSH', KEYS[i], ARGV[5])) == 'number' then
      redis.call('PEXPIRE', KEYS[i], ARGV[6])
    elseif kind == 'none' then
      unpushed = 'unpushed'
    elseif kind ~= 'none' and kind ~= 'list' then
      foreign = KEYS[i]
    end
  end
  return foreign, unpushed
end
for i = 7, #ARGV do
  if not redis.acl_check_cmd or redis.acl_check_cmd('PUBLISH', ARGV[i], ARGV[3]) then
    channels[#channels + 1] = ARGV[i]
  elseif ARGV[4] == 'must' then
    return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
  else
    lacks = 'untold'
  end
end
local listeners = not redis.acl_check_cmd and tell('PUBLISH', channels, ARGV[3], ARGV[4] == 'must')
redis.call('DEL', KEYS[1])
local left, unpushed = push()
if #channels == 0 then
  return {'released', '', '', lacks .. unpushed, left}
end
listeners = listeners or redis.acl_check_cmd and tell('PUBLISH', channels, ARGV[3], ARGV[4] == 'must')
if not listeners then
  return {'released', '', '', 'untold' .. unpushed, left}
end
local sharded = tell('SPUBLISH', channels, ARGV[3])
if sharded then
  return {'released', tostring(listeners + sharded), '', lacks .. unpushed, left}
end
return {'released', tostring(listeners), '', redis.acl_check_cmd and ARGV[4] == 'must' and 'unsharded' or lacks .. unpushed, left}
