// Hosts that scanners hear: only of networks to which they listen. Polls name these networks.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createScanner } from '../../../testing/servers/wire-scanner.ts'

const Counts = z.strictObject({ accepted: z.int(), dropped: z.int() })

describe.each(onSqlite())('sightings of scanners on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close())

  const connect = async () => {
    const name = `scanner ${++count}`
    return { ...(await createScanner(fetchFrom(app.plat), admin, { name })), name }
  }
  const createNetwork = async (scanner: string, rule: { listen: boolean; enabled?: boolean; exclude_ips?: string }) => {
    const third = ++count
    const network = await admin.api.networks.create({ name: `n ${third}`, subnet: `127.6.${third}.0/24`, scanner })
    const made = await admin.api.discoveryRules.create({ network_id: network.id, ...rule })
    return { ...network, rule: made, at: (last: number) => `127.6.${third}.${last}` }
  }
  const listIps = async (network_id: string) => (await admin.api.discovery.list({ network_id })).map(({ ip }) => ip)
  const found = (ip: string) => ({
    ip,
    mac: '00:1b:21:00:00:07',
    evidence: [{ source: 'arp', weight: 0.6, detail: '' }],
  })
  const hear = async (
    scanner: Awaited<ReturnType<typeof connect>>,
    sightings: readonly { readonly network_id: string; readonly hosts: readonly object[] }[],
  ) => Counts.parse(await (await scanner.post('/api/scanner/sightings', { sightings })).json())

  test('are taken in of a network with the label, whose rule listens', async () => {
    const scanner = await connect()
    const network = await createNetwork(scanner.name, { listen: true })
    const hosts = [found(network.at(7)), found('10.0.0.1')]
    expect(await hear(scanner, [{ network_id: network.id, hosts }])).toEqual({ accepted: 1, dropped: 1 })
    expect(await listIps(network.id)).toEqual([network.at(7)])
  })

  test('are dropped of another network', async () => {
    const [scanner, other] = [await connect(), await connect()]
    const foreign = await createNetwork(other.name, { listen: true })
    const deaf = await createNetwork(scanner.name, { listen: false })
    const off = await createNetwork(scanner.name, { listen: true, enabled: false })
    const own = await createNetwork('', { listen: true })
    const sightings = [foreign, deaf, off, own].map(({ id, at }) => ({ network_id: id, hosts: [found(at(7))] }))
    const all = [...sightings, { network_id: 'none', hosts: [found('127.0.0.1')] }]
    expect(await hear(scanner, all)).toEqual({ accepted: 0, dropped: 5 })
    for (const { id } of [foreign, deaf, off, own]) expect(await listIps(id)).toEqual([])
  })

  test.each([
    ['an address that is none', { network_id: 'x', hosts: [{ ip: 'x' }] }, 'sightings[0].hosts[0].ip'],
    ['a host that is no object', { network_id: 'x', hosts: [1] }, 'sightings[0].hosts[0]'],
    ['no network', { hosts: [] }, 'sightings[0].network_id'],
  ])('with %s are 400', async (_, sighting, field) => {
    const answer = await (await connect()).post('/api/scanner/sightings', { sightings: [sighting] })
    expect([answer.status, await answer.json()]).toMatchObject([400, { details: [{ field }] }])
  })

  test('of more than 2,000 hosts are 400', async () => {
    const sightings = [1, 2].map(() => ({ network_id: 'x', hosts: Array(1001).fill({ ip: '10.0.0.1' }) }))
    const answer = await (await connect()).post('/api/scanner/sightings', { sightings })
    expect([answer.status, await answer.json()]).toMatchObject([400, { details: [{ field: 'sightings' }] }])
  })

  describe('the networks to listen to', () => {
    test('come with a tag, which ends the next poll once they have changed', async () => {
      const scanner = await connect()
      const network = await createNetwork(scanner.name, { listen: true, exclude_ips: '127.6.0.9' })
      const { listen, listen_tag } = await scanner.poll({ wait_seconds: 25 })
      expect(listen).toEqual([{ network_id: network.id, subnet: network.subnet, excludes: ['127.6.0.9'] }])
      expect(await scanner.poll({ listen_tag })).toMatchObject({ listen, listen_tag })
      const next = scanner.poll({ listen_tag, wait_seconds: 25 })
      await admin.api.discoveryRules.update({ id: network.rule.id, listen: false })
      expect(await next).toMatchObject({ listen: [], listen_tag: '' })
    })

    test('follow the label of the network', async () => {
      const [scanner, other] = [await connect(), await connect()]
      const network = await createNetwork(scanner.name, { listen: true })
      const { listen_tag } = await scanner.poll({ wait_seconds: 25 })
      const next = scanner.poll({ listen_tag, wait_seconds: 25 })
      await admin.api.networks.update({ id: network.id, scanner: other.name })
      expect((await next).listen).toEqual([])
      expect((await other.poll({ wait_seconds: 25 })).listen).toHaveLength(1)
    })
  })
})
