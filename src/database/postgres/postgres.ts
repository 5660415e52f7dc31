/** PostgreSQL through Bun's own client. It has many writers, so it locks rows and names; SQLite has one writer. */
import { SQL } from 'bun'
import { Kysely, type SqlBool, sql } from 'kysely'
import { FaultError } from '../../base/disk/fault.ts'
import { parseDatabaseUrl } from '../../base/hosts/database-url.ts'
import { createHosts } from '../../base/hosts/hosts.ts'
import type { HostState } from '../../base/hosts/primary.ts'
import { LOOK_LIMIT_MS } from '../../base/hosts/watch-host.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { createQueryCache } from '../cache/query-cache.ts'
import { RevisionCache } from '../cache/revision-cache.ts'
import type { Db, ReadHosts, ReadPoint, SnapshotsDue, Sql } from '../database.ts'
import type { DatabaseHost } from '../database-host.ts'
import { onServer } from '../deployment.ts'
import { createFaultWatch } from '../fault-watch.ts'
import { createQueryMetrics } from '../query/query-metrics.ts'
import { createSnapshotAges } from '../snapshot-ages.ts'
import { pastSql } from './as-of-views.ts'
import { coalesce } from './coalesce.ts'
import { createPostgresPool, type PostgresPool } from './connections/pool.ts'
import { connectToPrimary } from './connections/primary-connections.ts'
import { PROGRAM_NAME } from './connections/program-name.ts'
import { otherPrograms } from './connections/programs.ts'
import { createAllInUseError } from './connections/refusals.ts'
import {
  DEFAULT_LIMITS,
  getConnectionSettings,
  getStreamSettings,
  type PostgresLimits,
  type Settings,
} from './connections/settings.ts'
import { readStatus } from './connections/status.ts'
import { withoutJit } from './connections/without-jit.ts'
import { createPipelinedDialect, createSequentialDialect } from './dialect.ts'
import { getPostgresFault, isLockConflict, isRefusedWrite } from './errors.ts'
import { guard } from './guards.ts'
import { createIndexes } from './indexes.ts'
import { probeWrite } from './probe-write.ts'
import { countWords, matchesColumns, matchesWords, matchesWordsInOrder } from './search.ts'
import { createReadPointDb } from './standbys/read-point.ts'
import { openStandbys } from './standbys/standbys.ts'
import { TIMELINE_PREFIX } from './standbys/timeline.ts'
import { streamRows } from './stream.ts'
import {
  createRevisionIn,
  createWriter,
  limitLockWaits,
  lockNames,
  lockNamesShared,
  locksHeld,
  lockTables,
} from './writes.ts'

/** A running server answers at once. */
const CONNECT_S = 4
/** Time limit of a ping; without an answer the server counts as unreachable. */
const PING_MS = 2000
type Lockable<Q> = { forNoKeyUpdate(): { skipLocked(): Q } }

const postgresSql: Omit<Sql, 'revisionIn'> = {
  ...onServer,
  slowMark: sql``,
  hasOneWriter: false,
  isInProcess: false,
  areFew: async () => true,
  selective: (condition) => condition,
  matchesWords,
  matchesColumns,
  matchesWordsInOrder,
  countWords,
  inPart: { matchesWordsInOrder, countWords },
  hasText: (column, text) => sql<SqlBool>`jsonb_exists(${sql.ref(column)}::jsonb, ${text})`,
  guard,
  // A snapshot lists the transactions in progress below its upper end (PostgreSQL's documentation, 9.27.16). Later ones are below a
  // number that is taken now. Transactions of other databases have numbers too, but write nothing here.
  underWay: async (db) => {
    const { rows } = await sql<{ oldest: string; next: string }>`
      SELECT pg_current_xact_id()::text AS next, coalesce((
        SELECT x FROM pg_snapshot_xip(s) AS x WHERE x::xid <> ALL (ARRAY(
          SELECT l.transactionid FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
          WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND a.datname <> current_database()
        )) ORDER BY x LIMIT 1
      ), pg_snapshot_xmax(s))::text AS oldest FROM pg_current_snapshot() AS s`.execute(db)
    return rows[0] && { oldest: BigInt(rows[0].oldest), next: BigInt(rows[0].next) }
  },
  nextTransaction: () => sql<number>`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
  nowMs: () => sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
  nowMsFrom: (leastMs) =>
    sql<number>`greatest((extract(epoch from statement_timestamp()) * 1000)::bigint, ${leastMs}::bigint)`,
  // The stronger lock would also block foreign key checks that refer to the row. Every select builder has
  // forNoKeyUpdate; the capability is generic over all of them.
  lockRows: (query) => (query as { forNoKeyUpdate(): typeof query }).forNoKeyUpdate(),
  lockRowsShared: (query) => (query as { forShare(): typeof query }).forShare(),
  lockFreeRows: (query) => (query as Lockable<typeof query>).forNoKeyUpdate().skipLocked(),
  lockNames,
  lockNamesShared,
  lockTables,
  locksHeld,
  otherPrograms,
  limitLockWaits,
  isLockConflict,
  past: pastSql,
}

class NoPingError extends Error {
  constructor() {
    super(`the database has not answered within ${PING_MS} ms`)
  }
}

/** @throws NoPingError if the server has not answered within the time limit of a ping */
const withTimeout = async (answer: Promise<unknown>): Promise<void> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new NoPingError()), PING_MS)
  try {
    await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A position that is behind all commits that a snapshot shows, if it is read after the snapshot was taken. Without `synchronous_commit`
 * commits show before they are flushed.
 */
const POSITION = sql`(CASE WHEN current_setting('synchronous_commit') = 'off'
  THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END)::text`

type Standing = {
  readonly position?: string
  readonly snapshot: string
  /** The timeline begins a revision. */
  readonly timeline: string
  readonly counts: string | null
}
type Parts = { readonly withPosition: boolean; readonly withTimeline: boolean }

/** Returns the snapshot on its timeline, and the commits per table unless the snapshot equals `before`: adding them up is slow. */
const readStanding = async <Tables>(db: Kysely<Tables>, before: string, { withPosition, withTimeline }: Parts) => {
  const position = withPosition ? sql`${POSITION} AS position, ` : sql``
  const timeline = sql.raw(withTimeline ? TIMELINE_PREFIX : "''")
  const { rows } = await sql<Standing>`
    SELECT ${position}snapshot, timeline, CASE WHEN snapshot = ${before} THEN NULL ELSE coalesce(
             (SELECT string_agg(name || ' ' || n, ',') FROM (SELECT name, sum(n) AS n FROM revisions GROUP BY name) AS sums), '')
           END AS counts
    FROM (SELECT timeline, timeline || pg_current_snapshot()::text AS snapshot
          FROM (SELECT ${timeline} AS timeline OFFSET 0) AS server OFFSET 0) AS standing`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a query for one row has none')
  return row
}

const toDatabaseHost = ({ host, role, lagBytes, lagMs, message }: HostState): DatabaseHost => ({
  host,
  role,
  lagBytes: lagBytes ?? null,
  lagMs: lagMs ?? null,
  message,
})

const addCounts = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...a.keys(), ...b.keys()].map((key) => [key, (a.get(key) ?? 0) + (b.get(key) ?? 0)]))

/** Few connections for fast queries, so that many share a round trip and the server wakes few processes. */
const countQuickConnections = (connections: number): number => Math.max(1, Math.floor(connections / 5))

/** Streams have separate connections, so that slow readers do not delay other queries. */
const streamConnections = (connections: number): number => Math.max(1, Math.floor(connections / 2))

/** For notifications, and for the look at the host. */
const FURTHER_CONNECTIONS = 2

/** Returns the maximum number of connections of one server to its primary. */
export const countMaxConnections = (connections: number): number =>
  connections + streamConnections(connections) + FURTHER_CONNECTIONS

export type PostgresOptions = {
  /** The name of the connections. */
  readonly name?: string
  readonly log?: Logger
  /** Where lists, searches and reports are read. */
  readonly reads?: ReadHosts['mode']
}

/** Connects lazily, with the first query. */
export const openPostgres = <Tables>(
  url: string,
  limits: PostgresLimits = DEFAULT_LIMITS,
  { name = PROGRAM_NAME, log, reads = 'primary' }: PostgresOptions = {},
): Db<Tables> => {
  const shared = { bigint: false, connectionTimeout: CONNECT_S }
  const settings = getConnectionSettings(limits, name)
  const looking = { ...settings, statement_timeout: LOOK_LIMIT_MS }
  const hosts = createHosts({
    ...parseDatabaseUrl(url),
    connect: (host, lost) => new SQL({ ...shared, url: host.url, max: 1, connection: looking, onclose: lost }),
    log,
  })
  let seen: { readonly snapshot: string; readonly readPoint: ReadPoint } | undefined
  const sizes = {
    pool: limits.connections - countQuickConnections(limits.connections),
    quick: countQuickConnections(limits.connections),
    streams: streamConnections(limits.connections),
  }
  const connections = connectToPrimary({
    hosts,
    sizes,
    shared,
    settings,
    log,
    // After a crash, the server may assign the same transaction numbers again.
    onQuickLoss: () => {
      seen = undefined
    },
  })
  const { pool, streams, notifier } = connections
  const watch = createQueryMetrics()
  const dialect = createSequentialDialect(pool)
  /** The number of reads that each host has answered as the primary. */
  const answers = new Map<string, number>()
  const answered = (): void => {
    const host = hosts.primary()?.name
    if (host !== undefined) answers.set(host, (answers.get(host) ?? 0) + 1)
  }
  const logQuery: typeof watch.log = (event) => {
    if (event.level === 'error') {
      if (isRefusedWrite(event.error)) hosts.lookNow()
      faults.noticed(event.error)
    }
    watch.log(event)
  }
  const logRead: typeof watch.log = (event) => {
    answered()
    logQuery(event)
  }
  const db = new Kysely<Tables>({ log: logRead, dialect })
  const quick = new Kysely<Tables>({
    log: logQuery,
    dialect: createPipelinedDialect(connections.quick, connections.whenUsable),
  })
  const cache = new RevisionCache()
  const queryCache = createQueryCache(cache)
  const readPoint = coalesce(async (): Promise<ReadPoint> => {
    const asked = seen
    const { snapshot, timeline, counts, position } = await readStanding(quick, asked?.snapshot ?? '', {
      withPosition: standbys !== undefined,
      withTimeline: hosts.tellsTimeline(),
    })
    // The commits are the same, so the earlier position is behind them too.
    if (asked && counts === null) return asked.readPoint
    const readPoint = { ...readPointAt(timeline, counts ?? ''), ...(position !== undefined && { position }) }
    // Not if a connection was lost since the query: the state may be outdated.
    if (seen === asked) seen = { snapshot, readPoint }
    return readPoint
  })
  const readPointAt = (timeline: string, text: string): ReadPoint => {
    const counts = new Map(text.split(',').map((one) => one.split(' ') as [string, string]))
    const commits = (table: string): string => counts.get(table) ?? '0'
    return {
      // Other instances commit as well, so entries are valid for a count that all instances share.
      remember: (table, key, read) => queryCache({ table, state: timeline + commits(table), key }, read),
      revision: (tables) => timeline + tables.map(commits).join('.'),
      timeline: () => timeline,
    }
  }
  let isReachable = true

  const transact = createWriter<Tables>({ pool, dialect, log: logQuery, lockMs: limits.lockMs })
  // Statements that are not awaited fail at the commit.
  const write: typeof transact = (work, options) =>
    transact(work, options).catch((error: unknown) => {
      faults.noticed(error)
      throw error
    })
  const faults = createFaultWatch({ getFault: getPostgresFault, probe: () => probeWrite(transact), log })
  const ages = createSnapshotAges(streamConnections(limits.connections))

  const standbyPool = (most: number, host: string, connection: Settings): PostgresPool => {
    const { url = '' } = hosts.hosts.find((one) => one.name === host) ?? {}
    return createPostgresPool(most, (lost) =>
      withoutJit(new SQL({ ...shared, url, max: 1, connection, onclose: lost })),
    )
  }
  const standbys =
    reads === 'standbys'
      ? openStandbys(hosts, {
          open: (host) => ({
            queries: standbyPool(limits.connections, host, settings),
            streams: standbyPool(sizes.streams, host, getStreamSettings(settings)),
          }),
          mostStreams: sizes.streams,
          onQuery: watch.log,
        })
      : undefined

  let snapshotsDue: SnapshotsDue = () => {}

  const stream: Db<Tables>['stream'] = (...queries) => {
    answered()
    return streamRows(streams.reserve, queries, ages.enter)
  }
  const whole: Db<Tables> = {
    engine: 'postgres',
    read: db,
    quick,
    quickMany: quick,
    cache,
    sql: { ...postgresSql, revisionIn: createRevisionIn(hosts.tellsTimeline) },
    write,
    stream,
    streamsOfUser: Math.max(1, Math.floor(streamConnections(limits.connections) / 2)),
    scan: (...queries) => streamRows(streams.reserve, queries),
    recallSnapshots: (beforeMs, owner) => snapshotsDue(beforeMs, owner),
    onSnapshotsDue: (listener) => {
      snapshotsDue = listener
      ages.listen(listener)
      standbys?.onSnapshotsDue(listener)
    },
    remember: async (table, key, read) => (await readPoint()).remember(table, key, read),
    revision: async (tables) => (await readPoint()).revision(tables),
    timeline: async () => (await readPoint()).timeline(),
    readPoint,
    at: (point) => (standbys ? createReadPointDb({ whole, standbys }, point) : { ...whole, ...point }),
    readHosts: {
      mode: reads,
      answers: () => addCounts(answers, standbys?.answers() ?? new Map()),
      getMessage: (host) => standbys?.getMessage(host) ?? '',
    },
    cluster: hosts,
    hosts: () => hosts.states().map(toDatabaseHost),
    failovers: hosts.failovers,
    status: () => readStatus(db, hosts.timeline()),
    watch: watch.listen,
    connections: () => (isReachable ? 1 : 0),
    notifier,
    ping: async () => {
      try {
        await withTimeout(sql`SELECT 1`.execute(db))
        isReachable = true
      } catch (error) {
        isReachable = false
        const mayBeInUse = error instanceof NoPingError && pool.isExhausted()
        if (!mayBeInUse) throw error
        await withTimeout(sql`SELECT 1`.execute(quick))
        throw createAllInUseError()
      }
      const fault = faults.current()
      if (fault) throw new FaultError(fault)
    },
    vacuum: async (tables) => {
      for (const table of tables) await sql`VACUUM (FULL) ${sql.table(table)}`.execute(db)
    },
    watchFloor: connections.floors.start,
    createIndexes: async (indexes) => {
      const unlimited = { ...settings, statement_timeout: 0, lock_timeout: 0 }
      const client = new SQL({ ...shared, url: connections.primary().url, max: 1, connection: unlimited })
      await createIndexes(client, indexes).finally(() => client.close())
    },
    fault: faults.current,
    close: async () => {
      faults.close()
      ages.close()
      await hosts.close()
      await standbys?.close()
      await db.destroy()
      await quick.destroy()
      await connections.close()
    },
  }
  return whole
}
