-- SPDX-License-Identifier: Apache-2.0
-- Takes one job out of a digest of sidekiq-unique-jobs, as the library's own unlock does.
-- KEYS[1] the jobs that hold it · KEYS[2] the queue, where there is one · the other KEYS: what goes with the last job: its marker, those who
-- are handed it, its description, and sorted sets in which the digest is registered
-- ARGV[1] the job · ARGV[2] the digest · ARGV[3] how long what is pushed lasts in ms; nothing: there is no queue
-- ARGV[4] since when the operator saw it hold, or nothing · ARGV[5 …] the types of the other KEYS.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. The job is not in it, or since another time: changed.
-- 3. The user may not do all that follows: nothing is changed. Redis before 7 cannot be asked beforehand: there what follows is tried in a way
--    that changes nothing, and one element is pushed first, for a wake-up too many does no harm.
-- 4. Take the job out. With the last one go the other keys, or the digest's entry in those that are sorted sets, each only if it is of
--    its type; the reply names one that is not.
-- 5. Push one element to the queue, so that one waiter comes at once; with the last job who stood there has gone. What is no list has
--    nobody blocked on it: it is left, and the reply names it.
-- 6. The reply tells how many other holds stay: others may have come or gone since the plan.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'hash' then
  return {'not-a-lock', kind}
end
local since = redis.call('HGET', KEYS[1], ARGV[1])
if not since then
  return {'changed'}
elseif ARGV[4] ~= '' and since ~= ARGV[4] then
  return {'changed', ARGV[1], '', 'again'}
end
local isLast = redis.call('HLEN', KEYS[1]) == 1
local queue = ARGV[3] ~= '' and KEYS[2]
local clears = {}
for i = queue and 3 or 2, isLast and #KEYS or 0 do
  clears[#clears + 1] = {KEYS[i], ARGV[#ARGV - #KEYS + i]}
end
local may = redis.acl_check_cmd or function() return true end
if not (may('HDEL', KEYS[1], ARGV[1]) and (not queue or (may('LPUSH', queue, '1') and may('PEXPIRE', queue, ARGV[3]) and (not isLast or may('DEL', queue))))) then
  return redis.error_reply('NOPERM this user may not take the job out or wake who waits; nothing was changed')
end
for _, clear in ipairs(clears) do
  if not (clear[2] == 'zset' and may('ZREM', clear[1], ARGV[2]) or clear[2] ~= 'zset' and may('DEL', clear[1])) then
    return redis.error_reply('NOPERM this user may not clear what belongs to the digest; nothing was changed')
  end
end
local list = queue and redis.call('TYPE', queue).ok
local isList = list == 'none' or list == 'list'
if not redis.acl_check_cmd then
  redis.call('HDEL', KEYS[1], 'nobody:' .. redis.sha1hex(ARGV[1]))
  for _, clear in ipairs(clears) do
    if clear[2] == 'zset' and redis.call('TYPE', clear[1]).ok == 'zset' then
      redis.call('ZREM', clear[1], 'nobody')
    end
  end
  if isList then
    redis.call('PEXPIRE', queue, ARGV[3])
    redis.call('LPUSH', queue, '1')
    redis.call('PEXPIRE', queue, ARGV[3])
  end
  if isList and isLast then
    redis.call('DEL', queue)
  end
end
redis.call('HDEL', KEYS[1], ARGV[1])
local others = tostring(redis.call('HLEN', KEYS[1]))
local left = ''
for _, clear in ipairs(clears) do
  local found = redis.call('TYPE', clear[1]).ok
  if found ~= 'none' and found ~= clear[2] then
    left = clear[1]
  elseif found ~= 'none' then
    if clear[2] == 'zset' then
      redis.call('ZREM', clear[1], ARGV[2])
    else
      redis.call('DEL', clear[1])
    end
  end
end
if queue and not isList then
  return {'released', '', '', '', queue, '', others}
elseif queue and (isLast or redis.acl_check_cmd) then
  if isLast then
    redis.call('DEL', queue)
  end
  redis.call('LPUSH', queue, '1')
  redis.call('PEXPIRE', queue, ARGV[3])
end
return {'released', '', '', '', left, '', others}
