-- SPDX-License-Identifier: Apache-2.0
-- Releases one holder of a Redisson read-write lock: a hash with the field mode (read or write) and a field holder → count for
-- each reader, or <holder>:write for the writer. Each hold of a reader has a timeout key of its own that carries its lease.
-- KEYS[1] the lock · KEYS[2 … 1 + n] timeout keys of the holder · KEYS[from 2 + n] timeout keys of the readers who stay
-- ARGV[1] field of the holder · ARGV[2] count that the operator saw · ARGV[3] the lock's channel · ARGV[4] n
-- ARGV[5] how many fields are neither the mode nor a holder's · ARGV[6] the channel on which clients of 2016 wait, if some do, or nothing
-- ARGV[7] 1 where the leases of these were over when it was planned, or nothing
-- ARGV[8], ARGV[9] … field and count of each reader whose timeout keys follow in KEYS.
-- 1. No key: already free. No hash with a mode: not this lock any more.
-- 2. The holder's field is gone or counts otherwise: changed; the reply tells what it counts now.
-- 3. The last holder: delete the lock, and with it what strangers wrote there, and publish 1, which wakes readers and writers.
-- 4. A writer who reads too: the lock goes on as a read lock; publish 1, since other readers may enter now. Both of its changes are
--    made or neither.
--    Redisson lets as many go on for 1 as are asleep at that moment, and forgets it: whoever has begun to listen and is about to sleep
--    would sleep on. So 0 follows, which one of each client finds when he comes to sleep.
-- 5. A reader among others: remove its field alone. If the ones who stay are exactly those named in ARGV, the lease becomes the
--    longest of theirs; otherwise it is left as it is, which is never too short. A write lock's lease is left too.
--    Where none of theirs runs any more, as planned, and one of the holder's own does, they hold nothing: as 3, as Redisson lets it go then.
-- 6. Delete the holder's timeout keys. What is no string is somebody else's: it is left, and the reply names the first.
-- 7. What was published is published on the sharded channel of that name too, where the library listens in a cluster. A server without
--    such channels, or a user who may not, has released all the same; the reply tells the latter, and where it cannot be done at this node.
-- 8. Where something was published, publish 0 where those of 2016 wait, who know nothing else. A user who may not has released it all the same;
--    the reply tells it.
-- 9. The reply tells how many other holds stay: others may have come or gone since the plan.
-- A user who may not publish, delete the timeout keys or set the lease is refused before anything is changed. Redis before 7 cannot be asked
-- beforehand: there it is published first, since a wake-up too many does no harm, and what else is refused lapses by itself.
-- use compare_count
-- use why_unsharded
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'hash' then
  return {'not-a-lock', kind}
end
local mode = redis.call('HGET', KEYS[1], 'mode')
if not mode then
  return {'not-a-lock', kind}
end
local count = redis.call('HGET', KEYS[1], ARGV[1])
if not count then
  return {'changed'}
elseif not isCount(count, ARGV[2]) then
  return {'changed', ARGV[1], string.sub(count, 1, 20)}
end

local own = tonumber(ARGV[4])
local writes = string.find(ARGV[1], ':write', 1, true) ~= nil
local strays = tonumber(ARGV[5])
local fields = redis.call('HLEN', KEYS[1])
-- longestOf(first, last): of these timeout keys the one that runs longest, in ms: 0 if none is there, nothing if one has no end.
local function longestOf(first, last)
  local longest = 0
  for i = first, last do
    local left = redis.call('PTTL', KEYS[i])
    if left == -1 then
      return nil
    end
    longest = math.max(longest, left)
  end
  return longest
end
local areNamed = #ARGV > 7 and mode == 'read' and fields == 2 + strays + (#ARGV - 7) / 2
for i = 8, #ARGV, 2 do
  areNamed = areNamed and redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1]
end
local longest = areNamed and longestOf(2 + own, #KEYS)
local haveEnded = ARGV[7] == '1' and longest == 0 and longestOf(2, 1 + own) ~= 0
local isLast = fields == 2 + strays or haveEnded
local wakes = isLast or writes
local listeners
-- publishBoth(): 1 and 0, and how many heard them.
local function publishBoth()
  local heard = redis.call('PUBLISH', ARGV[3], '1')
  redis.call('PUBLISH', ARGV[3], '0')
  return heard
end
if wakes and not redis.acl_check_cmd then
  listeners = publishBoth()
elseif wakes and not redis.acl_check_cmd('PUBLISH', ARGV[3], '1') then
  return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
end
for i = 2, redis.acl_check_cmd and 1 + own or 0 do
  if not redis.acl_check_cmd('DEL', KEYS[i]) then
    return redis.error_reply('NOPERM this user may not delete the timeout keys of this hold; nothing was changed')
  end
end
if #ARGV > 7 and not wakes and redis.acl_check_cmd and not redis.acl_check_cmd('PEXPIRE', KEYS[1], 1) then
  return redis.error_reply('NOPERM this user may not shorten the lease to those that stay; nothing was changed')
end
if isLast then
  redis.call('DEL', KEYS[1])
elseif writes then
  redis.call('HSET', KEYS[1], 'mode', 'read')
  local gone = redis.pcall('HDEL', KEYS[1], ARGV[1])
  if type(gone) == 'table' then
    redis.call('HSET', KEYS[1], 'mode', mode)
    return gone
  end
else
  redis.call('HDEL', KEYS[1], ARGV[1])
  if longest and longest > 0 then
    redis.pcall('PEXPIRE', KEYS[1], longest)
  end
end
local left = ''
for i = 2, 1 + own do
  local beside = redis.call('TYPE', KEYS[i]).ok
  if beside == 'string' then
    redis.pcall('DEL', KEYS[i])
  elseif beside ~= 'none' and left == '' then
    left = KEYS[i]
  end
end
local others = isLast and '0' or tostring(redis.call('HLEN', KEYS[1]) - 1 - strays)
if not wakes then
  return {'released', '', '', '', left, '', others}
end
listeners = listeners or publishBoth()
local lacks = ''
local sharded = redis.pcall('SPUBLISH', ARGV[3], '1')
if type(sharded) == 'number' then
  redis.pcall('SPUBLISH', ARGV[3], '0')
  listeners = listeners + sharded
else
  lacks = whyUnsharded(ARGV[3], '1')
end
local old = ARGV[6] ~= '' and redis.pcall('PUBLISH', ARGV[6], '0') or 0
if type(old) == 'number' then
  listeners = listeners + old
else
  lacks = lacks .. ' old'
end
return {'released', tostring(listeners), '', lacks, left, '', others}
