/** How device types are read and written. */
import { contracts } from '../api/contracts.ts'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { type DeviceType, fields } from './fields.ts'
import { PortsField } from './ports-field.tsx'
import { parsePortsInput, type TypePort, toRows, writePorts } from './ports-text.ts'

/** The first one adds a page to the sidebar. */
export const CHANGES = ['device-types', 'device', 'me']

const ORDER = [
  'manufacturer',
  'model',
  'height',
  'full_depth',
  'power_w',
  'part_number',
  'slug',
  'description',
  'ports',
]

export const DELETE_WARNING = 'Its devices and their ports stay, without a device type.'

export const deviceTypeResource: Resource<DeviceType> = {
  noun: 'device type',
  isWide: true,
  fields: buildFormFields(fields, ORDER, {
    power_w: { isHalf: true },
    part_number: { isHalf: true },
    slug: { isHalf: false },
    ports: {
      // The value of a device type.
      read: (ports) => writePorts(toRows(ports as readonly TypePort[])),
      send: parsePortsInput,
      render: (input) => <PortsField {...input} />,
    },
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.deviceTypes),
  changes: CHANGES,
}
