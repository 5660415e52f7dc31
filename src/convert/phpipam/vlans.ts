/** VLANs keep their number and the name of their L2 domain. */
import { trimText } from '../rows/row-text.ts'
import { parseVlanNumber, VlanRows } from '../rows/vlan-rows.ts'
import { listLines, type Mapping, toRefs } from './mapping.ts'
import type { Row } from './tables.ts'

const TABLE = 'vlans'

const USED = new Set(['vlanId', 'domainId', 'name', 'number', 'description'])

/** Every phpIPAM has this L2 domain, and most have no other. */
const FIRST_DOMAIN = { id: '1', name: 'default' }

const getDomain = ({ tables }: Mapping, domainId: string | undefined): string => {
  const domain = tables.find('l2domains', domainId)
  const isFirst = domainId === FIRST_DOMAIN.id && (domain?.name ?? FIRST_DOMAIN.name) === FIRST_DOMAIN.name
  return isFirst ? '' : tables.label('l2domains', domainId)
}

export const findVlan = ({ tables }: Mapping, id: string | undefined): Row | undefined => tables.find(TABLE, id)
export const labelVlan = ({ tables }: Mapping, id: string | undefined): string => tables.label(TABLE, id)

export const buildVlans = (mapping: Mapping): VlanRows => {
  const { tables, report, done } = mapping
  const vlans = new VlanRows()
  for (const row of tables.of(TABLE)) {
    const { vlanId: id, domainId, name = '', number, description = '' } = row
    const vlan_id = parseVlanNumber(number)
    if (id === undefined || vlan_id === undefined || findVlan(mapping, id) !== row) continue
    done.add(row)
    vlans.add({
      id,
      vlan_id,
      name: trimText(report, { what: 'vlans.name', id }, name) || `VLAN ${vlan_id}`,
      datacenter: undefined,
      group: trimText(report, { what: 'vlans.domainId', id }, getDomain(mapping, domainId)),
      description: report.describe(TABLE, id, description, listLines(mapping, { table: TABLE, row, used: USED })),
      custom: mapping.custom.of(TABLE, row),
      refs: toRefs('vlan', id),
    })
  }
  return vlans
}
