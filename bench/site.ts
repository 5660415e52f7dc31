/** A server with new data, on SQLite unless told otherwise, and timed calls to it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startPlat } from './servers.ts'
import { createKey } from './setup.ts'

export type Row = Readonly<Record<string, unknown>>
export type Lists = Readonly<Record<string, readonly Row[]>>

const lines = (rows: readonly Row[]): string => rows.map((row) => JSON.stringify(row)).join('\n')

/** The largest resident memory of a process so far, in bytes. */
export const peakOf = ({ pid }: Server): number => {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

type Work = (site: Site) => Promise<void>

/** Runs each work on one data file, with a new process. */
export const onServer = (...works: readonly Work[]): Promise<void> => onServerWith({}, ...works)

/** Like `onServer`, with settings of the server. */
export const onServerWith = (env: Readonly<Record<string, string>>, ...works: readonly Work[]): Promise<void> =>
  onServerWithin((start) => start(), env, works)

/** Like `onServerWith`. `within` starts each server. */
export const onServerWithin = async (
  within: (start: () => Promise<Server>) => Promise<Server>,
  env: Readonly<Record<string, string>>,
  works: readonly Work[],
): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-bench-site-'))
  try {
    const key = await createKey(dir, env)
    for (const work of works) {
      const server = await within(() => startPlat(dir, env))
      try {
        await work(siteOf(server, key))
      } finally {
        await server.stop()
      }
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const siteOf = (server: Server, key: string) => {
  const call = (path: string, body: string, type = 'application/json', method = 'POST') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      body,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
    })
  const timed = async (path: string, body: string, type?: string): Promise<{ ms: number; text: string }> => {
    const startedMs = performance.now()
    const response = await call(path, body, type)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return { ms: performance.now() - startedMs, text }
  }
  return {
    server,
    key,
    timed,
    /** Returns all objects of a resource. */
    list: async (resource: string): Promise<Row[]> => {
      const response = await fetch(`http://127.0.0.1:${server.port}/api/${resource}`, {
        headers: { Authorization: `Bearer ${key}` },
      })
      // The contract of a list.
      return (await response.json()) as Row[]
    },
    headers: { Authorization: `Bearer ${key}` },
    call,
    /** Returns the time of an import in milliseconds. @param wanted in its result */
    load: async (resource: string, rows: readonly Row[], wanted: string): Promise<number> => {
      const { ms, text } = await timed(`/api/estate/import?resource=${resource}`, lines(rows), 'application/x-ndjson')
      if (!text.includes(wanted)) throw new Error(`the import is not "${wanted}": ${text.slice(-400)}`)
      return ms
    },
    apply: async (document: Lists, wanted: string, query = ''): Promise<number> => {
      const { ms, text } = await timed(`/api/estate/apply${query}`, JSON.stringify(document))
      if (!text.includes(wanted)) throw new Error(`the apply is not ${wanted}: ${text.slice(0, 400)}`)
      return ms
    },
  }
}
export type Site = ReturnType<typeof siteOf>
