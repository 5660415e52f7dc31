/** Builds and starts the executable for tests, and talks to it as users do. Independent of its sources. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')
/** The result of `npm run build:binary`. */
export const BINARY = join(ROOT, 'dist', 'bin', 'plat')
export const PASSWORD = 'sesame-sesame'
export const isRoot = process.getuid?.() === 0

export type Ended = { readonly code: number; readonly out: string; readonly err: string }

/** Runs a program to its end. */
export const run = async (
  command: readonly string[],
  { env = {}, cwd = '/', stdin = '' }: { env?: Record<string, string>; cwd?: string; stdin?: string } = {},
): Promise<Ended> => {
  const child = Bun.spawn([...command], { env, cwd, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

/**
 * Runs a program that must succeed.
 * @throws with its output
 */
export const mustRun = async (command: readonly string[], options: Parameters<typeof run>[1] = {}): Promise<string> => {
  const { code, out, err } = await run(command, { env: { PATH: process.env.PATH ?? '' }, ...options })
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${err}${out}`)
  return out
}

/** Builds the executable of this machine, by the command that users run. */
export const build = async (): Promise<void> => {
  const { code, out, err } = await run(['node', 'scripts/build-binary.mjs'], {
    cwd: ROOT,
    env: { ...process.env } as Record<string, string>,
  })
  if (code !== 0) throw new Error(`the executable could not be built: ${err}${out}`)
}

export const tempFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'plat-trial-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export type Running = {
  readonly url: string
  /** SIGTERM. @returns the exit code */
  readonly stop: () => Promise<number>
  readonly log: () => string
}

/**
 * Starts `plat serve`, on a free port unless `env` says where. @param verb '' if the command adds it itself
 * @throws when it ends before it listens
 */
export const serve = async (
  command: readonly string[],
  { env = {}, cwd = '/', verb = 'serve' }: { env?: Record<string, string>; cwd?: string; verb?: string } = {},
): Promise<Running> => {
  const settings = { LISTEN_ADDR: '127.0.0.1:0', LOG_FORMAT: 'json', INITIAL_ADMIN_PASSWORD: PASSWORD, ...env }
  const child = Bun.spawn([...command, ...(verb === '' ? [] : [verb])], {
    cwd,
    env: settings,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  let log = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = async () => {
      const decoder = new TextDecoder()
      // Reads to the end, so that the program never waits for a reader of its log.
      for await (const chunk of child.stderr) {
        log += decoder.decode(chunk, { stream: true })
        const [, found] = /"url":"(http:[^"]+)"/.exec(log) ?? []
        if (found !== undefined) resolve(found)
      }
      reject(new Error(`it ended before it listened: ${log}`))
    }
    read().catch(reject)
  })
  return {
    url,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

/** Signs in with the first password, and returns the environment of the command line. */
export const signIn = async (
  command: readonly string[],
  { url, home }: { url: string; home: string },
  more: Record<string, string> = {},
): Promise<Record<string, string>> => {
  const env = { PLAT_URL: url, XDG_CONFIG_HOME: home }
  const { code, err } = await run([...command, 'login', '--username', 'admin', '--password-stdin'], {
    env: { ...env, ...more },
    stdin: PASSWORD,
  })
  if (code !== 0) throw new Error(`signing in failed: ${err}`)
  return env
}
