/** How the ports of a device are changed and deleted. */
import { contracts } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { fields, type Port } from './fields.ts'
import { CHANGES, portQuery } from './queries.ts'

export const ORDER = [
  'name',
  'kind',
  'type',
  'speed_mbps',
  'mac_address',
  'vlan_id',
  'tagged_vlan_ids',
  'enabled',
  'pass_through',
  'parent_id',
  'description',
]

export const DELETE_WARNING = 'Its cables are deleted too.'

/** @param others the ports of its device */
export const buildPortResource = (others: readonly Port[], id: string | undefined): Resource<Port> => ({
  noun: 'port',
  fields: buildFormFields(fields, ORDER, {
    custom: buildCustomControl('ports'),
    parent_id: {
      options: [
        ['', 'No other port'],
        ...others.filter((port) => port.id !== id).map((port) => [port.id, port.name] as const),
      ],
    },
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.ports),
  // The addresses of its device name it.
  changes: [...CHANGES, 'device'],
  queryKey: (one) => portQuery(one).queryKey,
})
