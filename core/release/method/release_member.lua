-- SPDX-License-Identifier: Apache-2.0
-- Takes one holder out of a lock that has several: a field of a hash, a member of a set, sorted set or list.
-- KEYS[1] the lock · KEYS[2] a list to push to, if any
-- ARGV[1] hash, set, zset or list · ARGV[2] the holder · ARGV[3] of a hash: the value that the operator saw, or nothing; of a
-- list "first" where the others in it wait (Redis before 6.0.6 finds no other)
-- ARGV[4] what is pushed, or nothing · ARGV[5] how long it lasts in ms; 0 = until it is taken
-- ARGV[6] how many channels to publish on · ARGV[7] the message
-- ARGV[8] an element that tells how he holds it or since when, or nothing · ARGV[9] what the operator saw there: of a hash the value, else
-- 1; nothing: it was not there · ARGV[10] how the other holders are counted: all, of a sorted set whose scores are ends in ms or s those that
-- have not come, or nothing · ARGV[11] how many entries are nobody's · ARGV[12] "owner" where ARGV[3] tells who has locked the value ARGV[2],
-- else how often its holder has · ARGV[13] and following: the channels, then what goes with the holder.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. The holder is not in it, or a hash holds another value: changed; the reply tells what there is instead. He holds it in another way than
--    was seen, or has taken it again since: changed.
-- 3. The user may not do all that follows: nothing is changed. Redis before 7 cannot be asked beforehand: there what follows is tried in a way
--    that changes nothing, and it is pushed and published first.
-- 4. Take the holder out and what goes with it; Redis deletes what is empty.
-- 5. Push, unless it is among the first 10 000 that lie there already (Redis before 6.0.6 cannot tell), and publish, so that one waiter comes
--    at once; on the sharded channel of that name too. What lies there alone lapses. What is no list has nobody blocked on it: it is left, and the reply names it. The
--    reply tells what lay there already.
-- 6. The reply tells how many other holds stay, where that can be counted: others may have come or gone since the plan.
-- use tell
-- use why_unsharded
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= ARGV[1] then
  return {'not-a-lock', kind}
end
local look = ({
  hash = function(element) return redis.call('HGET', KEYS[1], element) end,
  set = function(element) return redis.call('SISMEMBER', KEYS[1], element) == 1 and '1' end,
  zset = function(element) return redis.call('ZSCORE', KEYS[1], element) and '1' end,
  list = function(element)
    local at = ARGV[3] ~= 'first' and (redis.acl_check_cmd and redis.call or redis.pcall)('LPOS', KEYS[1], element)
    if ARGV[3] == 'first' or type(at) == 'table' then
      return redis.call('LINDEX', KEYS[1], 0) == element and '1'
    end
    return at and '1'
  end,
})[kind]
local found = look(ARGV[2])
if not found then
  return {'changed'}
elseif kind == 'hash' and ARGV[3] ~= '' and found ~= ARGV[3] and ARGV[12] == 'owner' then
  return {'changed', string.sub(found, 1, 512)}
elseif kind == 'hash' and ARGV[3] ~= '' and found ~= ARGV[3] then
  return {'changed', ARGV[2], string.sub(found, 1, 20)}
elseif ARGV[8] ~= '' and (look(ARGV[8]) or '') ~= ARGV[9] then
  return {'changed', ARGV[2], '', 'again'}
end
local remove = ({hash = 'HDEL', set = 'SREM', zset = 'ZREM', list = 'LREM'})[kind]
local channels = {unpack(ARGV, 13, 12 + tonumber(ARGV[6]))}
for _, channel in ipairs(redis.acl_check_cmd and channels or {}) do
  if not redis.acl_check_cmd('PUBLISH', channel, ARGV[7]) then
    return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters')
  end
end
local function take(element, ...)
  return kind == 'list' and redis.call(remove, KEYS[1], 1, element) or redis.call(remove, KEYS[1], element, ...)
end
if redis.acl_check_cmd and not redis.acl_check_cmd(remove, KEYS[1], unpack(kind == 'list' and {'1', ARGV[2]} or {ARGV[2]})) then
  return redis.error_reply('NOPERM this user may not run ' .. remove .. ' on the lock; nothing was changed')
elseif KEYS[2] and redis.acl_check_cmd and not (redis.acl_check_cmd('LPUSH', KEYS[2], ARGV[4]) and redis.acl_check_cmd('PEXPIRE', KEYS[2], '1')) then
  return redis.error_reply('NOPERM this user may not push to the list by which waiters are woken, or let it lapse; nothing was changed')
elseif KEYS[2] and redis.acl_check_cmd and not redis.acl_check_cmd('LPOS', KEYS[2], ARGV[4]) then
  return redis.error_reply('NOPERM this user may not look into the list by which waiters are woken; nothing was changed')
end
local list = KEYS[2] and redis.call('TYPE', KEYS[2]).ok
local left = list and list ~= 'none' and list ~= 'list' and KEYS[2] or ''
local listeners = not redis.acl_check_cmd and tell('PUBLISH', channels, ARGV[7], true)
local listed = list == 'list' and type(redis.pcall('LPOS', KEYS[2], ARGV[4], 'MAXLEN', '10000')) == 'number'
local function push()
  if ARGV[4] ~= '' and left == '' and not listed and redis.call('LPUSH', KEYS[2], ARGV[4]) == 1 and ARGV[5] ~= '0' then
    redis.call('PEXPIRE', KEYS[2], ARGV[5])
  end
end
if not redis.acl_check_cmd then
  take('nobody:' .. redis.sha1hex(ARGV[2]))
  if list == 'none' and ARGV[5] ~= '0' then
    redis.call('PEXPIRE', KEYS[2], ARGV[5])
  end
  push()
end
take(ARGV[2], unpack(ARGV, 13 + #channels))
local counts = {hash = {'HLEN', KEYS[1]}, set = {'SCARD', KEYS[1]}, zset = {'ZCARD', KEYS[1]}}
if ARGV[10] == 'ms' or ARGV[10] == 's' then
  local time = redis.pcall('TIME')
  local now = ARGV[10] == 's' and time[1] or time[1] and string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
  counts.zset = now and {'ZCOUNT', KEYS[1], '(' .. now, '+inf'}
end
local others = ARGV[10] ~= '' and counts[kind] and redis.pcall(unpack(counts[kind]))
others = type(others) == 'number' and tostring(math.max(0, others - tonumber(ARGV[11]))) or ''
if redis.acl_check_cmd then
  push()
end
listed = listed and ARGV[4] or ''
if #channels == 0 then
  return {'released', '', '', '', left, listed, others}
end
listeners = listeners or tell('PUBLISH', channels, ARGV[7], true)
local sharded, unheard = tell('SPUBLISH', channels, ARGV[7])
if sharded then
  return {'released', tostring(listeners + sharded), '', '', left, listed, others}
end
return {'released', tostring(listeners), '', whyUnsharded(unheard, ARGV[7]), left, listed, others}
