-- SPDX-License-Identifier: Apache-2.0
-- whyUnsharded(channel, message): of an SPUBLISH that failed, the word for it in the reply: "unsharded" if this user may not, "unspoken" if he may and
-- it cannot be done here (a cluster takes it only for a channel in the lock's own slot; the command may have another name); nothing where the
-- server has no such channels (before Redis 7).
local function whyUnsharded(channel, message)
  if not redis.acl_check_cmd then
    return ''
  end
  local isKnown, may = pcall(redis.acl_check_cmd, 'SPUBLISH', channel, message)
  return isKnown and not may and 'unsharded' or 'unspoken'
end
