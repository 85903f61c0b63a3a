-- SPDX-License-Identifier: Apache-2.0
-- numberedPermits(): the permits of `holder` in the sorted set KEYS[1]: a member of his name, or one with _0, _1 … behind it for each. They
-- end at the first that is missing once as many are found as were `seen`, or at a thousand that are missing.
local function numberedPermits(holder, seen)
  local permits = redis.call('ZSCORE', KEYS[1], holder) and {holder} or {}
  local number, missing = 0, 0
  while missing < 1000 do
    local permit = holder .. '_' .. number
    if redis.call('ZSCORE', KEYS[1], permit) then
      permits[#permits + 1] = permit
    elseif #permits >= seen then
      break
    else
      missing = missing + 1
    end
    number = number + 1
  end
  return permits
end
