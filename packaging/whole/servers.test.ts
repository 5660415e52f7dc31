/** The executable with the settings of the compose file, on the PostgreSQL and the Valkey of the tests. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { postgresDatabase, valkey } from '../../testing/servers/servers.ts'
import { BINARY, build, ROOT, type Running, run, serve, signIn, tempFolder } from '../trial.ts'

setDefaultTimeout(300_000)
const folder = tempFolder()
const release: (() => Promise<void>)[] = []
let server: Running

beforeAll(async () => {
  await build()
  const [database, sessions] = [await postgresDatabase(), await valkey()]
  release.push(database.drop, sessions.stop)
  const secrets: Record<string, string> = {
    database_url: database.url,
    valkey_url: sessions.url,
    encryption_key: '5a'.repeat(32),
  }
  for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder.path, name), text)
  const compose = parse(await Bun.file(join(ROOT, 'packaging', 'compose', 'compose.yaml')).text())
  const settings: [string, string][] = Object.entries(compose.services.plat.environment)
  const env = Object.fromEntries(settings.map(([name, text]) => [name, text.replace('/run/secrets', folder.path)]))
  server = await serve([BINARY], { env, cwd: folder.path })
})
afterAll(async () => {
  await server?.stop()
  for (const one of release) await one()
  folder.remove()
})

test('it is ready, and accepts sign-ins and writes', async () => {
  const { host } = new URL(server.url)
  const { code } = await run([BINARY, 'healthcheck', '--ready'], { env: { LISTEN_ADDR: host } })
  const env = await signIn([BINARY], { url: server.url, home: folder.path })
  await run([BINARY, 'device', 'create', 'web-1', '--address', '10.0.0.5'], { env })
  const { out } = await run([BINARY, 'device', 'search', '10.0.0.5', '-o', 'name'], { env })
  expect([code, out]).toEqual([0, 'web-1\n'])
})
