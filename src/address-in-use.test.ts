/** Two servers never share a listen address: the second start fails, and the doctor says whose Plat answers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './compose.ts'
import { loadConfig } from './platform/runtime/config/config.ts'
import { createLogger } from './platform/runtime/log.ts'
import type { Finding } from './recovery/finding.ts'
import { type Server, startServer } from './server.ts'
import { platIn, scratch } from './testing/data-folders.ts'
import { createUser } from './testing/identities.ts'
import { dialects, postgresDatabase, type TestDatabase } from './testing/servers.ts'

const log = createLogger({ level: 'error', format: 'text', write: () => {} })
const contextOf = (env: Record<string, string>) => ({
  config: loadConfig({ env, cwd: '/' }),
  log,
  now: () => new Date(),
})

describe.each(dialects())('a listen address in use, on %s', (dialect) => {
  const databases: TestDatabase[] = []
  const dirs: string[] = []
  let server: Server
  let own: Record<string, string>
  let other: Record<string, string>

  const dataOf = async (): Promise<Record<string, string>> => {
    const dir = scratch()
    dirs.push(dir)
    const DATA_DIR = join(dir, 'data')
    if (dialect === 'sqlite') return { DATA_DIR }
    const database = await postgresDatabase()
    databases.push(database)
    return { DATA_DIR, DATABASE_URL: database.url }
  }

  beforeAll(async () => {
    const data = await dataOf()
    const context = contextOf({ ...data, LISTEN_ADDR: '127.0.0.1:0' })
    // Before the first start, which would create an admin and hash a password.
    const { db, close } = await openDatabase(context)
    await createUser(db, { username: 'admin', roles: ['admin'] })
    await close()
    server = await startServer(context)
    const LISTEN_ADDR = new URL(server.url).host.replace('localhost', '127.0.0.1')
    own = { ...data, LISTEN_ADDR }
    other = { ...(await dataOf()), LISTEN_ADDR }
  })
  afterAll(async () => {
    await server.stop()
    for (const database of databases) await database.drop()
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
  })

  const finding = async (env: Record<string, string>): Promise<Finding | undefined> => {
    const { out } = await platIn(env, 'doctor', '-o', 'json')
    // The test checks the shape.
    return (JSON.parse(out) as Finding[]).find(({ check }) => check === 'listen address')
  }

  test('refuses a second server before it opens its data', async () => {
    await expect(startServer(contextOf(other))).rejects.toThrow(
      `The address ${other.LISTEN_ADDR} is in use. Stop the program that listens there`,
    )
    expect(existsSync(join(other.DATA_DIR ?? '', 'plat.db'))).toBe(false)
  })

  test('ends the program with 1 and the reason', async () => {
    const run = Bun.spawn(['./plat', 'serve'], { env: { ...process.env, ...other }, stderr: 'pipe', stdout: 'ignore' })
    expect(await run.exited).toBe(1)
    expect(await new Response(run.stderr).text()).toContain(`The address ${other.LISTEN_ADDR} is in use.`)
  })

  test('of the server of the settings is found by the doctor, which names the instance', async () => {
    const data = dialect === 'sqlite' ? `the data folder ${own.DATA_DIR}` : 'DATABASE_URL'
    expect(await finding(own)).toEqual({
      check: 'listen address',
      status: 'ok',
      message: `${own.LISTEN_ADDR}: the Plat of ${data} answers there, instance ${hostname()}:${process.pid}`,
    })
  })

  test('of another server is a problem, which names its data', async () => {
    const { status, message } = (await finding(other)) ?? {}
    const data = dialect === 'sqlite' ? `the data folder ${realpathSync(own.DATA_DIR ?? '')}` : 'a database server'
    expect(status).toBe('problem')
    expect(message).toContain(`another Plat answers there, process ${process.pid} with ${data}, not `)
  })
})
