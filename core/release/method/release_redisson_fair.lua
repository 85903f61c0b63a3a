-- SPDX-License-Identifier: Apache-2.0
-- Releases a Redisson fair lock: a hash with one field, owner → count, beside a list of waiters and a sorted set of the
-- times (epoch ms) at which their places lapse.
-- KEYS[1] the lock · KEYS[2] the queue · KEYS[3] the deadlines
-- ARGV[1] owner · ARGV[2] count that the operator saw · ARGV[3] channel of a waiter, without the waiter's name behind it
-- ARGV[4] how many fields the hash had · ARGV[5] and following: waiters that were seen not to listen.
-- 1. No key: already free. Not a hash of as many fields as were seen, one but for what strangers wrote: not this lock any more.
-- 2. Another owner or count: changed; the reply tells whose it is now.
-- 3. Find the first waiter whose place has not lapsed, and who listens still unless he is none of ARGV[5] and following. A queue or set of another
--    type counts as empty; the reply names the queue. There are more such places than one run looks at: drop those, leave the lock and
--    everything else, and tell so; who sent it sends it again.
-- 4. Delete the lock, and drop the places before that waiter. Every client of the library drops those that have lapsed.
-- 5. Publish 0 to that waiter alone: only the head may take a free fair lock. A user who may not publish is refused before anything
--    is deleted. Redis before 7 cannot be asked beforehand: there it is published first, since a wake-up too many does no harm.
-- 6. Publish it on the sharded channel of that name too, where the library listens in a cluster. A server without such channels,
--    or a user who may not, has released all the same; the reply tells the latter, and where it cannot be done at this node.
-- use compare_count
-- use fair_queue
-- use why_unsharded
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'hash' or redis.call('HLEN', KEYS[1]) ~= tonumber(ARGV[4]) then
  return {'not-a-lock', kind}
end
if not isCount(redis.call('HGET', KEYS[1], ARGV[1]), ARGV[2]) then
  local now = redis.call('HGETALL', KEYS[1])
  return {'changed', string.sub(now[1], 1, 512), string.sub(now[2], 1, 20)}
end

local seen = {}
for i = 5, #ARGV do
  seen[ARGV[i]] = true
end
local queue = redis.call('TYPE', KEYS[2]).ok
local left = queue ~= 'none' and queue ~= 'list' and KEYS[2] or ''
local place = fairQueue(KEYS[2], KEYS[3])
local gone, head, ended = {}, nil, false
while #gone < mostPlaces and not head and not ended do
  local waiter, rest = place(#gone)
  if not waiter then
    ended = true
  elseif (rest and rest <= 0) or (seen[waiter] and listeners(ARGV[3] .. ':' .. waiter) == 0) then
    gone[#gone + 1] = waiter
  else
    head = waiter
  end
end

local channel = head and ARGV[3] .. ':' .. head
local told
if head and not redis.acl_check_cmd then
  told = redis.call('PUBLISH', channel, '0')
elseif head and not redis.acl_check_cmd('PUBLISH', channel, '0') then
  return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
end
if #gone > 0 and redis.acl_check_cmd and not (redis.acl_check_cmd('LPOP', KEYS[2]) and redis.acl_check_cmd('ZREM', KEYS[3], gone[1])) then
  return redis.error_reply('NOPERM this user may not drop the lapsed places at the head of the queue; nothing was changed')
elseif redis.acl_check_cmd and not redis.acl_check_cmd('DEL', KEYS[1]) then
  return redis.error_reply('NOPERM this user may not delete the lock; nothing was changed')
end
for _, waiter in ipairs(gone) do
  redis.pcall('LPOP', KEYS[2])
  redis.pcall('ZREM', KEYS[3], waiter)
end
if not head and not ended then
  return {'cleared', tostring(#gone)}
end
redis.call('DEL', KEYS[1])
if not head then
  return {'released', '', '', '', left}
end
told = told or redis.call('PUBLISH', channel, '0')
local sharded = redis.pcall('SPUBLISH', channel, '0')
if type(sharded) == 'number' then
  return {'released', tostring(told + sharded), head}
end
return {'released', tostring(told), head, whyUnsharded(channel, '0')}
