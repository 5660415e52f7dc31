/** How networks are read, written, searched and sorted. */
import { parseIp } from '../../../src/net/ip.ts'
import { contracts, type Datacenter, type Network } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields, buildTableSpec } from '../resource/fields.ts'
import type { FieldSpec, Resource } from '../resource/resource.ts'
import type { Space } from '../spaces/fields.ts'
import { buildSpaceControl } from '../spaces/known-control.ts'
import type { VlanNames } from '../vlans/names.ts'
import { buildNetworkFields, fields } from './fields.ts'

type Known = {
  readonly spaces?: readonly Space[]
  /** The control of the VLAN number, if it shows names. */
  readonly vlan?: Partial<FieldSpec> | undefined
  /** The control of the subnet, of a network that exists. */
  readonly subnet?: Partial<FieldSpec> | undefined
}

export const buildNetworkResource = (
  datacenters: readonly Datacenter[],
  { spaces = [], vlan, subnet }: Known = {},
): Resource<Network> => ({
  noun: 'network',
  fields: buildFormFields(fields, [], {
    datacenter_id: { options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)] },
    ...(vlan && { vlan_id: vlan }),
    ...(subnet && { subnet }),
    space_id: buildSpaceControl(spaces),
    custom: buildCustomControl('networks'),
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.networks),
  changes: ['networks', 'network', 'pools', 'reservations', 'device'],
})

export const buildNetworkSpec = (names: ReadonlyMap<string, string>, vlans?: VlanNames) =>
  buildTableSpec(buildNetworkFields(names, vlans))

/** Converts a filter. A lone address finds the networks that it is in. */
export const toNetworkFilter = (text: string): string => (parseIp(text.trim()) ? `ip:${text.trim()}` : text)
