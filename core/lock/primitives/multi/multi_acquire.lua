-- SPDX-License-Identifier: Apache-2.0
-- Takes several mutexes at once, all or none, or tells who has one of them.
-- KEYS: the locks. ARGV: 1 the asker's token, 2 the lease in ms.
-- 1. One of them is somebody else's: answer {time left in ms, the first 256 bytes of his token}, of the one with the longest time
--    left (a key without expiry first); without the token if that key is no string. Nothing is changed.
-- 2. All have the token already, so this ask arrived before: answer 1 and leave the leases as they are.
-- 3. Set the token with its lease on all that are not there; answer 1.
local missing, blocker, longest = {}, nil, nil
for i, key in ipairs(KEYS) do
  local holder = redis.pcall('GETRANGE', key, 0, 255)
  if holder == '' and redis.call('EXISTS', key) == 0 then
    missing[#missing + 1] = key
  elseif holder ~= ARGV[1] then
    local left = redis.call('PTTL', key)
    if not blocker or left < 0 or (longest >= 0 and left > longest) then
      blocker, longest = holder, left
    end
  end
end
if blocker then
  if type(blocker) ~= 'string' then
    return {longest}
  end
  return {longest, blocker}
end
for i, key in ipairs(missing) do
  redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
end
return 1
