/**
 * Files that real programs have written: leases of DHCP servers in network namespaces, scans of nmap and arp-scan, and a
 * zone as BIND reads it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Conversion, Converter } from '../../src/convert/converter.ts'
import { convertArpScan } from '../../src/convert/hosts/arp-scan.ts'
import { convertDnsmasq } from '../../src/convert/hosts/dnsmasq.ts'
import { convertIsc } from '../../src/convert/hosts/isc.ts'
import { convertKea } from '../../src/convert/hosts/kea.ts'
import { convertNmap } from '../../src/convert/hosts/nmap.ts'
import { convertZone } from '../../src/convert/hosts/zone.ts'
import { readLeases } from '../../src/discovery/leases/read.ts'
import { waitUntil } from '../../src/scanner/testing/plans.ts'
import { takeOneIn, testAll } from '../../testing/cases.ts'
import { checkLab } from '../../testing/scanner-lab/lab.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-sources-'))
const file = (name: string): string => join(folder, name)
const must = (command: readonly string[]): string => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { timeout: 60_000 })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}${stdout.toString()}`)
  return stdout.toString()
}
const converted = async (convert: Converter, bytes: Uint8Array | string): Promise<Conversion> => {
  const conversion = await convert(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes, {
    now: new Date(),
  })
  const lists = Object.entries(conversion.documents).map(([resource, rows]) => [resource, [...rows]])
  return {
    ...conversion,
    report: conversion.report,
    leftover: conversion.leftover,
    documents: Object.fromEntries(lists),
    hosts: [...conversion.hosts],
  }
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const problem = process.env.PLAT_TEST_LAB === 'off' ? 'PLAT_TEST_LAB is off' : checkLab()
if (problem !== undefined) console.log(`The tests with real DHCP servers are left out: ${problem}`)

describe.skipIf(problem !== undefined)('in two network namespaces', () => {
  const [server, client] = [`plat-dhcp-${process.pid}`, `plat-host-${process.pid}`]
  const MAC = '52:54:00:12:34:56'
  const at = (namespace: string, ...command: string[]): string[] => ['ip', 'netns', 'exec', namespace, ...command]

  beforeAll(() => {
    for (const namespace of [server, client]) must(['ip', 'netns', 'add', namespace])
    must(['ip', 'link', 'add', 'v1', 'netns', server, 'type', 'veth', 'peer', 'name', 'v2', 'netns', client])
    must(at(client, 'ip', 'link', 'set', 'v2', 'address', MAC))
    must(at(server, 'ip', 'address', 'add', '10.77.0.1/24', 'dev', 'v1'))
    must(at(client, 'ip', 'address', 'add', '10.77.0.9/24', 'dev', 'v2'))
    for (const [namespace, link] of [[server, 'v1'] as const, [client, 'v2'] as const])
      for (const one of ['lo', link]) must(at(namespace, 'ip', 'link', 'set', one, 'up'))
  })
  afterAll(() => {
    for (const namespace of [server, client]) Bun.spawnSync(['ip', 'netns', 'delete', namespace])
  })

  /** The hook makes Kea answer with its leases. */
  const HOOKS = [...new Bun.Glob('*/kea/hooks/libdhcp_lease_cmds.so').scanSync('/usr/lib')].map(
    (path) => `/usr/lib/${path}`,
  )
  /** The answer of Kea to a command. */
  const asked = (command: string): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const answer: Buffer[] = []
    const socket = createConnection(file('kea.socket'), () => socket.write(JSON.stringify({ command })))
    socket.on('data', (data) => answer.push(Buffer.from(data)))
    socket.on('end', () => resolve(Buffer.concat(answer).toString()))
    socket.on('error', reject)
    return promise
  }

  const CONFIG = {
    'dhcpd.conf':
      'default-lease-time 3600;\nsubnet 10.77.0.0 netmask 255.255.255.0 {\n  range 10.77.0.50 10.77.0.60;\n}\nauthoritative;\n',
    'kea.json': JSON.stringify({
      Dhcp4: {
        'interfaces-config': { interfaces: ['v1'] },
        'lease-database': { type: 'memfile', persist: true, name: file('kea.csv') },
        'valid-lifetime': 3600,
        'control-socket': { 'socket-type': 'unix', 'socket-name': file('kea.socket') },
        'hooks-libraries': HOOKS.map((library) => ({ library })),
        subnet4: [{ id: 1, subnet: '10.77.0.0/24', pools: [{ pool: '10.77.0.50 - 10.77.0.60' }] }],
        loggers: [{ name: 'kea-dhcp4', output_options: [{ output: 'stdout' }], severity: 'ERROR' }],
      },
    }),
    'dhcpd.leases': '',
  }
  const SERVERS = [
    [
      'dnsmasq',
      convertDnsmasq,
      'dnsmasq.leases',
      [
        ...[
          'dnsmasq',
          '--keep-in-foreground',
          '--conf-file=/dev/null',
          '--interface=v1',
          '--bind-interfaces',
          '--port=0',
        ],
        ...[
          '--user=root',
          '--dhcp-authoritative',
          '--dhcp-range=10.77.0.50,10.77.0.60,1h',
          `--pid-file=${file('pid')}`,
        ],
        `--dhcp-leasefile=${file('dnsmasq.leases')}`,
      ],
    ],
    [
      'isc-dhcp-server',
      convertIsc,
      'dhcpd.leases',
      [
        ...['dhcpd', '-f', '-4', '-cf', file('dhcpd.conf'), '-lf', file('dhcpd.leases'), '-pf', file('dhcpd.pid')],
        ...['--no-pid', 'v1'],
      ],
    ],
    ['kea-dhcp4', convertKea, 'kea.csv', ['kea-dhcp4', '-c', file('kea.json')]],
  ] as const

  test.each(takeOneIn(3, SERVERS))(
    'the lease that %s has written is of the client',
    async (_, convert, leases, command) => {
      for (const [name, text] of Object.entries(CONFIG)) writeFileSync(file(name), text)
      const env = { ...process.env, KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: 'none' }
      const log = Bun.file(file('log'))
      const child = Bun.spawn(at(server, ...command), { env, stdout: log, stderr: log })
      try {
        const lease = at(client, 'udhcpc', '-i', 'v2', '-f', '-q', '-n', '-t', '3', '-T', '1', '-s', '/bin/true')
        await waitUntil(
          () => Bun.spawnSync([...lease, '-x', 'hostname:real-client'], { timeout: 20_000 }).exitCode === 0,
          `a lease; ${readFileSync(file('log'), 'utf8')}`,
        )
        // Some write it after they have answered.
        await waitUntil(
          () => existsSync(file(leases)) && readFileSync(file(leases), 'utf8').includes('real-client'),
          'the lease is in the file',
        )
        const { hosts, documents } = await converted(convert, readFileSync(file(leases)))
        expect(hosts).toEqual([
          { ip: expect.stringMatching(/^10\.77\.0\.(5\d|60)$/), mac_address: MAC, hostname: 'real-client' },
        ])
        expect(documents.devices?.map(({ name }) => name)).toEqual(['real-client'])
        const now = new Date().toISOString()
        const read = await readLeases(readFileSync(file(leases), 'utf8'), 'auto', now)
        expect(read).toMatchObject({ leases: 1, expired: 0, errors: [] })
        expect(read.active).toEqual([
          { ip: hosts[0]?.ip ?? '', mac: MAC, hostname: 'real-client', expiresAt: expect.any(String) },
        ])
        expect(Date.parse(read.active[0]?.expiresAt ?? '') - Date.now()).toBeWithin(3_000_000, 3_700_000)
        // Its answer has the same leases as its file.
        if (leases === 'kea.csv' && HOOKS.length > 0)
          expect(await readLeases(await asked('lease4-get-all'), 'auto', now)).toEqual(read)
      } finally {
        child.kill()
        await child.exited
      }
    },
    60_000,
  )

  testAll(
    'hosts of nmap and arp-scan are read',
    async () => {
      const mac = must(at(server, 'cat', '/sys/class/net/v1/address')).trim()
      must(at(client, 'nmap', '-n', '-sS', '-p', '22,67', '-oX', file('scan.xml'), '10.77.0.0/29'))
      const scanned = await converted(convertNmap, readFileSync(file('scan.xml')))
      expect(scanned.hosts).toMatchObject([{ ip: '10.77.0.1', mac_address: mac }])
      const answered = await converted(convertArpScan, must(at(client, 'arp-scan', '--interface=v2', '10.77.0.0/29')))
      expect(answered.hosts).toMatchObject([{ ip: '10.77.0.1', mac_address: mac }])
    },
    60_000,
  )
})

test('a zone means the same as it does to BIND', async () => {
  const zone = `$TTL 1h
$ORIGIN example.org.
@ 3600 IN SOA ns1 admin.example.org. ( 1 ; serial
  7200 3600
  1209600 300 )
  IN NS ns1
ns1 A 10.0.0.1
web 300 IN A 10.0.0.7
    IN 5m AAAA 2001:db8::7
www CNAME web
MixedCase A 10.0.0.8
long TXT ( "a ; b"
   "c" )
$GENERATE 10-14/2 host-\${0,4,d} A 10.0.1.$
$ORIGIN sub.example.org.
db A 10.0.2.1
@ MX 10 db
`
  writeFileSync(file('zone'), zone)
  const compiled = must(['named-compilezone', '-q', '-s', 'full', '-o', '-', 'example.org', file('zone')])
  const [ours, theirs] = [await converted(convertZone, zone), await converted(convertZone, compiled)]
  const addresses = ({ hosts }: Conversion) => hosts.map(({ ip, hostname }) => `${hostname} ${ip}`).sort()
  expect(addresses(ours)).toEqual(addresses(theirs))
  expect(addresses(ours)).toHaveLength(8)
  const domains = ({ documents }: Conversion) =>
    documents.devices?.map((row) => `${row.hostname} ${[...(row.domains as string[])].sort()}`).sort()
  expect(domains(ours)).toEqual(domains(theirs) ?? [])
})
