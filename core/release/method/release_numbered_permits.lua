-- SPDX-License-Identifier: Apache-2.0
-- Takes all permits of one holder out of a semaphore that is a sorted set: a member of his name, or one with _0, _1 … behind it for each.
-- KEYS[1] the semaphore · ARGV[1] the holder · ARGV[2] how many permits the operator saw.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. Find his permits, as its library does whenever he renews.
-- 3. Another number of them: changed; the reply tells how many.
-- 4. Take them out together, a thousand by a command. Nobody is told: clients of this family look again by themselves.
-- 5. The reply tells how many others hold permits, where they are not too many to be looked through: others may have come or gone since the plan.
-- use numbered_permits
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'zset' then
  return {'not-a-lock', kind}
end
local seen = tonumber(ARGV[2])
local permits = numberedPermits(ARGV[1], seen)
if #permits == 0 then
  return {'changed'}
elseif #permits ~= seen then
  return {'changed', ARGV[1], tostring(#permits)}
end
for from = 1, #permits, 1000 do
  redis.call('ZREM', KEYS[1], unpack(permits, from, math.min(from + 999, #permits)))
end
local mostMembers, uuidSize = 100, 36 -- all of a lock's holders may be released one after the other
local size = redis.pcall('ZCARD', KEYS[1])
local members = type(size) == 'number' and size <= mostMembers and redis.pcall('ZRANGE', KEYS[1], 0, -1)
if not members or members.err then
  return {'released'}
end
local function parted(member) -- his name, and the number of his permit
  local name, number = string.match(member, '^(.+)_([0-9]+)$')
  return number and #number <= 7 and name or member, number
end
local first, holders, others = {}, {}, 0
for _, member in ipairs(members) do
  local name, number = parted(member)
  first[name] = first[name] or number == '0' or #name == uuidSize
end
for _, member in ipairs(members) do
  local name = parted(member)
  name = first[name] and name or member
  others = others + (holders[name] and 0 or 1)
  holders[name] = true
end
return {'released', '', '', '', '', '', tostring(others)}
