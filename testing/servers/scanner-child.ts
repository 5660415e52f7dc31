/** `plat scanner run` as a process of its own, on a state folder that outlives it. */
import { type Dirent, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const main = resolve(import.meta.dir, '../../src/main.ts')

export type ScannerChild = {
  readonly pid: number
  /** The output so far. */
  readonly log: () => string
  /** Ends it at once, as a power failure does. */
  readonly kill: () => Promise<void>
  /** Requests its end. @returns its exit code */
  readonly stop: () => Promise<number>
  /** Resolves with its exit code. */
  readonly ended: Promise<number>
}

export type ScannerFolder = {
  readonly dir: string
  /** Of the user who runs it; not deleted before the end. */
  readonly home: string
  /** @param under a command that runs the scanner, and becomes it, such as `ip netns exec` */
  readonly start: (
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    under?: readonly string[],
  ) => ScannerChild
  /** Returns all texts in the folder. */
  readonly readAll: () => string
  /** Ends the processes, and deletes the folder. */
  readonly remove: () => Promise<void>
}

const collect = async (stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> => {
  const decoder = new TextDecoder()
  for await (const part of stream) onText(decoder.decode(part, { stream: true }))
}

/** A process at work removes files and folders in between. */
const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const listIfThere = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch {
    return []
  }
}

export const scannerFolder = (): ScannerFolder => {
  const home = mkdtempSync(join(tmpdir(), 'plat-scanner-test-'))
  // Beside it the runtime may keep caches of its own.
  const dir = join(home, 'state')
  const running = new Set<ScannerChild>()

  const start: ScannerFolder['start'] = (args, env = {}, under = []) => {
    const child = Bun.spawn([...under, process.execPath, '--no-env-file', main, 'scanner', 'run', ...args], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: home, PLAT_SCANNER_STATE: dir, NODE_ENV: 'test' },
        ...env,
      },
    })
    let text = ''
    const append = (part: string): void => {
      text += part
    }
    const read = Promise.all([collect(child.stdout, append), collect(child.stderr, append)])
    const ended = child.exited.then(async (code) => {
      running.delete(started)
      await read
      return code
    })
    const end = (signal: 'SIGKILL' | 'SIGTERM'): Promise<number> => {
      child.kill(signal)
      return ended
    }
    const started: ScannerChild = {
      pid: child.pid,
      log: () => text,
      kill: async () => {
        await end('SIGKILL')
      },
      stop: () => end('SIGTERM'),
      ended,
    }
    running.add(started)
    return started
  }

  return {
    dir,
    home,
    start,
    readAll: () =>
      listIfThere(dir)
        .filter((entry) => entry.isFile())
        .map((entry) => readIfThere(join(entry.parentPath, entry.name)))
        .join('\n'),
    remove: async () => {
      await Promise.all([...running].map((child) => child.kill()))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Returns the state of a process and the id of its parent; undefined for no such process. Linux only. */
const readStat = (pid: number): { readonly state: string; readonly parent: number } | undefined => {
  try {
    // proc_pid_stat(5): the third and fourth field, behind a name that may hold spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** A zombie does not run: the process that adopts orphans may reap it late. */
export const isAlive = (pid: number): boolean => !['Z', 'X', undefined].includes(readStat(pid)?.state)

/** Returns the processes that a process has started, directly or not, as far as they still run. */
export const listDescendants = (pid: number): number[] => {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readStat(Number(name))?.parent === pid)
    .map(Number)
  return children.flatMap((child) => [child, ...listDescendants(child)])
}
