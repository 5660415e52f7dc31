/** Converts the lease file of Kea (memfile), of IPv4 and IPv6. */
import { parseKeaCsvLeases } from '../../net/leases/kea-csv.ts'
import { type Converter, createFileError } from '../converter.ts'
import { collectLeases } from './leases.ts'
import { decodeText } from './text.ts'

export const convertKea: Converter = (bytes, options) => {
  const { leases, isKnown } = collectLeases(parseKeaCsvLeases(decodeText(bytes)))
  if (!isKnown) throw createFileError('line 1', 'does not have the columns of a lease file of Kea')
  return leases.conversion('kea', options)
}
