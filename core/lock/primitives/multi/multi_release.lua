-- SPDX-License-Identifier: Apache-2.0
-- Releases several mutexes that were taken at once.
-- KEYS: the locks. ARGV: 1 the holder's token.
-- 1. Delete those that are ours; the others are left alone.
-- 2. Answer 1 if all were ours, else 0.
local tokens, ours = redis.call('MGET', unpack(KEYS)), {}
for i, key in ipairs(KEYS) do
  if tokens[i] == ARGV[1] then
    ours[#ours + 1] = key
  end
end
if #ours > 0 then
  redis.call('DEL', unpack(ours))
end
return #ours == #KEYS and 1 or 0
