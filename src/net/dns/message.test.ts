// Messages: queries and updates as bytes, answers with compression, malformed ones, and transfers in parts.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { DnsFormatError } from './format-error.ts'
import { encodeQuery, parseMessage } from './message.ts'
import { encodeNameOrThrow } from './name.ts'
import { type DnsRecord, writeRecord } from './record.ts'
import { createTransferReader } from './transfer.ts'
import { encodeUpdate, updateSize } from './update.ts'
import { encodeValue } from './value.ts'
import { MESSAGE_MAX, WireWriter } from './wire.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const wire = (name: string): string => hex(encodeNameOrThrow(name))

/** An answer with records of class IN. */
const answer = (records: readonly { name: string; type: string; value: string; ttl?: number }[]): Uint8Array => {
  const writer = new WireWriter().u16(7).u16(0x8400).u16(1).u16(records.length).u16(0).u16(0)
  writer.compressedName('example.org')
  writer.u16(6).u16(1)
  for (const { name, type, value, ttl = 60 } of records)
    writeRecord(writer, { name, type, recordClass: 1, ttl, rdata: encodeValue(type, value) })
  return writer.finish()
}

describe('a query', () => {
  test('has one question and no flags', () => {
    expect(hex(encodeQuery(0xabcd, { name: 'example.org', type: 'AXFR' }))).toBe(
      `abcd0000${'0001000000000000'}${wire('example.org')}00fc0001`,
    )
  })

  test('is read back', () => {
    expect(parseMessage(encodeQuery(1, { name: 'Example.org.', type: 'TYPE65280' }))).toEqual({
      decodedBytes: 0,
      ...{ id: 1, isResponse: false, opcode: 0, isTruncated: false, rcode: 'NOERROR', tsig: undefined },
      ...{ questions: [{ name: 'example.org', type: 'TYPE65280' }], answers: [], authorities: [], additionals: [] },
    })
  })
})

describe('an update', () => {
  const update = {
    zone: 'example.org',
    prerequisites: [
      { kind: 'equals' as const, name: 'a.example.org', type: 'A', values: ['192.0.2.1', '192.0.2.2'] },
      { kind: 'absent' as const, name: 'b.example.org', type: 'MX' },
      { kind: 'unused' as const, name: 'c.example.org' },
    ],
    changes: [
      { kind: 'delete' as const, name: 'a.example.org', type: 'A' },
      { kind: 'add' as const, name: 'b.example.org', type: 'MX', ttl: 300, values: ['10 mail.example.org'] },
    ],
  }

  test('has the sections and classes of RFC 2136', () => {
    const [zone, a, b] = [wire('example.org'), '0161c00c', '0162c00c']
    expect(hex(encodeUpdate(5, update))).toBe(
      [
        '00052800' + '0001000400020000',
        `${zone}00060001`,
        `${a}00010001000000000004c0000201`,
        // The name is written, so a pointer is enough: it stands after the header and the zone.
        'c01d' + '0001000100000000' + '0004c0000202',
        `${b}000f00fe000000000000`,
        '0163c00c' + '00ff00fe00000000' + '0000',
        'c01d' + '000100ff00000000' + '0000',
        `c03f${'000f00010000012c'}0014000a${wire('mail.example.org')}`,
      ].join(''),
    )
  })

  test('is read back', () => {
    const { answers, authorities, questions, opcode } = parseMessage(encodeUpdate(5, update))
    const shown = ({ name, type, recordClass, ttl, value }: DnsRecord) => [name, type, recordClass, ttl, value]
    expect([opcode, questions]).toEqual([5, [{ name: 'example.org', type: 'SOA' }]])
    expect(answers.map(shown)).toEqual([
      ['a.example.org', 'A', 1, 0, '192.0.2.1'],
      ['a.example.org', 'A', 1, 0, '192.0.2.2'],
      ['b.example.org', 'MX', 254, 0, ''],
      ['c.example.org', 'ANY', 254, 0, ''],
    ])
    expect(authorities.map(shown)).toEqual([
      ['a.example.org', 'A', 255, 0, ''],
      ['b.example.org', 'MX', 1, 300, '10 mail.example.org'],
    ])
  })

  test('is never longer than its size says', () => {
    const items = [...update.prerequisites, ...update.changes]
    const empty = encodeUpdate(5, { zone: 'example.org', prerequisites: [], changes: [] }).length
    const full = encodeUpdate(5, update).length
    expect(full).toBeLessThanOrEqual(empty + updateSize(items))
    expect(full).toBeGreaterThan(updateSize(items) / 2)
  })

  test('of more than 65,535 bytes is refused', () => {
    const values = Array.from({ length: 16 }, (_, index) => `${index}${'x'.repeat(4090)}`)
    const changes = [{ kind: 'add' as const, name: 'a.example.org', type: 'TXT', ttl: 1, values }]
    expect(() => encodeUpdate(1, { ...update, changes })).toThrow('is too long')
  })

  test('with invalid names, values or types is a bug', () => {
    const change = { kind: 'delete' as const, name: 'a.example.org', type: 'A' }
    const changes = [
      { ...change, name: 'a..b' },
      { ...change, type: 'X' },
    ]
    for (const one of changes)
      expect(() => encodeUpdate(1, { zone: 'example.org', prerequisites: [], changes: [one] })).toThrow(RangeError)
    const prerequisites = [{ kind: 'equals' as const, name: 'a.example.org', type: 'A', values: [] }]
    expect(() => encodeUpdate(1, { zone: 'example.org', prerequisites, changes: [] })).toThrow(RangeError)
  })
})

describe('an answer', () => {
  test('has its compressed names written out, in rdata too', () => {
    const bytes = Buffer.from(
      [
        '00018583' + '0001000300000000',
        `${wire('Example.org')}000f0001`,
        `c00c000f000100000e10${'0009'}000a${'044d61696c'}c00c`,
        `c00c0006000100000e10${'001b'}${'026e73'}c00c${'c02b'}${'00000001'.repeat(5)}`,
        'c00c' + '00020001ffffffff' + '0002c00c',
      ].join(''),
      'hex',
    )
    const { answers, rcode, isResponse } = parseMessage(bytes)
    expect([rcode, isResponse]).toEqual(['NXDOMAIN', true])
    expect(answers.map(({ type, ttl, value }) => [type, ttl, value])).toEqual([
      ['MX', 3600, '10 mail.example.org'],
      ['SOA', 3600, 'ns.example.org mail.example.org 1 1 1 1 1'],
      // RFC 2181 section 8.
      ['NS', 0, 'example.org'],
    ])
    expect(hex(answers[0]?.rdata ?? new Uint8Array())).toBe(`000a${wire('mail.example.org')}`)
  })

  const valid = answer([
    { name: 'example.org', type: 'SOA', value: 'ns.example.org admin.example.org 1 2 3 4 5' },
    { name: 'www.example.org', type: 'A', value: '192.0.2.1' },
    { name: 'www.example.org', type: 'TXT', value: 'some text' },
    { name: 'www.example.org', type: 'MX', value: '10 www.example.org' },
  ])

  test('that is cut off anywhere is refused', () => {
    for (let size = 0; size < valid.length; size++)
      expect(() => parseMessage(valid.subarray(0, size))).toThrow(DnsFormatError)
  })

  test.each([
    ['bytes after its end', Uint8Array.from([...valid, 0])],
    ['more than 65,535 bytes', new Uint8Array(65_536)],
    ['more records than bytes', Buffer.from(`0000800000${'00ffffffffffff'}`, 'hex')],
    [
      'an address of three bytes',
      Buffer.from(`000080000000000100000000${'00' + '00010001000000000003' + 'c00002'}`, 'hex'),
    ],
    [
      'a name that leaves its rdata',
      Buffer.from(`000080000000000200000000${`00${'00020001000000000001'}01${'00'.repeat(11)}`}`, 'hex'),
    ],
    [
      'bytes after the name in its rdata',
      Buffer.from(`000080000000000100000000${`00${'00020001000000000002'}0000`}`, 'hex'),
    ],
    ['TSIG before the end', Buffer.from(`000080000000000100000000${'00' + '00fa00ff000000000000'}`, 'hex')],
  ])('with %s is refused', (_, bytes) => {
    expect(() => parseMessage(bytes)).toThrow(DnsFormatError)
  })

  test('of any bytes is read, or refused with DnsFormatError', () => {
    const changes = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
    const random = fc.uint8Array({ maxLength: 200 })
    const flipped = changes.map((list) => {
      const bytes = valid.slice()
      for (const [at, byte] of list) bytes[at] = byte
      return bytes
    })
    fc.assert(
      fc.property(fc.oneof(flipped, random), (bytes) => {
        try {
          const { answers } = parseMessage(bytes)
          for (const { name, rdata } of answers) expect(name.length + rdata.length).toBeLessThan(70_000)
        } catch (error) {
          expect(error).toBeInstanceOf(DnsFormatError)
        }
      }),
      { numRuns: countCases(5000) },
    )
  })

  test('of pointers that lead to pointers is read up to 128 of them', () => {
    // The name of each record is a pointer to the one before.
    const chain = (records: number): Uint8Array => {
      const writer = new WireWriter().u16(0).u16(0x8000).u16(0).u16(records).u16(0).u16(0)
      writer.name('a')
      writer.u16(65280).u16(1).u32(0).u16(0)
      let previous = 12
      for (let count = 1; count < records; count++) {
        const at = writer.size
        writer.u16(0xc000 | previous)
        writer.u16(65280).u16(1).u32(0).u16(0)
        previous = at
      }
      return writer.finish()
    }
    expect(parseMessage(chain(129)).answers).toHaveLength(129)
    expect(() => parseMessage(chain(130))).toThrow(DnsFormatError)
  })

  /** An answer with one long name, in bytes that are escaped, to which all other names point. */
  const expanding = (type: number, rdata: readonly number[]): Uint8Array => {
    const writer = new WireWriter().u16(0).u16(0x8000).u16(0)
    const countAt = writer.size
    writer.u16(0).u16(0).u16(0)
    for (const size of [63, 63, 63, 61]) writer.u8(size).put(new Uint8Array(size).fill(1))
    writer.u8(0).u16(16).u16(1).u32(0).u16(1).u8(0)
    let count = 1
    while (writer.size + 12 + rdata.length <= MESSAGE_MAX) {
      writer.u16(0xc00c).u16(type).u16(1).u32(0).u16(rdata.length).put(Uint8Array.from(rdata))
      count++
    }
    writer.setU16(countAt, count)
    return writer.finish()
  }

  test.each([
    ['owner names', 1, [192, 0, 2, 1]],
    ['names in values', 14, [0xc0, 12, 0xc0, 12]],
    ['names that are read as text', 6, [0xc0, 12, 0xc0, 12, ...new Array<number>(20).fill(0)]],
  ])('is refused when its %s are decoded to more than 2 MiB', (_, type, rdata) => {
    expect(() => parseMessage(expanding(type, rdata))).toThrow('is decoded to more than 2 MiB')
  })

  test('with as many records as fit, of one host, is read', () => {
    const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example.org`
    const writer = new WireWriter().u16(0).u16(0x8000).u16(0).u16(4000).u16(0).u16(0)
    for (let count = 0; count < 4000; count++) {
      writer.compressedName(name)
      writer.u16(1).u16(1).u32(0).u16(4).u32(count)
    }
    expect(parseMessage(writer.finish()).answers).toHaveLength(4000)
  })
})

describe('a transfer', () => {
  const soa = { name: 'example.org', type: 'SOA', value: 'ns.example.org admin.example.org 1 2 3 4 5' }
  const a = { name: 'a.example.org', type: 'A', value: '192.0.2.1' }
  const b = { name: 'b.example.org', type: 'A', value: '192.0.2.2' }
  const take = (...messages: (readonly (typeof a)[])[]) => {
    const reader = createTransferReader('example.org')
    const records = messages.flatMap((message) => reader.take(parseMessage(answer(message))))
    return { names: records.map(({ name }) => name), isComplete: reader.isComplete() }
  }
  const all = ['example.org', 'a.example.org', 'b.example.org']

  test.each([
    ['one message', [[soa, a, b, soa]]],
    ['several', [[soa], [a], [b, soa]]],
    ['several, the last with the SOA alone', [[soa, a, b], [soa]]],
  ])('in %s ends with the second SOA', (_, messages) => {
    expect(take(...messages)).toEqual({ names: all, isComplete: true })
  })

  test('without the second SOA is not complete', () => {
    expect(take([soa, a], [b])).toEqual({ names: all, isComplete: false })
  })

  test('has no records of other zones', () => {
    const other = { ...a, name: 'ns.example.net' }
    expect(take([soa, a, other, b, soa])).toEqual({ names: all, isComplete: true })
  })

  test('takes the SOA of a child for a record', () => {
    expect(take([soa, { ...soa, name: 'a.example.org' }, soa]).names).toEqual(['example.org', 'a.example.org'])
  })

  test.each([
    ['begins with another record', [[a, soa]]],
    ['begins with the SOA of another zone', [[{ ...soa, name: 'org' }]]],
    ['goes on after its end', [[soa, a, soa, b]]],
    ['goes on in another message', [[soa, a, soa], [b]]],
    ['has another serial at its end', [[soa, a, { ...soa, value: soa.value.replace('1', '7') }]]],
    ['has an empty message', [[soa], []]],
  ])('that %s is refused', (_, messages) => {
    expect(() => take(...messages)).toThrow(DnsFormatError)
  })
})
