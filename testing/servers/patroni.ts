/**
 * Three machines with etcd, Patroni and PostgreSQL each, on loopback and in temporary folders, from the files of
 * `packaging/ha/`. They end with this process, however it ends.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SQL } from 'bun'
import { goTool } from '../../scripts/go-tools.mjs'
import { patroniFolder } from '../../scripts/python-tools.mjs'
import { findPostgres, findTool } from '../../scripts/server-binaries.mjs'
import { childrenOf, signal } from '../app/processes.ts'
import { freePort, launch, missing, type Running, read, shell } from './servers.ts'

const FILES = resolve(import.meta.dir, '../../packaging/ha')
const PORTS = ['2379', '2380', '5432', '8008'] as const
const ADDRESS = /10\.0\.0\.1([123]):(\d+)/g
/** A start of three machines, or a failover, on a machine that is busy. */
const PATIENCE_MS = 120_000
const LOOK_MS = 50
const PASSWORDS = { plat: 'plat', superuser: 'change-me-1', api: 'change-me-3' }

/** The documentation asks for a newer etcd than that of Debian 12. The tests build one where Go is installed. */
const BUILT_ETCD = goTool('etcd')
const etcd = existsSync(BUILT_ETCD) ? BUILT_ETCD : findTool('etcd')

/** Returns the reason for which no machines can be started here, for the name of a skipped test. */
export const patroniProblem: string | undefined = ((): string | undefined => {
  if (process.platform !== 'linux') return 'processes are found by /proc'
  if (!findPostgres()) return 'PostgreSQL is missing'
  if (!etcd) return 'etcd is missing (Debian package etcd-server)'
  return existsSync(join(patroniFolder, 'installed')) ? undefined : 'Patroni is missing; npm run test:long installs it'
})()

const PATRONI = [existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3', '-m', 'patroni']

/** The user who runs PostgreSQL may not be able to enter the folder of the tests, or that of the Python of its owner. */
const copyPatroni = (dir: string): void => {
  const [version = ''] = readdirSync(join(patroniFolder, 'lib'))
  cpSync(join(patroniFolder, 'lib', version, 'site-packages'), join(dir, 'patroni'), { recursive: true })
  // That user removes the copy at the end.
  spawnSync('chmod', ['-R', 'a+rwX', join(dir, 'patroni')])
}

export type Machine = {
  /** `db1` to `db3`, also the name in Patroni. */
  readonly name: string
  /** The address of PostgreSQL, such as `127.0.0.1:15001`; it stays the same. */
  readonly address: string
  /** Runs a statement as the superuser, on its own connection. It has two seconds. */
  readonly execute: <Row = Record<string, unknown>>(statement: string, database?: string) => Promise<Row[]>
  /** Kills all processes of the machine by SIGKILL. Its data stays. */
  readonly kill: () => Promise<void>
  /** Kills only the postmaster and its children. Patroni starts it again, or promotes a standby. */
  readonly killPostgres: () => void
  /**
   * Stops Patroni and PostgreSQL by SIGSTOP: connections stay open, and get no answer. An etcd that wakes as its leader may revoke the
   * lease of the new primary, in 3.6.16 too (docs/decisions/failover.md#three-machines).
   */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Stops the processes that send the log to standbys. They lose what is written from now on, if the machine is killed. */
  readonly holdReplication: () => void
  /** Starts a killed machine. */
  readonly start: () => Promise<void>
}

export type Machines = {
  readonly all: readonly Machine[]
  /** The URL of an empty database, with all hosts. */
  readonly url: string
  /** Waits until a machine other than `not` accepts a write. */
  readonly primary: (not?: Machine) => Promise<Machine>
  /** Hands the primary over, in order. */
  readonly switchover: () => Promise<void>
  /** Waits until there are one primary and two streaming standbys, in synchronous mode one that is synchronous. */
  readonly healthy: () => Promise<void>
  /** Waits until all standbys have replayed what the primary has flushed. */
  readonly caughtUp: (primary: Machine) => Promise<void>
  /** Changes settings that all machines share: `{ synchronous_mode: false }`. */
  readonly configure: (settings: object) => Promise<void>
  readonly close: () => Promise<void>
}

type Member = { readonly name: string; readonly role: string; readonly state: string }

export const startMachines = async (): Promise<Machines> => {
  const ports = new Map<string, number>()
  for (const machine of ['1', '2', '3'])
    for (const port of PORTS) ports.set(`${machine}:${port}`, await unused([...ports.values()]))
  const onLoopback = (text: string): string =>
    text
      .replaceAll(ADDRESS, (_, machine, port) => `127.0.0.1:${ports.get(`${machine}:${port}`)}`)
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
  const portOf = (machine: Node, port: (typeof PORTS)[number]): number => ports.get(`${machine.number}:${port}`) ?? 0

  // Holds the data of all machines, and is removed when this process ends.
  const holder = await launch({
    fill: copyPatroni,
    serve: () => ['tail', '-f', '/dev/null'],
    isReady: () => true,
    stopSignal: 'KILL',
  })
  const nodes = [1, 2, 3].map((number) => new Node(holder.dir, number, onLoopback))
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()))
    await holder.stop()
  }

  const api = async (path: string, init: RequestInit = {}, ms = 2000): Promise<Response | undefined> => {
    for (const node of nodes.filter(({ isUp }) => isUp)) {
      const authorization = `Basic ${btoa(`patroni:${PASSWORDS.api}`)}`
      const headers = { Authorization: authorization, 'Content-Type': 'application/json' }
      const url = `http://127.0.0.1:${portOf(node, '8008')}${path}`
      const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(ms) }).catch(() => undefined)
      if (answer?.ok) return answer
    }
    return undefined
  }
  const members = async (): Promise<readonly Member[]> => {
    const answer = (await (await api('/cluster'))?.json()) as { members?: Member[] } | undefined
    return answer?.members ?? []
  }

  const config = async () => (await (await api('/config'))?.json()) as { synchronous_mode?: boolean } | undefined
  const leading = async () => (await members()).find(({ role }) => role === 'leader')?.name

  const primary: Machines['primary'] = (not) =>
    waited('primary that accepts writes', () =>
      first(
        nodes.filter((node) => node !== not && node.isUp),
        async (node) => {
          await node.execute('insert into written default values', 'plat')
          return node
        },
      ),
    )
  const healthy = (): Promise<void> =>
    waited('healthy cluster', async () => {
      const roles = (await members()).filter(({ state }) => /^(running|streaming)$/.test(state)).map(({ role }) => role)
      const isSynchronous = (await config())?.synchronous_mode
      if (roles.length !== 3 || !roles.includes(isSynchronous ? 'sync_standby' : 'leader')) return undefined
      const streaming = await first(nodes, (node) =>
        node
          .execute<{ n: number }>(
            `select count(*)::int as n from pg_stat_replication where state = 'streaming' and not pg_is_in_recovery()`,
          )
          .then(([row]) => (row?.n === 2 ? true : Promise.reject(new Error('not all stream')))),
      )
      return streaming
    }).then(() => {})

  try {
    await Promise.all(nodes.map((node) => node.start()))
    const made = await waited('first primary', () =>
      first(nodes, async (node) => {
        await node.execute(`create role plat login password '${PASSWORDS.plat}'`)
        return node
      }),
    )
    await made.execute('create database plat owner plat')
    await made.execute('create table written (at timestamptz default now())', 'plat')
    await healthy()
    return {
      all: nodes,
      url: `postgres://plat:${PASSWORDS.plat}@${nodes.map(({ address }) => address).join(',')}/plat`,
      primary,
      healthy,
      switchover: async () => {
        const leader = await leading()
        await waited('switchover', async () => {
          // It is answered at its end, or refused while no standby can take over.
          await api('/switchover', post({ leader }), PATIENCE_MS)
          const now = await leading()
          return now !== leader ? now : undefined
        })
      },
      caughtUp: async (from) => {
        const [row] = await from.execute<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
        await waited(`replay of ${row?.lsn}`, async () => {
          const [seen] = await from.execute<{ n: number }>(
            `select count(*)::int as n from pg_stat_replication where replay_lsn >= '${row?.lsn}'`,
          )
          return seen?.n === 2 || undefined
        })
      },
      configure: async (settings) => {
        await waited('change of the configuration', () => api('/config', { ...post(settings), method: 'PATCH' }))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) })

const unused = async (taken: readonly number[]): Promise<number> => {
  const port = await freePort()
  return taken.includes(port) ? unused(taken) : port
}

/** Returns the result of the first machine that succeeds. */
const first = <T>(nodes: readonly Node[], ask: (node: Node) => Promise<T>): Promise<T | undefined> =>
  Promise.any(nodes.map(ask)).catch(() => undefined)

const waited = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  const endMs = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > endMs) throw new Error(`there was no ${what}`)
    await Bun.sleep(LOOK_MS)
  }
}

class Node implements Machine {
  readonly name: string
  readonly number: number
  readonly address: string
  readonly #folder: string
  readonly #onLoopback: (text: string) => string
  #running: readonly Running[] = []

  constructor(folder: string, number: number, onLoopback: (text: string) => string) {
    this.number = number
    this.name = `db${number}`
    this.#folder = join(folder, this.name)
    this.#onLoopback = onLoopback
    this.address = onLoopback(`10.0.0.1${number}:5432`)
  }

  get isUp(): boolean {
    return this.#running.length > 0
  }

  execute = async <Row>(statement: string, database = 'postgres'): Promise<Row[]> => {
    const url = `postgres://postgres:${PASSWORDS.superuser}@${this.address}/${database}`
    const client = new SQL({ url, max: 1, connectionTimeout: 2 })
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`${this.name} has not answered`)), 2000)
    try {
      const answer = client.unsafe(statement).then((rows) => Array.from(rows as Row[]))
      // The late answer of a frozen machine.
      answer.catch(() => {})
      // The rows have the type of the statement.
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
      await client.close({ timeout: 0 })
    }
  }

  start = async (): Promise<void> => {
    if (this.isUp) return
    const data = join(this.#folder, 'data')
    const environment = { ...this.#environment('etcd.env'), ETCD_DATA_DIR: join(this.#folder, 'etcd') }
    const patroni = { ...this.#environment('patroni.env'), PYTHONPATH: join(this.#folder, '../patroni') }
    const store = launch({
      prepare: () => shell(['mkdir', '-p', this.#folder]),
      serve: () => [
        'sh',
        '-c',
        `echo $$ >pid; exec ${shell(['env', ...variables(environment), etcd ?? missing('etcd')])}`,
      ],
      isReady: (dir) => read(join(dir, 'pid')) !== '',
      stopSignal: 'KILL',
    })
    const manager = launch({
      fill: (dir) => writeFileSync(join(dir, 'config.yml'), this.#configuration()),
      prepare: () => `${shell(['mkdir', '-p', data])} && chmod 700 ${shell([data])}`,
      serve: (dir) => {
        const program = shell(['env', ...variables(patroni), ...PATRONI, join(dir, 'config.yml')])
        // A shell in the background may not trap SIGQUIT unless its default is set again.
        return ['env', '--default-signal=QUIT', 'sh', '-c', withPostgres(program, join(data, 'postmaster.pid'))]
      },
      isReady: (dir) => read(join(dir, 'pid')) !== '',
      stopSignal: 'QUIT',
    })
    this.#running = await Promise.all([store, manager])
  }

  kill = async (): Promise<void> => {
    const running = this.#running
    this.#running = []
    signal(this.#processes(running), 'SIGKILL')
    await Promise.all(running.map((one) => one.stop()))
  }

  killPostgres = (): void => signal(this.#postgres(), 'SIGKILL')

  holdReplication = (): void =>
    signal(
      this.#postgres().filter((pid) => read(`/proc/${pid}/cmdline`).includes('walsender')),
      'SIGSTOP',
    )

  freeze = (): void => {
    // The parents first: they start no others.
    for (let n = 0; n < 3; n++) signal(this.#freezable(), 'SIGSTOP')
  }

  thaw = (): void => signal(this.#freezable().reverse(), 'SIGCONT')

  /** Leaves out etcd, the first process. */
  #freezable(): number[] {
    return this.#processes(this.#running.slice(1))
  }

  #postgres(): number[] {
    const postmaster = Number(read(join(this.#folder, 'data', 'postmaster.pid')).split('\n')[0])
    return postmaster > 0 ? [postmaster, ...childrenOf(postmaster)] : []
  }

  #processes(running: readonly Running[]): number[] {
    const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(below)]
    const own = running.flatMap(({ dir }) => Number(read(join(dir, 'pid'))) || [])
    return [...own.flatMap(below), ...this.#postgres()]
  }

  #environment(file: string): Record<string, string> {
    const text = readFileSync(join(FILES, file), 'utf8')
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return Object.fromEntries(lines.map((line) => this.#own(line)))
  }

  /** The list of all members stays. Other values of the first machine become the values of this one. */
  #own(line: string): [string, string] {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    const own = name === 'ETCD_INITIAL_CLUSTER' ? value : value.replaceAll('10.0.0.11', `10.0.0.1${this.number}`)
    return [name, this.#onLoopback(own === 'db1' ? this.name : own)]
  }

  #configuration(): string {
    const replaced = {
      data_dir: join(this.#folder, 'data'),
      bin_dir: join(findPostgres()?.postgres ?? '', '..'),
      pgpass: join(this.#folder, 'pgpass'),
      unix_socket_directories: this.#folder,
    }
    let text = readFileSync(join(FILES, 'patroni.yml'), 'utf8')
    for (const [name, value] of Object.entries(replaced)) {
      const line = new RegExp(`^( +${name}:) .*$`, 'm')
      if (!line.test(text)) throw new Error(`packaging/ha/patroni.yml has no ${name}`)
      text = text.replace(line, `$1 ${value}`)
    }
    return this.#onLoopback(text)
  }
}

const variables = (of: Record<string, string>): string[] =>
  Object.entries(of).map(([name, value]) => `${name}=${value}`)

/** Shell text that runs Patroni, and on SIGQUIT ends it and the server that it has started, also if they are stopped. */
const withPostgres = (patroni: string, pidFile: string): string => `
  ${patroni} &
  patroni=$!
  echo $patroni >pid
  end() {
    kill -KILL $patroni
    postmaster=$(head -n 1 ${shell([pidFile])} 2>/dev/null)
    [ -z "$postmaster" ] || kill -KILL $postmaster $(cat /proc/$postmaster/task/$postmaster/children)
    exit 0
  }
  trap end QUIT
  wait $patroni
`
