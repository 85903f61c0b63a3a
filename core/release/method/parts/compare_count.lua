-- SPDX-License-Identifier: Apache-2.0
-- isCount(): whether what stands there is the count that the operator saw. 0 was shown for what is no count, and stands for any such.
local function isCount(found, seen)
  return found and (found == seen or (seen == '0' and (not string.find(found, '^0*[1-9][0-9]*$') or #found > 18)))
end
