import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type Compilable, CompiledQuery } from 'kysely'
import {
  type ReplicaServer,
  type Replicas,
  replicasProblem,
  startReplicas,
} from '../../../../testing/servers/replicas.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { until } from '../../../../testing/until.ts'
import { createPostgresPool } from '../connections/pool.ts'
import type { Log } from './standby-check.ts'
import { createStandbyReads, type StandbyReads } from './standby-reads.ts'

const problem = engines().includes('postgres') ? replicasProblem : 'not on PostgreSQL'
/** More rows than a stream fetches at once. */
const WRITES = 2000

describe.skipIf(problem !== undefined)(problem ? `standbys (${problem})` : 'standbys', () => {
  let set: Replicas
  let primary: ReplicaServer
  let one: ReplicaServer
  let other: ReplicaServer
  beforeAll(async () => {
    set = await startReplicas(2)
    const [first, second, third] = set.servers
    if (!second || !third) throw new Error('there are two standbys')
    primary = first
    one = second
    other = third
    await primary.execute(`create table things as select n from generate_series(1, ${WRITES}) as n`)
    await set.caughtUp()
  })
  afterAll(() => set?.close())

  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  const logOf = async (server: ReplicaServer): Promise<Log> => {
    const [row] = await server.execute<{ timeline: number; id: string }>(
      `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline, system_identifier::text as id
       from pg_control_system()`,
    )
    if (!row) throw new Error('the server has a timeline')
    return { timeline: row.timeline, systemId: row.id }
  }
  const positionOf = async (server = primary): Promise<string> => {
    const [row] = await server.execute<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
    return row?.lsn ?? ''
  }
  const readsOn = async (standbys: readonly ReplicaServer[], of = primary): Promise<StandbyReads> => {
    const log = await logOf(of)
    const urls = new Map(standbys.map(({ name, url }) => [name, url()]))
    const pool = (url: string) => createPostgresPool(4, (lost) => new SQL({ url, max: 1, onclose: lost }))
    const reads = createStandbyReads({
      hosts: () => [...urls.keys()],
      primaryLog: () => log,
      open: (host) => ({ queries: pool(urls.get(host) ?? ''), streams: pool(urls.get(host) ?? '') }),
      mostStreams: 4,
      onQuery: () => {},
      onLoss: () => {},
    })
    closing.push(reads.close)
    return reads
  }
  const run = async (reads: StandbyReads, position: string, text: string) =>
    (await reads.run<{ n: number }>(position, CompiledQuery.raw(text)))?.rows.map(({ n }) => n)
  const everything: Compilable<{ n: number }> = { compile: () => CompiledQuery.raw('select n from things') as never }
  const isRunning = (server: ReplicaServer, text: string) =>
    until(`"${text}" at ${server.name}`, async () => {
      const rows = await server.execute(`select from pg_stat_activity where query like '${text}%' and state = 'active'`)
      return rows.length > 0 || undefined
    })

  test('answer in turn what they have replayed', async () => {
    const reads = await readsOn([one, other])
    const position = await positionOf()
    await set.caughtUp()
    for (let n = 0; n < 6; n++) expect(await run(reads, position, `select 1 as n where ${n} >= 0`)).toEqual([1])
    expect(Object.fromEntries(reads.answers())).toEqual({ [one.name]: 3, [other.name]: 3 })
    let rows = 0
    for await (const chunk of reads.stream(position, [everything, everything])) rows += chunk.length
    expect(rows).toBe(2 * WRITES)
  })

  test('answer nothing that they have not replayed, and answer again when they have', async () => {
    const reads = await readsOn([one])
    await one.pauseReplay()
    await primary.execute('create table later as select 7 as n')
    const position = await positionOf()
    for (let n = 0; n < 3; n++) expect(await run(reads, position, 'select n from later')).toBeUndefined()
    expect(await reads.stream(position, [everything]).next()).toEqual({ done: true, value: false })
    await one.resumeReplay()
    await set.caughtUp()
    expect(await run(reads, position, 'select n from later')).toEqual([7])
    let rows = 0
    for await (const chunk of reads.stream(position, [everything])) rows += chunk.length
    expect(rows).toBe(WRITES)
  })

  test('an error of the query itself is thrown', async () => {
    const reads = await readsOn([one])
    await expect(run(reads, await positionOf(), 'select n / 0 as n from things')).rejects.toThrow('division by zero')
  })

  test('a write is left to the primary', async () => {
    const reads = await readsOn([one])
    expect(await run(reads, await positionOf(), 'insert into things values (0) returning n')).toBeUndefined()
  })

  test('a query that replay cancels is left to the primary', async () => {
    await one.set('max_standby_streaming_delay', '0')
    await primary.execute('create table cancelled as select n from generate_series(1, 100) as n')
    await set.caughtUp()
    const reads = await readsOn([one])
    const slow = run(reads, await positionOf(), 'select n, pg_sleep(1) from cancelled')
    await isRunning(one, 'select n, pg_sleep(1) from cancelled')
    await primary.execute('delete from cancelled')
    await primary.execute('vacuum cancelled')
    expect(await slow).toBeUndefined()
    await one.set('max_standby_streaming_delay', '30s')
  })

  test('a stream fails if its standby is lost after the first rows, and is left to the primary before them', async () => {
    const reads = await readsOn([one])
    await set.caughtUp()
    const position = await positionOf()
    const stream = reads.stream(position, [everything])
    expect((await stream.next()).done).toBe(false)
    await one.kill()
    await expect(stream.next()).rejects.toThrow('The database does not answer')
    expect(await reads.stream(position, [everything]).next()).toEqual({ done: true, value: false })
    expect(await run(reads, position, 'select 1 as n')).toBeUndefined()
    await one.start()
    await until('an answer of the standby', () => run(reads, position, 'select 1 as n'))
  })

  test('a query at a frozen standby is left to the primary when its connections are closed', async () => {
    const reads = await readsOn([one])
    await set.caughtUp()
    const position = await positionOf()
    const text = 'select 1 as n from pg_sleep(60)'
    const slow = run(reads, position, text)
    await isRunning(one, text)
    one.freeze()
    // The check finds that nothing answers.
    expect(await run(reads, position, 'select 1 as n')).toBeUndefined()
    reads.keepOnly([])
    expect(await slow).toBeUndefined()
    one.thaw()
  })

  test('one with commits that a promotion has lost is not asked, although its log is longer', async () => {
    await one.kill()
    await primary.execute('create table lost as select n from generate_series(1, 50000) as n')
    await set.caughtUp(primary, [other])
    await primary.kill()
    await one.start()
    await one.promote()
    await one.execute('create table kept as select 1 as n')
    const position = await positionOf(one)
    const [ahead] = await other.execute<{ is: boolean }>(
      `select pg_last_wal_replay_lsn() > '${position}'::pg_lsn as is`,
    )
    expect(ahead?.is).toBe(true)
    const reads = await readsOn([other], one)
    expect(await run(reads, position, 'select n from kept')).toBeUndefined()
    await other.follow(one)
    await set.caughtUp(one, [other])
    const again = await readsOn([other], one)
    await until('an answer of the new standby', () => run(again, position, 'select n from kept'))
  })
})
