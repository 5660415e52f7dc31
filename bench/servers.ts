/** The measured processes: Plat as anybody starts it, and the bare server that it is compared with. */
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { SERVER_JIT_FLAGS } from '../src/base/runtime/jit-flags.ts'
import { Connection, requestBytes } from './connection.ts'

export const ROOT = join(import.meta.dir, '..')
const GIVE_UP_MS = 60_000

export type Server = {
  readonly port: number
  readonly pid: number
  /** From the start of the process to its first answer. */
  readonly startMs: number
  /** Resident memory, in bytes. */
  readonly memory: () => Promise<number>
  /** Bytes of its objects after a full garbage collection, during which it answers no request. */
  readonly memoryInUse: () => Promise<number>
  /** The part of the memory that is room for its objects, in bytes, full or not. */
  readonly memoryHeld: () => Promise<number>
  /** Watches the event loop from now on. */
  readonly watchStalls: () => Promise<void>
  /** The longest time that the event loop stood still since then; ends the watch. */
  readonly longestStallMs: () => Promise<number>
  readonly stop: () => Promise<void>
}

export const freePort = (): number => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const { port } = server
  server.stop(true)
  return port
}

const memoryOf = async ({ pid }: Subprocess): Promise<number> => {
  const text = await new Response(Bun.spawn(['ps', '-o', 'rss=', '-p', String(pid)]).stdout).text()
  return Number(text.trim()) * 1024
}

export const firstAnswer = async (port: number, child: Subprocess): Promise<void> => {
  const request = requestBytes({ path: '/healthz' })
  const end = performance.now() + GIVE_UP_MS
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`)
    try {
      const connection = await Connection.open(port)
      const { status } = await connection.send(request)
      connection.close()
      if (status === 200) return
    } catch {
      // It does not listen yet.
    }
    await Bun.sleep(2)
  }
  throw new Error('the server does not answer')
}

type Start = { readonly args: readonly string[]; readonly port: number; readonly root?: string }

const start = async ({ args, port, root = ROOT }: Start, env: Record<string, string>): Promise<Server> => {
  const asked: ((answer: number) => void)[] = []
  const startedAt = performance.now()
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    ipc: (answer: number) => asked.shift()?.(answer),
  })
  await firstAnswer(port, child)
  const ask = (question: 'in use' | 'held' | 'watch' | 'end'): Promise<number> =>
    new Promise((resolve) => {
      asked.push(resolve)
      child.send(question)
    })
  return {
    port,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    memory: () => memoryOf(child),
    memoryInUse: () => ask('in use'),
    memoryHeld: () => ask('held'),
    watchStalls: async () => {
      await ask('watch')
    },
    longestStallMs: () => ask('end'),
    stop: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

type Program = {
  /** In place of `plat serve`. */
  readonly main?: string
  /** Loaded before it, after the module that watches its event loop. */
  readonly preload?: string
  /** Another checkout of Plat, installed. */
  readonly root?: string
}

/** `plat serve` on a data folder, with the rate limit off and the variables of `env`. */
export const startPlat = (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  { main, preload, root = ROOT }: Program = {},
): Promise<Server> => {
  const port = freePort()
  // PLAT_BENCH_BUN takes flags of Bun: `--cpu-prof --cpu-prof-dir=.cache/prof` shows where the time goes.
  const flags = process.env.PLAT_BENCH_BUN?.split(' ') ?? []
  const preloads = ['./bench/inside.ts', ...(preload === undefined ? [] : [preload])].flatMap((file) => [
    '--preload',
    file,
  ])
  const args = [...flags, ...preloads, ...(main === undefined ? ['src/main.ts', 'serve'] : [main])]
  return start(
    { args, port, root },
    {
      LISTEN_ADDR: `127.0.0.1:${port}`,
      DATA_DIR: dataDir,
      RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      // The flags of `./plat serve`.
      ...SERVER_JIT_FLAGS,
      ...env,
    },
  )
}

/** The bare server of bare.ts on a separate database file. */
export const startBare = (file: string): Promise<Server> => {
  const port = freePort()
  return start({ args: ['bench/bare.ts', file, String(port)], port }, {})
}
