/** Reads the lease file of Kea (memfile), of IPv4 and IPv6: CSV whose columns its first line names. */
import { parseIp } from '../ip.ts'
import { linesOf } from '../text-lines.ts'
import { keaEnd, keaOver } from './kea-states.ts'
import { type Lease, type LeaseEntry, NO_TIME, noAddress } from './lease.ts'

const PREFIX = '2'
const NEEDED = ['address', 'valid_lifetime', 'expire', 'hostname', 'state']

/** The first line of a file. */
export const KEA_COLUMNS = /^\s*address,(?:[a-z_]+,)*state(?:,|\s*$)/

/** Kea writes a comma in a value as a character reference. */
const decoded = (value: string): string =>
  value.includes('&#x')
    ? value.replace(/&#x([0-9a-f]{2});?/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : value

type Columns = Readonly<Record<(typeof FIELDS)[number], number>>
const FIELDS = ['address', 'valid_lifetime', 'expire', 'hostname', 'state', 'hwaddr', 'lease_type'] as const

/** Returns the positions of the columns; undefined for a line that does not name them. */
const columnsOf = (cells: readonly string[]): Columns | undefined =>
  NEEDED.every((name) => cells.includes(name))
    ? // One entry for each field.
      (Object.fromEntries(FIELDS.map((name) => [name, cells.indexOf(name)])) as Columns)
    : undefined

const entryOf = (cells: readonly string[], columns: Columns): { lease: Lease } | { error: string } => {
  // Later versions have added columns at the end.
  if (cells.length < columns.state + 1) return { error: 'has fewer values than columns' }
  const cell = (name: keyof Columns): string => cells[columns[name]] ?? ''
  const ip = cell('address')
  if (!parseIp(ip)) return { error: noAddress(ip) }
  const [ends, lifetime] = [Number(cell('expire')), Number(cell('valid_lifetime'))]
  if (!Number.isSafeInteger(ends)) return { error: NO_TIME }
  const over = keaOver({ isPrefix: cell('lease_type') === PREFIX, state: cell('state'), lifetime })
  const [mac, hostname, endsMs] = [cell('hwaddr'), cell('hostname'), keaEnd(ends, lifetime)]
  return {
    lease: {
      ip,
      ...(mac !== '' && { mac_address: mac }),
      ...(hostname !== '' && { hostname }),
      ...(endsMs !== undefined && { endsMs }),
      ...(over !== undefined && { over }),
    },
  }
}

export function* keaCsvLeases(text: string): Generator<LeaseEntry> {
  let columns: Columns | undefined
  for (const { number: line, text: whole } of linesOf(text)) {
    if (whole === '') continue
    const cells = whole.split(',').map(decoded)
    // Files that were joined have their columns each.
    const named = columns === undefined || cells[0] === 'address' ? columnsOf(cells) : undefined
    columns = named ?? columns
    if (named) yield { line }
    else if (columns) yield { line, ...entryOf(cells, columns) }
    else yield { line, error: 'does not have the columns of a lease file of Kea' }
  }
}
