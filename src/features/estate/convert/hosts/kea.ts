/** Converts the lease file of Kea (memfile), of IPv4 and IPv6. */
import { keaCsvLeases } from '../../../../net/leases/kea-csv.ts'
import { badFile, type Converter } from '../converter.ts'
import { leasesFrom } from './leases.ts'
import { textOf } from './text.ts'

export const convertKea: Converter = (bytes, { now }) => {
  const { leases, isKnown } = leasesFrom(keaCsvLeases(textOf(bytes)))
  if (!isKnown) throw badFile('line 1', 'does not have the columns of a lease file of Kea')
  return leases.conversion('kea', now)
}
