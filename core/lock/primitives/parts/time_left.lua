-- SPDX-License-Identifier: Apache-2.0
-- timeLeft(deadline, now): until then, in ms; 0 if it is no time within the longest lease, whoever wrote it.
local function timeLeft(deadline, now)
  local left = tonumber(string.match(deadline or '', '^[0-9]+$') or 0) - now
  return left > 0 and left <= 31536000000 and left or 0
end
