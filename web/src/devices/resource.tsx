/** How devices are read and written, also in the list that the browser holds. */
import { contracts, type Datacenter, type Device } from '../api/contracts.ts'
import { crud } from '../resource/crud.ts'
import { formFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { AddressFields } from './address-fields.tsx'
import { addressInput, addressText } from './address-form.ts'
import { DEVICE_ORDER, deviceFields } from './fields.ts'
import { deviceQuery } from './queries.ts'
import { devices } from './source.ts'

const CHANGES = ['device', 'pools']

const operations = crud(contracts.devices)

export const DELETE_WARNING = 'Its addresses become free, and its relationships end.'

export const deviceResource = (datacenters: readonly Datacenter[]): Resource<Device> => ({
  noun: 'device',
  fields: formFields(deviceFields(), DEVICE_ORDER.form, {
    datacenter_id: { options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)] },
    addresses: { read: addressText, send: addressInput, render: (input) => <AddressFields {...input} /> },
  }),
  nameOf: ({ name }) => name,
  ...operations,
  remove: async (id, note) => {
    const change = await operations.remove(id, note)
    devices.drop([id])
    return change
  },
  queryKey: (id) => deviceQuery(id).queryKey,
  changes: CHANGES,
  onSaved: (device) => devices.put([device]),
})
