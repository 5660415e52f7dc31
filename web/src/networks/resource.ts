/** How networks are read, written, searched and sorted. */
import { parseIp } from '../../../src/net/ip.ts'
import { contracts, type Datacenter, type Network } from '../api/contracts.ts'
import { customControl } from '../custom-fields/known-custom.tsx'
import { crud } from '../resource/crud.ts'
import { formFields, tableSpec } from '../resource/fields.ts'
import type { FieldSpec, Resource } from '../resource/resource.ts'
import type { Space } from '../spaces/fields.ts'
import { spaceControl } from '../spaces/known-control.ts'
import type { VlanNames } from '../vlans/names.ts'
import { fields, networkFields } from './fields.ts'

type Known = {
  readonly spaces?: readonly Space[]
  /** The control of the VLAN number, if it shows names. */
  readonly vlan?: Partial<FieldSpec> | undefined
  /** The control of the subnet, of a network that exists. */
  readonly subnet?: Partial<FieldSpec> | undefined
}

export const networkResource = (
  datacenters: readonly Datacenter[],
  { spaces = [], vlan, subnet }: Known = {},
): Resource<Network> => ({
  noun: 'network',
  fields: formFields(fields, [], {
    datacenter_id: { options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)] },
    ...(vlan && { vlan_id: vlan }),
    ...(subnet && { subnet }),
    space_id: spaceControl(spaces),
    custom: customControl('networks'),
  }),
  nameOf: ({ name }) => name,
  ...crud(contracts.networks),
  changes: ['networks', 'network', 'pools', 'reservations', 'device'],
})

export const networkSpec = (names: ReadonlyMap<string, string>, vlans?: VlanNames) =>
  tableSpec(networkFields(names, vlans))

/** A lone address finds the networks that it is in. */
export const networkFilter = (text: string): string => (parseIp(text.trim()) ? `ip:${text.trim()}` : text)
