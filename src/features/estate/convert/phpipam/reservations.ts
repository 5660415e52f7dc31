/** Addresses without a host name that are reserved, or given out by DHCP, become reservations. */
import { formatIp } from '../../../../net/ip.ts'
import { parseMac } from '../../../../net/mac.ts'
import type { EstateRow } from '../converter.ts'
import { AddressPools, reservationProblem, reservationRow } from '../reserve.ts'
import { fitted } from '../row-text.ts'
import { type Address, isReserved, keyOf } from './devices.ts'
import { linesOf, type Mapping, refsOf, stateOf } from './mapping.ts'

const USED = new Set('subnetId ip_addr hostname description state mac'.split(' '))

export const reservationsOf = (
  mapping: Mapping,
  addresses: readonly Address[],
  taken: ReadonlySet<string>,
): { rows: EstateRow[]; pools: EstateRow[] } => {
  const { report } = mapping
  const pools = new AddressPools('phpipam')
  const reserved = new Set<string>()
  const rows: EstateRow[] = []
  for (const address of addresses) {
    const { row, id, ip, subnet } = address
    if ((row.hostname ?? '').trim() !== '' || !isReserved(address)) continue
    const key = keyOf(ip, subnet)
    const why = subnet
      ? reservationProblem({ ip, key, cidr: subnet.cidr }, { taken, reserved })
      : 'is in no subnet of the file'
    if (!subnet || why) {
      report.left('addresses', String(why), row)
      continue
    }
    reserved.add(key)
    const state = stateOf(mapping, row.state)
    const purpose = fitted(report, { what: 'addresses.description', id }, row.description ?? '')
    const lines = linesOf(mapping, { table: 'addresses', row, used: USED })
    const mac_address = parseMac(row.mac ?? '')
    if (mac_address === undefined) lines.push({ key: 'mac', value: row.mac })
    rows.push(
      reservationRow({
        pool: pools.of(subnet),
        ip: formatIp(ip),
        hostname: '',
        mac_address,
        purpose: purpose || state,
        notes: report.describe('addresses', id, '', [{ key: 'state', value: purpose === '' ? '' : state }, ...lines]),
        custom: mapping.custom.of('addresses', row),
        refs: refsOf('address', id),
      }),
    )
  }
  return { rows, pools: pools.rows }
}
