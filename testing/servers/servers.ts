// Starts temporary PostgreSQL, Valkey and other servers for tests. They store all state in a temporary directory and end with
// this process, however it ends.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, watch } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { findPostgres, findValkey } from '../../scripts/server-binaries.mjs'
import { testsAll } from '../tests-all.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Returns the engines for tests about the database itself: PLAT_TEST_DIALECTS, a comma-separated list; both by default. */
export function engines(): readonly Dialect[] {
  const names = (process.env.PLAT_TEST_DIALECTS ?? 'sqlite,postgres').split(',')
  return names.map((name) => {
    if (name === 'sqlite' || name === 'postgres') return name
    throw new Error(`PLAT_TEST_DIALECTS: no such dialect: "${name}"`)
  })
}

/** Returns the engine for tests that prove the same on either: SQLite, if it is one of `engines()`. With PLAT_TEST_ALL=1 returns all of them. */
export function onSqlite(): readonly Dialect[] {
  const all = engines()
  return testsAll || !all.includes('sqlite') ? all : ['sqlite']
}

interface Cluster {
  /** The superuser's. */
  url: string
  /** Runs a statement as the superuser, on a connection that stays: to start one takes longer than most statements. */
  execute: (statement: string) => Promise<unknown>
  /** The clause with which `create database` copies files, which is faster than logging them. */
  copyFiles: string
}

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

let cluster: Promise<Cluster> | undefined

/** Returns the PostgreSQL cluster of this process, started at the first call. */
export function postgres(): Promise<Cluster> {
  cluster ??= startPostgres(() => {
    // Tests that used it fail and report it. Later tests get another one.
    cluster = undefined
  })
  return cluster
}

let databaseCount = 0

/**
 * Creates a UTF-8 database in the cluster: empty, or a copy of another one without connections. Dropping it closes its
 * connections.
 */
export async function postgresDatabase(template = 'template0'): Promise<TestDatabase> {
  const { url, copyFiles, execute } = await postgres()
  databaseCount += 1
  const name = `test_${databaseCount}`
  await execute(`create database ${name} template ${template} ${copyFiles}`)
  return {
    url: new URL(`/${name}`, url).href,
    drop: async () => {
      await execute(`drop database if exists ${name} with (force)`)
    },
  }
}

/**
 * Starts a separate Valkey (or Redis) server without persistence. After `stop()` its address refuses connections until
 * `start()` restarts it there, empty. @param options further settings on its command line
 */
export async function valkey(
  options: readonly string[] = [],
): Promise<{ url: string; stop(): Promise<void>; start(): Promise<void> }> {
  const binary = findValkey() ?? missing('valkey-server or redis-server')
  const port = await freePort()
  const launchHere = () =>
    launch({
      serve: (dir) => [
        binary,
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--dir',
        dir,
        ...withoutPersistence,
        ...options,
      ],
      isReady: (dir) => read(join(dir, 'log')).includes('Ready to accept connections'),
      stopSignal: 'KILL',
    })

  let running: Running | undefined = await launchHere()
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const stopped = running?.stop()
      running = undefined
      await stopped
    },
    async start() {
      running ??= await launchHere()
    },
  }
}

const withoutPersistence = ['--save', '', '--appendonly', 'no', '--daemonize', 'no']

// A temporary cluster need not survive a crash, and no background work should disturb a test.
export const throwAwaySettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '200',
  max_wal_size: '256MB',
}

const ownSettings = {
  // Inside the cluster's own directory, so that it is deleted with it.
  dynamic_shared_memory_type: 'mmap',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

/** Launches the cluster with its data in `data`: a folder name within the server's directory, or a path. */
export function postgresLaunch(
  port: number,
  data: (dir: string) => string,
  settings: Record<string, string> = throwAwaySettings,
): Launch {
  const binaries = findPostgres() ?? missing('the PostgreSQL server')
  const flags = Object.entries({ ...settings, ...ownSettings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const initdb = (dir: string, locale: string) =>
    shell([binaries.initdb, '-D', data(dir), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', locale])
  return {
    // C.UTF-8 sorts by code point and knows letters beyond ASCII, which pg_trgm needs. Not every system has it.
    prepare: (dir) =>
      `{ [ -e ${shell([join(data(dir), 'PG_VERSION')])} ] || ${initdb(dir, '--locale=C.UTF-8')} || ${initdb(dir, '--locale=C')}; }`,
    serve: (dir) => [binaries.postgres, '-D', data(dir), '-p', `${port}`, ...flags],
    // The eighth line of postmaster.pid is the server's state.
    isReady: (dir) =>
      read(join(data(dir), 'postmaster.pid'))
        .split('\n')[7]
        ?.trim() === 'ready',
    stopSignal: 'QUIT',
  }
}

// Acknowledged commits survive a crash of the server, but not of the machine.
const keepingSettings = { ...throwAwaySettings, synchronous_commit: 'on' }

/**
 * Starts a separate PostgreSQL server. After `stop()`, which crashes it, its address refuses connections until
 * `start()` restarts it there with the committed data.
 */
export const stoppablePostgres = () => postgresOfItsOwn({ settings: keepingSettings })

/** Starts a PostgreSQL server with default settings and its data on a disk, for comparison. */
export const postgresAsItComes = () =>
  postgresOfItsOwn({ settings: {}, parent: serverUser() === undefined ? tmpdir() : '/tmp' })

type Own = { settings: Record<string, string>; parent?: string }

async function postgresOfItsOwn({ settings, parent = temporaryParent(serverUser() !== undefined) }: Own) {
  const port = await freePort()
  const data = mkdtempSync(join(parent, 'plat-cluster-'))
  const user = serverUser()
  if (user) chownSync(data, user.uid, user.gid)
  const forget = () => rmSync(data, { recursive: true, force: true })
  process.on('exit', forget)
  const launchHere = () => launch(postgresLaunch(port, () => data, settings))
  let running: Running | undefined = await launchHere()
  const stop = async () => {
    const stopped = running?.stop()
    running = undefined
    await stopped
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop,
    async start() {
      running ??= await launchHere()
    },
    async remove() {
      await stop()
      process.off('exit', forget)
      forget()
    },
  }
}

async function startPostgres(onDeath: () => void): Promise<Cluster> {
  const port = await freePort()
  const { dir } = await launch({ ...postgresLaunch(port, (dir) => join(dir, 'data')), onDeath })
  const version = Number(read(join(dir, 'data', 'PG_VERSION')))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const client = new SQL(url, { max: 1 })
  return {
    url,
    execute: (statement) => client.unsafe(statement),
    // Before version 15 this was the only way, and had no option.
    copyFiles: version >= 15 ? 'strategy file_copy' : '',
  }
}

export interface Launch {
  /** Writes files into the server's directory, before anything else. */
  fill?: (dir: string) => void
  /** Shell text to run before the server, under the same guard. */
  prepare?: (dir: string) => string
  serve: (dir: string) => string[]
  isReady: (dir: string) => boolean
  stopSignal: 'QUIT' | 'KILL'
  /** Runs as the user of the tests, who may be the only one that may enter the folder of the program. */
  isOwn?: boolean
  /** The server has ended without being stopped. */
  onDeath?: () => void
}

export interface Running {
  dir: string
  /** Resolves when the server has ended and its directory is deleted. */
  stop(): Promise<void>
}

const startTimeoutMs = 30_000
const pollMs = 5

/** Held here because the garbage collection of a guard closes the pipe that keeps its server alive. */
const guards = new Set<ChildProcess>()

export async function launch(options: Launch): Promise<Running> {
  const user = options.isOwn ? undefined : serverUser()
  const dir = mkdtempSync(join(temporaryParent(user !== undefined), 'plat-test-'))
  options.fill?.(dir)
  if (user) for (const path of ['.', ...readdirSync(dir)]) chownSync(join(dir, path), user.uid, user.gid)
  const guard = spawn('sh', ['-c', guardScript(dir, options)], {
    cwd: dir,
    stdio: ['pipe', 'ignore', 'ignore'],
    // In another process group, so that a signal to this group leaves the guard to clean up.
    detached: true,
    ...user,
  })
  guards.add(guard)
  const ended = new Promise<void>((resolve) => guard.once('exit', () => resolve()))
  const deathWatch = watch(dir, (_, name) => {
    if (name !== 'ended') return
    deathWatch.close()
    console.error(`A test server ended by itself:\n${lastLines(join(dir, 'log'))}`)
    options.onDeath?.()
  })
  deathWatch.unref()
  const stop = async () => {
    deathWatch.close()
    guard.ref()
    guard.stdin?.end()
    await ended
    guards.delete(guard)
  }
  await untilReady(dir, options).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  // A running server must not keep this process from ending.
  guard.unref()
  return { dir, stop }
}

/**
 * Returns the shell script between this process and a server. Its standard input is a pipe; only this process holds the other end. That
 * end closes by `stop()` or because this process has ended (SIGKILL and crashes too). The guard then ends the server and removes the
 * directory. It repeats the signal until the server has ended, because a server that has just started ignores SIGQUIT, and a test may
 * have stopped it by SIGSTOP. It repeats the removal, because another server may still write there.
 */
function guardScript(dir: string, { prepare, serve, stopSignal }: Launch): string {
  const path = (name: string) => shell([join(dir, name)])
  return `
    trap '' INT HUP TERM
    exec 3<&0 </dev/null >${path('log')} 2>&1
    if ${prepare?.(dir) ?? 'true'}; then
      ${shell(serve(dir))} 3<&- &
      server=$!
      { cat <&3; while kill -${stopSignal} $server; do kill -CONT $server $(cat /proc/$server/task/$server/children 2>/dev/null); sleep 0.1; done; } &
      watcher=$!
      wait $server
      kill -KILL $watcher
    fi
    echo >${path('ended')}
    cat <&3
    cd / && for _ in 1 2 3 4 5 6 7 8 9; do rm -rf ${shell([dir])} && break; sleep 0.3; done
  `
}

async function untilReady(dir: string, { isReady }: Launch): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  while (!isReady(dir)) {
    const hasEnded = existsSync(join(dir, 'ended'))
    if (hasEnded || Date.now() > deadline)
      throw new Error(`A test server did not start:\n${lastLines(join(dir, 'log'))}`)
    await Bun.sleep(pollMs)
  }
}

/**
 * In memory if there is room: creating a database, hundreds of small files, then takes 10 ms instead of 50 to 300. A
 * container's own /dev/shm is often too small.
 */
function temporaryParent(isRoot: boolean): string {
  const memory = '/dev/shm'
  if (existsSync(memory)) {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > 2 * 1024 ** 3) return memory
  }
  // A server that gives up root could not enter a TMPDIR that only root may enter.
  return isRoot ? '/tmp' : tmpdir()
}

/** PostgreSQL refuses to run as root. The user of its package runs it then, or an unprivileged user. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim())
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  return missing('the user "postgres" to run servers as')
}

/**
 * Returns a free port below the range that the system assigns. An assigned port could go to an outgoing connection before the server
 * listens on it, or while it is stopped.
 */
export async function freePort(): Promise<number> {
  const port = 15_000 + Math.floor(Math.random() * 15_000)
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** Quotes a command as shell text. */
export function shell(words: string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
}

/** Returns the text of a file, or '' if there is none. A server may delete the file at any moment. */
export function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return ''
  }
}

function lastLines(path: string): string {
  return read(path).trimEnd().split('\n').slice(-10).join('\n')
}

export function missing(what: string): never {
  throw new Error(`The tests need ${what}; "npm test" installs it where it can.`)
}
