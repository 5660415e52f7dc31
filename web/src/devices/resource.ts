/** How devices are read and written, also in the list that the browser holds. Their form is in device-drawer.tsx. */
import { contracts, type Device } from '../api/contracts.ts'
import { isShown } from '../api/proposing.ts'
import { createCrud } from '../resource/crud.ts'
import type { Resource } from '../resource/resource.ts'
import { deviceQuery } from './queries.ts'
import { devices } from './window/device-list-client.ts'

const operations = createCrud(contracts.devices)

export const DELETE_WARNING = 'Its addresses become free, and its relationships end.'

export const DEVICE_RESOURCE: Resource<Device> = {
  noun: 'device',
  fields: [],
  getName: ({ name }) => name,
  ...operations,
  remove: async (id, fields) => {
    const written = await operations.remove(id, fields)
    if (isShown(written)) devices.drop([id])
    return written
  },
  queryKey: (id) => deviceQuery(id).queryKey,
  changes: ['device', 'pools', 'racks', 'rack'],
  onSaved: (device) => devices.put([device]),
}
