-- SPDX-License-Identifier: Apache-2.0
-- Shortens the lease of one holder, so that it ends by itself unless it is renewed.
-- KEYS[1] the lock · the other KEYS: strings that keep the same lease besides
-- ARGV[1] string, hash, zset or set · ARGV[2] the holder · ARGV[3] of a hash: the value that the operator saw, or nothing; of a string whose first
-- bytes the holder is: how many it has, and its SHA-1; of a sorted set: last, if the key ends with the last of its members, or nothing
-- ARGV[4] how long it is to last in ms · ARGV[5] of a sorted set whose scores are ends: ms or s, the unit; else nothing
-- ARGV[6] and following: of a sorted set, members that go with the holder
-- Of a string ARGV[6] is the end that its value names, which its clients go by, in ms since 1970, or nothing.
-- Of a hash ARGV[6] is how many fields it had, if others may enter, or nothing · ARGV[7] a channel that its waiters listen to, or nothing
-- ARGV[8] the messages, a letter each · ARGV[9] what the last of KEYS said, a counter that tells one hold from the next, if there is one, or nothing
-- ARGV[10] a channel on which clients of 2016 wait for 0, if some do.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. The holder is not there, or counts otherwise: changed; the reply tells what there is instead. A hash of another size has other
--    holders too, whose hold would end with it: changed. Another number of the counter: he has acquired it again since; changed.
-- 3. It ends sooner anyway: kept, with the ms that it has left.
-- 4. The user may not do all that follows: nothing is changed. Redis before 7 cannot be asked beforehand: there it is published first, and scores
--    are put back where the key may not lapse with them.
-- 5. Shorten: the scores, and the key's time to live where it ends with them; or the key's time to live and that of the others where it is longer. What is no string is left.
-- 6. Publish, on the sharded channel of that name too, so that who sleeps until the lease that he saw would have ended looks again.
--    Where those of 2016 wait too: a user who may not has shortened it all the same, and the reply tells it.
-- use compare_count
-- use is_token
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= ARGV[1] then
  return {'not-a-lock', kind}
end
local wanted = tonumber(ARGV[4])
if kind == 'string' then
  if not isToken(ARGV[2], ARGV[3]) then
    return {'changed', redis.call('GETRANGE', KEYS[1], 0, 511), '1'}
  end
  if ARGV[6] and ARGV[6] ~= '' then
    local clock = redis.call('TIME')
    local left = tonumber(ARGV[6]) - tonumber(clock[1]) * 1000 - math.floor(tonumber(clock[2]) / 1000)
    if left <= wanted then
      return {'kept', string.format('%.0f', math.max(0, left))}
    end
  end
elseif kind == 'hash' then
  local found = redis.call('HGET', KEYS[1], ARGV[2])
  if not found then
    return {'changed'}
  elseif ARGV[3] ~= '' and not isCount(found, ARGV[3]) then
    return {'changed', ARGV[2], string.sub(found, 1, 20)}
  elseif ARGV[6] and ARGV[6] ~= '' and redis.call('HLEN', KEYS[1]) ~= tonumber(ARGV[6]) then
    return {'changed', ARGV[2], '', 'shared'}
  end
elseif kind == 'zset' and not redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  return {'changed'}
end

if ARGV[5] ~= '' then
  local clock = redis.call('TIME')
  local unit = ARGV[5] == 's' and 1000 or 1
  local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
  local left = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[2])) * unit - now
  if left <= wanted then
    return {'kept', string.format('%.0f', left)}
  end
  if ARGV[3] == 'last' and redis.acl_check_cmd and not redis.acl_check_cmd('PEXPIRE', KEYS[1], '1') then
    return redis.error_reply('NOPERM this user may not let the lock lapse; nothing was changed')
  end
  local before = {}
  for i = 2, #ARGV do
    if i == 2 or i > 5 then
      before[i] = redis.call('ZSCORE', KEYS[1], ARGV[i])
      redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', math.ceil((now + wanted) / unit)), ARGV[i])
    end
  end
  local lasts = ARGV[3] == 'last' and tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]) * unit - now
  local ends = redis.call('PTTL', KEYS[1])
  if lasts and lasts < 2 ^ 52 and (ends == -1 or ends > lasts) then
    local done = redis.pcall('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil(lasts)))
    if type(done) ~= 'number' then
      for i, score in pairs(before) do
        redis.call('ZADD', KEYS[1], 'XX', score, ARGV[i])
      end
      return done
    end
  end
  return {'shortened'}
end
local last = #KEYS
if kind == 'hash' and ARGV[9] and ARGV[9] ~= '' then
  if redis.call('TYPE', KEYS[last]).ok ~= 'string' or string.match(redis.call('GETRANGE', KEYS[last], 0, 31), '^0*([0-9]+)$') ~= ARGV[9] then
    return {'changed', ARGV[2], '', 'again'}
  end
  last = last - 1
end
local left = redis.call('PTTL', KEYS[1])
if left ~= -1 and left <= wanted then
  return {'kept', string.format('%.0f', left)}
end
local channel = kind == 'hash' and ARGV[7] or ''
if channel ~= '' and redis.acl_check_cmd and not redis.acl_check_cmd('PUBLISH', channel, '0') then
  return redis.error_reply('NOPERM this user may not publish on the channel that wakes the waiters; nothing was changed')
end
for i = 1, redis.acl_check_cmd and last or 0 do
  if not redis.acl_check_cmd('PEXPIRE', KEYS[i], ARGV[4]) then
    return redis.error_reply('NOPERM this user may not let the lock or what keeps its lease besides lapse; nothing was changed')
  end
end
if not redis.acl_check_cmd then
  for message in string.gmatch(channel ~= '' and ARGV[8] or '', '.') do
    redis.call('PUBLISH', channel, message)
  end
end
for i = 2, last do
  left = redis.call('TYPE', KEYS[i]).ok == 'string' and redis.call('PTTL', KEYS[i]) or 0
  if left == -1 or left > wanted then
    redis.call('PEXPIRE', KEYS[i], ARGV[4])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
for message in string.gmatch(channel ~= '' and ARGV[8] or '', '.') do
  if redis.acl_check_cmd then
    redis.call('PUBLISH', channel, message)
  end
  redis.pcall('SPUBLISH', channel, message)
end
local isOldTold = kind ~= 'hash' or not ARGV[10] or type(redis.pcall('PUBLISH', ARGV[10], '0')) == 'number'
return {'shortened', isOldTold and '' or 'old'}
