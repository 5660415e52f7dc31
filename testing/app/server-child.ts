/**
 * A whole server in a separate process, on a data folder that outlives it: to be killed, traced, measured and
 * restarted.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { openDatabase } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { SERVER_JIT_FLAGS } from '../../src/base/runtime/jit-flags.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { createUser, keyFor } from '../estates/identities.ts'
import { copyDataFile } from './migrated.ts'

const main = resolve(import.meta.dir, '../../src/main.ts')
const reachingMain = resolve(import.meta.dir, '../servers/reaching-main.ts')

const contractMain = resolve(import.meta.dir, '../servers/contract-main.ts')

const Listening = z.object({ message: z.literal('listening'), url: z.string() })

export type ServerChild = {
  readonly url: string
  readonly pid: number
  /** Ends it at once. */
  readonly kill: () => Promise<void>
  /** Requests its end. @returns its exit code */
  readonly stop: () => Promise<number>
}

export type ServerFolder = {
  readonly dir: string
  /** The key of an admin called "admin" with the password PASSWORD. */
  readonly key: string
  readonly start: (options?: StartOptions) => Promise<ServerChild>
  /** Ends running servers, and deletes the folder. */
  readonly remove: () => Promise<void>
}

export type StartOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the server, and becomes it, such as `strace -D`. */
  readonly under?: readonly string[]
  /** The program of another release, as the arguments of bun. */
  readonly program?: readonly string[]
  /** Lets its webhooks reach receivers on loopback. */
  readonly reachesReceivers?: boolean
  /** Scans find nothing, and no request leaves it. */
  readonly sendsNothing?: boolean
  /** Called with each piece of its log. */
  readonly onLog?: (text: string) => void
}

/** A line may be incomplete. */
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const urlIn = (log: string): string | undefined =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => Listening.safeParse(parsed(line)).data?.url ?? [])[0]

/** Reads on after it has found the address, so that the server never waits for a reader of its log. */
const addressIn = (stderr: ReadableStream<Uint8Array>, onLog?: (text: string) => void): Promise<string> =>
  new Promise((found, failed) => {
    const read = async () => {
      let log = ''
      let isFound = false
      const decoder = new TextDecoder()
      for await (const chunk of stderr) {
        const text = decoder.decode(chunk, { stream: true })
        onLog?.(text)
        if (isFound) continue
        log += text
        const url = urlIn(log)
        if (url === undefined) continue
        isFound = true
        found(url)
      }
      failed(new Error(`the server did not start:\n${log}`))
    }
    read().catch(failed)
  })

export type Spawned = ServerChild & { readonly child: Bun.Subprocess }

/** Starts a server with only these settings. Resolves when it listens. */
export const spawnServer = async (
  env: Readonly<Record<string, string>>,
  { under = [], program: other, reachesReceivers = false, sendsNothing = false, onLog }: Omit<StartOptions, 'env'> = {},
  spawned: (child: Bun.Subprocess) => void = () => {},
): Promise<Spawned> => {
  const own = sendsNothing ? [contractMain] : reachesReceivers ? [reachingMain] : [main, 'serve']
  const program = other ?? own
  const child = Bun.spawn([...under, process.execPath, '--no-env-file', ...program], {
    env: { ...SERVER_JIT_FLAGS, ...process.env, LISTEN_ADDR: '127.0.0.1:0', LOG_FORMAT: 'json', ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  spawned(child)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return child.exited
  }
  return {
    child,
    url: await addressIn(child.stderr, onLog),
    pid: child.pid,
    kill: async () => {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

export const serverFolder = async (settings: Readonly<Record<string, string>> = {}): Promise<ServerFolder> => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-child-'))
  const env = { LISTEN_ADDR: '127.0.0.1:0', LOG_FORMAT: 'json', ...settings, DATA_DIR: dir }
  const log = createLogger({ level: 'error', format: 'text', write: () => {} })
  const config = loadConfig({ env, cwd: dir })
  if (config.databaseUrl === undefined) await copyDataFile(config)
  // Before the first start, which would create an admin and hash a password.
  const { db, close } = await openDatabase({ config, log, now: () => new Date() })
  const { id } = await createUser(db, { username: 'admin', roles: ['admin'], isSlow: true })
  const key = await keyFor(db, id)
  await close()

  const running = new Set<Bun.Subprocess>()
  const start: ServerFolder['start'] = ({ env: more = {}, ...options } = {}) =>
    spawnServer({ ...env, ...more }, options, (child) => {
      running.add(child)
      void child.exited.then(() => running.delete(child))
    })

  return {
    dir,
    key,
    start,
    remove: async () => {
      for (const child of running) {
        child.kill('SIGKILL')
        await child.exited
      }
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
