// Two processes on one PostgreSQL run one source, and the one that reads a pushed snapshot is killed at a random moment, again and again.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { z } from 'zod'
import { SourceRun } from '../../src/sources/schema.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { testsAll } from '../../testing/tests-all.ts'
import { until } from '../../testing/until.ts'

const KILLS = testsAll ? 20 : 3
const MACHINES = 200
const TIMEOUT_MS = 900_000
const PATIENCE_MS = 120_000
const Made = z.object({ id: z.string() })
const Devices = z.array(z.object({ name: z.string(), os: z.string() }))
const Children = z.array(z.object({ child_id: z.string() }))
const Changes = z.array(z.object({ id: z.string(), operation: z.string() }))

/** Returns numbers from 0 to 1, the same in each run. */
const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A host and its machines. In each round all of them change, some go, and some come. */
const buildDocument = (round: number) => {
  const machines = Array.from({ length: MACHINES }, (_, at) => `vm-${at + round * 3}`)
  const toDevice = (name: string) => ({ name, os: `round ${round}`, refs: { doc: name } })
  return {
    devices: ['host', ...machines].map(toDevice),
    relationships: machines.map((name) => ({ parent: 'host', type: 'contains', child: name })),
  }
}

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let said = ''
  const system = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(said) })
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let folder: ServerFolder
  let sql: SQL
  beforeAll(async () => {
    database = await postgresDatabase()
    folder = await serverFolder({
      ...{ RATE_LIMIT_ENABLED: 'false', DATABASE_URL: database.url, SOURCE_TARGETS: '127.0.0.0/8' },
    })
    sql = new SQL({ url: database.url, max: 1 })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await system.stop(true)
    await sql.close()
    await folder.remove()
    await database.drop()
  }, TIMEOUT_MS)

  const send = async (at: ServerChild, method: string, path: string, body?: string): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
    return (await fetch(`${at.url}${path}`, { method, headers, ...(body !== undefined && { body }) })).json()
  }
  const listRuns = async (at: ServerChild, id: string): Promise<SourceRun[]> => {
    const runs = z.array(SourceRun).parse(await send(at, 'GET', `/api/sources/${id}/runs`))
    expect(runs.filter(({ status }) => status === 'running').length).toBeLessThanOrEqual(1)
    return runs
  }
  /** Waits until no run of the source is open. */
  const awaitIdle = (at: ServerChild, id: string) =>
    until(
      'end of the runs',
      async () => (await listRuns(at, id)).every(({ completed_at }) => completed_at !== null) || undefined,
      PATIENCE_MS,
    )
  const readMade = async (at: ServerChild, id: string) => {
    const devices = Devices.parse(await send(at, 'GET', `/api/devices?managed_by=source:${id}`))
    const children = Children.parse(await send(at, 'GET', `/api/relationships?managed_by=source:${id}`))
    return {
      devices: devices.map(({ name, os }) => `${name} ${os}`).sort(),
      children: new Set(children.map(({ child_id }) => child_id)).size,
    }
  }
  const describeRound = (round: number) => ({
    devices: buildDocument(round)
      .devices.map(({ name, os }) => `${name} ${os}`)
      .sort(),
    children: MACHINES,
  })

  test(
    `after each of ${KILLS} kills the inventory is that of one snapshot, and the next run is whole`,
    async () => {
      const random = createRandom(5)
      let victim = await folder.start({ sendsNothing: true })
      let survivor = await folder.start({ sendsNothing: true })
      const settings = { kind: 'document', ref: 'doc', mode: 'auto', interval_minutes: 0, url: `${system.url}` }
      const gone = { when_gone: 'delete', gone_after_hours: 0, max_gone_percent: 100 }
      const draft = JSON.stringify({ name: 'killed', ...settings, ...gone })
      const { id } = Made.parse(await send(victim, 'POST', '/api/sources', draft))
      /** Returns once the run has begun, on this instance. */
      const push = async (at: ServerChild) => SourceRun.parse(await send(at, 'POST', `/api/sources/${id}/push`, said))

      said = JSON.stringify(buildDocument(0))
      await push(victim)
      const startMs = performance.now()
      await awaitIdle(survivor, id)
      const tookMs = performance.now() - startMs
      expect(await readMade(survivor, id)).toEqual(describeRound(0))

      for (let round = 1; round <= KILLS; round++) {
        said = JSON.stringify(buildDocument(round))
        await push(victim)
        // The other instance waits for its turn.
        const waiting = push(survivor)
        await Bun.sleep(random() * tookMs)
        await victim.kill()
        const left = await readMade(survivor, id)
        expect([describeRound(round - 1), describeRound(round)]).toContainEqual(left)
        // As 20 seconds later: the lease of the killed instance has expired.
        await sql`UPDATE source_states SET until_ms = 0 WHERE source_id = ${id}`
        await waiting
        await awaitIdle(survivor, id)
        expect(await readMade(survivor, id)).toEqual(describeRound(round))
        if (round < KILLS) [victim, survivor] = [survivor, await folder.start({ sendsNothing: true })]
      }

      const runs = (await listRuns(survivor, id)).toReversed()
      expect(new Set(runs.map(({ status, error_code }) => `${status} ${error_code}`))).toEqual(
        new Set([...(runs.some(({ status }) => status === 'failed') ? ['failed interrupted'] : []), 'completed ']),
      )
      // One run ends before the next one begins.
      for (const [at, { started_at }] of runs.entries())
        if (at > 0) expect((runs[at - 1]?.completed_at ?? '') <= (started_at ?? '')).toBe(true)
      const changes = Changes.parse(await send(survivor, 'GET', '/api/history?limit=1000'))
      const own = changes.flatMap((one) => (one.operation === 'sources.run' ? [one.id] : []))
      const named = runs.flatMap(({ change_id }) => (change_id === '' ? [] : [change_id]))
      expect(new Set(named).size).toBe(named.length)
      expect(own).toEqual(expect.arrayContaining(named))
      // Each snapshot was applied once, by whichever run.
      expect(own).toHaveLength(KILLS + 1)
    },
    TIMEOUT_MS,
  )
}
