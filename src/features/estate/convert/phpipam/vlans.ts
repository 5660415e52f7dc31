/** VLANs keep their number and the name of their L2 domain. */
import { fitted } from '../row-text.ts'
import { VlanRows, vlanNumberOf } from '../vlan-rows.ts'
import { linesOf, type Mapping, refsOf } from './mapping.ts'

const USED = new Set(['vlanId', 'domainId', 'name', 'number', 'description'])

/** Every phpIPAM has this L2 domain, and most have no other. */
const FIRST_DOMAIN = { id: '1', name: 'default' }

const domainOf = ({ tables }: Mapping, domainId: string | undefined): string => {
  const domain = tables.find('l2domains', domainId)
  const isFirst = domainId === FIRST_DOMAIN.id && (domain?.name ?? FIRST_DOMAIN.name) === FIRST_DOMAIN.name
  return isFirst ? '' : tables.label('l2domains', domainId)
}

export const vlansOf = (mapping: Mapping): VlanRows => {
  const { tables, report, done } = mapping
  const vlans = new VlanRows()
  for (const row of tables.of('vlans')) {
    const { vlanId: id, domainId, name = '', number, description = '' } = row
    const vlan_id = vlanNumberOf(number)
    if (id === undefined || vlan_id === undefined || tables.find('vlans', id) !== row) continue
    done.add(row)
    vlans.add({
      id,
      vlan_id,
      name: fitted(report, { what: 'vlans.name', id }, name) || `VLAN ${vlan_id}`,
      datacenter: undefined,
      group: fitted(report, { what: 'vlans.domainId', id }, domainOf(mapping, domainId)),
      description: report.describe('vlans', id, description, linesOf(mapping, { table: 'vlans', row, used: USED })),
      custom: mapping.custom.of('vlans', row),
      refs: refsOf('vlan', id),
    })
  }
  return vlans
}
