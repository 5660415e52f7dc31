/** Converts the leases of ISC dhcpd, of IPv4 and IPv6. */
import { parseIscLeases } from '../../net/leases/isc.ts'
import { type Converter, createFileError } from '../converter.ts'
import { collectLeases } from './leases.ts'
import { decodeText } from './text.ts'

export const convertIsc: Converter = (bytes, options) => {
  const { leases, isKnown } = collectLeases(parseIscLeases(decodeText(bytes, '#')))
  if (!isKnown) throw createFileError('line 1', 'has no lease of dhcpd')
  return leases.conversion('dhcpd', options)
}
