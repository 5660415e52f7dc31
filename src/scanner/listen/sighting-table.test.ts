// Which hosts are reported, and when: at once where something is new, and never more than the bounds.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import type { Heard } from './frames.ts'
import {
  AGAIN_MS,
  AWAY_MS,
  createSightingTable,
  KEEPS_MAC_MS,
  MAX_PAIRS,
  MAX_TOLD_PER_SECOND,
  type SightingTable,
} from './sighting-table.ts'

const MAC = '00:1b:21:00:00:07'
const OTHER_MAC = '00:1b:21:00:00:08'
const heard = (about: Partial<Heard> = {}): Heard => ({
  ...{ ip: '10.0.0.7', mac: MAC, macSource: 'arp', source: 'arp', detail: 'sent an ARP request' },
  ...about,
})
const open = (): SightingTable => createSightingTable(() => 'Intel')
const take = (table: SightingTable, nowMs: number) =>
  table.take(nowMs).flatMap(({ network_id, hosts }) => hosts.map(({ ip, mac }) => [network_id, ip, mac]))

describe('a host', () => {
  test('that is new is reported at once, to each of its networks, with its vendor and evidence', () => {
    const table = open()
    table.hear(heard(), ['a', 'b'], 0)
    const [first, second] = table.take(0)
    expect([first?.network_id, second?.network_id]).toEqual(['a', 'b'])
    expect(first?.hosts).toMatchObject([
      {
        ip: '10.0.0.7',
        mac: MAC,
        macSource: 'arp',
        vendor: 'Intel',
        evidence: [{ source: 'arp', weight: 0.6 }],
        names: [],
      },
    ])
    expect(table.isDue()).toBe(false)
  })

  test('that goes on to be heard is reported every five minutes', () => {
    const table = open()
    const told: number[] = []
    for (let now = 0; now <= 3 * AGAIN_MS; now += 10_000) {
      table.hear(heard(), ['a'], now)
      if (take(table, now).length > 0) told.push(now)
    }
    expect(told).toEqual([0, AGAIN_MS, 2 * AGAIN_MS, 3 * AGAIN_MS])
  })

  test('that is back after ten minutes is reported before those that are only reported again', () => {
    const table = open()
    table.hear(heard(), ['a'], 0)
    table.hear(heard({ ip: '10.0.0.8', mac: OTHER_MAC }), ['a'], AWAY_MS - AGAIN_MS)
    take(table, AWAY_MS - AGAIN_MS)
    table.hear(heard({ ip: '10.0.0.8', mac: OTHER_MAC }), ['a'], AWAY_MS)
    table.hear(heard(), ['a'], AWAY_MS)
    expect(take(table, AWAY_MS).map(([, ip]) => ip)).toEqual(['10.0.0.7', '10.0.0.8'])
  })

  test('with a new name is reported at once, and keeps the names of other sources', () => {
    const table = open()
    table.hear(heard(), ['a'], 0)
    take(table, 0)
    table.hear(heard({ name: { name: 'tv', source: 'mdns' } }), ['a'], 1)
    table.hear(heard({ name: { name: 'kitchen', source: 'dhcp' } }), ['a'], 1)
    const names = table.take(1).flatMap(({ hosts }) => hosts.flatMap((host) => host.names))
    expect(names).toEqual([
      { name: 'tv', source: 'mdns' },
      { name: 'kitchen', source: 'dhcp' },
    ])
    table.hear(heard({ name: { name: 'tv', source: 'mdns' } }), ['a'], 2)
    expect(table.isDue()).toBe(false)
  })

  test('has the name that it gave to the DHCP server before it had an address', () => {
    const table = open()
    table.nameClient(MAC, { name: 'kitchen', source: 'dhcp' })
    table.hear(heard(), ['a'], 0)
    expect(table.take(0)[0]?.hosts[0]?.names).toEqual([{ name: 'kitchen', source: 'dhcp' }])
  })

  test('takes an address over from another MAC only after ten seconds', () => {
    const table = open()
    table.hear(heard(), ['a'], 0)
    table.hear(heard({ mac: OTHER_MAC }), ['a'], KEEPS_MAC_MS - 1)
    expect(take(table, KEEPS_MAC_MS)).toEqual([['a', '10.0.0.7', MAC]])
    table.hear(heard({ mac: OTHER_MAC }), ['a'], KEEPS_MAC_MS)
    expect(take(table, KEEPS_MAC_MS)).toEqual([['a', '10.0.0.7', OTHER_MAC]])
  })

  test('that asks whether an address is free does not take it from another host', () => {
    const table = open()
    table.hear(heard(), ['a'], 0)
    take(table, 0)
    table.hear(heard({ mac: OTHER_MAC, isTentative: true }), ['a'], KEEPS_MAC_MS)
    table.hear(heard({ ip: '10.0.0.9', mac: OTHER_MAC, isTentative: true }), ['a'], KEEPS_MAC_MS)
    expect(take(table, KEEPS_MAC_MS)).toEqual([['a', '10.0.0.9', OTHER_MAC]])
  })

  test('of which only the address was heard is reported again with its MAC', () => {
    const table = open()
    table.hear(heard({ mac: '', macSource: '' }), ['a'], 0)
    expect(take(table, 0)).toEqual([['a', '10.0.0.7', '']])
    table.hear(heard(), ['a'], 1)
    table.hear(heard({ mac: '', macSource: '' }), ['a'], 2)
    expect(take(table, 2)).toEqual([['a', '10.0.0.7', MAC]])
  })

  test('with a group address or no address as its MAC is left out', () => {
    const table = open()
    for (const mac of ['ff:ff:ff:ff:ff:ff', '01:00:5e:00:00:fb', '00:00:00:00:00:00'])
      table.hear(heard({ mac }), ['a'], 0)
    expect([table.size(), table.isDue()]).toEqual([0, false])
  })

  test('of a network that is listened to no more is forgotten', () => {
    const table = open()
    table.hear(heard(), ['a', 'b'], 0)
    table.keepOnly((id) => id === 'b')
    expect(take(table, 0)).toEqual([['b', '10.0.0.7', MAC]])
  })
})

describe('the bounds', () => {
  test('hold against a flood of addresses: the last ones are remembered, and 200 a second are reported', () => {
    const table = open()
    const count = MAX_PAIRS + 1000
    for (let i = 0; i < count; i++) table.hear(heard({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }), ['a'], 0)
    expect(table.size()).toBe(MAX_PAIRS)
    let told = 0
    for (let now = 0; now < 5000; now += 10) told += take(table, now).length
    expect(told).toBeLessThanOrEqual(6 * MAX_TOLD_PER_SECOND)
    expect(told).toBeGreaterThanOrEqual(5 * MAX_TOLD_PER_SECOND)
  })

  test('hold for any frames: no pair is reported twice in five minutes without news, and none twice in one message', () => {
    const frame = fc.record({ last: fc.nat(4), mac: fc.nat(2), afterMs: fc.nat(400_000), takes: fc.boolean() })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 60 }), (frames) => {
        const table = open()
        const toldMs = new Map<string, number>()
        const heardMs = new Map<string, number>()
        const owners = new Map<string, string>()
        let now = 0
        for (const { last, mac, afterMs, takes } of frames) {
          now += afterMs
          const ip = `10.0.0.${last}`
          const before = heardMs.get(ip)
          const sender = `00:1b:21:00:00:0${mac}`
          table.hear(heard({ ip, mac: sender }), ['a'], now)
          const isNews = owners.get(ip) !== sender || (before !== undefined && now - before >= AWAY_MS)
          if (isNews) toldMs.delete(ip)
          heardMs.set(ip, now)
          if (!takes) continue
          const told = take(table, now)
          expect(new Set(told.map(([, one]) => one)).size).toBe(told.length)
          for (const [, one = '', owner = ''] of told) {
            const at = toldMs.get(one)
            if (at !== undefined) expect(now - at).toBeGreaterThanOrEqual(AGAIN_MS)
            toldMs.set(one, now)
            owners.set(one, owner)
          }
        }
      }),
      { numRuns: countCases(5000) },
    )
  })
})
