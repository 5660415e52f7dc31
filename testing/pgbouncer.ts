/** Starts PgBouncer before a test database: on loopback, until it is stopped or this process ends. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../scripts/server-binaries.mjs'
import { DEFAULT_LIMITS, getConnectionSettings, listIgnorable } from '../src/database/postgres/connections/settings.ts'
import { freePort, launch, missing, read } from './servers/servers.ts'

/** The settings of Plat's connections, for `ignore_startup_parameters`. */
export const IGNORED = listIgnorable(getConnectionSettings(DEFAULT_LIMITS))

export type Pooler = {
  /** The URL of the database through the pooler. */
  readonly url: string
  /** `127.0.0.1:15001` */
  readonly host: string
  readonly stop: () => Promise<void>
}

export type PoolerOptions = {
  readonly mode: 'session' | 'transaction' | 'statement'
  /** The settings of connections that it accepts and ignores. */
  readonly ignores?: readonly string[]
  /** That of a stopped one, to take its place. */
  readonly port?: number
}

/** @param url of a database on loopback */
export const pgbouncer = async (url: string, { mode, ignores = [], port }: PoolerOptions): Promise<Pooler> => {
  const binary = findTool('pgbouncer') ?? missing('pgbouncer')
  const own = port ?? (await freePort())
  const server = new URL(url)
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port} user=${server.username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'default_pool_size = 60',
    `ignore_startup_parameters = ${ignores.join(',')}`,
  ]
  const { stop } = await launch({
    fill: (dir) => writeFileSync(join(dir, 'pgbouncer.ini'), `${settings.join('\n')}\n`),
    serve: (dir) => [binary, join(dir, 'pgbouncer.ini')],
    isReady: (dir) => read(join(dir, 'log')).includes('process up'),
    stopSignal: 'KILL',
  })
  const through = new URL(url)
  through.port = `${own}`
  return { url: through.href, host: through.host, stop }
}
