// Two instances on one database: any takes any request of a scanner, and a scan that is done is completed by either.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { fetchFrom, type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { createScanner, type Send, type WireScanner } from '../../../testing/servers/wire-scanner.ts'
import { until } from '../../../testing/until.ts'

const TIMEOUT_MS = 60_000
const ACK = (ack: number) => ({ ack, cancel: false })
const NOTHING = { start: [], cancel: [], drop: [] }

// Not skipped but left out: a run on SQLite only is asked for.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  let other: Instance
  let here: Send
  let there: Send
  let scanner: WireScanner
  let count = 0
  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres', withJobs: false })
    admin = await app.as('admin')
    other = await instanceBeside(app, { withJobs: false })
    here = fetchFrom(app.plat)
    there = other.fetch
    scanner = await createScanner(here, admin, { name: 'oslo' })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other.close()
    await app.close()
  }, TIMEOUT_MS)

  const start = async () => {
    const third = ++count
    const network = await admin.api.networks.create({
      ...{ name: `n ${third}`, subnet: `127.4.${third}.0/24`, scanner: 'oslo' },
    })
    const scan = await admin.api.scans.start({ id: network.id })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    return { network, id: scan.id, at: (last: number) => `127.4.${third}.${last}` }
  }
  const getStatus = async (id: string) => (await admin.api.scans.get({ id })).status
  const batch = (...ips: string[]) => ({ type: 'batch', hosts: ips.map((ip) => host(ip)), checkpoint: { version: 1 } })
  const read = async (answer: Promise<Response>) => (await answer).json()

  test(
    'a waiting poll is answered by a scan that was started at the other instance',
    async () => {
      const answer = scanner.poll({ wait_seconds: 25 }, there)
      const { id } = await start()
      const { start: given } = await answer
      expect(given.map(({ scan_id }) => scan_id)).toEqual([id])
      await admin.api.scans.cancel({ id })
    },
    TIMEOUT_MS,
  )

  test(
    'a waiting poll ends with the next one, at whichever instance',
    async () => {
      let isAnswered = false
      const first = scanner.poll({ wait_seconds: 25 }, there).finally(() => {
        isAnswered = true
      })
      // The first of them may come before the poll that waits.
      await until('the end of the poll', async () => {
        await scanner.poll({}, here)
        return isAnswered || undefined
      })
      expect(await first).toMatchObject(NOTHING)
    },
    TIMEOUT_MS,
  )

  test(
    'a waiting poll ends when the scanner is revoked at the other instance',
    async () => {
      const own = await createScanner(here, admin, { name: 'bergen' })
      const answer = own.post('/api/scanner/poll', { protocol: 1, version: '1', holding: [], wait_seconds: 25 }, there)
      await admin.api.scanners.revoke({ id: own.id })
      expect((await answer).status).toBe(401)
    },
    TIMEOUT_MS,
  )

  test(
    'two instances give a scan once',
    async () => {
      const { id } = await start()
      const twin = await createScanner(here, admin, { name: 'twin', tags: ['oslo'] })
      const answers = await Promise.all([scanner.poll({}, here), twin.poll({}, there)])
      expect(answers.flatMap(({ start: given }) => given.map(({ scan_id }) => scan_id))).toEqual([id])
      await admin.api.scans.cancel({ id })
    },
    TIMEOUT_MS,
  )

  test(
    'reports that are spread over both count once each, and in order',
    async () => {
      const { id, network, at } = await start()
      const taken = await scanner.take()
      const sends = [here, there]
      for (let seq = 1; seq <= 6; seq++) {
        const report = batch(at(seq), at(seq + 100))
        const all = sends.map((send) =>
          read(scanner.report(taken, seq, [{ type: 'note', text: `${seq}` }, report], send)),
        )
        expect(await Promise.all(all)).toEqual([ACK(seq), ACK(seq)])
      }
      const { log } = await admin.api.scans.get({ id })
      expect(log.map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5', '6'])
      expect(await admin.api.discovery.list({ network_id: network.id })).toHaveLength(12)
      const rows = await app.db.read
        .selectFrom('events')
        .select('event')
        .where('event', '=', 'discovery.device_found')
        .execute()
      expect(rows).toHaveLength(12)
      await admin.api.scans.cancel({ id })
    },
    TIMEOUT_MS,
  )

  test(
    'a scan that is done is completed by another instance than the one that has died with it',
    async () => {
      const { id, network, at } = await start()
      const taken = await scanner.take()
      expect(await read(scanner.report(taken, 1, [batch(at(7)), { type: 'done' }], here))).toEqual(ACK(1))
      // An instance that has died in the middle holds a lease that has expired.
      await app.db.write(({ db }) =>
        db
          .updateTable('discovery_scans')
          .set({ holder: 'dead', until_ms: Date.now() - 1000 })
          .where('id', '=', id)
          .where('status', '=', 'running')
          .execute(),
      )
      await until('the end of the scan', async () => {
        await other.plat.runJob('discovery.run-scans')
        return (await getStatus(id)) === 'completed' || undefined
      })
      expect(
        (await admin.api.discovery.list({ network_id: network.id })).map(({ ip, status }) => [ip, status]),
      ).toEqual([[at(7), 'up']])
    },
    TIMEOUT_MS,
  )
}
