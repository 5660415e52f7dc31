// Which record a host is, played through as histories of scans on records in memory.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { host, snmpFacts } from '../../../testing/servers/scripted-scanner.ts'
import { DEFAULT_SPACE, parseIpKeyOrThrow } from '../../net/ip.ts'
import type { FoundHost } from '../../scanner/protocol.ts'
import { readRecorded } from '../../scanner/testing/recorded.ts'
import { compareIdentity, isIdentifying } from './identity.ts'
import { MAX_ADDRESSES_OF_MAC, reconcile } from './reconcile.ts'
import { createRecords, type Records, refreshKeys } from './records.ts'

const A = '00:1b:21:00:00:0a'
const B = '00:1b:21:00:00:0b'
const RANDOM = '02:11:22:33:44:55'
const VRRP = '00:00:5e:00:01:01'

const world = (): Records => {
  let n = 0
  return createRecords(() => `r${++n}`)
}

let scans = 0
/** One scan that sees these hosts and no others, each in a batch of its own; a device that is there leaves its other addresses. */
const scan = (records: Records, ...hosts: FoundHost[]): void => {
  const scanId = `s${++scans}`
  const now = new Date(scans * 1000).toISOString()
  for (const one of hosts)
    reconcile(records, [one], { scanId, type: 'deep', stage: 'services', now, space: DEFAULT_SPACE })
  for (const record of records.byId.values())
    for (const [key, seen] of record.addresses) {
      const isThere = [...record.addresses.values()].some((one) => one.last_scan_id === scanId)
      if (!isThere || seen.last_scan_id === scanId) continue
      record.addresses.delete(key)
      records.byAddress.delete(key)
      refreshKeys(records, record)
    }
}

const idAt = (records: Records, ip: string): string | undefined =>
  records.byAddress.get(parseIpKeyOrThrow(ip, DEFAULT_SPACE))?.id
/** Addresses by record. */
const picture = (records: Records): Record<string, string[]> =>
  Object.fromEntries(
    [...records.byId.values()].map(({ id, addresses }) => [id, [...addresses.values()].map(({ ip }) => ip)]),
  )

describe('a MAC identifies an interface', () => {
  test.each([
    [A, true],
    [RANDOM, true],
    ['52:54:00:00:00:01', true],
    ['02:bf:0a:00:00:0a', false],
    [VRRP, false],
    ['00:00:5e:00:02:ff', false],
    ['00:00:0c:07:ac:01', false],
    ['00:00:0c:9f:f0:01', false],
    ['00:05:73:a0:00:01', false],
    ['00:07:b4:00:01:01', false],
    ['00:00:01:00:00:01', false],
    ['00:a0:c9:00:00:02', false],
    ['00:00:02:aa:00:01', true],
    ['ff:ff:ff:ff:ff:ff', false],
    ['01:00:5e:00:00:01', false],
    ['00:00:00:00:00:00', false],
    ['', false],
  ])('%s: %p', (mac, expected) => expect(isIdentifying(mac)).toBe(expected))
})

describe('two sets of keys', () => {
  test.each([
    ['the same MAC', [`mac:${A}`], [`mac:${A}`], 'same'],
    ['another MAC', [`mac:${A}`], [`mac:${B}`], 'other'],
    ['another MAC and the same host key', [`mac:${A}`, 'ssh:k'], [`mac:${B}`, 'ssh:k'], 'same'],
    ['the same MAC and another host key', [`mac:${A}`, 'ssh:k'], [`mac:${A}`, 'ssh:l'], 'same'],
    ['another host key', ['ssh:k'], ['ssh:l'], 'other'],
    ['the same certificate', ['tls:c'], ['tls:c'], 'same'],
    ['another certificate', ['tls:c'], ['tls:d'], 'unknown'],
    ['another host key and the same certificate', ['ssh:k', 'tls:c'], ['ssh:l', 'tls:c'], 'other'],
    ['another MAC and the same certificate', [`mac:${A}`, 'tls:c'], [`mac:${B}`, 'tls:c'], 'other'],
    ['the same SNMP engine', ['snmp:e'], ['snmp:e'], 'same'],
    ['nothing in common to compare', [`mac:${A}`], ['ssh:k'], 'unknown'],
    ['nothing at all', [], [], 'unknown'],
  ] as const)('with %s', (_, a, b, verdict) => {
    expect([compareIdentity(a, b), compareIdentity(b, a)]).toEqual([verdict, verdict])
  })
})

describe('a history', () => {
  test('the same device at the same address is one record', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }))
    scan(records, host('10.0.0.5', { mac: A }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.5'] })
  })

  test('a lease that moves to another MAC is a new record, and the old one keeps what it was', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }))
    scan(records, host('10.0.0.5', { mac: B }))
    expect(picture(records)).toEqual({ r1: [], r2: ['10.0.0.5'] })
    expect([...(records.byId.get('r1')?.keys ?? [])]).toEqual([`mac:${A}`])
  })

  test('a lease that moves is a contradiction that names both', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }))
    scan(records, host('10.0.0.5', { mac: B }))
    expect(records.byId.get('r2')?.conflicts).toEqual([
      { kind: 'lease', ip: '10.0.0.5', otherId: 'r1', before: A, after: B },
    ])
  })

  test('a host that lost its lease and returns at another address is the same record', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }))
    scan(records, host('10.0.0.5', { mac: B }))
    scan(records, host('10.0.0.5', { mac: B }), host('10.0.0.7', { mac: A }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.7'], r2: ['10.0.0.5'] })
  })

  test('two leases that are exchanged are the same two records', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }), host('10.0.0.6', { mac: B }))
    scan(records, host('10.0.0.5', { mac: B }), host('10.0.0.6', { mac: A }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.6'], r2: ['10.0.0.5'] })
  })

  test('a new network card with the same host key is the same device', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A, sshHostKey: 'SHA256:k' }))
    scan(records, host('10.0.0.5', { mac: B, sshHostKey: 'SHA256:k' }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.5'] })
    expect([...(records.byId.get('r1')?.keys ?? [])]).toEqual([`mac:${B}`, 'ssh:SHA256:k'])
  })

  test('a system that is reinstalled on the same card is the same device', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A, sshHostKey: 'SHA256:k' }))
    scan(records, host('10.0.0.5', { mac: A, sshHostKey: 'SHA256:l' }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.5'] })
  })

  test('a network that is renumbered keeps its devices', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }), host('10.0.0.6', { mac: B }))
    scan(records, host('10.0.0.105', { mac: A }), host('10.0.0.106', { mac: B }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.105'], r2: ['10.0.0.106'] })
  })

  test('a routed network that is renumbered keeps its devices by their host keys', () => {
    const records = world()
    scan(records, host('10.0.0.5', { sshHostKey: 'SHA256:k' }))
    scan(records, host('10.0.0.105', { sshHostKey: 'SHA256:k' }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.105'] })
  })

  test('two network cards are two records until a host key says otherwise', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }), host('10.0.0.6', { mac: B }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.5'], r2: ['10.0.0.6'] })
    scan(
      records,
      host('10.0.0.5', { mac: A, sshHostKey: 'SHA256:k' }),
      host('10.0.0.6', { mac: B, sshHostKey: 'SHA256:k' }),
    )
    expect(picture(records)).toEqual({ r1: ['10.0.0.5', '10.0.0.6'] })
  })

  test('two network cards are one record by the interfaces that SNMP tells of', () => {
    const records = world()
    const interfaces = [
      { index: 1, name: 'eth0', mac: A, addresses: ['10.0.0.5'] },
      { index: 2, name: 'eth1', mac: B, addresses: ['10.0.0.6'] },
    ]
    scan(records, host('10.0.0.6', { mac: B }), host('10.0.0.5', { mac: A, snmp: snmpFacts({ interfaces }) }))
    expect(Object.values(picture(records)).map((ips) => ips.toSorted())).toEqual([['10.0.0.5', '10.0.0.6']])
  })

  test('a virtual router address that moves to the other router makes no device of the two', () => {
    const records = world()
    scan(records, host('10.0.0.2', { mac: A }), host('10.0.0.3', { mac: B }), host('10.0.0.1', { mac: VRRP }))
    scan(records, host('10.0.0.2', { mac: A }), host('10.0.0.3', { mac: B }), host('10.0.0.1', { mac: VRRP }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.2'], r2: ['10.0.0.3'], r3: ['10.0.0.1'] })
  })

  test('one virtual MAC at two addresses is two records', () => {
    const records = world()
    scan(records, host('10.0.0.1', { mac: VRRP }), host('10.0.0.9', { mac: VRRP }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.1'], r2: ['10.0.0.9'] })
  })

  test('another random MAC at the address is another record', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: RANDOM }))
    scan(records, host('10.0.0.5', { mac: '06:aa:bb:cc:dd:ee' }))
    expect(picture(records)).toEqual({ r1: [], r2: ['10.0.0.5'] })
  })

  test('a random MAC at another address is the same record', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: RANDOM }))
    scan(records, host('10.0.0.6', { mac: RANDOM }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.6'] })
  })

  test('a host behind proxy ARP for which another router answers is the same record', () => {
    const records = world()
    const all = addresses(30)
    scan(records, ...all.map((ip) => host(ip, { mac: A })))
    scan(
      records,
      ...addresses(40)
        .slice(30)
        .map((ip) => host(ip, { mac: B })),
    )
    const before = picture(records)
    scan(records, ...addresses(40).map((ip) => host(ip, { mac: B })))
    expect(picture(records)).toEqual(before)
  })

  test('a phone that takes the address of a server is not the server', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }))
    scan(records, host('10.0.0.5', { mac: RANDOM }))
    expect(picture(records)).toEqual({ r1: [], r2: ['10.0.0.5'] })
  })

  test('a host without a visible MAC this time is the one that was there', () => {
    const records = world()
    scan(records, host('10.0.0.5', { mac: A }))
    scan(records, host('10.0.0.5'))
    expect(picture(records)).toEqual({ r1: ['10.0.0.5'] })
  })

  test('an address without a name gets the one that is learned later', () => {
    const records = world()
    scan(records, host('10.0.0.5'))
    scan(records, host('10.0.0.5', { mac: A }))
    expect(picture(records)).toEqual({ r1: ['10.0.0.5'] })
  })

  const addresses = (count: number) => Array.from({ length: count }, (_, i) => `10.0.0.${i + 10}`)

  test('one MAC at a few addresses is one device', () => {
    const records = world()
    scan(records, ...addresses(MAX_ADDRESSES_OF_MAC).map((ip) => host(ip, { mac: A })))
    expect(picture(records)).toEqual({ r1: addresses(MAX_ADDRESSES_OF_MAC) })
  })

  test('a router that answers for others (proxy ARP) makes no device of them', () => {
    const records = world()
    const all = addresses(30)
    for (let i = 0; i < 2; i++) {
      scan(records, ...all.map((ip) => host(ip, { mac: A })))
      expect(Object.values(picture(records)).toSorted()).toEqual(all.map((ip) => [ip]))
    }
  })

  test('a host behind proxy ARP is still identified by its host key', () => {
    const records = world()
    scan(records, ...addresses(30).map((ip, i) => host(ip, { mac: A, sshHostKey: i > 27 ? 'SHA256:k' : '' })))
    expect(idAt(records, '10.0.0.38')).toBe(idAt(records, '10.0.0.39'))
  })

  test('a server with many addresses and one host key is one device', () => {
    const records = world()
    const all = addresses(30)
    scan(records, ...all.map((ip) => host(ip, { mac: A, sshHostKey: 'SHA256:k' })))
    expect(picture(records)).toEqual({ r1: all })
  })
})

describe('for any history of scans', () => {
  const macs = fc.constantFrom('', A, B, '00:1b:21:00:00:0c', RANDOM, VRRP)
  const keys = fc.constantFrom('', '', 'SHA256:k', 'SHA256:l')
  const hosts = fc
    .uniqueArray(fc.record({ n: fc.integer({ min: 1, max: 12 }), mac: macs, sshHostKey: keys }), {
      selector: ({ n }) => n,
      maxLength: 12,
    })
    .map((all) => all.map(({ n, mac, sshHostKey }) => host(`10.0.0.${n}`, { mac, sshHostKey })))
  const histories = fc.array(hosts, { maxLength: 6 })

  const played = (history: readonly (readonly FoundHost[])[]): Records => {
    const records = world()
    for (const one of history) scan(records, ...one)
    return records
  }

  test('an address has at most one record, which knows of it', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const records = played(history)
        const held = [...records.byId.values()].flatMap(({ id, addresses }) =>
          [...addresses.keys()].map((key) => `${key} ${id}`),
        )
        expect(held.toSorted()).toEqual([...records.byAddress].map(([key, { id }]) => `${key} ${id}`).toSorted())
      }),
    )
  })

  test('every host that was seen last has a record', () => {
    fc.assert(
      fc.property(histories, hosts, (history, last) => {
        const records = played([...history, last])
        expect(last.filter(({ ip }) => idAt(records, ip) === undefined)).toEqual([])
      }),
    )
  })

  test('a key that identifies a record is one of its keys', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const records = played(history)
        const wrong = [...records.byKey].filter(
          ([key, owner]) => owner && !(records.byId.get(owner.id) === owner && owner.keys.has(key)),
        )
        expect(wrong).toEqual([])
      }),
    )
  })

  test('a second look at the same changes nothing', () => {
    fc.assert(
      fc.property(histories, hosts, (history, last) => {
        const records = played([...history, last])
        const before = picture(records)
        scan(records, ...last)
        expect(picture(records)).toEqual(before)
      }),
    )
  })
})

describe('agents that report the same MACs', () => {
  const agent = (ip: string, macs: readonly string[], about: Partial<FoundHost> = {}): FoundHost =>
    host(ip, {
      snmp: snmpFacts({ interfaces: macs.map((mac, at) => ({ index: at + 1, name: `if${at}`, mac, addresses: [] })) }),
      ...about,
    })
  const recorded = new Map(
    readRecorded<{ name: string; macs: string[] }>('interface-macs.jsonl').map(({ name, macs }) => [name, macs]),
  )
  const C = '00:1b:21:00:00:0c'

  /** Names of recorded agents that become one device. */
  const group = (names: readonly string[]): string[][] => {
    const records = world()
    const ips = new Map(names.map((name, at) => [`10.9.0.${at + 1}`, name]))
    scan(records, ...[...ips].map(([ip, name]) => agent(ip, recorded.get(name) ?? [])))
    scan(records, ...[...ips].map(([ip, name]) => agent(ip, recorded.get(name) ?? [])))
    return Object.values(picture(records)).map((all) => all.map((ip) => ips.get(ip) ?? ''))
  }

  test('are as many devices as were recorded: four firewalls with constant MACs, and one device that was recorded twice', () => {
    expect(recorded.size).toBe(18)
    expect(
      group([...recorded.keys()])
        .filter((names) => names.length > 0)
        .sort(),
    ).toEqual(
      [
        ['asa'],
        ['ftd_1140'],
        ['ftd_3130'],
        ['ftd_ftd1150'],
        ['adva_fsp150_xg116pro', 'adva_fsp150_xg116proh'],
        ['dnos', 'dnos_s4048'],
        ['drac_m1000e', 'drac_r640'],
        ['eltex-mes23xx_mes2324fbac', 'eltex-mes23xx_mes2348p'],
        ['feos_nx6500'],
        ['routeros_rblhgr'],
        ['raritan-pdu_px3'],
        ['raritan-pdu_px4'],
        ['scs-ks'],
        ['cumulus_bgp'],
      ].sort(),
    )
  })

  test('are two if the rest of their MACs has none in common, and the shared one identifies neither afterwards', () => {
    const records = world()
    scan(records, agent('10.0.0.1', [A, C]), agent('10.0.0.2', [B, C]))
    const [one, other] = [idAt(records, '10.0.0.1'), idAt(records, '10.0.0.2')]
    expect(one).not.toBe(other)
    expect(records.byKey.get(`mac:${C}`)).toBeNull()
    scan(records, agent('10.0.0.1', [A, C]), agent('10.0.0.2', [B, C]))
    expect([idAt(records, '10.0.0.1'), idAt(records, '10.0.0.2')]).toEqual([one, other])
  })

  test.each([
    ['the SNMP engine', { engineId: '80001f88' }, {}],
    ['the SSH host key', {}, { sshHostKey: 'SHA256:k' }],
  ])('are one if they have the same %s', (_, about, key) => {
    const records = world()
    const at = (ip: string, macs: readonly string[]) => {
      const found = agent(ip, macs, key)
      return found.snmp ? { ...found, snmp: { ...found.snmp, ...about } } : found
    }
    scan(records, at('10.0.0.1', [A, C]), at('10.0.0.2', [B, C]))
    expect(idAt(records, '10.0.0.1')).toBe(idAt(records, '10.0.0.2') ?? '')
  })

  test('are one if most of the MACs of either are the same', () => {
    const records = world()
    const common = [1, 2, 3].map((n) => `00:1b:21:00:01:0${n}`)
    scan(records, agent('10.0.0.1', [...common, A]), agent('10.0.0.2', [...common, B]))
    expect(idAt(records, '10.0.0.1')).toBe(idAt(records, '10.0.0.2') ?? '')
  })

  test('at one address are one with a replaced interface', () => {
    const records = world()
    scan(records, agent('10.0.0.1', [A, C]))
    const before = idAt(records, '10.0.0.1')
    scan(records, agent('10.0.0.1', [B, C]))
    expect([idAt(records, '10.0.0.1'), records.byKey.get(`mac:${C}`) === null]).toEqual([before, false])
  })

  test('and were one record for a constant MAC become as many as they are, and the known address keeps the record', () => {
    const records = world()
    const constant = '00:00:01:00:00:01'
    scan(records, agent('10.0.0.1', [A, constant]))
    const [record] = records.byId.values()
    if (!record) throw new Error('a scanned host has a record')
    // As an earlier version stored it.
    const [first] = record.addresses.values()
    if (!first) throw new Error('a record of a scanned host has its address')
    const key = parseIpKeyOrThrow('10.0.0.2', DEFAULT_SPACE)
    record.addresses.set(key, { ...first, ip: '10.0.0.2', ip_key: key, observation: agent('10.0.0.2', [B, constant]) })
    records.byAddress.set(key, record)
    for (const joined of [`mac:${B}`, `mac:${constant}`]) {
      record.keys.add(joined)
      records.byKey.set(joined, record)
    }
    scan(records, agent('10.0.0.1', [A, constant]), agent('10.0.0.2', [B, constant]))
    expect(idAt(records, '10.0.0.1')).toBe(record.id)
    expect(idAt(records, '10.0.0.2')).not.toBe(record.id)
  })
})
