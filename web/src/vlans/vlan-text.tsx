/** The VLAN number of a network, with the names of its VLANs. */
import type { Numbered } from '../../../src/inventory/vlans/vlan-scope.ts'
import type { VlanNames } from './names.ts'

type Props = { readonly network: Numbered; readonly vlans: VlanNames | undefined }

export const VlanText = ({ network, vlans }: Props) => (
  <>
    <span className="mono">{network.vlan_id}</span> {vlans?.(network)}
  </>
)
