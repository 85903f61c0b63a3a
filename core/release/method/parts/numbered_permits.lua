-- SPDX-License-Identifier: Apache-2.0
-- numberedPermits(): the permits of `holder` in the sorted set KEYS[1]: a member of his name, or one with _0, _1 … behind it for each. They
-- end at the first that is missing once as many are found as were `seen`, or at a thousand that are missing. Up to a hundred are looked for at
-- once, where the server and this user's rights have a command for that (Redis before 6.2 has none).
local function scoresOf(members)
  local scores = redis.pcall('ZMSCORE', KEYS[1], unpack(members))
  if scores.err then
    scores = {}
    for i, member in ipairs(members) do
      scores[i] = redis.call('ZSCORE', KEYS[1], member)
    end
  end
  return scores
end
local function numberedPermits(holder, seen)
  local permits = redis.call('ZSCORE', KEYS[1], holder) and {holder} or {}
  local number, missing = 0, 0
  while missing < 1000 do
    local members = {}
    for i = 1, math.min(100, math.max(1, seen - #permits + 1)) do
      members[i] = holder .. '_' .. (number + i - 1)
    end
    local scores = scoresOf(members)
    for i, member in ipairs(members) do
      if scores[i] then
        permits[#permits + 1] = member
      elseif #permits >= seen then
        return permits
      else
        missing = missing + 1
      end
    end
    number = number + #members
  end
  return permits
end
