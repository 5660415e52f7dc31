/** `plat dns ...` against a server in process and a BIND: names in place of ids, and the exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from '../../testing/servers/dns-servers.ts'
import { until } from '../../testing/until.ts'

describe('plat dns', () => {
  let server: TestDnsServer
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    server = await startNamed()
    app = await testApp({ env: { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32) } })
    admin = await app.as('admin')
    await admin.api.devices.create({ name: 'web', hostname: 'web.example.org', addresses: [{ ip: '10.0.0.1' }] })
  }, 60_000)
  afterAll(async () => {
    await app.close()
    await server.stop()
  })

  const run = (...argv: string[]) => runCommand({ app, key: admin.key }, { argv: ['dns', ...argv] })

  test('the command makes a server and a zone, and the exit code of its check tells if there is drift', async () => {
    const [, key] = DNS_KEYS
    const secret = Buffer.from(key?.secret ?? []).toString('base64')
    const flags = ['--port', String(server.port), '--tsig-name', key?.name ?? '', '--tsig-secret', secret]
    expect(await run('provider', 'create', 'ns1', '127.0.0.1', ...flags)).toMatchObject({ code: 0 })
    expect(await run('provider', 'test', 'ns1', '--zone', 'example.org')).toMatchObject({ code: 0 })
    expect(await run('provider', 'test', 'ns1', '--zone', 'example.net')).toMatchObject({ code: 6 })
    const watched = ['--provider-id', 'ns1', '--mode', 'watched']
    expect(await run('zone', 'create', '--name', 'example.org', ...watched)).toMatchObject({ code: 0 })
    expect(await run('provider', 'delete', 'ns1')).toMatchObject({ code: 5 })
    const drifted = await run('zone', 'check', 'example.org', '-o', 'json')
    expect([drifted.code, JSON.parse(drifted.out).missing]).toEqual([5, 1])
    expect(await run('zone', 'update', 'example.org', '--mode', 'managed')).toMatchObject({ code: 0 })
    const zone = async () => (await admin.api.dnsZones.list({ name: 'example.org' }))[0]
    await until('the zone in sync', async () => (await zone())?.last_synced_at ?? undefined)
    expect(await run('zone', 'check', 'example.org', '-o', 'json')).toMatchObject({ code: 0 })
    expect((await run('zone', 'rrsets', 'example.org', '-o', 'csv')).out).toContain('web.example.org')
    expect((await run('zone', 'sync', 'example.org', '--dry-run', '-o', 'json')).out).toContain('"creates":0')
    expect(await run('record', 'create', 'example.org', '@', 'MX', '10 mail.example.net')).toMatchObject({ code: 0 })
    expect((await run('record', 'list', '--zone-id', 'example.org')).out).toContain('10 mail.example.net')
  }, 60_000)

  test('needs a zone to check', async () => {
    expect(await run('zone', 'check', 'none')).toMatchObject({ code: 4 })
    expect(await run('zone', 'check')).toMatchObject({ code: 2 })
  })
})
