/** All connections to the primary. They are opened to the host that it is at that time, and closed at once when it is left. */
import { SQL } from 'bun'
import type { Host } from '../../../base/hosts/database-url.ts'
import { createNoPrimaryError, type Hosts } from '../../../base/hosts/hosts.ts'
import type { Logger } from '../../../base/runtime/log.ts'
import { createPostgresChangeNotifier, type PostgresChangeNotifier } from '../change-notifier.ts'
import { send } from '../dialect.ts'
import { rethrowTranslated } from '../errors.ts'
import { createFloorWatch, FLOOR, type FloorWatch } from '../standbys/floor-watch.ts'
import { createCheckedConnections } from './checked-connections.ts'
import { createPostgresPool, type PostgresPool } from './pool.ts'
import { createServerCheck } from './server-check.ts'
import { getStreamSettings, type Settings } from './settings.ts'
import { withoutJit } from './without-jit.ts'

/** The numbers of connections. */
export type Sizes = { readonly pool: number; readonly quick: number; readonly streams: number }

export type ConnectionOptions = {
  readonly hosts: Hosts
  readonly sizes: Sizes
  /** The options of all clients, without a URL. */
  readonly shared: SQL.Options
  readonly settings: Settings
  readonly log: Logger | undefined
  /** Called when a connection for fast queries was closed. */
  readonly onQuickLoss: () => void
}

export type PrimaryConnections = {
  /** @throws AppError UNAVAILABLE without one */
  readonly primary: () => Host
  /** Connections for one query or transaction at a time. */
  readonly pool: PostgresPool
  /** The same for streams: their readers may be slow within a transaction, which holds no lock. */
  readonly streams: PostgresPool
  /** Returns the client for fast queries. @throws AppError UNAVAILABLE without a primary */
  readonly quick: () => SQL
  readonly notifier: PostgresChangeNotifier
  readonly floors: FloorWatch
  /** Runs `work` when the server may be used. */
  readonly whenUsable: <T>(work: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

export const connectToPrimary = (options: ConnectionOptions): PrimaryConnections => {
  const { hosts, sizes, shared, settings, log, onQuickLoss } = options
  const opened = { ...shared, connection: settings }
  /** @throws AppError UNAVAILABLE without one */
  const primary = (): Host => {
    const host = hosts.primary()
    if (!host) throw createNoPrimaryError()
    return host
  }
  const serverCheck = createServerCheck(() => {
    const { name, url } = primary()
    return { host: name, connect: () => new SQL({ ...opened, url, max: 1 }), settings }
  }, log)
  const checked = createCheckedConnections(async () => {
    // A single host is asked by its first query.
    if (hosts.hosts.length > 1) await hosts.ready
    await serverCheck()
    await floors.check().catch(rethrowTranslated)
  })
  const floors = createFloorWatch(async () => {
    const [row] = (await send(quick(), FLOOR)) as { floor: string }[]
    return row?.floor ?? ''
  })
  const whenUsable: typeof checked.whenChecked = (work) => floors.whenKnown(() => checked.whenChecked(work))

  /** Counts the connections of a client. @param lost called when one was closed */
  const counted = (client: SQL.Options, lost: () => void): SQL =>
    new SQL({
      ...client,
      url: primary().url,
      onconnect: checked.opened,
      onclose: () => {
        checked.lost()
        lost()
        hosts.lookNow()
      },
    })
  const pooled = (most: number, client: SQL.Options): PostgresPool => {
    const pool = createPostgresPool(most, (lost) => {
      if (hosts.primary()) return withoutJit(counted({ ...client, max: 1 }, lost))
      return { reserve: () => Promise.reject(createNoPrimaryError()), close: async () => {} }
    })
    return { ...pool, reserve: () => whenUsable(pool.reserve) }
  }
  const pool = pooled(sizes.pool, opened)
  const streams = pooled(sizes.streams, { ...shared, connection: getStreamSettings(settings) })

  let quickClient: SQL | undefined
  const quick = (): SQL => {
    quickClient ??= counted({ ...opened, max: sizes.quick }, onQuickLoss)
    return quickClient
  }
  const closeQuick = async (timeout?: number): Promise<void> => {
    const client = quickClient
    quickClient = undefined
    await client?.close(timeout === undefined ? {} : { timeout })
  }

  const notifier = createPostgresChangeNotifier(
    { notify: (channel, payload) => quick().notify(channel, payload) },
    // Has no limits on statements: it waits for ever.
    (lost) => new SQL({ ...shared, url: primary().url, max: 1, connection: settings, onclose: lost }),
  )

  hosts.onPrimary(() => {
    pool.drop()
    streams.drop()
    void closeQuick(0).catch(() => {})
    notifier.drop()
  })

  return {
    primary,
    pool,
    streams,
    quick,
    notifier,
    floors,
    whenUsable,
    close: async () => {
      floors.stop()
      await notifier.close()
      await pool.close()
      await closeQuick()
      await streams.close()
    },
  }
}
