// Vendor and system of recorded SNMP agents, as LibreNMS says them.
import { describe, expect, test } from 'bun:test'
import expectations from '../testing/recorded/systems.json' with { type: 'json' }
import { readRecorded } from '../testing/recorded.ts'
import { GENERIC_SYSTEMS } from './generic-systems.ts'
import { identifySystem } from './systems.ts'

type Entity = { readonly vendor?: string; readonly model?: string; readonly software?: string } | null
type Recorded = {
  readonly name: string
  readonly sysDescr: string
  readonly sysObjectID: string
  readonly entity: Entity
}
type Known = Recorded & {
  readonly expected: { readonly os: string | null; readonly version: string | null }
}
type Other = Recorded & { readonly os: string }
type Expectation = { readonly vendors: readonly string[]; readonly system: string }

const EXPECTED: Readonly<Record<string, Expectation>> = expectations
const NO_CHASSIS = { vendor: '', model: '', serial: '', software: '' }

const identify = ({ sysDescr, sysObjectID, entity }: Recorded) =>
  identifySystem(
    { description: sysDescr, objectId: sysObjectID },
    {
      ...NO_CHASSIS,
      vendor: entity?.vendor ?? '',
      model: entity?.model ?? '',
      software: entity?.software ?? '',
    },
  )

/** LibreNMS names the recordings by their system: `nxos_lag-mib`. */
const getOs = ({ name, expected }: Known): string =>
  expected.os ??
  Object.keys(EXPECTED)
    .filter((os) => name === os || name.startsWith(`${os}_`))
    .sort((a, b) => b.length - a.length)[0] ??
  ''

type Verdict = 'right' | 'unknown' | 'wrong'

/** An answer that names only the kernel is no answer, and a system that is not in the table is never right. */
const judge = (recorded: Recorded, os: string): Verdict => {
  const { vendor, system } = identify(recorded)
  if (system === '' || GENERIC_SYSTEMS.has(system)) return 'unknown'
  const expected = EXPECTED[os]
  return expected?.system === system && expected.vendors.includes(vendor) ? 'right' : 'wrong'
}

const countShares = (verdicts: readonly Verdict[]): Readonly<Record<Verdict, number>> => {
  const share = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length / verdicts.length
  return { right: share('right'), unknown: share('unknown'), wrong: share('wrong') }
}

const devices = readRecorded<Known>('devices.jsonl')
const others = readRecorded<Other>('others.jsonl')

describe('the system of recorded agents', () => {
  test('is right for 96 % of the 695 devices, and wrong for less than 1 %', () => {
    const shares = countShares(devices.map((one) => judge(one, getOs(one))))
    expect(devices.length).toBe(695)
    expect(shares.right).toBeGreaterThanOrEqual(0.96)
    expect(shares.wrong).toBeLessThan(0.01)
  })

  test('is right for 95 % of the 1,219 other recordings, and wrong for less than 1 %', () => {
    const shares = countShares(others.map((one) => judge(one, one.os)))
    expect(others.length).toBe(1219)
    expect(shares.right).toBeGreaterThanOrEqual(0.95)
    expect(shares.wrong).toBeLessThan(0.01)
  })

  test.each([
    ['nxos', 'Cisco NX-OS'],
    ['ios', 'Cisco IOS'],
    ['iosxe', 'Cisco IOS-XE'],
    ['junos', 'Junos'],
    ['procurve', 'ArubaOS-Switch'],
    ['apc', 'APC AOS'],
    ['vrp', 'Huawei VRP'],
  ])('is right for every recording of %s that names a product', (os, system) => {
    const all = [...devices.map((one) => ({ ...one, os: getOs(one) })), ...others].filter(
      (one) => one.os === os && identify(one).system !== '',
    )
    expect(new Set(all.map((one) => identify(one).system))).toEqual(new Set([system]))
    expect(all.length).toBeGreaterThan(4)
  })

  test('is said by one name for one system: two short names share one only where LibreNMS too calls them the same', () => {
    const bySystem = Map.groupBy(Object.entries(EXPECTED), ([, { vendors, system }]) => `${vendors[0]} ${system}`)
    const shared = [...bySystem.values()].filter(({ length }) => length > 1).map((all) => all.map(([os]) => os))
    // Both are "D-Link Switch".
    expect(shared).toEqual([['dlink', 'dlink-dgs1250']])
  })
})

const at = (objectId: string, description: string, chassis = NO_CHASSIS) =>
  identifySystem({ description, objectId }, chassis)

describe('an agent', () => {
  test('says the version of its system, and not that of its boot monitor', () => {
    const apc = 'APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.4.0 PN:apc_hw05_aos_640.bin AF1:v6.4.0 MN:AP9630)'
    const hp = 'HP J9773A 2530-24G-PoEP Switch, revision YA.16.11.0003, ROM YA.15.19'
    const switchOf3Com = 'Vendor Switch, Boot Version 1.2.3, Software Version 7.1.045'
    expect([at('1.3.6.1.4.1.318.1.3.27', apc).version, at('1.3.6.1.4.1.11.2.3.7.11.139', hp).version]).toEqual([
      '6.4.0',
      'YA.16.11.0003',
    ])
    expect(at('', switchOf3Com).version).toBe('7.1.045')
  })

  test.each([
    [
      'Cisco IOS Software, C2960 Software (C2960-LANBASEK9-M), Version 15.0(2)SE11, RELEASE',
      'Cisco IOS',
      '15.0(2)SE11',
    ],
    ['Cisco NX-OS(tm) n5000, Software (n5000-uk9), Version 7.0(8)N1(1), RELEASE', 'Cisco NX-OS', '7.0(8)N1(1)'],
    ['Juniper Networks, Inc. ex2300-24t Ethernet Switch, kernel JUNOS 20.4R3.8, Build', 'Junos', '20.4R3.8'],
    ['Arista Networks EOS version 4.28.3M running on an Arista Networks DCS-7050', 'Arista EOS', '4.28.3M'],
    ['Linux web1 6.1.0-18-amd64 #1 SMP Debian 6.1.76-1 x86_64', 'Linux', '6.1.0-18-amd64'],
    ['Hardware: Intel64 - Software: Windows Version 10.0 (Build 17763 Multiprocessor Free)', 'Windows', '10.0'],
    ['VMware ESXi 7.0.3 build-21424296 VMware, Inc. x86_64', 'VMware ESXi', '7.0.3'],
    ['FreeBSD fw1 14.0-RELEASE FreeBSD 14.0-RELEASE amd64', 'FreeBSD', '14.0-RELEASE'],
  ])('without a number of its own is known by its text: %s', (description, system, version) => {
    expect(at('', description)).toMatchObject({ system, version })
  })

  test('has the model, the serial number and the version of its chassis', () => {
    const chassis = { vendor: 'Cisco Systems Inc', model: 'C9300-48P', serial: 'FOC1', software: '17.3.4' }
    const text = 'Cisco IOS Software [Everest], Catalyst L3 Switch Software (CAT9K_IOSXE), Version 16.6.1, RELEASE'
    expect(at('1.3.6.1.4.1.9.1.2494', text, chassis)).toEqual({
      vendor: 'Cisco',
      system: 'Cisco IOS-XE',
      version: '16.6.1',
      model: 'C9300-48P',
      serial: 'FOC1',
    })
    expect(at('1.3.6.1.4.1.99999999', 'Box', chassis)).toMatchObject({ vendor: 'Cisco Systems Inc', system: '' })
  })

  test('of a vendor with several systems that fits no family has its vendor only', () => {
    expect(at('1.3.6.1.4.1.9.1.9999', 'Something new')).toMatchObject({ vendor: 'Cisco', system: '' })
  })

  test('of an appliance whose kernel is no distribution has no plain Linux', () => {
    expect(at('1.3.6.1.4.1.8072.3.2.10', 'Linux box 4.14.221 #0 SMP Mon Feb 15 15:22:37 2021 armv7l').system).toBe(
      'Linux (embedded)',
    )
  })

  test.each(['', '.', '1.3.6.1.4.1', '1.3.6.1.4.1.', '0.0', '1.3.6.1.4.1.x.y', `1.3.6.1.4.1.9${'.1'.repeat(128)}`])(
    'with the object identifier %j is no fault',
    (objectId) => expect(at(objectId, '').version).toBe(''),
  )

  test('with a text of a kilobyte of anything is read in a few milliseconds', () => {
    for (const part of ['Linux ', 'Version 1.', 'HP Switch, ', '; AXIS ', '<<HW_REV: ', '((((', '-9.-9.'])
      for (const number of ['', '1.3.6.1.4.1.9.1', '1.3.6.1.4.1.11.2', '1.3.6.1.4.1.2011.2']) {
        const before = performance.now()
        at(number, part.repeat(1024 / part.length))
        expect(performance.now() - before).toBeLessThan(100)
      }
  })
})
