import { expect, test } from 'bun:test'
import { documentProblems } from '../../../testing/estates/estate-document.ts'
import { ROWS, rackdFile, SECRET } from '../../../testing/estates/rackd.ts'
import { cutOff, damaged, outcomeOf, rubbish } from '../../../testing/hostile/hostile-files.ts'
import type { Conversion } from '../converter.ts'
import { convertRackd } from './rackd.ts'
import { parseTime } from './reservations.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const convert = async (file = rackdFile()): Promise<Conversion> => convertRackd(file, { now: NOW })

test('each row fits its resource, and each reference leads to a row', async () => {
  const { documents, packs } = await convert()
  expect(documentProblems(documents, packs)).toEqual([])
})

test('places, pools and devices keep their ids and parts', async () => {
  const { documents, source } = await convert()
  expect(source).toBe('sqlite')
  expect(documents).toEqual({
    'custom-fields': [
      {
        ...{ resource: 'devices', name: 'backed_up', label: 'Backed up', type: 'boolean' },
        refs: { rackd: 'custom_field_definitions.f2' },
      },
      {
        ...{ resource: 'devices', name: 'rack_unit', label: 'Rack unit', type: 'number' },
        refs: { rackd: 'custom_field_definitions.f1' },
      },
    ],
    datacenters: [{ id: 'dc1', name: 'Amsterdam', location: 'Street 1', description: 'mark-dc' }],
    networks: [
      {
        ...{ id: 'n1', name: 'web', subnet: '10.40.1.0/24', vlan_id: 401, datacenter: { id: 'dc1' } },
        description: 'mark-network',
      },
      { id: 'n3', name: 'v6', subnet: '2001:db8::/64', description: 'datacenter_id: mark-gone' },
    ],
    pools: [
      {
        ...{ id: 'p1', name: 'pool', network: { id: 'n1' }, start_ip: '10.40.1.20', end_ip: '10.40.1.99' },
        ...{ description: 'mark-pool', tags: ['mark-pool-tag'] },
      },
    ],
    devices: [
      {
        ...{ id: 'd1', name: 'web-1', hostname: 'web-1.example.net', make_model: 'Dell R750', os: 'Debian 12' },
        ...{
          status: 'maintenance',
          datacenter: { id: 'dc1' },
          username: 'root',
          location: 'R7',
          tags: ['prod', 'web'],
        },
        addresses: [
          {
            ...{ ip: '10.40.1.21', port: 443, type: 'ipv4', label: 'eth0', network: { id: 'n1' } },
            ...{ switch_port: 'sw-1 Gi0/1', pool: { id: 'p1' } },
          },
          { ip: '10.99.0.1', type: 'ipv4' },
        ],
        domains: ['www.example.net'],
        description: [
          'mark-device',
          'decommission_date: 2030-01-02 00:00:00+00:00',
          'domain: mark bad domain',
          '10.99.0.1 network_id: n1',
        ].join('\n'),
        custom: { rack_unit: 12, backed_up: false },
      },
      { id: 'd2', name: 'db-1', description: 'hostname: not_a host\nstatus: mark-status' },
    ],
    objects: [
      { kind: 'providers', name: 'Carrier', refs: { rackd: 'provider.carrier' } },
      {
        ...{ kind: 'circuits', name: 'C-1' },
        description: [
          ...['mark-line', 'name: mark-circuit', 'status: down', 'datacenter_b_id: mark-gone', 'device_a: web-1'],
          ...['port_a: mark-port', 'contract_number: mark-contract', 'tags: mark-tag'],
        ].join('\n'),
        custom: {
          ...{ provider: { ref: 'rackd:provider.carrier' }, type: 'fiber', status: 'offline', a_place: { id: 'dc1' } },
          ...{ install_date: '2025-01-02', commit_kbps: 1_000_000 },
        },
        refs: { rackd: 'circuits.c1' },
      },
      {
        ...{ kind: 'circuits', name: 'C-2', description: 'name: plain' },
        custom: { provider: { ref: 'rackd:provider.carrier' }, status: 'active' },
        refs: { rackd: 'circuits.second' },
      },
      {
        ...{ kind: 'nat-rules', name: 'mark-nat', description: 'mark-rule' },
        custom: {
          ...{ type: 'destination', inside: ['10.40.1.21'], outside: ['192.0.2.1'], protocol: 'tcp' },
          ...{ inside_port: '8443', outside_port: '443', device: { id: 'd1' }, enabled: false },
        },
        refs: { rackd: 'nat_mappings.x1' },
      },
    ],
    relationships: [{ parent: { id: 'd1' }, child: { id: 'd2' }, type: 'depends_on', notes: 'mark-relationship' }],
    reservations: [
      {
        ...{
          id: 'r1',
          pool: { id: 'p1' },
          ip_address: '10.40.1.30',
          hostname: 'new.example.net',
          purpose: 'migration',
        },
        ...{ notes: 'mark-notes\nreserved_by: mark-user', expires_at: '2030-01-02T03:04:05.123Z' },
      },
    ],
  })
})

test('each marked text is in a row or left over, and each row is counted', async () => {
  const { documents, leftover, report } = await convert()
  const found = JSON.stringify([documents, leftover])
  const marks = [...new Set(JSON.stringify(ROWS).match(/mark-[a-z-]+/g))]
  expect(marks.length).toBeGreaterThan(20)
  expect(marks.filter((mark) => !found.includes(mark))).toEqual([])
  const unread = ['users', 'api_keys']
  for (const [table, rows] of Object.entries(ROWS))
    if (!unread.includes(table)) expect([table, report.read[table]]).toEqual([table, rows.length])
})

test('secrets are dropped and counted, and accounts are not read', async () => {
  const conversion = await convert()
  expect(JSON.stringify(conversion)).not.toContain(SECRET)
  for (const what of ['dns_provider_configs.token', 'custom_field_values.IPMI password'])
    expect(conversion.report.left).toContainEqual({ what, count: 1, why: 'is a secret' })
  for (const what of ['users', 'api_keys'])
    expect(conversion.report.left).toContainEqual({ what, count: 1, why: 'is not read' })
})

test('reservations that hold nothing are left over with their reasons', async () => {
  const { report } = await convert()
  expect(report.left.filter(({ what }) => what === 'reservations').map(({ why }) => why)).toMatchObject([
    'has expired',
    'is released',
    'is an address of a device',
  ])
})

test('tables and columns of an old version are enough', async () => {
  const file = rackdFile('DROP TABLE reservations', 'ALTER TABLE devices DROP COLUMN status', 'DROP TABLE pool_tags')
  const { documents } = await convert(file)
  expect([documents.devices?.length, documents.pools?.length, documents.reservations]).toEqual([2, 1, []])
})

test('a view in place of a table is passed over', async () => {
  const file = rackdFile(
    'DROP TABLE tags',
    "CREATE VIEW tags AS SELECT 'd1' AS device_id, 'from-a-view' AS tag",
    'CREATE TRIGGER t AFTER INSERT ON devices BEGIN SELECT 1; END',
  )
  expect(JSON.stringify(await convert(file))).not.toContain('from-a-view')
})

test('a generated column is not computed', async () => {
  const file = rackdFile('ALTER TABLE devices ADD COLUMN bomb AS (zeroblob(900000000))')
  expect(JSON.stringify(await convert(file))).not.toContain('bomb')
})

test('a file with the mark of a write-ahead log is read', async () => {
  const file = rackdFile()
  file[18] = 2
  file[19] = 2
  expect((await convert(file)).documents.devices).toHaveLength(2)
})

test('a tree that names the same page again and again is refused', async () => {
  const file = rackdFile(
    "INSERT INTO circuits (id, name, circuit_id, provider) SELECT 'c' || value, printf('%.400c', 'x'), value, 'p' FROM (WITH RECURSIVE n(value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < 2000) SELECT value FROM n)",
  )
  const pageSize = Buffer.from(file.buffer).readUInt16BE(16)
  // Each interior page of the table gets its first child in place of all others.
  for (let page = pageSize; page < file.length; page += pageSize) {
    const view = Buffer.from(file.buffer, page, pageSize)
    if (view[0] !== 5) continue
    const cells = view.readUInt16BE(3)
    const child = view.readUInt32BE(view.readUInt16BE(12))
    for (let cell = 0; cell < cells; cell++) view.writeUInt32BE(child, view.readUInt16BE(12 + 2 * cell))
    view.writeUInt32BE(page / pageSize + 1, 8)
  }
  expect(await outcomeOf(convertRackd, file)).not.toBe('document')
})

test('a file that is cut off anywhere is refused', async () => {
  const outcomes = new Set<string>()
  for (const cut of cutOff(rackdFile(), 200)) outcomes.add(await outcomeOf(convertRackd, cut))
  expect(outcomes).not.toContain('document')
})

test('a damaged file is refused or converted', async () => {
  for (const copy of damaged(rackdFile(), 300)) expect(await outcomeOf(convertRackd, copy)).toBeString()
})

test('rubbish and another database are refused', async () => {
  for (const bytes of rubbish(100)) expect(await outcomeOf(convertRackd, bytes)).not.toBe('document')
  expect(await outcomeOf(convertRackd, rackdFile('DROP TABLE network_pools'))).toBe(
    'the file: is no database of rackd: it has no tables devices and network_pools',
  )
})

test.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04:05.123456789 +0000 UTC', '2026-01-02T03:04:05.123Z'],
  ['2026-01-02 03:04:05.5 +0200 CEST m=+0.1', '2026-01-02T01:04:05.500Z'],
  ['2026-01-02 03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['yesterday', undefined],
])('the time %s is %s', (text, expected) => {
  expect(parseTime(text)?.toISOString()).toBe(expected as string)
})
