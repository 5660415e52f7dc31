/** How device types are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Resource } from '../resource/resource.ts'
import { type DeviceType, fields } from './fields.ts'
import { PortsField } from './ports-field.tsx'
import { parsePortsInput, type TypePort, toRows, writePorts } from './ports-text.ts'

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

export const deviceTypeResource: Resource<DeviceType> = buildResource(FACTS['device-types'], fields, {
  isWide: true,
  order: ORDER,
  controls: {
    power_w: { isHalf: true },
    part_number: { isHalf: true },
    slug: { isHalf: false },
    ports: {
      // The value of a device type.
      read: (ports) => writePorts(toRows(ports as readonly TypePort[])),
      send: parsePortsInput,
      render: (input) => <PortsField {...input} />,
    },
  },
})
