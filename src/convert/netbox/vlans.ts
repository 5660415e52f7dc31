/** VLANs keep their number, their site and the name of their group. */
import { trimText } from '../rows/row-text.ts'
import { parseVlanNumber, VlanRows } from '../rows/vlan-rows.ts'
import { listLines, type Mapping, markDone, toRefs, toText } from './mapping.ts'
import { findDatacenter, listPlaceLines } from './places.ts'
import type { NetboxObject } from './read/objects.ts'

export const VLAN = 'ipam.vlan'
const GROUP = 'ipam.vlangroup'
const USED = new Set('vid name description site group role status tags'.split(' '))

const addVlan = (mapping: Mapping, vlans: VlanRows, object: NetboxObject): void => {
  const { model, report } = mapping
  const { id, vid, name, description, group } = object
  const vlan_id = parseVlanNumber(vid)
  if (vlan_id === undefined) return
  const groupObject = model.find(GROUP, group)
  const own = findDatacenter(mapping, object)
  const lines = [...listLines(mapping, { kind: VLAN, object, used: USED }), ...listPlaceLines(mapping, object)]
  vlans.add({
    id,
    vlan_id,
    name: toText(mapping, { kind: VLAN, id, field: 'name' }, name) || `VLAN ${vlan_id}`,
    datacenter: own ?? (groupObject && findDatacenter(mapping, groupObject)),
    group: group === undefined ? '' : trimText(report, { what: `${VLAN}.group`, id }, model.label(GROUP, group)),
    description: report.describe(VLAN, id, String(description ?? ''), lines),
    custom: mapping.custom.of(VLAN, object),
    refs: toRefs(VLAN, id),
  })
  markDone(mapping, VLAN, object)
}

export const buildVlans = (mapping: Mapping): VlanRows => {
  const vlans = new VlanRows()
  for (const object of mapping.model.of(VLAN)) addVlan(mapping, vlans, object)
  return vlans
}
