-- SPDX-License-Identifier: Apache-2.0
-- Releases many mutexes at once; of each, what mutex_release does.
-- KEYS: the locks. ARGV: of each, in the same order, the holder's token.
-- Answer: of each, in the same order, 1 deleted, 0 somebody else's or no key (another type under the name is somebody else's).
local tokens = redis.call('MGET', unpack(KEYS))
local answers, ours = {}, {}
for i, key in ipairs(KEYS) do
  if tokens[i] == ARGV[i] then
    ours[#ours + 1] = key
    answers[i] = 1
  else
    answers[i] = 0
  end
end
if #ours > 0 then
  redis.call('DEL', unpack(ours))
end
return answers
