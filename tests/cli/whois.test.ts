/** `plat whois` against a real server, in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

describe('plat whois', () => {
  let app: TestApp
  let admin: TestCaller
  let poolId = ''
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
    const { api } = admin
    await api.networks.create({ name: 'Campus', subnet: '10.0.0.0/16' })
    const { id: network_id } = await api.networks.create({ name: 'Servers', subnet: '10.0.1.0/24', vlan_id: 12 })
    poolId = (await api.pools.create({ network_id, name: 'Static', start_ip: '10.0.1.1', end_ip: '10.0.1.99' })).id
    const addresses = [{ ip: '10.0.1.10', label: 'mgmt' }]
    const web = await api.devices.create({ name: 'web-01', os: 'Debian 12', tags: ['prod'], addresses })
    const rack = await api.devices.create({ name: 'rack-7' })
    await api.relationships.create({ device_id: rack.id, child_id: web.id, type: 'contains' })
    await api.devices.create({ name: 'e\u001b[2Jvil', addresses: [{ ip: '10.0.1.66' }] })
  })
  afterAll(() => app.close())

  const run = (argv: readonly string[], token = admin.key) =>
    runCommand({ app, key: token }, { argv: ['whois', ...argv] })

  test('names the device of an address, and its details', async () => {
    const { code, out } = await run(['10.0.1.10'])
    expect([code, out]).toEqual([
      0,
      `10.0.1.10 belongs to web-01, active, in Servers (10.0.1.0/24)
  network      Servers  10.0.1.0/24  VLAN 12
               Campus  10.0.0.0/16
  pool         Static  10.0.1.1 - 10.0.1.99
  device       web-01  active  Debian 12  #prod
  addresses    10.0.1.10  mgmt
  is in        rack-7
`,
    ])
  })

  test('prints the commands that allocate a free address', async () => {
    const { out } = await run(['10.0.1.20'])
    expect(out).toEndWith(`
  to take it   plat reservation create ${poolId} 10.0.1.20
               plat device create NAME --addresses '{"ip":"10.0.1.20","pool_id":"${poolId}"}'
`)
  })

  test('the printed commands work', async () => {
    const { out } = await run(['10.0.1.30', '-o', 'json'])
    const [way] = JSON.parse(out).ways
    await runCommand({ app, key: admin.key }, { argv: String(way.command).split(' ').slice(1) })
    expect((await admin.api.lookup.show({ query: '10.0.1.30' })).state).toBe('reserved')
  })

  test.each(['10.0.1.10:443', 'https://10.0.1.10/login', 'http://user@10.0.1.10:8080/'])(
    'reads the address of %s',
    async (subject) => {
      const { code, out } = await run([subject])
      expect(code).toBe(0)
      expect(out).toStartWith('10.0.1.10 belongs to web-01, ')
    },
  )

  test('accepts a block', async () => {
    expect((await run(['10.0.1.0/24'])).out).toStartWith('10.0.1.0/24 is the network Servers; ')
  })

  test('exits with 4 for an unknown subject', async () => {
    expect(await run(['nobody.example.com'])).toEqual({
      code: 4,
      out: 'Nothing is known of nobody.example.com\n',
      err: '',
    })
  })

  test('exits with 2 for an invalid subject, and names it', async () => {
    const { code, err } = await run(['10.0.0.256'])
    expect([code, err]).toEqual([
      2,
      'error: query: must be an IP address, a block like 10.0.0.0/24, a MAC address or a host name\n',
    ])
  })

  test('exits with 2 without a subject', async () => {
    expect((await run([])).code).toBe(2)
  })

  test('prints no control sequence', async () => {
    expect((await run(['10.0.1.66'])).out).toContain('e\\x1b[2Jvil')
  })

  test('says which parts are withheld', async () => {
    const { key } = await app.as(['search:read', 'networks:list'])
    expect((await run(['10.0.1.10'], key)).out).toEndWith(
      'not shown    pools, datacenters, devices, discovered, reservations, relationships, conflicts, changes: not permitted\n',
    )
  })
})
