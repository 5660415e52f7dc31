// Frames of other programs are read, and any other bytes do no harm.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { readMdns } from '../services/mdns.ts'
import { readRecorded } from '../testing/recorded.ts'
import { encodeFilter, FILTER_STEPS } from './frame-filter.ts'
import { type Heard, readFrame } from './frames.ts'

type Recorded = { readonly by: string; readonly frame: string }
const frames = new Map(readRecorded<Recorded>('frames.jsonl').map(({ by, frame }) => [by, Buffer.from(frame, 'hex')]))

const get = (by: string): Buffer => {
  const frame = frames.get(by)
  if (!frame) throw new Error(`there is no frame of ${by}`)
  return frame
}
const read = (by: string): Heard | undefined => readFrame(get(by))

const MAC = '00:1b:21:00:00:07'
const IP = '198.18.7.107'
const IP6 = '2001:db8:7::7'

/** Runs the program of the filter as the kernel does. */
const filter = (frame: Buffer, { vlan = 0, kind = 0 } = {}): number => {
  const program = encodeFilter()
  let [accumulator, index] = [0, 0]
  const facts = new Map([
    [0xffff_f004, kind],
    [0xffff_f030, vlan],
  ])
  for (let at = 0; at < FILTER_STEPS; at++) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)]
    const [yes, no] = [program[at * 8 + 2] ?? 0, program[at * 8 + 3] ?? 0]
    const bytes = { 32: 4, 40: 2, 48: 1, 72: 2, 177: 1 }[code] ?? 0
    const from = code === 72 ? value + index : value
    // A load behind the end of the frame drops it.
    if (bytes > 0 && !facts.has(value) && from + bytes > frame.length) return 0
    if (code === 6) return value
    if (code === 177) index = (frame.readUInt8(value) & 15) * 4
    else if (bytes > 0) accumulator = facts.get(value) ?? frame.readUIntBE(from, bytes)
    else if (code === 21) at += accumulator === value ? yes : no
    else if (code === 69) at += (accumulator & value) !== 0 ? yes : no
    else throw new Error(`the filter has the unknown code ${code}`)
  }
  throw new Error('the filter has no end')
}

describe('a frame', () => {
  test.each([
    ['busybox arping -A', { ip: IP, mac: MAC, macSource: 'arp', source: 'arp', detail: 'sent an ARP reply' }],
    ['Linux, ARP request', { ip: IP, mac: MAC, macSource: 'arp', source: 'arp', detail: 'sent an ARP request' }],
    ['busybox udhcpc, discover', { ip: '', mac: MAC, name: { name: 'kitchen-tv', source: 'dhcp' } }],
    ['busybox udhcpc, request', { ip: IP, mac: MAC, macSource: 'dhcp', name: { name: 'kitchen-tv', source: 'dhcp' } }],
    ['Linux, duplicate address detection', { ip: IP6, mac: MAC, isTentative: true }],
    ['Linux, neighbor solicitation', { ip: IP6, mac: MAC, detail: 'asked for a neighbor' }],
    ['Linux, neighbor advertisement', { ip: IP6, mac: MAC, detail: 'advertised its address' }],
    ['Linux, router solicitation', { ip: 'fe80::21b:21ff:fe00:7', mac: MAC }],
    ['avahi-daemon, query', { ip: IP, mac: MAC, source: 'mdns' }],
  ])('of %s tells who sent it', (by, told) => {
    expect(read(by)).toMatchObject(told)
    expect(filter(get(by))).toBe(0xffff)
  })

  test.each([
    ['avahi-daemon, response', IP],
    ['avahi-daemon, response by IPv6', IP6],
  ])('of %s tells the name of its sender', (by, ip) => {
    const { mdns } = read(by) ?? {}
    expect(mdns && readMdns(mdns, ip)?.name).toBe('printer')
    expect(filter(get(by))).toBe(0xffff)
  })

  test.each(['busybox ping', 'Linux, multicast listener report'])(
    'of %s stays in the kernel, and tells nothing',
    (by) => {
      expect([filter(get(by)), read(by)]).toEqual([0, undefined])
    },
  )

  test('that this machine sent, or of another VLAN, stays in the kernel', () => {
    const arp = get('busybox arping -A')
    expect([filter(arp), filter(arp, { kind: 4 }), filter(arp, { vlan: 1 })]).toEqual([0xffff, 0, 0])
  })

  test('that is an ARP probe has no sender yet', () => {
    const probe = Buffer.from(get('Linux, ARP request'))
    probe.writeUInt32BE(0, 28)
    expect(readFrame(probe)).toBeUndefined()
  })

  test('from another link is left out', () => {
    const hop = Buffer.from(get('Linux, neighbor advertisement'))
    hop[21] = 254
    const mdns = Buffer.from(get('avahi-daemon, response'))
    mdns[22] = 254
    const relayed = Buffer.from(get('busybox udhcpc, request'))
    relayed.writeUInt32BE(0xc612_0701, 14 + 20 + 8 + 24)
    expect([readFrame(hop), readFrame(mdns), readFrame(relayed)]).toEqual([undefined, undefined, undefined])
  })

  test('of a DHCP request without an offer tells only the name: the address may be of another network', () => {
    const request = Buffer.from(get('busybox udhcpc, request'))
    const server = request.indexOf(Buffer.from([54, 4]))
    request[server] = 200
    expect(readFrame(request)).toMatchObject({ ip: '', name: { name: 'kitchen-tv' } })
  })
})

describe('hostile bytes', () => {
  const isReadable = (bytes: Uint8Array): void => {
    const heard = readFrame(Buffer.from(bytes))
    if (!heard) return
    expect(heard.mac).toMatch(/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/)
    expect((heard.name?.name ?? '').length).toBeLessThanOrEqual(253)
  }

  test('of any kind are read without an error', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), isReadable), { numRuns: countCases(5000) })
  })

  test('in place of some of a known frame, or cut off, are read without an error', () => {
    const changed = fc.record({
      frame: fc.constantFrom(...frames.values()),
      changes: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }),
      length: fc.nat(400),
    })
    fc.assert(
      fc.property(changed, ({ frame, changes, length }) => {
        const bytes = Buffer.from(frame)
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        isReadable(bytes.subarray(0, length))
        filter(bytes.subarray(0, length))
      }),
      { numRuns: countCases(5000) },
    )
  })
})
