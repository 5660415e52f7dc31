// Scans that were made elsewhere: taken in as one of ours would be.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { fieldsOf, missing, refusal } from '../../../testing/estates/inventory.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const MAC = '00:1b:21:00:00:0a'

describe.each(onSqlite())('a scan that was made elsewhere on %s', (dialect) => {
  const d = discoveryApp(dialect)
  type Input = Parameters<typeof d.api.scans.record>[0]
  const record = (id: string, hosts: Input['hosts'], more: Omit<Partial<Input>, 'id' | 'hosts'> = {}) =>
    d.api.scans.record({ id, hosts, ...more })

  test('is completed', async () => {
    const { id, at } = await d.network()
    const scan = await record(id, [{ ip: at(1) }], { scan_type: 'full' })
    expect(scan).toMatchObject({ status: 'completed', scan_type: 'full', total_hosts: 254, found_hosts: 1 })
  })

  test('stores the reported hosts', async () => {
    const { id, at } = await d.network()
    await record(id, [{ ip: at(1), mac_address: '00-1B-21-00-00-0A', hostname: 'web', open_ports: [22], os: 'Debian' }])
    expect(await d.api.discovery.list({ network_id: id })).toMatchObject([
      {
        ip: at(1),
        mac_address: MAC,
        hostname: 'web',
        open_ports: [22],
        os_guess: 'Debian',
        status: 'up',
        confidence: 80,
      },
    ])
  })

  test('knows a device again that a scan of ours has found', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(1), { mac: MAC })])
    await record(id, [{ ip: at(2), mac_address: MAC }])
    const found = await d.api.discovery.list({ network_id: id })
    expect(found.map(({ ip }) => ip)).toEqual([at(2)])
  })

  test('sets unseen hosts down, and leaves excluded ones', async () => {
    const { id, at } = await d.network()
    await record(id, [{ ip: at(1) }, { ip: at(2) }, { ip: at(3) }])
    await record(id, [{ ip: at(1) }], { exclude_ips: at(3) })
    const found = await d.api.discovery.list({ network_id: id })
    expect(found.map(({ ip, status }) => [ip, status])).toEqual([
      [at(1), 'up'],
      [at(2), 'down'],
      [at(3), 'up'],
    ])
  })

  test('has its differences from the scan before', async () => {
    const { id, at } = await d.network()
    await record(id, [{ ip: at(1), hostname: 'a' }, { ip: at(2) }])
    const scan = await record(id, [{ ip: at(1), hostname: 'b' }, { ip: at(3) }])
    expect((await d.api.scans.diff({ id: scan.id })).counts).toEqual({ new: 1, changed: 1, gone: 1 })
  })

  const REFUSED = [
    ['of another network', () => '198.51.100.1'],
    ['that was excluded', (at: (n: number) => string) => at(9)],
    ['that is there twice', (at: (n: number) => string) => at(1)],
  ] as const
  test.each(REFUSED)('is refused with an address %s', async (_, ipOf) => {
    const { id, at } = await d.network()
    const hosts = [{ ip: at(1) }, { ip: ipOf(at) }]
    const answer = await d.ask(`POST /api/discovery/networks/${id}/results`, { hosts, exclude_ips: at(9) })
    expect(fieldsOf(answer)).toEqual(['hosts[1].ip'])
  })

  test('is refused while one of ours runs', async () => {
    const { id, at } = await d.network()
    const { id: running, scan } = await d.begin(id)
    const answer = await d.ask(`POST /api/discovery/networks/${id}/results`, { hosts: [{ ip: at(1) }] })
    scan.end('done')
    await d.ended(running)
    expect(answer).toMatchObject(refusal('scan'))
  })

  test('of an unknown network is not found', async () => {
    expect(await d.ask('POST /api/discovery/networks/nothing/results', { hosts: [] })).toMatchObject(missing)
  })
})
