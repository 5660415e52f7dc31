/** Requests everything again, after a change of objects of any kind. */
import { queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'

export const refreshInventory = (): void => {
  void queryClient.invalidateQueries()
  if (devices.state.get().status !== 'idle') devices.load()
}
