/** The formats of leases: recognized by their text, and read. */
import { splitLines } from '../text-lines.ts'
import { DNSMASQ_LINE, parseDnsmasqLeases } from './dnsmasq.ts'
import { ISC_LINE, parseIscLeases } from './isc.ts'
import { KEA_COLUMNS, parseKeaCsvLeases } from './kea-csv.ts'
import { parseKeaJsonLeases } from './kea-json.ts'
import type { LeaseEntry, LeaseFormat } from './lease.ts'

const READERS: Readonly<Record<LeaseFormat, (text: string) => Generator<LeaseEntry>>> = {
  'kea-csv': parseKeaCsvLeases,
  'kea-json': parseKeaJsonLeases,
  dnsmasq: parseDnsmasqLeases,
  isc: parseIscLeases,
}

const BY_LINE: readonly (readonly [LeaseFormat, RegExp])[] = [
  ['kea-csv', KEA_COLUMNS],
  ['dnsmasq', DNSMASQ_LINE],
  ['isc', ISC_LINE],
]

/** Returns the format of the first line that is of one; undefined for a text without such a line. */
export const detectLeaseFormat = (text: string): LeaseFormat | undefined => {
  if (/^\s*[[{]/.test(text)) return 'kea-json'
  for (const { text: line } of splitLines(text)) {
    const known = BY_LINE.find(([, pattern]) => pattern.test(line))
    if (known) return known[0]
  }
  return undefined
}

/** Yields the entries in the order of the text. An entry that is not valid does not end them. */
export const parseLeases = (text: string, format: LeaseFormat): Generator<LeaseEntry> => READERS[format](text)
