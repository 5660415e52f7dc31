// Dynamic updates (RFC 2136): prerequisites and changes of one zone, all of which are applied or none.

import { CLASS_ANY, CLASS_IN, CLASS_NONE, OPCODE_UPDATE } from './codes.ts'
import { writeHeader, writeQuestion } from './message.ts'
import { writeRecord } from './record.ts'
import { encodeValue } from './value.ts'
import { MESSAGE_MAX, WireWriter } from './wire.ts'

/** A condition of an update. */
export type Prerequisite =
  /** The RRset has exactly these values, with any TTL (RFC 2136 section 2.4.2). Else `NXRRSET`. */
  | { readonly kind: 'equals'; readonly name: string; readonly type: string; readonly values: readonly string[] }
  /** No RRset of this name and type exists (section 2.4.3). Else `YXRRSET`. */
  | { readonly kind: 'absent'; readonly name: string; readonly type: string }
  /** No RRset of this name exists (section 2.4.5). Else `YXDOMAIN`. */
  | { readonly kind: 'unused'; readonly name: string }

/** A change of an update. They are applied in order. */
export type RrsetChange =
  /**
   * Adds values to an RRset (section 2.5.1). Knot keeps the TTL of an RRset that exists: delete it in the same update to set
   * another. BIND and Knot ignore a CNAME beside other types, and the reverse, without an error (section 3.4.2.2).
   */
  | {
      readonly kind: 'add'
      readonly name: string
      readonly type: string
      readonly ttl: number
      readonly values: readonly string[]
    }
  /** Deletes an RRset, if it exists (section 2.5.2). */
  | { readonly kind: 'delete'; readonly name: string; readonly type: string }

export type Update = {
  readonly zone: string
  readonly prerequisites: readonly Prerequisite[]
  readonly changes: readonly RrsetChange[]
}

/** Writes the records of a prerequisite. @returns their number */
function writePrerequisite(writer: WireWriter, one: Prerequisite): number {
  const { name } = one
  if (one.kind === 'unused') writeRecord(writer, { name, type: 'ANY', recordClass: CLASS_NONE })
  else if (one.kind === 'absent') writeRecord(writer, { name, type: one.type, recordClass: CLASS_NONE })
  else {
    if (one.values.length === 0) throw new RangeError(`Not an RRset: ${name} without values`)
    for (const value of one.values)
      writeRecord(writer, { name, type: one.type, recordClass: CLASS_IN, rdata: encodeValue(one.type, value) })
    return one.values.length
  }
  return 1
}

/** Writes the records of a change. @returns their number */
function writeChange(writer: WireWriter, one: RrsetChange): number {
  const { name, type } = one
  if (one.kind === 'delete') {
    writeRecord(writer, { name, type, recordClass: CLASS_ANY })
    return 1
  }
  for (const value of one.values)
    writeRecord(writer, { name, type, recordClass: CLASS_IN, ttl: one.ttl, rdata: encodeValue(type, value) })
  return one.values.length
}

const COUNTS_AT = 4

/**
 * Writes an update. Names and values must have been validated.
 *
 * @param id 0 to 65535
 * @throws RangeError on invalid names and values, and when the message has more than 65,535 bytes
 * @example
 * encodeUpdate(1, { zone: 'a', prerequisites: [], changes: [{ kind: 'delete', name: 'b.a', type: 'A' }] }).slice(19)
 * // new Uint8Array([1, 98, 0xc0, 12, 0, 1, 0, 255, 0, 0, 0, 0, 0, 0])
 */
export function encodeUpdate(id: number, { zone, prerequisites, changes }: Update): Uint8Array {
  const writer = new WireWriter()
  writeHeader(writer, { id, opcode: OPCODE_UPDATE, counts: [1, 0, 0, 0] })
  writeQuestion(writer, { name: zone, type: 'SOA' })
  const count = <T>(items: readonly T[], write: (writer: WireWriter, item: T) => number): number =>
    items.reduce((sum, item) => sum + write(writer, item), 0)
  writer.setU16(COUNTS_AT + 2, count(prerequisites, writePrerequisite))
  writer.setU16(COUNTS_AT + 4, count(changes, writeChange))
  if (writer.size > MESSAGE_MAX) throw new RangeError(`An update of ${writer.size} bytes is too long`)
  return writer.finish()
}

/**
 * Returns the bytes that prerequisites and changes take in an update, at most: shared ends of names may be shorter there. Sums of it
 * tell how many fit into one message, beside the zone and TSIG.
 *
 * @example
 * updateSize([{ kind: 'absent', name: 'b.a', type: 'A' }, { kind: 'add', name: 'b.a', type: 'A', ttl: 60, values: ['192.0.2.1'] }])
 * // 34
 */
export function updateSize(items: readonly (Prerequisite | RrsetChange)[]): number {
  return items.reduce((sum, item) => {
    const writer = new WireWriter()
    if (item.kind === 'add' || item.kind === 'delete') writeChange(writer, item)
    else writePrerequisite(writer, item)
    return sum + writer.size
  }, 0)
}
