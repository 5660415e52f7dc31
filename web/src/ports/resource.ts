/** How the ports of a device are changed and deleted. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Resource } from '../resource/resource.ts'
import { fields, type Port } from './fields.ts'
import { portQuery } from './queries.ts'

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
export const buildPortResource = (others: readonly Port[], id: string | undefined): Resource<Port> =>
  buildResource(FACTS.ports, fields, {
    order: ORDER,
    controls: {
      parent_id: {
        none: 'No other port',
        options: others.filter((port) => port.id !== id).map((port) => [port.id, port.name] as const),
      },
    },
    // The addresses of its device name it.
    affects: ['device'],
    queryKey: (one) => portQuery(one).queryKey,
  })
