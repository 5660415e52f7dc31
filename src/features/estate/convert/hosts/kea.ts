/** Converts the lease file of Kea (memfile), of IPv4 and IPv6: CSV whose columns its first line names. */
import { parseIp } from '../../../../net/ip.ts'
import { badFile, type Converter } from '../converter.ts'
import { Leases } from './leases.ts'
import { badLine, linesOf, textOf } from './text.ts'

/** Kea's names of the states of a lease; 0 is assigned. */
const STATES: Readonly<Record<string, string>> = { 1: 'is declined', 2: 'is expired and reclaimed', 3: 'is released' }
const PREFIX = '2'
const NEEDED = ['address', 'valid_lifetime', 'expire', 'hostname', 'state']

/** Kea writes a comma in a value as a character reference. */
const decoded = (value: string): string =>
  value.replace(/&#x([0-9a-f]{2});?/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

export const convertKea: Converter = (bytes, { now }) => {
  const leases = new Leases()
  let columns: string[] | undefined
  for (const { number, text } of linesOf(textOf(bytes))) {
    if (text === '') continue
    const cells = text.split(',').map(decoded)
    if (!columns) {
      if (!NEEDED.every((name) => cells.includes(name)))
        throw badFile('line 1', 'does not have the columns of a lease file of Kea')
      columns = cells
      continue
    }
    // Later versions have added columns at the end.
    if (cells.length < columns.indexOf('state') + 1) throw badLine(number, 'has fewer values than columns')
    const cell = (name: string): string => cells[columns?.indexOf(name) ?? -1] ?? ''
    const ip = cell('address')
    if (!parseIp(ip)) throw badLine(number, `${JSON.stringify(ip.slice(0, 64))} is no IP address`)
    const [ends, lifetime, state] = [Number(cell('expire')), Number(cell('valid_lifetime')), cell('state')]
    if (!Number.isSafeInteger(ends)) throw badLine(number, 'has an end that is no time')
    const over =
      cell('lease_type') === PREFIX
        ? 'is a prefix'
        : state === '0'
          ? lifetime === 0
            ? 'is deleted'
            : undefined
          : (STATES[state] ?? `has the state ${state}`)
    const [mac, hostname] = [cell('hwaddr'), cell('hostname')]
    leases.add({
      ip,
      ...(mac !== '' && { mac_address: mac }),
      ...(hostname !== '' && { hostname }),
      // A lease without end has the largest lifetime.
      ...(lifetime !== 0xffffffff && { endsMs: ends * 1000 }),
      ...(over !== undefined && { over }),
    })
  }
  if (!columns) throw badFile('line 1', 'does not have the columns of a lease file of Kea')
  return leases.conversion('kea', now)
}
