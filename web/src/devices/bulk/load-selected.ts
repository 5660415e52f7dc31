/** The selected devices as they are. */
import { api } from '../../api/client.ts'
import type { Device } from '../../api/contracts.ts'
import { devices } from '../window/device-list-client.ts'
import { isMatching, type Selected } from '../window/server-filter.ts'

/** The most devices that are read one by one, where the browser does not hold them. */
export const MAX_READ = 100

const listIds = async (selected: Selected): Promise<readonly string[]> => {
  if (!isMatching(selected)) return [...selected]
  const pages = Array.from({ length: selected.pages }, (_, number) => selected.page(number))
  return (await Promise.all(pages)).flat()
}

/** @returns the devices in the order of their ids; undefined if too many of them are not here */
export const loadSelected = async (selected: Selected): Promise<readonly Device[] | undefined> => {
  if (isMatching(selected) && selected.size > MAX_READ) return undefined
  const ids = await listIds(selected)
  const known = new Map((await devices.full(ids)).map((device) => [device.id, device]))
  if (ids.filter((id) => !known.has(id)).length > MAX_READ) return undefined
  return Promise.all(ids.map((id) => known.get(id) ?? api.devices.get({ id })))
}
