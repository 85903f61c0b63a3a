-- SPDX-License-Identifier: Apache-2.0
-- Takes all permits of one holder out of a semaphore that is a sorted set: a member of his name, or one with _0, _1 … behind it for each.
-- KEYS[1] the semaphore · ARGV[1] the holder · ARGV[2] how many permits the operator saw.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. Find his permits: up to the first that is missing once as many are found as were seen, and no further than the thousand that are read.
-- 3. Another number of them: changed; the reply tells how many.
-- 4. Take them out together. Nobody is told: clients of this family look again by themselves.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'zset' then
  return {'not-a-lock', kind}
end
local seen = tonumber(ARGV[2])
local permits = redis.call('ZSCORE', KEYS[1], ARGV[1]) and {ARGV[1]} or {}
for i = 0, 1000 do
  local permit = ARGV[1] .. '_' .. i
  if redis.call('ZSCORE', KEYS[1], permit) then
    permits[#permits + 1] = permit
  elseif #permits >= seen then
    break
  end
end
if #permits == 0 then
  return {'changed'}
elseif #permits ~= seen then
  return {'changed', ARGV[1], tostring(#permits)}
end
redis.call('ZREM', KEYS[1], unpack(permits))
return {'released'}
