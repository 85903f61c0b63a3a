-- SPDX-License-Identifier: Apache-2.0
-- Takes one job out of a digest of sidekiq-unique-jobs, as the library's own unlock does.
-- KEYS[1] the jobs that hold it · KEYS[2] the queue · KEYS[3] its marker · KEYS[4] those who are handed it · KEYS[5] its description
-- KEYS[6 …] sorted sets in which the digest is registered · ARGV[1] the job · ARGV[2] the digest
-- ARGV[3] how long what is pushed lasts in ms.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. The job is not in it: changed.
-- 3. The user may not do all that follows: nothing is changed. (Redis before 7 cannot be asked beforehand.)
-- 4. Take the job out. With the last one go the marker, those who are handed it, the description and the entries in the registries,
--    each only if it is of its type.
-- 5. Push one element to the queue, so that one waiter comes at once. What is no list has nobody blocked on it: it is left, and the
--    reply names it.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'hash' then
  return {'not-a-lock', kind}
elseif not redis.call('HGET', KEYS[1], ARGV[1]) then
  return {'changed'}
end
local isLast = redis.call('HLEN', KEYS[1]) == 1
local may = redis.acl_check_cmd or function() return true end
if not (may('HDEL', KEYS[1], ARGV[1]) and may('LPUSH', KEYS[2], '1') and may('PEXPIRE', KEYS[2], ARGV[3])) then
  return redis.error_reply('NOPERM this user may not take the job out or wake who waits; nothing was changed')
elseif isLast and not (may('DEL', KEYS[3], KEYS[4], KEYS[5]) and may('ZREM', KEYS[6], ARGV[2]) and may('ZREM', KEYS[7], ARGV[2])) then
  return redis.error_reply('NOPERM this user may not clear what belongs to the digest; nothing was changed')
end
redis.call('HDEL', KEYS[1], ARGV[1])
local types = {false, false, 'string', 'list', 'string', 'zset', 'zset'}
for i = 3, isLast and #KEYS or 0 do
  if redis.call('TYPE', KEYS[i]).ok == types[i] then
    if types[i] == 'zset' then
      redis.call('ZREM', KEYS[i], ARGV[2])
    else
      redis.call('DEL', KEYS[i])
    end
  end
end
local list = redis.call('TYPE', KEYS[2]).ok
if list ~= 'none' and list ~= 'list' then
  return {'released', '', '', '', KEYS[2]}
end
redis.call('LPUSH', KEYS[2], '1')
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return {'released'}
