-- SPDX-License-Identifier: Apache-2.0
-- Releases a Redisson reentrant lock: a hash with one field, owner → count.
-- KEYS[1] the lock · KEYS[2] the queue that it would have if it were a fair lock · KEYS[3] the counter of fencing tokens, if it was seen
-- ARGV[1] owner · ARGV[2] count that the operator saw · ARGV[3] the lock's channel · ARGV[4] how many fields the hash had
-- ARGV[5] with KEYS[3]: what that counter said · ARGV[6] the channel on which clients of 2016 wait, if some do.
-- 1. No key: already free. Not a hash of as many fields as were seen, one but for what strangers wrote: not this lock any more.
-- 2. Another owner or count: changed; the reply tells whose it is now. Another fence: he has acquired it again since; changed.
-- 3. Somebody queues for it: it is a fair lock, and what follows would leave the head of its queue asleep. Changed; plan it anew.
-- 4. Delete, then publish 0: each waiting client instance lets one waiter try. Both happen at one instant, and a user who may
--    not publish is refused before anything is deleted. Redis before 7 cannot be asked beforehand: there it is published first,
--    since a wake-up too many does no harm.
-- 5. Publish it on the sharded channel of that name too, where the library listens in a cluster. A server without such channels,
--    or a user who may not, has released all the same; the reply tells the latter, and where it cannot be done at this node.
-- 6. Publish it where those of 2016 wait. A user who may not has released all the same; the reply tells it.
-- The counter of fencing tokens is never written.
-- use compare_count
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
if KEYS[3] and (redis.call('TYPE', KEYS[3]).ok ~= 'string' or string.match(redis.call('GETRANGE', KEYS[3], 0, 31), '^0*([0-9]+)$') ~= ARGV[5]) then
  return {'changed', ARGV[1], '', 'again'}
end
if redis.call('TYPE', KEYS[2]).ok == 'list' then
  return {'changed', ARGV[1], ARGV[2], 'queue'}
end

local listeners
if not redis.acl_check_cmd then
  listeners = redis.call('PUBLISH', ARGV[3], '0')
elseif not redis.acl_check_cmd('PUBLISH', ARGV[3], '0') then
  return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
end
redis.call('DEL', KEYS[1])
listeners = listeners or redis.call('PUBLISH', ARGV[3], '0')
local sharded = redis.pcall('SPUBLISH', ARGV[3], '0')
local old = ARGV[6] and redis.pcall('PUBLISH', ARGV[6], '0') or 0
local heard, lacks = listeners, ''
if type(sharded) == 'number' then
  heard = heard + sharded
else
  lacks = whyUnsharded(ARGV[3], '0')
end
if type(old) == 'number' then
  heard = heard + old
else
  lacks = lacks .. ' old'
end
return {'released', tostring(heard), '', lacks}
