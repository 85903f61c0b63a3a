-- SPDX-License-Identifier: Apache-2.0
-- tell(): publishes the message on each of the channels by PUBLISH or SPUBLISH. How many heard it; where one could not be told and none has to be,
-- nothing, and that channel.
local function tell(command, channels, message, mustBe)
  local listeners = 0
  for _, channel in ipairs(channels) do
    local heard = redis[mustBe and 'call' or 'pcall'](command, channel, message)
    if type(heard) ~= 'number' then
      return nil, channel
    end
    listeners = listeners + heard
  end
  return listeners
end
