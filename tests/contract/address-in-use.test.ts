/** Two servers never share a listen address: the second start fails, and the doctor describes the Plat that answers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/app/server.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import type { Finding } from '../../src/service/recovery/finding.ts'
import { platIn, scratch } from '../../testing/app/data-folders.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { onSqlite, postgresDatabase, type TestDatabase } from '../../testing/servers/servers.ts'

const log = createLogger({ level: 'error', format: 'text', write: () => {} })
const contextOf = (env: Record<string, string>) => ({
  config: loadConfig({ env, cwd: '/' }),
  log,
  now: () => new Date(),
})

describe.each(onSqlite())('a listen address in use, on %s', (dialect) => {
  const databases: TestDatabase[] = []
  const dir = scratch()
  let folder: ServerFolder
  let server: ServerChild
  let own: Record<string, string>
  let other: Record<string, string>

  const database = async (): Promise<Record<string, string>> => {
    if (dialect === 'sqlite') return {}
    const made = await postgresDatabase()
    databases.push(made)
    return { DATABASE_URL: made.url }
  }

  beforeAll(async () => {
    const data = await database()
    folder = await serverFolder(data)
    server = await folder.start()
    const LISTEN_ADDR = `127.0.0.1:${new URL(server.url).port}`
    own = { ...data, DATA_DIR: folder.dir, LISTEN_ADDR }
    other = { ...(await database()), DATA_DIR: join(dir, 'data'), LISTEN_ADDR }
  })
  afterAll(async () => {
    await folder.remove()
    for (const made of databases) await made.drop()
    rmSync(dir, { recursive: true, force: true })
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
    expect(existsSync(join(dir, 'data', 'plat.db'))).toBe(false)
  })

  test('ends the program with 1 and the reason', async () => {
    const run = Bun.spawn(['./plat', 'serve'], { env: { ...process.env, ...other }, stderr: 'pipe', stdout: 'ignore' })
    expect(await run.exited).toBe(1)
    expect(await new Response(run.stderr).text()).toContain(`The address ${other.LISTEN_ADDR} is in use.`)
  })

  test('of the server of the settings is found by the doctor, which names the instance', async () => {
    const data = dialect === 'sqlite' ? `the data folder ${folder.dir}` : 'DATABASE_URL'
    expect(await finding(own)).toEqual({
      check: 'listen address',
      status: 'ok',
      message: `${own.LISTEN_ADDR}: the Plat of ${data} answers there, instance ${hostname()}:${server.pid}`,
    })
  })

  test('of another server is a problem, which names its data', async () => {
    const { status, message } = (await finding(other)) ?? {}
    const data = dialect === 'sqlite' ? `the data folder ${realpathSync(folder.dir)}` : 'a database server'
    expect(status).toBe('problem')
    expect(message).toContain(`another Plat answers there, process ${server.pid} with ${data}, not `)
  })
})
