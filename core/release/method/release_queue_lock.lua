-- SPDX-License-Identifier: Apache-2.0
-- Releases a lock of Lockhouse's whose waiters stand in a list or a sorted set, as its holder would: tells the first in its line who lives.
-- KEYS: 1 the lock, 2 the line, 3 the clients' deadlines. ARGV: 1 the token that the operator saw.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. The user may not do all that follows: nothing is changed.
-- 4. Drop the first of the line whose clients did not renew their deadlines. There are more of them than one run drops: leave the lock, and
--    tell so; who sent it sends it again.
-- 5. Delete the lock. Where the line or the deadlines are of another type, or the line holds what is no waiter, nobody can be told: that
--    key is left, and the reply names it.
-- 6. Tell the next one's inbox that its turn has come; nobody is left: delete the deadlines.
-- use compare_token
-- use told_by_inbox
-- use queue_places
-- use most_dropped
local line = redis.call('TYPE', KEYS[2]).ok
local isList = line == 'list'
local foreign = otherType({line == 'zset' and 'zset' or 'list', 'hash'})
local waits = not foreign and line ~= 'none'
local needs = {{'DEL', KEYS[1]}}
if waits then
  needs = {{'DEL', KEYS[1], KEYS[3]}, {'TIME'}, {'HGET', KEYS[3], ''}, isList and {'LPOP', KEYS[2]} or {'ZREM', KEYS[2], ''},
           isList and {'LINDEX', KEYS[2], '0'} or nil}
end
local refusal = mayNot(needs, waits and line)
if refusal then
  return refusal
end
if not waits then
  redis.call('DEL', KEYS[1])
  return released(foreign)
end
local function first()
  return isList and redis.call('LINDEX', KEYS[2], 0) or not isList and redis.call('ZRANGE', KEYS[2], 0, 0)[1]
end
local now, dropped = serverTime(), 0
local head = first()
while head and clientOf(head) and timeLeft(redis.call('HGET', KEYS[3], clientOf(head)), now) == 0 do
  if dropped == mostDropped then
    return {'cleared', tostring(dropped)}
  end
  dropped = dropped + 1
  if isList then
    redis.call('LPOP', KEYS[2])
  else
    redis.call('ZREM', KEYS[2], head)
  end
  head = first()
end
redis.call('DEL', KEYS[1])
if not head then
  redis.call('DEL', KEYS[3])
elseif not clientOf(head) then
  return released(KEYS[2])
else
  wake(head, nil, isList and 'ListFairLock' or 'ZsetFairLock')
end
return released()
