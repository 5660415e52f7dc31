import { describe, expect, test } from 'bun:test'
import { documentProblems } from '../../../testing/estates/estate-document.ts'
import { apiJson, mysqlDump, SECRET, TABLES } from '../../../testing/estates/phpipam.ts'
import { cutOff, damaged, outcomeOf, rubbish } from '../../../testing/hostile/hostile-files.ts'
import type { Conversion } from '../converter.ts'
import { convertPhpipam } from './phpipam.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const convert = async (text: string): Promise<Conversion> => convertPhpipam(bytesOf(text), { now: new Date(0) })
const outcome = (text: string) => outcomeOf(convertPhpipam, bytesOf(text))

const FORMS: [string, string][] = [
  ['a mysqldump', mysqlDump()],
  ['a mysqldump with columns', mysqlDump(true)],
  ['lists of JSON', apiJson()],
  ['answers of the API', apiJson(true)],
]

describe.each(FORMS)('%s', (_, text) => {
  test('gives the same document as the other forms', async () => {
    expect((await convert(text)).documents).toEqual((await convert(mysqlDump())).documents)
  })

  test('has each marked text in a row or left over', async () => {
    const { documents, leftover } = await convert(text)
    const marks = [...new Set(JSON.stringify(TABLES).match(/mark-[a-z0-9-]+/g))]
    const found = JSON.stringify([documents, leftover])
    expect(marks.length).toBeGreaterThan(15)
    expect(marks.filter((mark) => !found.includes(mark))).toEqual([])
  })

  test('shows no secret, and counts each', async () => {
    const conversion = await convert(text)
    expect(JSON.stringify(conversion)).not.toContain(SECRET)
    expect(conversion.report.left.filter(({ why }) => why === 'is a secret')).toMatchObject([
      { what: 'subnets.custom_secret_key', count: 1, why: 'is a secret' },
      { what: 'devices.snmp_community', count: 1, why: 'is a secret' },
      { what: 'devices.snmp_v3_auth_pass', count: 1, why: 'is a secret' },
    ])
    expect(conversion.report.left).toContainEqual({ what: 'users', count: 1, why: 'is not read' })
  })

  test('is refused when it is cut off anywhere', async () => {
    const outcomes = new Set<string>()
    for (const cut of cutOff(bytesOf(text.replace(/ on 2026.*\n$/, '')), 300))
      outcomes.add(await outcomeOf(convertPhpipam, cut))
    expect(outcomes).not.toContain('document')
  })

  test('is refused or converted when it is damaged', async () => {
    for (const copy of damaged(bytesOf(text), 300)) expect(await outcomeOf(convertPhpipam, copy)).toBeString()
  })
})

test('each row fits its resource, and each reference leads to a row', async () => {
  const { documents, packs } = await convert(mysqlDump())
  expect(documentProblems(documents, packs)).toEqual([])
})

/** The names of objects in refs that are not the singular of their table. */
const OBJECT_REFS: Readonly<Record<string, string>> = {
  ...{ addresses: 'address', circuitProviders: 'provider', circuitsLogical: 'logical', nat: 'nat', routing_bgp: 'bgp' },
}

test('each row of the source is in a row of the document or left over', async () => {
  const { documents, leftover, report } = await convert(mysqlDump())
  const names: Record<string, string> = { ipaddresses: 'addresses', vlanDomains: 'l2domains', vrf: 'vrfs' }
  const refs = JSON.stringify(documents)
  for (const [table, { rows }] of Object.entries(TABLES)) {
    if (table === 'users' || table === 'vaultItems') continue
    const name = names[table] ?? table
    expect([name, report.read[name]]).toEqual([name, rows.length])
    const left = leftover[name] ?? []
    for (const { id, vlanId, vrfId, tid } of rows) {
      const key = String(id ?? vlanId ?? vrfId ?? tid)
      const isLeft = left.some((row) => Object.values(row as object).includes(key))
      // Two addresses of web-1, and one of the switch, are on the device of another row.
      const isPart = name === 'addresses' && ['2', '3'].includes(key)
      const ref = `"${OBJECT_REFS[name] ?? name.slice(0, -1)}.${key}"`
      // The type of a device is its role.
      const isRole = name === 'deviceTypes' && refs.includes('"role":"mark-type"')
      // Values of circuits and BGP peers.
      const isValue = ['circuitTypes', 'circuitsLogicalMapping', 'routing_subnets'].includes(name)
      expect([name, key, isLeft || isPart || isRole || isValue || refs.includes(ref)]).toEqual([name, key, true])
    }
  }
})

test('VLANs keep their number and the name of their L2 domain; the id is in the group of an equal one', async () => {
  const { documents, report, leftover } = await convert(mysqlDump())
  expect(documents.vlans).toEqual([
    { vlan_id: 401, name: 'mark-vlan', description: 'mark-vlan-text', refs: { phpipam: 'vlan.3' } },
    { vlan_id: 402, name: 'mark-storage', group: 'mark-fabric', refs: { phpipam: 'vlan.4' } },
    { vlan_id: 402, name: 'VLAN 402', group: 'mark-fabric #5', refs: { phpipam: 'vlan.5' } },
  ])
  expect({ made: report.made.vlans, read: report.read.vlans, left: leftover.vlans?.length }).toEqual({
    ...{ made: 3, read: 4, left: 1 },
  })
})

test('subnets are networks with their VLAN and tenant, and lines of section and folder', async () => {
  const { documents } = await convert(mysqlDump())
  expect(documents.networks?.[0]).toEqual({
    name: 'web',
    subnet: '10.40.1.0/24',
    vlan_id: 401,
    datacenter: { ref: 'phpipam:location.1' },
    space: { ref: 'phpipam:vrf.1' },
    description: 'section: Customers\nfolder: mark-folder',
    custom: { owner: 'mark-owner', tenant: { ref: 'phpipam:customer.1' } },
    refs: { phpipam: 'subnet.2' },
  })
  expect(documents.networks?.slice(1).map(({ name, subnet, description }) => [name, subnet, description])).toEqual([
    ['10.40.1.0/25', '10.40.1.0/25', 'section: Customers\nstate: Reserved'],
    ['v6', '2001:db8::/64', 'section: Customers'],
  ])
})

test('custom fields have the types of their columns, as far as the values keep to them', async () => {
  const columns = [
    ...['`id` int', '`hostname` varchar(255)', '`custom_Rack Unit` int(11)', '`custom_on` tinyint(1)'],
    ...["`custom_tier` enum('gold','tin''s') DEFAULT 'gold'", '`custom_since` date', '`custom_cost` decimal(10,2)'],
    "`custom_uses` set('a','b')",
    '`custom_mixed` int',
  ]
  const rows = [
    "(1,'a','7','1','gold','2024-02-29','1.50','a,b','12')",
    "(2,'b','8','0','tin''s','0000-00-00','2','b','many')",
  ]
  const { documents } = await convert(
    `CREATE TABLE \`devices\` (${columns.join(', ')});\nINSERT INTO \`devices\` VALUES ${rows.join(',')};\n`,
  )
  expect(documentProblems(documents)).toEqual([])
  const types = documents['custom-fields']?.map(({ name, type, multiple, choices }) => [name, type, multiple, choices])
  expect(types).toEqual([
    ['rack_unit', 'integer', undefined, undefined],
    ['cost', 'number', undefined, undefined],
    ['mixed', 'text', undefined, undefined],
    ['on', 'boolean', undefined, undefined],
    ['since', 'date', undefined, undefined],
    ['tier', 'choice', undefined, ['gold', "tin's"]],
    ['uses', 'choice', true, ['a', 'b']],
  ])
  expect(documents.devices?.map(({ custom }) => custom)).toEqual([
    {
      ...{ rack_unit: 7, on: true, tier: 'gold', since: '2024-02-29', cost: 1.5, uses: ['a', 'b'], mixed: '12' },
    },
    { rack_unit: 8, on: false, tier: "tin's", cost: 2, uses: ['b'], mixed: 'many' },
  ])
})

test('a rack has its units, and devices are in them; units of the back follow the units of the front', async () => {
  const { documents, report } = await convert(
    JSON.stringify({
      subnets: [],
      locations: [
        { id: 1, name: 'A' },
        { id: 2, name: 'B' },
      ],
      racks: [{ id: 1, name: 'R', size: 10, location: 1, row: 'Row 2', hasBack: 1, topDown: 1, custom_key: 'x' }],
      devices: [
        { id: 1, hostname: 'front', rack: 1, rack_start: 3, rack_size: 2, location: 1 },
        { id: 2, hostname: 'back', rack: 1, rack_start: 13, rack_size: 1, location: 1 },
        { id: 3, hostname: 'taken', rack: 1, rack_start: 4, location: 1 },
        { id: 4, hostname: 'elsewhere', rack: 1, rack_start: 1, location: 2 },
      ],
    }),
  )
  expect(documentProblems(documents)).toEqual([])
  expect(documents.racks).toEqual([
    {
      ...{ name: 'R', datacenter: { ref: 'phpipam:location.1' }, location: 'Row 2', height: 10 },
      ...{ numbering: 'top_down', custom: { key: 'x' }, refs: { phpipam: 'rack.1' } },
    },
  ])
  expect(documents.devices?.map(({ mount, location }) => mount ?? location)).toMatchObject([
    { position: 3, height: 2, face: 'front', full_depth: false },
    { position: 3, height: 1, face: 'rear' },
    { position: null },
    'R, U1',
  ])
  expect(report.left).toContainEqual(
    expect.objectContaining({ what: 'devices.rack_start', count: 1, why: 'overlaps with another device' }),
  )
})

test('a host name is one device in any case, and may be that of a device', async () => {
  const { documents } = await convert(mysqlDump())
  expect(documents.devices?.slice(0, 2)).toEqual([
    {
      name: 'SW-1.example.net',
      hostname: 'SW-1.example.net',
      datacenter: { ref: 'phpipam:location.2' },
      location: 'mark-rack, U12',
      // The port is its own, because the address names the device as its switch.
      addresses: [{ ip: '10.40.1.2', network: { ref: 'phpipam:subnet.2' }, interface: 'mark-a3-port' }],
      description: ['mark-device', '10.40.1.2 description: mark-a3'].join('\n'),
      role: 'mark-type',
      custom: { note: 'it\'s a \\ "switch"\nwith two lines' },
      refs: { phpipam: 'device.4' },
    },
    {
      name: 'Web-1',
      hostname: 'Web-1',
      datacenter: { ref: 'phpipam:location.1' },
      addresses: [
        {
          ...{ ip: '10.40.1.10', network: { ref: 'phpipam:subnet.2' }, switch_port: 'SW-1.example.net Gi0/1' },
          ...{ mac_address: '00:11:22:33:44:55', custom: { asset: 'mark-a1-asset' } },
        },
        { ip: '2001:db8::1', network: { ref: 'phpipam:subnet.4' }, interface: 'mark-a2-port' },
      ],
      description: [
        '10.40.1.10 description: mark-a1',
        '10.40.1.10 owner: mark-a1-owner',
        '10.40.1.10 note: mark-a1-note',
        '2001:db8::1 state: Offline',
      ].join('\n'),
      refs: { phpipam: 'address.1' },
    },
  ])
})

test('an address without a host name is a reservation, or a device with its description or address as the name', async () => {
  const { documents, report } = await convert(mysqlDump())
  const pool = { ref: 'phpipam:subnet.2.addresses' }
  expect(documents.reservations).toEqual([
    {
      pool,
      ip_address: '10.40.1.11',
      purpose: 'held',
      notes: 'state: Reserved\nnote: mark-a4-note',
      refs: { phpipam: 'address.4' },
    },
    {
      pool,
      ip_address: '10.40.1.12',
      purpose: 'DHCP',
      mac_address: '00:11:22:33:44:66',
      refs: { phpipam: 'address.5' },
    },
  ])
  expect(documents.devices?.slice(2).map(({ name, description }) => [name, description])).toEqual([
    ['Gateway', 'is_gateway: 1'],
    ['10.40.1.14', undefined],
  ])
  expect(report.left.filter(({ what }) => what === 'addresses')).toMatchObject([
    { what: 'addresses', count: 1, why: 'is a network or broadcast address' },
    { what: 'addresses', count: 1, why: 'is an address of a device' },
    { what: 'addresses', count: 1, why: 'is in no subnet of the file' },
  ])
})

const insert = (values: string) => `INSERT INTO locations (id, name) VALUES ${values};`

test.each([
  ["(1,'a\\'b''c\\\\d\\n')", "a'b'c\\d"],
  ['(1,"a""b")', 'a"b'],
  ["(1,X'416d73')", 'Ams'],
  ['(1,0x416d73)', 'Ams'],
  ["(1,_utf8mb4'Ams')", 'Ams'],
  ["(1,b'101')", '5'],
  ["/* c */ ( 1 , -- d\n 'A;m' )", 'A;m'],
  ["(1,'\u00e9\u{1f310}')", '\u00e9\u{1f310}'],
])('reads the literals of %s', async (values, name) => {
  expect((await convert(insert(values))).documents.datacenters?.[0]?.name).toBe(name)
})

test.each([
  [
    'no columns',
    "INSERT INTO locations VALUES (1,'a');",
    'byte 12: locations has no columns; dump it with its table or with --complete-insert',
  ],
  ['too many values', insert("(1,'a',2)"), 'byte 40: a row of locations has 3 of 2 columns'],
  ['no statement at all', 'hello', 'byte 5: the file ends inside a statement'],
  ['no table', 'SET a = 1;', 'the file: has no INSERT of a table of phpIPAM'],
  [
    'an error of the API',
    '{"subnets":{"code":403,"success":false,"message":"No rights"}}',
    'byte 11: subnets: No rights',
  ],
  ['a value for a table', '{"subnets":7}', 'byte 11: "subnets" is no table of phpIPAM'],
])('a file with %s is refused', async (_, text, message) => {
  expect(await outcome(text)).toBe(message)
})

test('rubbish is refused or has nothing to convert', async () => {
  for (const bytes of rubbish(300)) expect(await outcomeOf(convertPhpipam, bytes)).toBeString()
})

test('custom fields that the API nests are read as if they were not', async () => {
  const { documents } = await convert('{"locations":[{"id":1,"name":"A","custom_fields":{"floor":"3"}}]}')
  expect(documents.datacenters?.[0]?.description).toBe('floor: 3')
})

test('VRFs and sections with the same subnets as others are address spaces', async () => {
  const subnet = (id: string, sectionId: string, more: object = {}) => ({
    ...{ id, sectionId, subnet: '10.0.0.0', mask: '24', description: `net ${id}` },
    ...more,
  })
  const address = (id: string, subnetId: string, more: object) => ({ id, subnetId, ip: '10.0.0.5', ...more })
  const { documents, packs, report } = await convert(
    JSON.stringify({
      sections: [
        { id: '1', name: 'Customers' },
        { id: '2', name: 'Lab', description: 'overlaps', strictMode: '1' },
        { id: '3', name: 'Other' },
      ],
      vrfs: [{ id: '4', name: 'lab', rd: '65000:4', description: 'of a customer' }],
      subnets: [
        subnet('1', '1'),
        subnet('2', '2'),
        subnet('3', '1', { vrfId: '4' }),
        subnet('4', '3', { subnet: '10.0.1.0' }),
        subnet('5', '3', { vrfId: '7' }),
      ],
      addresses: [
        address('1', '1', { tag: '3' }),
        address('2', '2', { tag: '3' }),
        address('3', '3', { hostname: 'router' }),
        address('4', '4', { ip: '10.0.1.5', hostname: 'router' }),
        address('5', '5', { hostname: 'router' }),
        address('6', '5', { tag: '3' }),
        address('7', '2', { tag: '3' }),
      ],
    }),
  )
  expect(documentProblems(documents, packs)).toEqual([])
  expect(documents.spaces).toEqual([
    { name: 'lab', description: 'of a customer', custom: { rd: '65000:4' }, refs: { phpipam: 'vrf.4' } },
    { name: 'VRF #7', refs: { phpipam: 'vrf.7' } },
    { name: 'Lab (section #2)', description: 'overlaps', refs: { phpipam: 'section.2' } },
  ])
  const spaces = documents.networks?.map(({ space }) => (space as { ref: string } | undefined)?.ref)
  expect(spaces).toEqual([undefined, 'phpipam:section.2', 'phpipam:vrf.4', undefined, 'phpipam:vrf.7'])
  expect(documents.devices?.map(({ addresses }) => addresses)).toEqual([
    [
      { ip: '10.0.0.5', network: { ref: 'phpipam:subnet.3' } },
      { ip: '10.0.1.5', network: { ref: 'phpipam:subnet.4' } },
      { ip: '10.0.0.5', network: { ref: 'phpipam:subnet.5' } },
    ],
  ])
  expect(documents.reservations?.map(({ pool }) => (pool as { ref: string }).ref)).toEqual([
    'phpipam:subnet.1.addresses',
    'phpipam:subnet.2.addresses',
  ])
  expect(report.left.filter(({ what }) => what === 'addresses').map(({ why }) => why)).toMatchObject([
    'is an address of a device',
    'is reserved already',
  ])
})
