// Plans of scanners: logins are sealed for the scanner, and only with `use_credentials`; nothing else has them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { deepHost } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createScanner } from '../../../testing/servers/wire-scanner.ts'
import { openLogins } from '../../scanner/seal.ts'

const SECRETS = ['c0mmunity-secret', 'ssh-pass-secret', 'snmp-auth-secret']

describe.each(onSqlite())('plans of scanners on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    const env = {
      ...{ ENCRYPTION_KEY: 'ab'.repeat(32), DISCOVERY_SNMPV2C_ENABLED: 'true' },
      ...{ DISCOVERY_FINGERPRINTS_DIR: import.meta.dirname, DISCOVERY_PORTS: '22,80', DISCOVERY_RATE: '77' },
    }
    app = await testApp({ dialect, withJobs: false, env })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close())

  type Setting = { readonly use_credentials: boolean; readonly scan_type?: 'quick' | 'full' | 'deep' }
  const begin = async ({ use_credentials, scan_type = 'deep' }: Setting) => {
    const name = `scanner ${++count}`
    const scanner = await createScanner(fetchFrom(app.plat), admin, { name, use_credentials })
    const network = await admin.api.networks.create({ name, subnet: `127.8.${count}.0/24`, scanner: name })
    const of = { network_id: network.id }
    const [community, password, auth] = SECRETS
    await admin.api.credentials.create({ ...of, name: `v2 ${count}`, type: 'snmp_v2c', community })
    await admin.api.credentials.create({
      ...of,
      name: `ssh ${count}`,
      type: 'ssh_password',
      username: 'root',
      password,
    })
    await admin.api.credentials.create({
      ...{ ...of, name: `v3 ${count}`, type: 'snmp_v3', username: 'u', auth_protocol: 'SHA', auth_password: auth },
    })
    const started = await admin.api.scans.start({ id: network.id, scan_type })
    const id = 'id' in started ? started.id : ''
    const poll = () => scanner.post('/api/scanner/poll', { protocol: 1, version: '1', holding: [], listen_tag: '' })
    return { scanner, network, id, poll, at: (last: number) => `127.8.${count}.${last}` }
  }
  const getNotes = async (id: string) => (await admin.api.scans.get({ id })).log.map(({ text }) => text)
  const findShown = (text: string) => SECRETS.filter((secret) => text.includes(secret))

  test('logins are sealed for the scanner with `use_credentials`', async () => {
    const { scanner, id } = await begin({ use_credentials: true })
    const { sealed, plan, lease } = await scanner.take()
    if (!sealed) throw new Error('there are logins')
    const { snmp, ssh, hostKeys } = openLogins(scanner.keys, { scanId: id, lease }, sealed)
    expect([snmp.length, ssh.map(({ password }) => password), hostKeys]).toEqual([2, ['ssh-pass-secret'], {}])
    expect([plan.snmp, plan.ssh, plan.hostKeys]).toEqual([[], [], {}])
    expect(findShown(JSON.stringify([snmp, ssh]))).toEqual(SECRETS)
  })

  test('the answer shows none of them', async () => {
    const { poll } = await begin({ use_credentials: true })
    expect(findShown(await (await poll()).text())).toEqual([])
  })

  test('logins are sealed again for each lease', async () => {
    const { scanner, id } = await begin({ use_credentials: true })
    const [first, second] = [await scanner.take(), await scanner.take()]
    if (!first.sealed || !second.sealed) throw new Error('there are logins')
    const { sealed } = first
    expect(() => openLogins(scanner.keys, { scanId: id, lease: second.lease }, sealed)).toThrow()
    expect(openLogins(scanner.keys, { scanId: id, lease: second.lease }, second.sealed).ssh).toHaveLength(1)
  })

  test('a deep scan goes on without logins where the scanner receives none, and its log says so', async () => {
    const { scanner, id } = await begin({ use_credentials: false })
    const { sealed, plan } = await scanner.take()
    expect([sealed, plan.type, plan.snmp, plan.ssh]).toEqual([null, 'deep', [], []])
    expect(await getNotes(id)).toEqual(['no credential is used: the scanner receives none (use_credentials)'])
  })

  test.each(['quick', 'full'] as const)('a %s scan has none, and its log says nothing of them', async (scan_type) => {
    const { scanner, id } = await begin({ use_credentials: true, scan_type })
    expect((await scanner.take()).sealed).toBe(null)
    expect(await getNotes(id)).toEqual([])
  })

  test('the settings of the server are in the plan, but none of its paths', async () => {
    const { scanner } = await begin({ use_credentials: false, scan_type: 'full' })
    const { plan } = await scanner.take()
    expect(plan).toMatchObject({ ports: [22, 80], probesPerSecond: 77, fingerprintsFolder: '', allowLocal: true })
    expect(JSON.stringify(plan)).not.toContain(import.meta.dirname)
  })

  test('a host key is pinned where the scanner had a login, and nowhere else', async () => {
    const hosts = (ip: string) => [{ type: 'batch', hosts: [deepHost(ip, '00:1b:21:00:00:01')] }]
    const trusted = await begin({ use_credentials: true })
    const first = trusted.at(5)
    await trusted.scanner.report(await trusted.scanner.take(), 1, hosts(first))
    const plain = await begin({ use_credentials: false })
    await plain.scanner.report(await plain.scanner.take(), 1, hosts(plain.at(5)))
    const pins = await app.db.read
      .selectFrom('discovery_host_keys')
      .select(['ip', 'network_id', 'fingerprint'])
      .execute()
    expect(pins).toEqual([{ ip: first, network_id: trusted.network.id, fingerprint: 'SHA256:k' }])
  })

  test('no secret is stored in a table of scans or of scanners', async () => {
    const rows = await Promise.all([
      app.db.read.selectFrom('discovery_scans').selectAll().execute(),
      app.db.read.selectFrom('discovery_scan_states').selectAll().execute(),
      app.db.read.selectFrom('scanner_states').selectAll().execute(),
    ])
    expect(rows[0].length).toBeGreaterThan(0)
    expect(findShown(JSON.stringify(rows))).toEqual([])
  })
})
