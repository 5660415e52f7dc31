// Resource records (RFC 1035 section 4.1.3) as messages hold them.

import { CLASS_IN, formatTypeCode, parseTypeCodeOrThrow } from './codes.ts'
import { DnsFormatError } from './format-error.ts'
import { formatValue } from './value.ts'
import { WireReader, WireWriter } from './wire.ts'

export type DnsRecord = {
  /** Canonical (see `normalizeName`). */
  readonly name: string
  /** The form of `formatTypeCode`. */
  readonly type: string
  /** The class: `CLASS_IN`, or a class with a meaning in an update. */
  readonly recordClass: number
  readonly ttl: number
  /** Names in it are not compressed. */
  readonly rdata: Uint8Array
  /** The presentation format of `rdata` (see `formatValue`); empty without rdata. */
  readonly value: string
}

/** Returns the characters and bytes that a record takes in memory, without what every record takes. */
export const computeDecodedSize = ({ name, rdata, value }: DnsRecord): number =>
  name.length + rdata.length + value.length

type NameLayout = { readonly before: number; readonly names: number; readonly after: number }

/**
 * Types with compressed names in their rdata (RFC 3597 section 4): the number of bytes before the names, of names, and of bytes after
 * them.
 */
const COMPRESSED: ReadonlyMap<string, NameLayout> = new Map<string, NameLayout>([
  ...['NS', 'MD', 'MF', 'CNAME', 'MB', 'MG', 'MR', 'PTR'].map(
    (type) => [type, { before: 0, names: 1, after: 0 }] as const,
  ),
  ...['MINFO', 'RP'].map((type) => [type, { before: 0, names: 2, after: 0 }] as const),
  ...['MX', 'AFSDB', 'RT'].map((type) => [type, { before: 2, names: 1, after: 0 }] as const),
  ['PX', { before: 2, names: 2, after: 0 }],
  ['SRV', { before: 6, names: 1, after: 0 }],
  ['SOA', { before: 0, names: 2, after: 20 }],
])

/** Replaces compressed names by whole ones. */
function expandRdata(reader: WireReader, end: number, { before, names, after }: NameLayout): Uint8Array {
  // The reader of the rdata sees the message up to its end, for pointers.
  const rdata = new WireReader(reader.bytes.subarray(0, end), reader.at)
  const writer = new WireWriter().put(rdata.take(before))
  for (let count = 0; count < names; count++) writer.put(rdata.expandedName())
  writer.put(rdata.take(after))
  if (rdata.left > 0) throw new DnsFormatError('the value of a record is too long')
  reader.at = end
  return writer.finish()
}

/** RFC 2181 section 8: a set first bit means 0. */
const toTtl = (seconds: number): number => (seconds > 0x7fffffff ? 0 : seconds)

/** Class and TTL have another meaning in these types (RFC 6891 section 6.1.2, RFC 8945 section 4.2). */
const META = new Set(['OPT', 'TSIG'])

/**
 * Reads the record at the reader's place.
 *
 * @throws DnsFormatError
 */
export function readRecord(reader: WireReader): DnsRecord {
  const name = reader.name()
  const type = formatTypeCode(reader.u16())
  const recordClass = reader.u16()
  const ttl = toTtl(reader.u32())
  const size = reader.u16()
  if (size > reader.left) throw new DnsFormatError('a record is cut off')
  const layout = size > 0 ? COMPRESSED.get(type) : undefined
  const rdata = layout ? expandRdata(reader, reader.at + size, layout) : reader.copy(size)
  // Answers to updates may repeat their records, which have no value.
  const hasValue = recordClass === CLASS_IN && !META.has(type)
  return { name, type, recordClass, ttl, rdata, value: hasValue ? formatValue(type, rdata) : '' }
}

/** Writes a record, without rdata as in prerequisites and deletions. */
export function writeRecord(
  writer: WireWriter,
  record: { name: string; type: string; recordClass: number; ttl?: number; rdata?: Uint8Array },
): void {
  const { name, type, recordClass, ttl = 0, rdata = new Uint8Array() } = record
  writer.compressedName(name)
  writer.u16(parseTypeCodeOrThrow(type)).u16(recordClass).u32(ttl).u16(rdata.length).put(rdata)
}
