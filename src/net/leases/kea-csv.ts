/** Reads the lease file of Kea (memfile) for IPv4 and IPv6: CSV with its columns in the first line. */
import { parseIp } from '../ip.ts'
import { splitLines } from '../text-lines.ts'
import { computeEnd, getInactiveReason } from './kea-states.ts'
import { formatNoAddress, type Lease, type LeaseEntry, NO_TIME } from './lease.ts'

const PREFIX = '2'
const NEEDED = ['address', 'valid_lifetime', 'expire', 'hostname', 'state']

/** The first line of a file. */
export const KEA_COLUMNS = /^\s*address,(?:[a-z_]+,)*state(?:,|\s*$)/

/** Kea writes a comma in a value as a character reference. */
const decodeValue = (value: string): string =>
  value.includes('&#x')
    ? value.replace(/&#x([0-9a-f]{2});?/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : value

type Columns = Readonly<Record<(typeof FIELDS)[number], number>>
const FIELDS = ['address', 'valid_lifetime', 'expire', 'hostname', 'state', 'hwaddr', 'lease_type'] as const

/** Returns the positions of the columns; undefined for a line that does not name them. */
const parseColumns = (cells: readonly string[]): Columns | undefined =>
  NEEDED.every((name) => cells.includes(name))
    ? // One entry for each field.
      (Object.fromEntries(FIELDS.map((name) => [name, cells.indexOf(name)])) as Columns)
    : undefined

const parseEntry = (cells: readonly string[], columns: Columns): { lease: Lease } | { error: string } => {
  // Later versions have added columns at the end.
  if (cells.length < columns.state + 1) return { error: 'has fewer values than columns' }
  const cell = (name: keyof Columns): string => cells[columns[name]] ?? ''
  const ip = cell('address')
  if (!parseIp(ip)) return { error: formatNoAddress(ip) }
  const [ends, lifetime] = [Number(cell('expire')), Number(cell('valid_lifetime'))]
  if (!Number.isSafeInteger(ends)) return { error: NO_TIME }
  const over = getInactiveReason({ isPrefix: cell('lease_type') === PREFIX, state: cell('state'), lifetime })
  const [mac, hostname, endsMs] = [cell('hwaddr'), cell('hostname'), computeEnd(ends, lifetime)]
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

export function* parseKeaCsvLeases(text: string): Generator<LeaseEntry> {
  let columns: Columns | undefined
  for (const { number: line, text: whole } of splitLines(text)) {
    if (whole === '') continue
    const cells = whole.split(',').map(decodeValue)
    // Files that were joined have their columns each.
    const named = columns === undefined || cells[0] === 'address' ? parseColumns(cells) : undefined
    columns = named ?? columns
    if (named) yield { line }
    else if (columns) yield { line, ...parseEntry(cells, columns) }
    else yield { line, error: 'does not have the columns of a lease file of Kea' }
  }
}
