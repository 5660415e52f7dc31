/** How devices are read and written: through their own list in the browser, and with a way back. */
import { api } from '../api/client.ts'
import { contracts, type Datacenter, type Device } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { crud } from '../resource/crud.ts'
import { formFields } from '../resource/fields.ts'
import type { Input, Resource } from '../resource/resource.ts'
import { toast, toastError } from '../ui/toast.tsx'
import { AddressFields } from './address-fields.tsx'
import { addressInput, addressText } from './address-form.ts'
import { DEVICE_ORDER, deviceFields } from './fields.ts'
import { deviceQuery } from './queries.ts'
import { removeLater } from './removal.ts'
import { devices } from './source.ts'

const CHANGES = ['device', 'pools']

const undo = async ({ id, name }: Device, before: Input): Promise<void> => {
  try {
    devices.put([await api.devices.update({ ...before, id })])
    for (const key of CHANGES) void queryClient.invalidateQueries({ queryKey: [key] })
    toast(`${name} is as it was`)
  } catch (error) {
    toastError('That could not be undone', error)
  }
}

const onSaved = (device: Device, before: Input | undefined): void => {
  devices.put([device])
  if (!before) toast(`Created ${device.name}`, { undo: () => removeLater([device.id], device.name) })
  else if (Object.keys(before).length > 0) toast(`Saved ${device.name}`, { undo: () => void undo(device, before) })
}

export const deviceResource = (datacenters: readonly Datacenter[]): Resource<Device> => ({
  noun: 'device',
  fields: formFields(deviceFields(), DEVICE_ORDER.form, {
    datacenter_id: { options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)] },
    addresses: { read: addressText, send: addressInput, render: (input) => <AddressFields {...input} /> },
  }),
  nameOf: ({ name }) => name,
  ...crud(contracts.devices),
  queryKey: (id) => deviceQuery(id).queryKey,
  changes: CHANGES,
  onSaved,
})
