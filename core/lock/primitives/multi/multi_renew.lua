-- SPDX-License-Identifier: Apache-2.0
-- Renews the leases of several mutexes that were taken at once.
-- KEYS: the locks. ARGV: 1 the holder's token, 2 the lease in ms.
-- 1. One of them is somebody else's (another type under the name too): answer 0, nothing is changed.
-- 2. One of them is gone: answer -1, nothing is changed. It is never made again: somebody may have decided that it shall be free.
-- 3. All ours: let all leases run anew; answer 1.
local answer = 1
for i, key in ipairs(KEYS) do
  local holder = redis.pcall('GET', key)
  if not holder then
    answer = math.min(answer, -1)
  elseif holder ~= ARGV[1] then
    return 0
  end
end
if answer == 1 then
  for i, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, ARGV[2])
  end
end
return answer
