/**
 * A short run of the lab, for behavior that only a network shows. `npm run test:lab` runs the whole lab, with times
 * and comparisons.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FoundHost, ScanPlan } from '../../src/scanner/protocol.ts'
import { buildPlan, waitUntil } from '../../src/scanner/testing/plans.ts'
import { describeAll, testAll } from '../cases.ts'
import { startBanners } from './daemons.ts'
import { checkLab, createLab, DROPS_ALL, DROPS_TCP, IPV6_HOSTS, type Lab, type LabScan, NO_PING } from './lab.ts'

const problem = process.env.PLAT_TEST_LAB === 'off' ? 'PLAT_TEST_LAB is off' : checkLab()
if (problem !== undefined) console.log(`The tests of the scanner on a network are left out: ${problem}`)

describe.skipIf(problem !== undefined)('on a network', () => {
  let lab: Lab
  const plan = (changes: Partial<ScanPlan> = {}): ScanPlan => buildPlan({ subnet: '198.18.0.0/24', ...changes })
  const host = ({ hosts }: LabScan, last: number): FoundHost => {
    const found = hosts.find(({ ip }) => ip === `198.18.0.${last}`)
    if (found === undefined) throw new Error(`198.18.0.${last} was not found`)
    return found
  }
  const sources = ({ evidence }: FoundHost): string[] => evidence.map(({ source }) => source)

  beforeAll(async () => {
    lab = createLab()
    startBanners(lab)
    const listening = (): string => lab.exec(lab.hosts, ['ss', '-Hltn'])
    await waitUntil(
      () => ['198.18.0.54:1883', '198.18.0.24:443'].every((end) => listening().includes(end)),
      'the servers listen',
    )
  }, 60_000)
  afterAll(() => lab?.remove())

  describe('a quick scan without any privilege', () => {
    let scan: LabScan
    beforeAll(async () => {
      lab.flush()
      scan = await lab.scan(plan())
    }, 60_000)

    test('finds all hosts with their MAC addresses', () => {
      expect([scan.result, scan.hosts.length, scan.hosts.filter(({ mac }) => mac !== '').length]).toEqual([
        'done',
        50,
        50,
      ])
    })
    test('reports the MAC of the host', () => {
      expect(host(scan, 12)).toMatchObject({ mac: 'b8:27:eb:00:01:0c', macSource: 'neighbour' })
    })
    test('a quick scan without any privilege finds the host that drops everything, only by ARP', () =>
      expect(sources(host(scan, DROPS_ALL))).toEqual(['arp']))
    test('has the round trip and the hop count of one that answers ping', () => {
      const { rttMs, ttl } = host(scan, 12)
      expect([rttMs !== null && rttMs > 0 && rttMs < 1000, ttl]).toEqual([true, 64])
    })
  })

  describeAll('a deep scan without any privilege', () => {
    let scan: LabScan
    beforeAll(async () => {
      lab.flush()
      scan = await lab.scan(plan({ type: 'deep', probeTimeoutMs: 3000 }))
    }, 60_000)
    const service = (last: number, port: number) => host(scan, last).services.find((one) => one.port === port)

    test('finds all hosts', () => expect(scan.hosts.length).toBe(50))
    test('classifies the host that answers no ping', () => {
      expect([sources(host(scan, NO_PING)), host(scan, NO_PING).openPorts]).toEqual([
        ['arp', 'tcp-open', 'tcp-refused'],
        [443],
      ])
    })
    test('reports no port of the host that drops TCP', () => expect(host(scan, DROPS_TCP).openPorts).toEqual([]))
    test.each([
      [20, 443, 'https', 'nginx'],
      [26, 8080, 'http', 'Jenkins'],
      [41, 21, 'ftp', 'ProFTPD'],
      [43, 23, 'telnet', 'Cisco telnet'],
      [44, 3306, 'mysql', 'MySQL'],
      [45, 6379, 'redis', 'Redis'],
      [46, 5432, 'postgresql', 'PostgreSQL'],
      [50, 3389, 'rdp', 'Remote Desktop'],
      [50, 445, 'smb', 'SMB 2'],
      [52, 80, 'http', 'HPE iLO'],
      [53, 5900, 'vnc', 'VNC'],
      [54, 1883, 'mqtt', 'MQTT broker'],
    ])('.%i tcp/%i is %s, %s', (last, port, name, product) => {
      expect(service(last, port)).toMatchObject({ service: name, product })
    })
    test('has sent nothing to the raw printer', () => expect(service(47, 9100)?.banner).toBe(''))
  })

  testAll(
    'nothing is sent to an excluded address, not even a question for its MAC',
    async () => {
      const banned = '198.18.0.20-198.18.0.34'
      lab.flush()
      lab.exec(lab.hosts, ['nft', `add element inet lab banned { ${banned} }`])
      lab.exec(lab.hosts, ['nft', `add element arp lab banned { ${banned} }`])
      const { hosts } = await lab.scan(plan({ type: 'deep', probeTimeoutMs: 3000, excludes: [banned] }))
      const packets = (family: string, counter: string): string =>
        /packets (\d+)/.exec(lab.exec(lab.hosts, ['nft', 'list', 'counter', family, 'lab', counter]))?.[1] ?? ''
      expect([hosts.length, packets('inet', 'refused'), packets('arp', 'asked')]).toEqual([35, '0', '0'])
      lab.exec(lab.hosts, ['nft', 'flush set inet lab banned'])
    },
    60_000,
  )

  testAll(
    'an entry from earlier in the neighbour table does not make a host',
    async () => {
      lab.flush()
      // It is asked after in one second and not in five.
      lab.exec(lab.scanner, ['sysctl', '-qw', 'net.ipv4.neigh.sc0.delay_first_probe_time=1'])
      lab.exec(lab.scanner, [
        'ip',
        'neigh',
        'replace',
        '198.18.0.200',
        'lladdr',
        '02:00:00:00:00:c8',
        'nud',
        'stale',
        'dev',
        'sc0',
      ])
      const { hosts } = await lab.scan(plan({ subnet: '198.18.0.192/26' }))
      expect(hosts).toEqual([])
    },
    60_000,
  )

  test('hosts behind a router are found by ping', async () => {
    const { hosts } = await lab.scan(plan({ subnet: '198.19.0.0/25' }))
    expect([hosts.length, new Set(hosts.flatMap(sources))]).toEqual([126, new Set(['icmp'])])
  }, 60_000)

  testAll(
    'where ping is not allowed, they are found by TCP',
    async () => {
      const range = 'net.ipv4.ping_group_range'
      lab.exec(lab.scanner, ['sysctl', '-qw', `${range}=1 0`])
      const { hosts } = await lab.scan(plan({ subnet: '198.19.0.0/26' }))
      lab.exec(lab.scanner, ['sysctl', '-qw', `${range}=0 2147483647`])
      expect([hosts.length, new Set(hosts.flatMap(sources))]).toEqual([62, new Set(['tcp-refused'])])
    },
    60_000,
  )

  testAll(
    'with CAP_NET_RAW a large network is asked past the table of the kernel',
    async () => {
      lab.flush()
      const { hosts } = await lab.scan(plan({ subnet: '198.18.0.0/21', probesPerSecond: 2000 }), { as: 'raw' })
      expect([hosts.length, new Set(hosts.map(({ macSource }) => macSource))]).toEqual([50, new Set(['arp'])])
    },
    60_000,
  )

  testAll(
    'IPv6 hosts on the link are found with their MAC addresses, and so is this one',
    async () => {
      const { hosts } = await lab.scan(plan({ subnet: '2001:db8::/120' }))
      const wanted = [1, ...IPV6_HOSTS].map((one) => `2001:db8::${one.toString(16)}`)
      expect([hosts.map(({ ip }) => ip).sort(), hosts.every(({ mac }) => mac !== '')]).toEqual([wanted.sort(), true])
    },
    60_000,
  )
})
