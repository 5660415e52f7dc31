/** How networks are read, written, searched and sorted. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { parseIp } from '../../../src/net/ip.ts'
import type { Network } from '../api/contracts.ts'
import { buildResource } from '../resource/build-resource.ts'
import { buildTableSpec } from '../resource/fields.ts'
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
  readonly scanner?: Partial<FieldSpec>
}

export const buildNetworkResource = ({ spaces = [], vlan, subnet, scanner }: Known = {}): Resource<Network> =>
  buildResource(FACTS.networks, fields, {
    controls: {
      ...(vlan && { vlan_id: vlan }),
      ...(subnet && { subnet }),
      ...(scanner && { scanner }),
      space_id: buildSpaceControl(spaces),
    },
    affects: ['reservations', 'device'],
  })

export const buildNetworkSpec = (
  names: ReadonlyMap<string, string>,
  vlans?: VlanNames,
  isInPlace?: Parameters<typeof buildNetworkFields>[2],
) => buildTableSpec(buildNetworkFields(names, vlans, isInPlace))

/** Converts a filter. A lone address finds the networks that it is in. */
export const toNetworkFilter = (text: string): string => (parseIp(text.trim()) ? `ip:${text.trim()}` : text)
