// Tests a running scan when the server stops, in good order or not, and starts again on the same data.
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { host, scriptedScanner } from '../../../testing/servers/scripted-scanner.ts'
import { until } from '../../../testing/until.ts'
import { contracts } from '../../app/contracts.ts'
import { createClient } from '../../surfaces/cli/connection/client.ts'

const MINUTE_MS = 60_000

describe('a scan that runs when the server stops', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })

  /** A server with data that stays, and a scan that has found one host in it. */
  const stopped = async (crash?: (app: TestApp, scanId: string) => Promise<void>) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'plat-resume-'))
    folders.push(DATA_DIR)
    const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
    const now = () => new Date(clock.ms)
    const first = scriptedScanner()
    const app = await testApp({ env: { DATA_DIR }, now, startScan: first.startScan })
    const admin = await app.as('admin')
    const network = await admin.api.networks.create({ name: 'n', subnet: '127.1.1.0/24' })
    const scan = await admin.api.scans.start({ id: network.id })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    await (await first.next()).found([host('127.1.1.7')], { mark: 'half-way' })
    await app.close()
    const scanner = scriptedScanner()
    const start = async (afterMs = 0): Promise<{ app: TestApp; api: TestCaller['api'] }> => {
      clock.ms += afterMs
      const again = await testApp({ env: { DATA_DIR }, now, startScan: scanner.startScan })
      await crash?.(again, scan.id)
      const fetch = (url: string, init: RequestInit) => again.fetch(new Request(url, init))
      const headers = { Authorization: `Bearer ${admin.key}` }
      return { app: again, api: createClient({ fetch, baseUrl: 'http://plat.test', headers }, contracts) }
    }
    return { scanId: scan.id, networkId: network.id, scanner, start, first }
  }
  const statusOf = (api: TestCaller['api'], id: string) =>
    until('the scan ended', async () => {
      const { status } = await api.scans.get({ id })
      return status === 'running' ? undefined : status
    })

  test('receives the stop', async () => {
    const { first } = await stopped()
    expect(first.all.map((scan) => scan.isCancelled())).toEqual([true])
  })

  test('goes on from its checkpoint at the next start', async () => {
    const { scanner, start, scanId } = await stopped()
    const { app, api } = await start(5 * MINUTE_MS)
    const scan = await scanner.next()
    expect(scan.plan.checkpoint).toEqual({ version: 1, mark: 'half-way' })
    scan.end('done')
    expect(await statusOf(api, scanId)).toBe('completed')
    await app.close()
  })

  test('keeps its discovered devices', async () => {
    const { scanner, start, networkId } = await stopped()
    const { app, api } = await start()
    const scan = await scanner.next()
    expect((await api.discovery.list({ network_id: networkId })).map(({ ip }) => ip)).toEqual(['127.1.1.7'])
    scan.end('done')
    await app.close()
  })

  test('fails after too long an interruption', async () => {
    const { start, scanId } = await stopped()
    const { app, api } = await start(11 * MINUTE_MS)
    expect(await statusOf(api, scanId)).toBe('failed')
    expect((await api.scans.get({ id: scanId })).error_message).toContain('stopped for too long')
    await app.close()
  })

  test('goes on after a crash as well, as another process left it', async () => {
    const { scanner, start, scanId } = await stopped((app, id) =>
      app.db.write(async ({ db }) => {
        await db.updateTable('discovery_scans').set({ holder: 'another process' }).where('id', '=', id).execute()
      }),
    )
    const { app, api } = await start()
    ;(await scanner.next()).end('done')
    expect(await statusOf(api, scanId)).toBe('completed')
    await app.close()
  })
})
