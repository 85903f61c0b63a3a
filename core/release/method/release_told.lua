-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex whose waiters listen to one of several channels, or may, or may be blocked on a list, or wait for a word in the inbox of their
-- client, as those of Lockhouse's Mutex do.
-- KEYS[1] the lock · the other KEYS: lists on which somebody is blocked if it is of a library that it only may be of, and ARGV[7], where this user may
-- reach it · ARGV[1] the token that the operator saw · ARGV[2] nothing, or of a longer one its length and SHA-1
-- ARGV[3] the message · ARGV[4] may, where it only may be of a library whose waiters listen, else must · ARGV[5] what is pushed ·
-- ARGV[6] how long it lasts in ms · ARGV[7] the sorted set of those who wait for a word, each "client:number", or nothing · ARGV[8…] the channels.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The user may not publish on one of them: nothing is changed; where it only may be of that library, that channel is left out, and the reply
--    tells it. Redis before 7 cannot be asked beforehand: there it is published first.
-- 4. Delete it, leave one element in each list that is empty, and publish on each channel, on the sharded one of that name too. A list in which
--    something lies may be anybody's, and nobody can be blocked on it; what holds something else is left, and the reply names it; one that the
--    user may not push to, or let lapse, is left too, and the reply tells it.
-- 5. Take those who wait for a word out and tell their inboxes, as the holder's own release does: at most 1024, those who asked last first. Who is
--    not told asks again by himself, so a user who may not has released it all the same; the reply tells it.
-- use compare_token
-- use tell
-- use why_unsharded
local channels, lacks = {}, {}
local function mayPush(list)
  if redis.acl_check_cmd then
    return redis.acl_check_cmd('LPUSH', list, ARGV[5]) and redis.acl_check_cmd('PEXPIRE', list, ARGV[6])
  end
  return type(redis.pcall('PEXPIRE', list, ARGV[6])) == 'number' -- nothing is there that could lapse
end
local left, waits = '', false
local function push(list)
  local kind = redis.call('TYPE', list).ok
  if kind == 'none' and mayPush(list) and type(redis.pcall('LPUSH', list, ARGV[5])) == 'number' then
    redis.call('PEXPIRE', list, ARGV[6])
  elseif kind == 'none' then
    lacks.unpushed = true
  elseif kind ~= 'list' then
    left = list
  end
end
local function tellInboxes(waiters)
  local kind = redis.call('TYPE', waiters).ok
  if kind ~= 'zset' then
    left = kind ~= 'none' and waiters or left
    return 0
  end
  local heard, listed = 0, redis.pcall('ZPOPMAX', waiters, 1024)
  lacks.unasked = listed.err ~= nil
  for i = 1, #listed, 2 do
    local client, number = string.match(listed[i], '^(.*):([0-9]+)$')
    local told = client and redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, 'Mutex ' .. number .. ' 0 ' .. KEYS[1]) or 0
    if type(told) == 'number' then
      heard = heard + told
    else
      lacks.unasked = true
    end
  end
  return heard
end
for i = 8, #ARGV do
  if not redis.acl_check_cmd or redis.acl_check_cmd('PUBLISH', ARGV[i], ARGV[3]) then
    channels[#channels + 1] = ARGV[i]
  elseif ARGV[4] == 'must' then
    return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
  else
    lacks.untold = true
  end
end
local heard = not redis.acl_check_cmd and tell('PUBLISH', channels, ARGV[3], ARGV[4] == 'must')
redis.call('DEL', KEYS[1])
for i = 2, #KEYS do
  if KEYS[i] == ARGV[7] then
    waits = true
  else
    push(KEYS[i])
  end
end
heard = heard or redis.acl_check_cmd and tell('PUBLISH', channels, ARGV[3], ARGV[4] == 'must')
lacks.untold = lacks.untold or not heard
if heard and #channels > 0 then
  local sharded, unheard = tell('SPUBLISH', channels, ARGV[3])
  heard = heard + (sharded or 0)
  if not sharded and ARGV[4] == 'must' then
    lacks[whyUnsharded(unheard, ARGV[3])] = true
  end
end
local inboxes = waits and tellInboxes(ARGV[7])
local words = {}
for _, word in ipairs({'unsharded', 'unspoken', 'untold', 'unpushed', 'unasked'}) do
  words[#words + 1] = lacks[word] and word or nil
end
local isAnyTold = inboxes or (heard and #channels > 0)
return {'released', isAnyTold and tostring((heard or 0) + (inboxes or 0)) or '', '', table.concat(words, ' '), left}
