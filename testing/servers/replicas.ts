/**
 * Starts a PostgreSQL primary and standbys that stream from it, on loopback and in temporary folders. They end with this
 * process, however it ends: killed, frozen or with a failed test.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { findPostgres } from '../../scripts/server-binaries.mjs'
import { childrenOf, isRunning, signal } from '../app/processes.ts'
import { until } from '../until.ts'
import {
  freePort,
  type Launch,
  launch,
  postgresLaunch,
  type Running,
  read,
  shell,
  throwAwaySettings,
} from './servers.ts'

/** Returns the reason for which no replicas can be started here, for the name of a skipped test. */
export const replicasProblem: string | undefined = ((): string | undefined => {
  const found = findPostgres()
  if (process.platform !== 'linux') return 'processes are found by /proc'
  if (!found) return 'PostgreSQL is missing'
  return existsSync(found.basebackup) ? undefined : 'pg_basebackup is missing (Debian package postgresql-client)'
})()

const SETTINGS = {
  ...throwAwaySettings,
  wal_level: 'replica',
  max_wal_senders: '10',
  // A standby that was paused or away finds all that it has missed.
  wal_keep_size: '512MB',
  max_wal_size: '1GB',
  hot_standby: 'on',
  wal_receiver_status_interval: '100ms',
  wal_retrieve_retry_interval: '100ms',
  // Acknowledged commits survive a crash of the server.
  synchronous_commit: 'on',
}

export type ReplicaServer = {
  /** Its name in `synchronous_standby_names`: `db1`, `db2` and so on. */
  readonly name: string
  /** `127.0.0.1:15001`; it stays the same. */
  readonly address: string
  /** The superuser's. @param database `postgres` if absent */
  readonly url: (database?: string) => string
  /** Runs a statement as the superuser, on its own connection. */
  readonly execute: <Row = Record<string, unknown>>(statement: string, database?: string) => Promise<Row[]>
  /** Changes a setting and waits until it is in force: `recovery_min_apply_delay`, `synchronous_standby_names`. */
  readonly set: (setting: string, value: string) => Promise<void>
  /** Kills all processes of the server with SIGKILL. Its data stays. Does nothing if the server does not run. */
  readonly kill: () => Promise<void>
  /** Starts the server again, with the role that its data has. */
  readonly start: () => Promise<void>
  /** Stops all processes by SIGSTOP: connections stay open, are even accepted, and get no answer. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Makes a standby the primary of the next timeline. */
  readonly promote: () => Promise<void>
  /** Makes the server a standby of another one by a new base backup, whatever it was before. */
  readonly follow: (primary: ReplicaServer) => Promise<void>
  /** Makes a running standby stream from another server. It must be able to follow the timeline of that server. */
  readonly streamFrom: (primary: ReplicaServer) => Promise<void>
  readonly pauseReplay: () => Promise<void>
  readonly resumeReplay: () => Promise<void>
}

export type Replicas = {
  /** The primary at the start, then the standbys. */
  readonly servers: readonly [ReplicaServer, ...ReplicaServer[]]
  /** A URL with all hosts, in this order. */
  readonly url: (database?: string) => string
  /** Creates an empty database and waits until the standbys have it. @returns its name */
  readonly createDatabase: (primary?: ReplicaServer) => Promise<string>
  /** Waits until these servers have replayed all that the primary has flushed. */
  readonly caughtUp: (primary?: ReplicaServer, standbys?: readonly ReplicaServer[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a primary and standbys. @param standbys their number */
export const startReplicas = async (standbys: number): Promise<Replicas> => {
  // Holds the data of all servers, and is removed when this process ends.
  const holder = await launch({ serve: () => ['tail', '-f', '/dev/null'], isReady: () => true, stopSignal: 'KILL' })
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill()))
    await holder.stop()
  }
  try {
    const primary = new Server(holder.dir, 'db1', await freePort())
    servers.push(primary)
    await primary.start()
    for (let n = 2; n <= standbys + 1; n++) servers.push(new Server(holder.dir, `db${n}`, await freePort()))
    await Promise.all(servers.slice(1).map((standby) => standby.follow(primary)))
    return { ...replicasOf([primary, ...servers.slice(1)]), close }
  } catch (error) {
    await close()
    throw error
  }
}

const replicasOf = (servers: readonly [ReplicaServer, ...ReplicaServer[]]): Omit<Replicas, 'close'> => {
  let databases = 0
  const [first] = servers
  const caughtUp: Replicas['caughtUp'] = async (
    primary = first,
    standbys = servers.filter((one) => one !== primary),
  ) => {
    const [row] = await primary.execute<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
    for (const standby of standbys)
      await until(`replay of ${row?.lsn} by ${standby.name}`, async () => {
        const [seen] = await standby.execute<{ has: boolean }>(
          `select pg_last_wal_replay_lsn() >= '${row?.lsn}'::pg_lsn as has`,
        )
        return seen?.has || undefined
      })
  }
  return {
    servers,
    url: (database = 'postgres') =>
      `postgres://postgres@${servers.map(({ address }) => address).join(',')}/${database}`,
    createDatabase: async (primary = first) => {
      databases += 1
      const name = `test_${databases}`
      await primary.execute(`create database ${name} template template0`)
      await caughtUp(primary)
      return name
    },
    caughtUp,
  }
}

class Server implements ReplicaServer {
  readonly name: string
  readonly address: string
  readonly #data: string
  readonly #port: number
  #running: Running | undefined

  constructor(folder: string, name: string, port: number) {
    this.name = name
    this.address = `127.0.0.1:${port}`
    this.#data = join(folder, name)
    this.#port = port
  }

  url = (database = 'postgres'): string => `postgres://postgres@${this.address}/${database}`

  execute = async <Row>(statement: string, database?: string): Promise<Row[]> => {
    const client = new SQL(this.url(database), { max: 1 })
    try {
      // The rows have the type of the statement.
      return Array.from((await client.unsafe(statement)) as Row[])
    } finally {
      await client.close()
    }
  }

  set = async (setting: string, value: string): Promise<void> => {
    const loaded = async () => (await this.execute<{ at: string }>('select pg_conf_load_time()::text as at'))[0]?.at
    const before = await loaded()
    await this.execute(`alter system set ${setting} = '${value}'`)
    await this.execute('select pg_reload_conf()')
    // A new connection has the settings that the server has loaded.
    await until(`${setting} = ${value} at ${this.name}`, async () => (await loaded()) !== before || undefined)
  }

  kill = async (): Promise<void> => {
    const running = this.#running
    if (!running) return
    this.#running = undefined
    const processes = this.#processes()
    signal(processes, 'SIGKILL')
    await running.stop()
    await until(`end of ${this.name}`, () => !processes.some(isRunning) || undefined)
  }

  start = (): Promise<void> => this.#launch((prepare) => prepare)

  freeze = (): void => {
    const [postmaster = 0] = this.#processes()
    signal([postmaster], 'SIGSTOP')
    // Processes that the frozen postmaster has started since are not in the first list.
    signal(this.#processes().slice(1), 'SIGSTOP')
  }

  thaw = (): void => signal(this.#processes().reverse(), 'SIGCONT')

  promote = async (): Promise<void> => {
    await this.execute('select pg_promote()')
    await until(`promotion of ${this.name}`, async () => {
      const [row] = await this.execute<{ standby: boolean }>('select pg_is_in_recovery() as standby')
      return row?.standby === false || undefined
    })
  }

  follow = async (primary: ReplicaServer): Promise<void> => {
    await this.kill()
    const { basebackup } = findPostgres() ?? { basebackup: '' }
    const source = `${conninfo(primary)} application_name=${this.name}`
    const words = [basebackup, '-d', source, '-D', this.#data, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync']
    rmSync(this.#data, { recursive: true, force: true })
    await this.#launch(() => () => shell(words))
  }

  streamFrom = (primary: ReplicaServer): Promise<void> =>
    this.set('primary_conninfo', `${conninfo(primary)} application_name=${this.name}`)

  pauseReplay = async (): Promise<void> => {
    await this.execute('select pg_wal_replay_pause()')
    await until(`pause of ${this.name}`, async () => {
      const [row] = await this.execute<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
      return row?.state === 'paused' || undefined
    })
  }

  resumeReplay = async (): Promise<void> => {
    await this.execute('select pg_wal_replay_resume()')
  }

  async #launch(prepare: (own: Launch['prepare']) => Launch['prepare']): Promise<void> {
    if (this.#running) return
    // A killed server leaves its file, which would look like that of the new one.
    rmSync(join(this.#data, 'postmaster.pid'), { force: true })
    const settings = { ...SETTINGS, cluster_name: this.name }
    const plan = postgresLaunch(this.#port, () => this.#data, settings)
    const own = prepare(plan.prepare)
    this.#running = await launch({ ...plan, ...(own && { prepare: own }) })
  }

  /** The postmaster first, then its children. */
  #processes(): number[] {
    const postmaster = Number(read(join(this.#data, 'postmaster.pid')).split('\n')[0])
    return postmaster > 0 ? [postmaster, ...childrenOf(postmaster)] : []
  }
}

const conninfo = ({ address }: ReplicaServer): string => {
  const [host, port] = address.split(':')
  return `host=${host} port=${port} user=postgres`
}
