/** A server on a socket in this process, on a fresh database, with users who have keys. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/app/compose.ts'
import { type Server, startServer } from '../../src/app/server.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { createUser, keyFor } from '../estates/identities.ts'

export type Listening = {
  readonly url: string
  readonly dataDir: string
  readonly server: Server
  /** Returns the key of a new user. */
  readonly admin: () => Promise<string>
  readonly viewer: () => Promise<string>
  /** Returns another key of the last user. */
  readonly anotherKey: () => Promise<string>
  readonly lastUserId: () => string
  readonly stop: () => Promise<void>
}

const ALONE = { LISTEN_ADDR: '127.0.0.1:0', RATE_LIMIT_ENABLED: 'false', LOGIN_RATE_LIMIT_REQUESTS: '1000000' }

export const listening = async (env: Readonly<Record<string, string>> = {}): Promise<Listening> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'plat-listening-'))
  const log = createLogger({ level: 'error', format: 'text', write: () => {} })
  const config = loadConfig({ env: { ...ALONE, DATA_DIR: dataDir, ...env }, cwd: dataDir })
  const context = { config, log, now: () => new Date() }
  // Before the first start, which would create an admin and hash a password.
  const { db, close } = await openDatabase(context)
  await createUser(db, { username: 'first', roles: ['admin'] })
  await close()
  const server = await startServer(context)
  const { db: served } = server.plat
  let people = 0
  let last = ''
  const userWith = async (role: string): Promise<string> => {
    last = (await createUser(served, { username: `user-${++people}`, roles: [role] })).id
    return keyFor(served, last)
  }
  return {
    url: server.url,
    dataDir,
    server,
    admin: () => userWith('admin'),
    viewer: () => userWith('viewer'),
    anotherKey: () => keyFor(served, last),
    lastUserId: () => last,
    stop: async () => {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
