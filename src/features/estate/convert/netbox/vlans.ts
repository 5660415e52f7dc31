/** VLANs keep their number, their site and the name of their group. */
import { fitted } from '../row-text.ts'
import { VlanRows, vlanNumberOf } from '../vlan-rows.ts'
import { linesOf, type Mapping, markDone, refsOf, textOf } from './mapping.ts'
import type { NetboxObject } from './objects.ts'
import { datacenterOf } from './places.ts'

export const VLAN = 'ipam.vlan'
const GROUP = 'ipam.vlangroup'
const USED = new Set(['vid', 'name', 'description', 'site', 'group'])

const addVlan = (mapping: Mapping, vlans: VlanRows, object: NetboxObject): void => {
  const { model, report } = mapping
  const { id, vid, name, description, site, group } = object
  const vlan_id = vlanNumberOf(vid)
  if (vlan_id === undefined) return
  const groupObject = model.find(GROUP, group)
  const own = datacenterOf(mapping, object)
  const lines = [
    ...linesOf(mapping, { kind: VLAN, object, used: USED }),
    { key: 'site', value: site !== undefined && !own ? model.label('dcim.site', site) : '' },
  ]
  vlans.add({
    id,
    vlan_id,
    name: textOf(mapping, { kind: VLAN, id, field: 'name' }, name) || `VLAN ${vlan_id}`,
    datacenter: own ?? (groupObject && datacenterOf(mapping, groupObject)),
    group: group === undefined ? '' : fitted(report, { what: `${VLAN}.group`, id }, model.label(GROUP, group)),
    description: report.describe(VLAN, id, String(description ?? ''), lines),
    custom: mapping.custom.of(VLAN, object),
    refs: refsOf(VLAN, id),
  })
  markDone(mapping, VLAN, object)
}

export const vlansOf = (mapping: Mapping): VlanRows => {
  const vlans = new VlanRows()
  for (const object of mapping.model.of(VLAN)) addVlan(mapping, vlans, object)
  return vlans
}
