/** Files of programs that look like a format, and versions that write it otherwise. */
import { expect, test } from 'bun:test'
import { outcomeOf } from '../../testing/hostile/hostile-files.ts'
import { isExportAsCsv } from './formats.ts'
import { convertNetbox } from './netbox/netbox.ts'
import { convertPhpipam } from './phpipam/phpipam.ts'

const encode = (value: string | object): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

const NAUTOBOT = 'the file: is of Nautobot, which is not read'
const OLD = 'the file: is of a NetBox before 2.11, which is not read: upgrade a copy of it first'
const ID = '89b2ac3b-1853-4eeb-9ea6-6a081999bd3c'
const pgDump = (...tables: readonly string[]) =>
  `--\n-- PostgreSQL database dump\n--\n${tables.join('')}-- PostgreSQL database dump complete\n`
const copy = (table: string, columns: string, ...rows: readonly string[]) =>
  `COPY public.${table} (${columns}) FROM stdin;\n${rows.map((row) => `${row}\n`).join('')}\\.\n`

test.each([
  ['the API of Nautobot', { 'dcim/devices': [{ id: ID, name: 'a' }] }, NAUTOBOT],
  ['dumpdata of Nautobot', [{ model: 'extras.status', pk: ID, fields: { name: 'Active' } }], NAUTOBOT],
  [
    'a pg_dump of Nautobot',
    pgDump(
      copy('django_content_type', 'id, app_label, model', '1\tdcim\tdevice'),
      copy('dcim_device', 'id, name', `${ID}\ta`),
    ),
    NAUTOBOT,
  ],
  ['the API of NetBox 2.10', { 'dcim/racks': [{ id: 1, name: 'a', site: { id: 1 }, group: null }] }, OLD],
  ['dumpdata of NetBox 2.10', [{ model: 'dcim.rackgroup', pk: 1, fields: { name: 'a', site: 1 } }], OLD],
  [
    'a pg_dump of NetBox 2.10',
    pgDump(copy('django_content_type', 'id, app_label, model', '1\tdcim\tdevice', '2\tdcim\trackgroup')),
    OLD,
  ],
] as const)('%s is not taken for a NetBox', async (_, file, message) => {
  expect(await outcomeOf(convertNetbox, encode(file))).toBe(message)
})

test('a NetBox of 4.6 with groups of racks is one', async () => {
  const file = {
    'dcim/rack-groups': [{ id: 1, name: 'Row 1', slug: 'row-1' }],
    'dcim/racks': [{ id: 1, name: 'R1', location: null, group: { id: 1, url: '/api/dcim/rack-groups/1/' } }],
  }
  expect(await outcomeOf(convertNetbox, encode(file))).toBe('document')
})

test('choices of NetBox 4.7, which have a value and a label, stay choices', async () => {
  const field = (id: number, name: string, type: string, more: object = {}) => ({
    ...{ id, name, type: { value: type, label: type }, object_types: ['dcim.site'] },
    ...more,
  })
  const set = { choice_set: { id: 1, url: '/api/extras/custom-field-choice-sets/1/', name: 'Tiers' } }
  const { documents } = await convertNetbox(
    encode({
      'extras/custom-field-choice-sets': [
        {
          id: 1,
          name: 'Tiers',
          extra_choices: [
            ['gold', 'Gold'],
            ['tin', 'Tin'],
          ],
        },
      ],
      'extras/custom-fields': [
        field(1, 'tier', 'select', set),
        field(2, 'tiers', 'multiselect', set),
        field(3, 'free', 'json'),
      ],
      'dcim/sites': [
        {
          ...{ id: 1, name: 'Berlin', slug: 'berlin' },
          custom_fields: {
            tier: { value: 'gold', label: 'Gold' },
            tiers: [{ value: 'gold', label: 'Gold' }, 'tin'],
            free: { value: 1, label: 'x' },
          },
        },
      ],
    }),
    { now: new Date(0) },
  )
  expect(
    documents['custom-fields']?.map(({ name, type, multiple, choices }) => [name, type, multiple ?? false, choices]),
  ).toEqual([
    ['free', 'text', false, undefined],
    ['tier', 'choice', false, ['gold', 'tin']],
    ['tiers', 'choice', true, ['gold', 'tin']],
  ])
  expect(documents.datacenters?.[0]?.custom).toEqual({
    tier: 'gold',
    tiers: ['gold', 'tin'],
    free: '{"value":1,"label":"x"}',
  })
})

test('a dump of phpIPAM before 1.3.2 has the host names of its addresses', async () => {
  const sql =
    "-- MySQL dump 10.13\nINSERT INTO `subnets` (`id`,`subnet`,`mask`) VALUES ('1','167772160','24');\nINSERT INTO `ipaddresses` (`id`,`subnetId`,`ip_addr`,`dns_name`,`state`) VALUES ('1','1','167772167','web.example.org','2');\n-- Dump completed on 2018-01-01\n"
  const { documents } = await convertPhpipam(encode(sql), { now: new Date(0) })
  expect(documents.devices?.map(({ hostname, addresses }) => [hostname, addresses])).toEqual([
    ['web.example.org', [{ ip: '10.0.0.7', network: { ref: 'phpipam:subnet.1' } }]],
  ])
})

test.each([
  [
    'RackTables',
    'CREATE TABLE `IPv4Network` (\n`id` int\n);\nINSERT INTO `IPv4Network` VALUES (1);\n',
    'it has the table IPv4Network',
  ],
  [
    'another program',
    'CREATE TABLE `wp_posts` (\n`id` int\n);\nINSERT INTO `wp_posts` VALUES (1);\n',
    'it has no table of phpIPAM',
  ],
])('a dump of %s is not taken for a phpIPAM', async (_, sql, why) => {
  expect(await outcomeOf(convertPhpipam, encode(`-- MySQL dump 10.13\n${sql}-- Dump completed on 2020-01-01\n`))).toBe(
    `the file: is a dump of another program: ${why}`,
  )
})

test.each([
  ['header-network,address*,netmask*\nnetwork,10.0.0.0,255.255.255.0\n', true],
  ['#TYPE x\r\n"IPAddress","ScopeId","AddressState"\r\n', true],
  ['\ufeff"IPAddress","ScopeId","ClientId"\n', true],
  ['address,hwaddr,client_id,valid_lifetime\n', true],
  ['address,duid,valid_lifetime\n', true],
  ['name,ip,address\nweb,10.0.0.1,x\n', false],
  ['IP Address,Scope\n10.0.0.1,x\n', false],
  ['address,city\n', false],
])('whether a file that begins with %j is an export of another program: %p', (head, isExport) => {
  expect(isExportAsCsv(head)).toBe(isExport)
})
