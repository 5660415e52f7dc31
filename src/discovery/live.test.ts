// A scan by the real scanner, in a separate process, over loopback: from the request to the lists.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000

describe.each(onSqlite())('a scan of loopback on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  const listener = Bun.listen({ hostname: '127.77.0.5', port: 0, socket: { data: () => {} } })
  beforeAll(async () => {
    app = await testApp({ dialect, env: { DISCOVERY_PORTS: String(listener.port) } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    listener.stop(true)
    await app.close()
  }, TIMEOUT_MS)

  const network = async (subnet: string) => (await admin.api.networks.create({ name: subnet, subnet })).id
  const scanned = async (id: string, request: object) => {
    const scan = await admin.api.scans.start({ id, ...request })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    await until('the scan ended', async () => {
      const { status } = await admin.api.scans.get({ id: scan.id })
      return status === 'pending' || status === 'running' ? undefined : status
    })
    return admin.api.scans.get({ id: scan.id })
  }

  test(
    'finds every address but the excluded, and the port that is open',
    async () => {
      const id = await network('127.77.0.0/28')
      const scan = await scanned(id, { scan_type: 'full', exclude_ips: '127.77.0.7-127.77.0.8' })
      expect(scan).toMatchObject({ status: 'completed', total_hosts: 12, scanned_hosts: 12, found_hosts: 12 })
      const found = await admin.api.discovery.list({ network_id: id })
      expect(
        found.filter(({ open_ports }) => open_ports.length > 0).map(({ ip, open_ports }) => [ip, open_ports]),
      ).toEqual([['127.77.0.5', [listener.port]]])
    },
    TIMEOUT_MS,
  )

  test(
    'that is cancelled keeps its discovered devices',
    async () => {
      const id = await network('127.78.0.0/16')
      const scan = await admin.api.scans.start({ id, scan_type: 'full' })
      if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
      await until('the scan found something', async () => {
        const { found_hosts } = await admin.api.scans.get({ id: scan.id })
        return found_hosts > 0 || undefined
      })
      await admin.api.scans.cancel({ id: scan.id })
      const { status, found_hosts } = await admin.api.scans.get({ id: scan.id })
      const listed = (await admin.api.discovery.list({ network_id: id })).length
      expect([status, found_hosts > 0, listed > 0]).toEqual(['cancelled', true, true])
    },
    TIMEOUT_MS,
  )
})
