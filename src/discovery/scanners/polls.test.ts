// Polls of scanners: scans are given by label and within slots, lost ones are given again, and waiting polls are answered at once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { host, scriptedScanner } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { createScanner, type WireScanner } from '../../../testing/servers/wire-scanner.ts'
import { until } from '../../../testing/until.ts'

const CHECKPOINT = { version: 1, mark: 'half-way' } as const
const NOTHING = { start: [], cancel: [], drop: [], listen: [], listen_tag: '' }
const progress = { stage: 'liveness', scanned: 100, total: 254, found: 1, probesPerSecond: 10 }

describe.each(engines())('polls on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  const own = scriptedScanner()
  let count = 0
  const send = () => fetchFrom(app.plat)
  /** The clock of the process; that of PostgreSQL goes on by itself. */
  let aheadMs = 0

  beforeAll(async () => {
    const now = () => new Date(Date.now() + aheadMs)
    app = await testApp({ dialect, startScan: own.startScan, withJobs: false, now })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const connect = (
    draft: { tags?: string[]; use_credentials?: boolean } = {},
  ): Promise<WireScanner & { name: string }> => {
    const name = `scanner ${++count}`
    return createScanner(send(), admin, { name, ...draft }).then((made) => ({ ...made, name }))
  }
  const createNetwork = (scanner: string) =>
    admin.api.networks.create({ name: `n ${++count}`, subnet: `127.1.${count}.0/24`, scanner })
  const start = async (id: string): Promise<string> => {
    const scan = await admin.api.scans.start({ id })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    return scan.id
  }
  const queue = async (scanner: string) => {
    const network = await createNetwork(scanner)
    return { network, id: await start(network.id) }
  }
  const getScan = (id: string) => admin.api.scans.get({ id })
  /** A scan with one host and a checkpoint. */
  const begin = async () => {
    const scanner = await connect()
    const { network, id } = await queue(scanner.name)
    const taken = await scanner.take()
    const hosts = [host(network.subnet.replace('.0/24', '.7'))]
    await scanner.report(taken, 1, [{ type: 'batch', progress, hosts, checkpoint: CHECKPOINT }])
    return { scanner, network, id, taken, holding: [{ scan_id: id, lease: taken.lease }] }
  }
  const setBeat = (id: string, beat_ms: number) =>
    app.db.write(({ db }) => db.updateTable('scanner_beats').set({ beat_ms }).where('scanner_id', '=', id).execute())
  /** Lets 11 minutes pass without a request of the scanner. */
  const silence = async (id: string) => {
    aheadMs += 11 * 60_000
    await setBeat(id, Date.now() + aheadMs - 11 * 60_000 - (dialect === 'postgres' ? aheadMs : 0))
    await app.plat.runJob('discovery.release-silent')
  }

  describe('a scan is given', () => {
    test('to the scanner whose name is the label of the network, with its plan', async () => {
      const scanner = await connect()
      const { network, id } = await queue(scanner.name)
      const { scan_id, network_id, network_name, plan, sealed, lease } = await scanner.take()
      expect({ scan_id, network_id, network_name, sealed }).toEqual({
        ...{ scan_id: id, network_id: network.id, network_name: network.name, sealed: null },
      })
      expect(lease).toMatch(/^[\w-]{43}$/)
      expect(plan).toMatchObject({
        ...{ subnet: network.subnet, type: 'quick', checkpoint: null, snmp: [], ssh: [], hostKeys: {} },
        ...{ fingerprintsFolder: '', allowLocal: true, ports: app.config.discoveryPorts },
      })
      expect(await getScan(id)).toMatchObject({
        ...{ status: 'running', scanner_id: scanner.id, scanner_name: scanner.name },
      })
    })

    test('to a scanner with a tag that is the label', async () => {
      const scanner = await connect({ tags: ['branch office'] })
      const { id } = await queue('branch office')
      expect((await scanner.take()).scan_id).toBe(id)
    })

    test('to no scanner with another label', async () => {
      const scanner = await connect({ tags: ['oslo'] })
      await connect({ tags: ['osl'] })
      const { id } = await queue('osl')
      expect(await scanner.poll()).toMatchObject(NOTHING)
      expect((await getScan(id)).status).toBe('pending')
    })

    test('never to the server itself', async () => {
      const scanner = await connect()
      const { id, network } = await queue(scanner.name)
      await app.plat.runJob('discovery.run-scans')
      expect((await getScan(id)).status).toBe('pending')
      expect(own.all.some(({ plan }) => plan.subnet === network.subnet)).toBe(false)
    })

    test('by the label that the network has when it is taken', async () => {
      const [one, other] = [await connect(), await connect()]
      const { network, id } = await queue(one.name)
      await admin.api.networks.update({ id: network.id, scanner: other.name })
      expect(await one.poll()).toMatchObject(NOTHING)
      expect((await other.take()).scan_id).toBe(id)
    })

    test('of a network without a label to no scanner', async () => {
      const scanner = await connect({ tags: [''] }).catch(() => connect())
      const { id } = await queue('')
      expect(await scanner.poll()).toMatchObject(NOTHING)
      await app.plat.runJob('discovery.run-scans')
      expect(await getScan(id)).toMatchObject({ status: 'running', scanner_id: null, scanner_name: '' })
      const { network_id } = await getScan(id)
      const { subnet } = await admin.api.networks.get({ id: network_id })
      ;(await own.next(subnet)).end('done')
      await until('the end of the scan', async () => ((await getScan(id)).status === 'completed' ? true : undefined))
    })

    test('to one of two scanners of a label, and the next one to the other', async () => {
      const tags = [`site ${++count}`]
      const [one, other] = [await connect({ tags }), await connect({ tags })]
      const queued = [await queue(tags[0] ?? ''), await queue(tags[0] ?? '')]
      const [first, second] = await Promise.all([one.poll({ slots: 1 }), other.poll({ slots: 1 })])
      const given = [...first.start, ...second.start].map(({ scan_id }) => scan_id)
      expect([first.start.length, second.start.length]).toEqual([1, 1])
      expect(given.toSorted()).toEqual(queued.map(({ id }) => id).toSorted())
    })

    test('within the slots of the scanner, less what it holds', async () => {
      const scanner = await connect()
      const ids = [await queue(scanner.name), await queue(scanner.name), await queue(scanner.name)].map(({ id }) => id)
      const first = await scanner.poll({ slots: 2 })
      expect(first.start.map(({ scan_id }) => scan_id)).toEqual(ids.slice(0, 2))
      const holding = first.start.map(({ scan_id, lease }) => ({ scan_id, lease }))
      expect((await scanner.poll({ slots: 2, holding })).start).toEqual([])
      expect((await scanner.poll({ slots: 3, holding })).start.map(({ scan_id }) => scan_id)).toEqual(ids.slice(2))
    })

    test('one of a network at a time', async () => {
      const scanner = await connect()
      const { network } = await queue(scanner.name)
      const taken = await scanner.take()
      await admin.api.scans.start({ id: network.id })
      const holding = [{ scan_id: taken.scan_id, lease: taken.lease }]
      expect((await scanner.poll({ holding })).start).toEqual([])
    })

    test('although the server has all of its own scans in progress', async () => {
      const busy = await testApp({
        dialect,
        withJobs: false,
        env: { DISCOVERY_MAX_CONCURRENT: '1' },
        startScan: scriptedScanner().startScan,
      })
      const caller = await busy.as('admin')
      const network = await caller.api.networks.create({ name: 'own', subnet: '127.2.1.0/24' })
      await caller.api.scans.start({ id: network.id })
      await busy.plat.runJob('discovery.run-scans')
      const scanner = await createScanner(fetchFrom(busy.plat), caller, { name: 'oslo' })
      const there = await caller.api.networks.create({ name: 'there', subnet: '127.2.2.0/24', scanner: 'oslo' })
      await caller.api.scans.start({ id: there.id })
      expect((await scanner.poll()).start).toHaveLength(1)
      const next = await caller.api.networks.create({ name: 'next', subnet: '127.2.3.0/24' })
      await caller.api.scans.start({ id: next.id })
      await busy.plat.runJob('discovery.run-scans')
      expect((await caller.api.scans.list({ network_id: next.id })).map(({ status }) => status)).toEqual(['pending'])
      await busy.close()
    })

    test('of a network in an address space that the server does not reach', async () => {
      const space = await admin.api.spaces.create({ name: `space ${++count}`, reachable: false })
      const scanner = await connect()
      const network = await admin.api.networks.create({
        ...{ name: `n ${++count}`, subnet: '127.1.1.0/24', space_id: space.id, scanner: scanner.name },
      })
      const id = await start(network.id)
      expect((await scanner.take()).scan_id).toBe(id)
    })
  })

  describe('a scan that a scanner was given', () => {
    test('and does not name is given again from its checkpoint, under a new lease', async () => {
      const { scanner, id, taken } = await begin()
      const again = await scanner.take()
      expect([again.scan_id, again.plan.checkpoint]).toEqual([id, CHECKPOINT])
      expect(again.lease).not.toBe(taken.lease)
      expect((await scanner.report(taken, 2, [])).status).toBe(404)
      expect((await scanner.report(again, 1, [])).status).toBe(200)
    })

    test('and does not name waits for another one while it has no slot for it', async () => {
      const { scanner, id } = await begin()
      const other = await queue(scanner.name)
      const { start: given } = await scanner.poll({ slots: 1, holding: [{ scan_id: 'x', lease: 'y' }] })
      expect([given, (await getScan(id)).status, (await getScan(other.id)).status]).toEqual([[], 'pending', 'pending'])
      expect((await scanner.take({ slots: 1 })).plan.checkpoint).toEqual(CHECKPOINT)
    })

    test('and names stays with it', async () => {
      const { scanner, holding } = await begin()
      expect(await scanner.poll({ holding })).toMatchObject(NOTHING)
    })

    test('and names under another lease is dropped first, and given again when it is named no more', async () => {
      const { scanner, id } = await begin()
      const wrong = await scanner.poll({ holding: [{ scan_id: id, lease: 'other' }] })
      expect([wrong.drop, wrong.start]).toEqual([[id], []])
      expect((await scanner.take()).scan_id).toBe(id)
    })

    test('and has reported to the end is not given again', async () => {
      const { scanner, taken, holding, id } = await begin()
      await scanner.report(taken, 2, [{ type: 'done' }])
      expect((await scanner.poll()).start).toEqual([])
      expect((await scanner.poll({ holding })).drop).toEqual([id])
    })

    test('comes back in `cancel` once it is cancelled, which ends one waiting poll', async () => {
      const { scanner, holding, id } = await begin()
      await admin.api.scans.cancel({ id })
      expect((await scanner.poll({ holding, wait_seconds: 25 })).cancel).toEqual([id])
      // It is in each answer, but no reason for one.
      expect((await scanner.poll({ holding })).cancel).toEqual([id])
    })

    test('comes back in `drop` once it is deleted, or given to another one', async () => {
      const { scanner, holding, id } = await begin()
      await admin.api.scans.delete({ id })
      const foreign = await begin()
      const named = [...holding, ...foreign.holding]
      expect((await scanner.poll({ holding: named, wait_seconds: 25 })).drop).toEqual([id, foreign.id])
      expect((await getScan(foreign.id)).scanner_id).toBe(foreign.scanner.id)
    })
  })

  describe('after 10 minutes of silence', () => {
    test('another scanner of the label gets the scan, from its checkpoint', async () => {
      const tags = [`site ${++count}`]
      const [one, other] = [await connect({ tags }), await connect({ tags })]
      const { id } = await queue(tags[0] ?? '')
      const taken = await one.take()
      await one.report(taken, 1, [{ type: 'batch', progress, hosts: [], checkpoint: CHECKPOINT }])
      expect((await other.poll()).start).toEqual([])
      await silence(one.id)
      expect(await getScan(id)).toMatchObject({ status: 'pending', scanner_id: null, scanner_name: '' })
      const again = await other.take()
      expect([again.scan_id, again.plan.checkpoint]).toEqual([id, CHECKPOINT])
      expect((await one.poll({ holding: [{ scan_id: id, lease: taken.lease }] })).drop).toEqual([id])
      expect((await one.report(taken, 2, [])).status).toBe(404)
    })

    test('the former holder gets the scan back under the same lease, unless another scanner has taken it', async () => {
      const { scanner, holding, id, taken } = await begin()
      await silence(scanner.id)
      expect((await getScan(id)).status).toBe('pending')
      expect(await scanner.poll({ holding })).toMatchObject(NOTHING)
      expect(await getScan(id)).toMatchObject({ status: 'running', scanner_id: scanner.id })
      expect(await (await scanner.report(taken, 2, [])).json()).toEqual({ ack: 2, cancel: false })
    })

    test('its reports are taken in before it polls again', async () => {
      const { scanner, id, taken } = await begin()
      await silence(scanner.id)
      expect(await (await scanner.report(taken, 2, [])).json()).toEqual({ ack: 2, cancel: false })
      expect((await getScan(id)).status).toBe('running')
    })

    test('the scan is not given back where the network has another label by now', async () => {
      const { scanner, holding, id, network, taken } = await begin()
      await silence(scanner.id)
      await admin.api.networks.update({ id: network.id, scanner: (await connect()).name })
      expect((await scanner.poll({ holding })).drop).toEqual([id])
      expect((await scanner.report(taken, 2, [])).status).toBe(404)
    })

    test('the scan of a scanner with a request since then stays with it', async () => {
      const { scanner, id } = await begin()
      aheadMs += 11 * 60_000
      await setBeat(scanner.id, Date.now() + (dialect === 'sqlite' ? aheadMs : 0))
      await app.plat.runJob('discovery.release-silent')
      expect((await getScan(id)).status).toBe('running')
    })
  })

  describe('a poll that waits', () => {
    /** A poll of which the test knows that it waits. */
    const wait = async (scanner: WireScanner, body: Parameters<WireScanner['poll']>[0] = {}) => {
      const answer = scanner.poll({ wait_seconds: 25, ...body })
      // The job looks for all that wait, and wakes none without a reason.
      for (let n = 0; n < 3; n++) await app.plat.runJob('discovery.look-for-scanners')
      return answer
    }

    test('is answered when a scan is started', async () => {
      const scanner = await connect()
      const network = await createNetwork(scanner.name)
      const answer = wait(scanner)
      const id = await start(network.id)
      expect((await answer).start.map(({ scan_id }) => scan_id)).toEqual([id])
    })

    test('is answered when its scan is cancelled', async () => {
      const { scanner, holding, id } = await begin()
      const answer = wait(scanner, { holding })
      await admin.api.scans.cancel({ id })
      expect((await answer).cancel).toEqual([id])
    })

    test('is answered when a network gets its label', async () => {
      const scanner = await connect()
      const nobody = await connect()
      const { network, id } = await queue(nobody.name)
      const answer = wait(scanner)
      await admin.api.networks.update({ id: network.id, scanner: scanner.name })
      expect((await answer).start.map(({ scan_id }) => scan_id)).toEqual([id])
    })

    test('ends with the next poll of the scanner', async () => {
      const scanner = await connect()
      const both = [wait(scanner), wait(scanner)]
      // Either may have come first.
      expect(await Promise.race(both)).toMatchObject(NOTHING)
      const { id } = await queue(scanner.name)
      const answers = await Promise.all(both)
      expect(answers.flatMap(({ start: given }) => given.map(({ scan_id }) => scan_id))).toEqual([id])
    })

    test('is the last of a hundred at once, and the others end', async () => {
      const scanner = await connect()
      const all = Array.from({ length: 100 }, () => scanner.poll({ wait_seconds: 25 }))
      const { id } = await queue(scanner.name)
      const answers = await Promise.all([...all, scanner.poll({ holding: [] })])
      const given = answers.flatMap(({ start: some }) => some)
      expect(new Set(given.map(({ scan_id }) => scan_id))).toEqual(new Set([id]))
      expect((await getScan(id)).status).toBe('running')
    })

    test('ends with 401 when the scanner is revoked', async () => {
      const scanner = await connect()
      const answer = scanner.post('/api/scanner/poll', { protocol: 1, version: '1', holding: [], wait_seconds: 25 })
      for (let n = 0; n < 3; n++) await app.plat.runJob('discovery.look-for-scanners')
      await admin.api.scanners.revoke({ id: scanner.id })
      expect((await answer).status).toBe(401)
    })

    test('ends with 401 when the scanner is deleted', async () => {
      const scanner = await connect()
      const answer = scanner.post('/api/scanner/poll', { protocol: 1, version: '1', holding: [], wait_seconds: 25 })
      for (let n = 0; n < 3; n++) await app.plat.runJob('discovery.look-for-scanners')
      await admin.api.scanners.delete({ id: scanner.id })
      expect((await answer).status).toBe(401)
    })

    test('ends with the goodbye of the scanner', async () => {
      const scanner = await connect()
      let isAnswered = false
      const answer = wait(scanner).finally(() => {
        isAnswered = true
      })
      // The first one may come before the poll.
      await until('the end of the poll', async () => {
        expect((await scanner.post('/api/scanner/bye', {})).status).toBe(204)
        return isAnswered || undefined
      })
      expect(await answer).toMatchObject(NOTHING)
      expect((await admin.api.scanners.get({ id: scanner.id })).status).toBe('offline')
    })

    test('is answered when the server stops', async () => {
      const stopping = await testApp({ dialect, withJobs: false })
      const caller = await stopping.as('admin')
      const scanner = await createScanner(fetchFrom(stopping.plat), caller, { name: 'oslo' })
      const answer = scanner.poll({ wait_seconds: 25 })
      await stopping.plat.runJob('discovery.look-for-scanners')
      stopping.plat.closeStreams()
      expect(await answer).toMatchObject(NOTHING)
      expect(await scanner.poll({ wait_seconds: 25 })).toMatchObject(NOTHING)
      await stopping.close()
    })
  })

  test('revoking a scanner fails its running scans, and what they found stays', async () => {
    const { scanner, id, network, taken } = await begin()
    await admin.api.scanners.revoke({ id: scanner.id })
    expect(await getScan(id)).toMatchObject({ status: 'failed', error_message: 'the scanner was revoked' })
    expect(await admin.api.discovery.list({ network_id: network.id })).toHaveLength(1)
    expect((await scanner.report(taken, 2, [])).status).toBe(401)
  })
})
