/** Addresses without a host name that are reserved, or given out by DHCP, become reservations. */
import { formatIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import type { EstateRow } from '../converter.ts'
import { AddressPools, buildReservationRow, checkReservation } from '../rows/reserve.ts'
import { trimText } from '../rows/row-text.ts'
import { type Address, buildAddressKey, isReserved } from './devices.ts'
import { getState, listLines, type Mapping, toRefs } from './mapping.ts'

const USED = new Set('subnetId ip_addr hostname description state mac'.split(' '))

export const buildReservations = (
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
    const key = buildAddressKey(ip, subnet)
    const why = subnet
      ? checkReservation({ ip, key, cidr: subnet.cidr }, { taken, reserved })
      : 'is in no subnet of the file'
    if (!subnet || why) {
      report.left('addresses', String(why), row)
      continue
    }
    reserved.add(key)
    const state = getState(mapping, row.state)
    const purpose = trimText(report, { what: 'addresses.description', id }, row.description ?? '')
    const lines = listLines(mapping, { table: 'addresses', row, used: USED })
    const mac_address = parseMac(row.mac ?? '')
    if (mac_address === undefined) lines.push({ key: 'mac', value: row.mac })
    rows.push(
      buildReservationRow({
        pool: pools.of(subnet),
        ip: formatIp(ip),
        hostname: '',
        mac_address,
        purpose: purpose || state,
        notes: report.describe('addresses', id, '', [{ key: 'state', value: purpose === '' ? '' : state }, ...lines]),
        custom: mapping.custom.of('addresses', row),
        refs: toRefs('address', id),
      }),
    )
  }
  return { rows, pools: pools.rows }
}
