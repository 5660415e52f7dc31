// DNS messages (RFC 1035 section 4, RFC 2136 section 2): reads any, writes queries. Updates are in update.ts.

import { CLASS_IN, formatRcode, formatTypeCode, OPCODE_QUERY, parseTypeCodeOrThrow } from './codes.ts'
import { DnsFormatError } from './format-error.ts'
import { computeDecodedSize, type DnsRecord, readRecord } from './record.ts'
import { MESSAGE_MAX, WireReader, WireWriter } from './wire.ts'

export type Question = { readonly name: string; readonly type: string }

/** In answers to updates the sections are the zone, prerequisites, updates and additional ones, in this order. */
export type DnsMessage = {
  readonly id: number
  readonly isResponse: boolean
  readonly opcode: number
  readonly isTruncated: boolean
  /** The form of `formatRcode`. */
  readonly rcode: string
  readonly questions: readonly Question[]
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  /** The record of TSIG is left out. */
  readonly additionals: readonly DnsRecord[]
  /** The characters and bytes of all records, as in `computeDecodedSize`. */
  readonly decodedBytes: number
  /** The record of TSIG, and its offset, which is the end of the signed bytes. */
  readonly tsig: { readonly record: DnsRecord; readonly start: number } | undefined
}

const RESPONSE = 0x8000
const TRUNCATED = 0x0200

const list = <T>(count: number, read: () => T): T[] => {
  const items: T[] = []
  // The counts are not to be trusted; the end of the message bounds them.
  while (items.length < count) items.push(read())
  return items
}

/**
 * The bound of `decodedBytes`. Compression makes a name of two bytes one of 1,000 characters. Messages of servers stay far
 * below: 4,000 records of one host with a name of 200 characters are decoded to 1 MiB.
 */
const DECODED_MAX = 2 * 1024 * 1024

/**
 * Reads a message.
 *
 * @throws DnsFormatError on anything that is not exactly one message, and on one that is decoded to more than 2 MiB
 */
export function parseMessage(bytes: Uint8Array): DnsMessage {
  if (bytes.length > MESSAGE_MAX) throw new DnsFormatError('the message is too long')
  const reader = new WireReader(bytes)
  const id = reader.u16()
  const flags = reader.u16()
  const questionCount = reader.u16()
  const answerCount = reader.u16()
  const authorityCount = reader.u16()
  const additionalCount = reader.u16()
  const questions = list(questionCount, () => {
    const name = reader.name()
    const type = formatTypeCode(reader.u16())
    reader.u16()
    return { name, type }
  })
  let decodedBytes = 0
  const record = (): DnsRecord => {
    const read = readRecord(reader)
    decodedBytes += computeDecodedSize(read)
    if (decodedBytes > DECODED_MAX) throw new DnsFormatError('the message is decoded to more than 2 MiB')
    return read
  }
  const answers = list(answerCount, record)
  const authorities = list(authorityCount, record)
  const additionals = list(additionalCount, () => {
    const start = reader.at
    return { start, record: record() }
  })
  if (reader.left > 0) throw new DnsFormatError('bytes follow the message')
  const tsig = additionals.at(-1)?.record.type === 'TSIG' ? additionals.pop() : undefined
  // RFC 8945 section 5.1: it is the last record, and the only one of its type.
  const others = additionals.map((additional) => additional.record)
  if ([...answers, ...authorities, ...others].some(({ type }) => type === 'TSIG'))
    throw new DnsFormatError('a TSIG record is not the last one')
  return {
    id,
    isResponse: (flags & RESPONSE) !== 0,
    opcode: (flags >> 11) & 15,
    isTruncated: (flags & TRUNCATED) !== 0,
    rcode: formatRcode(flags & 15),
    questions,
    answers,
    authorities,
    additionals: others,
    decodedBytes,
    tsig,
  }
}

export type Header = {
  readonly id: number
  readonly opcode: number
  readonly counts: readonly [number, number, number, number]
}

/** Writes the header of a request (RFC 1035 section 4.1.1). */
export function writeHeader(writer: WireWriter, { id, opcode, counts }: Header): void {
  writer.u16(id).u16(opcode << 11)
  for (const count of counts) writer.u16(count)
}

/** Writes a question, or the zone of an update (RFC 2136 section 2.3). */
export function writeQuestion(writer: WireWriter, { name, type }: Question): void {
  writer.compressedName(name)
  writer.u16(parseTypeCodeOrThrow(type)).u16(CLASS_IN)
}

/**
 * Writes a query for a name and type, also for `AXFR` (RFC 5936 section 2.1). Recursion is not desired.
 *
 * @param id 0 to 65535
 * @example
 * encodeQuery(1, { name: 'a', type: 'SOA' }) // new Uint8Array([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 6, 0, 1])
 */
export function encodeQuery(id: number, question: Question): Uint8Array {
  const writer = new WireWriter()
  writeHeader(writer, { id, opcode: OPCODE_QUERY, counts: [1, 0, 0, 0] })
  writeQuestion(writer, question)
  return writer.finish()
}
