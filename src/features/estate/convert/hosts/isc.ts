/** Converts the leases of ISC dhcpd, of IPv4 and IPv6. */
import { iscLeases } from '../../../../net/leases/isc.ts'
import { badFile, type Converter } from '../converter.ts'
import { leasesFrom } from './leases.ts'
import { textOf } from './text.ts'

export const convertIsc: Converter = (bytes, { now }) => {
  const { leases, isKnown } = leasesFrom(iscLeases(textOf(bytes)))
  if (!isKnown) throw badFile('line 1', 'has no lease of dhcpd')
  return leases.conversion('dhcpd', now)
}
