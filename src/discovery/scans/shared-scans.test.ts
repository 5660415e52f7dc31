// Scans where several servers share a database: each is run by one, taken up when that falls silent, and called off through any.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { host, type ScriptedScanner, scriptedScanner } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

const TIMEOUT_MS = 60_000

// Not skipped but left out: a run on SQLite only is asked for.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  let other: Instance
  const here: ScriptedScanner = scriptedScanner()
  const there: ScriptedScanner = scriptedScanner()
  let networks = 0
  beforeAll(async () => {
    const env = { DISCOVERY_MAX_CONCURRENT: '1' }
    app = await testApp({ dialect: 'postgres', env, startScan: here.startScan })
    admin = await app.as('admin')
    other = await instanceBeside(app, { startScan: there.startScan })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other.close()
    await app.close()
  }, TIMEOUT_MS)

  const network = () => admin.api.networks.create({ name: `n ${++networks}`, subnet: `127.4.${networks}.0/24` })
  const lookBoth = () => Promise.all([app.plat, other.plat].map(({ runJob }) => runJob('discovery.run-scans')))
  const started = async (networkId: string) => {
    const scan = await admin.api.scans.start({ id: networkId })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    return scan.id
  }
  const status = async (id: string) => (await admin.api.scans.get({ id })).status
  const is = (id: string, wanted: string) =>
    until(`a scan that is ${wanted}`, async () => ((await status(id)) === wanted ? wanted : undefined))
  /** The scan that was begun last, wherever that was. */
  const begun = (before: { here: number; there: number }) =>
    until('a scan was begun', () => {
      const [mine, theirs] = [here.all[before.here], there.all[before.there]]
      if (mine) return { scan: mine, at: 'here' as const }
      return theirs && { scan: theirs, at: 'there' as const }
    })
  const counts = () => ({ here: here.all.length, there: there.all.length })

  test('a scan is run by one of them', async () => {
    const before = counts()
    const id = await started((await network()).id)
    await lookBoth()
    const { scan } = await begun(before)
    await lookBoth()
    expect(here.all.length + there.all.length - before.here - before.there).toBe(1)
    scan.end('done')
    await is(id, 'completed')
  })

  test('no more scans run at a time than may, on all of them together', async () => {
    const before = counts()
    const ids = [await started((await network()).id), await started((await network()).id)]
    await lookBoth()
    const first = await begun(before)
    await lookBoth()
    expect((await Promise.all(ids.map(status))).toSorted()).toEqual(['pending', 'running'])
    const afterFirst = counts()
    first.scan.end('done')
    const second = await begun(afterFirst)
    second.scan.end('done')
    for (const id of ids) await is(id, 'completed')
  })

  test('a scan can be cancelled at either instance', async () => {
    const before = counts()
    const id = await started((await network()).id)
    const { scan, at } = await begun(before)
    const headers = { Authorization: `Bearer ${admin.key}` }
    if (at === 'there') await admin.api.scans.cancel({ id })
    else await other.fetch('POST', `/api/discovery/scans/${id}/cancel`, headers)
    await until('the scan stopped', () => scan.isCancelled() || undefined)
    expect(await status(id)).toBe('cancelled')
  })

  describe('a scan with a silent server', () => {
    const silenced = async () => {
      const before = counts()
      const net = await network()
      const id = await started(net.id)
      const first = await begun(before)
      await first.scan.found([host(`127.4.${networks}.7`)], { mark: 'half-way' })
      await app.db.write(({ db }) =>
        db
          .updateTable('discovery_scans')
          .set({ until_ms: Date.now() - 1000 })
          .where('id', '=', id)
          .execute(),
      )
      const silent = counts()
      await (first.at === 'here' ? other.plat : app.plat).runJob('discovery.run-scans')
      const second = await begun(silent)
      return { id, net, first, second }
    }

    test('is resumed from its checkpoint', async () => {
      const { id, first, second } = await silenced()
      expect([second.at === first.at, second.scan.plan.checkpoint]).toEqual([false, { version: 1, mark: 'half-way' }])
      second.scan.end('done')
      await is(id, 'completed')
    })

    test('is stopped by its former instance, which stores nothing any more', async () => {
      const { id, net, first, second } = await silenced()
      await first.scan.found([host(`127.4.${networks}.8`)]).catch(() => {})
      await until('the first one stopped', () => first.scan.isCancelled() || undefined)
      expect((await admin.api.discovery.list({ network_id: net.id })).map(({ ip }) => ip)).toEqual([
        `127.4.${networks}.7`,
      ])
      second.scan.end('done')
      await is(id, 'completed')
    })
  })

  test('a rule that is due starts one scan', async () => {
    const net = await network()
    const before = counts()
    await admin.api.discoveryRules.create({ network_id: net.id, interval_hours: 24 })
    await Promise.all([app.plat, other.plat].map(({ runJob }) => runJob('discovery.start-due')))
    const { scan } = await begun(before)
    scan.end('done')
    const scans = await until('the scan ended', async () => {
      const all = await admin.api.scans.list({ network_id: net.id })
      return all.every((one) => one.status === 'completed') ? all : undefined
    })
    expect(scans).toHaveLength(1)
  })
}
