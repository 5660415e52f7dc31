// The files of zones, as BIND reads them.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { until } from '../../../testing/until.ts'
import type { DnsZone } from './schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-zones-'))
let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
  const addresses = [
    { ip: '192.0.2.5' },
    { ip: '192.0.2.70', label: 'b', dns_name: 'deep.web.example.org' },
    { ip: '2001:db8::5', label: 'primary' },
  ]
  await admin.api.devices.create({
    name: 'web',
    hostname: 'web.example.org',
    domains: ['*.wild.example.org'],
    addresses,
  })
}, 60_000)
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

const made = async (path: string, body: object): Promise<string> => {
  const answer = await ask(admin, `POST ${path}`, body)
  expect([answer.status, answer.body]).toMatchObject([201, {}])
  return (answer.body as unknown as { id: string }).id
}

const RECORDS = [
  { name: '@', type: 'MX', value: '10 mail.example.org' },
  { name: 'mail', type: 'A', value: '192.0.2.9' },
  { name: 'txt', type: 'TXT', value: `"quoted" \\ back; ${'x'.repeat(300)}` },
  { name: '_sip._tcp', type: 'SRV', value: '10 20 5060 mail.example.org' },
  { name: '@', type: 'CAA', value: '0 issue "ca.example.net"' },
  { name: 'www', type: 'CNAME', value: 'web.example.org' },
  { name: 'child', type: 'NS', value: 'ns.example.net' },
  { name: 'web', type: 'SSHFP', value: `4 2 ${'ab'.repeat(32)}` },
] as const

test.each([
  [
    'example.org',
    { name: 'example.org' },
    ['web.example.org. 3600 IN AAAA 2001:db8::5', 'deep.web.example.org. 3600 IN A 192.0.2.70'],
  ],
  [
    '2.0.192.in-addr.arpa',
    { subnet: '192.0.2.0/24' },
    [
      '5.2.0.192.in-addr.arpa. 3600 IN PTR web.example.org.',
      '70.2.0.192.in-addr.arpa. 3600 IN CNAME 70.other.2.0.192.in-addr.arpa.',
    ],
  ],
  [
    '64/26.2.0.192.in-addr.arpa',
    { subnet: '192.0.2.64/26' },
    ['70.64/26.2.0.192.in-addr.arpa. 3600 IN PTR deep.web.example.org.'],
  ],
  [
    '8.b.d.0.1.0.0.2.ip6.arpa',
    { subnet: '2001:db8::/32' },
    [`5${'.0'.repeat(23)}.8.b.d.0.1.0.0.2.ip6.arpa. 3600 IN PTR web.example.org.`],
  ],
])('the file of %s is accepted, and has the records', async (name, given, records) => {
  if (name === '2.0.192.in-addr.arpa')
    await made('/api/dns/zones', { subnet: '192.0.2.64/26', name: 'other.2.0.192.in-addr.arpa' })
  const zone = { ...given, nameservers: ['ns.example.net'], admin_email: 'host.master@example.org' }
  const id = await made('/api/dns/zones', zone)
  if (name === 'example.org') for (const record of RECORDS) await made('/api/dns/records', { zone_id: id, ...record })
  await until('settled zone', async () => {
    const { body } = await ask(admin, `GET /api/dns/zones/${id}`)
    return (body as unknown as DnsZone).status === 'in_sync' || undefined
  })
  const feed = await made('/api/feeds', { name, format: 'zone', zone_id: id })
  const text = await (await admin.request('GET', `/api/feeds/${feed}/content`)).text()
  const file = join(folder, 'zone')
  writeFileSync(file, text)
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  const { exitCode, stdout, stderr } = Bun.spawnSync(['named-compilezone', '-s', 'full', '-o', '-', name, file], {
    env,
  })
  expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining('OK')])
  const lines = stdout.toString().replace(/[\t ]+/g, ' ')
  for (const record of records) expect(lines).toContain(record)
})
