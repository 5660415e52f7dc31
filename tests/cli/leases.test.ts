/** `plat discovery leases` against a real server in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-leases-'))
const FILE = join(folder, 'dnsmasq.leases')
const LEASE = '0 00:1b:21:00:00:0a 10.6.0.5 pc *\n'

describe('plat discovery leases', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
    await admin.api.networks.create({ name: 'office', subnet: '10.6.0.0/24' })
    writeFileSync(FILE, `${LEASE}1 00:1b:21:00:00:0b 10.6.0.6 * *\n0 00:1b:21:00:00:0c 203.0.113.5 * *\n`)
  })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (argv: readonly string[], { stdin = '', key = admin.key } = {}) =>
    runCommand({ app, key }, { argv: ['discovery', 'leases', ...argv], stdin })

  test('records the leases of a file, and prints the counts', async () => {
    expect(await run([FILE])).toEqual({
      code: 0,
      out: '3 leases, 2 of them in force: 1 new, 0 updated, 1 in no network; 1 over\n',
      err: '',
    })
    const found = await admin.api.discovery.list({ network_id: '*' })
    expect(found.map(({ ip, hostname }) => [ip, hostname])).toEqual([['10.6.0.5', 'pc']])
  })

  test('reads standard input, and prints JSON', async () => {
    const { code, out } = await run(['-', '-o', 'json'], { stdin: LEASE })
    expect([code, JSON.parse(out)]).toMatchObject([0, { leases: 1, active: 1 }])
  })

  test('places them in the address space with that name, and refuses another name', async () => {
    const { id } = await admin.api.spaces.create({ name: 'Lab' })
    const { id: network_id } = await admin.api.networks.create({ name: 'lab', subnet: '10.6.0.0/24', space_id: id })
    const { out } = await run(['-', '--space', 'lab'], { stdin: LEASE })
    expect([out.includes('1 new'), (await admin.api.discovery.list({ network_id })).length]).toEqual([true, 1])
    expect(await run(['-', '--space', 'other'], { stdin: LEASE })).toMatchObject({ code: 4 })
    expect(await run(['-', '--space', 'default'], { stdin: LEASE })).toMatchObject({ code: 0 })
  })

  test('prints invalid lines to standard error', async () => {
    const { code, err } = await run(['-', '--format', 'dnsmasq'], { stdin: `rubbish\n${LEASE}` })
    expect([code, err]).toEqual([0, 'line 1: is no lease of dnsmasq\n'])
  })

  test('prints nothing with --quiet', async () => {
    expect(await run(['-', '--quiet'], { stdin: LEASE })).toEqual({ code: 0, out: '', err: '' })
  })

  test.each([
    [['-'], 'text: has no lease of Kea, dnsmasq or ISC dhcpd'],
    [['-', '--format', 'arp'], '--format'],
    [[join(folder, 'missing')], "can't read"],
    [[], 'FILE'],
  ])('refuses %j', async (argv, message) => {
    const { code, out, err } = await run(argv, { stdin: 'hello\n' })
    expect([code !== 0, out, err.includes(message)]).toEqual([true, '', true])
  })

  test('is not permitted to a viewer', async () => {
    const { code, err } = await run(['-'], { stdin: LEASE, key: (await app.as('viewer')).key })
    expect([code !== 0, err.includes('discovery:create')]).toEqual([true, true])
  })
})
