/** The formats of leases: recognised by their text, and read. */
import { linesOf } from '../text-lines.ts'
import { DNSMASQ_LINE, dnsmasqLeases } from './dnsmasq.ts'
import { ISC_LINE, iscLeases } from './isc.ts'
import { KEA_COLUMNS, keaCsvLeases } from './kea-csv.ts'
import { keaJsonLeases } from './kea-json.ts'
import type { LeaseEntry, LeaseFormat } from './lease.ts'

const READERS: Readonly<Record<LeaseFormat, (text: string) => Generator<LeaseEntry>>> = {
  'kea-csv': keaCsvLeases,
  'kea-json': keaJsonLeases,
  dnsmasq: dnsmasqLeases,
  isc: iscLeases,
}

const BY_LINE: readonly (readonly [LeaseFormat, RegExp])[] = [
  ['kea-csv', KEA_COLUMNS],
  ['dnsmasq', DNSMASQ_LINE],
  ['isc', ISC_LINE],
]

/** Returns the format of the first line that is of one; undefined for a text without such a line. */
export const leaseFormatOf = (text: string): LeaseFormat | undefined => {
  if (/^\s*[[{]/.test(text)) return 'kea-json'
  for (const { text: line } of linesOf(text)) {
    const known = BY_LINE.find(([, pattern]) => pattern.test(line))
    if (known) return known[0]
  }
  return undefined
}

/** Yields the entries in the order of the text. An entry that is not valid does not end them. */
export const leasesIn = (text: string, format: LeaseFormat): Generator<LeaseEntry> => READERS[format](text)
