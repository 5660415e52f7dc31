/** Implements `plat serve` and the other commands that open the database themselves. */

import { join } from 'node:path'
import { type Config, loadConfig } from '../base/config/config.ts'
import type { Flags } from '../base/config/sources.ts'
import { isBusy } from '../base/disk/disk-errors.ts'
import { createLogger } from '../base/runtime/log.ts'
import { VERSION } from '../base/runtime/version.ts'
import { createPasswords } from '../base/security/passwords.ts'
import { resetFactorsOnHost } from '../people/factors/reset-on-host.ts'
import { endKeysMadeByOthers } from '../people/keys/keys.ts'
import { type Evicted, evict as evictUser } from '../people/revoke-access/evict.ts'
import { openSessionStore } from '../people/sessions/open-store.ts'
import { type BreakGlass, setBreakGlass } from '../people/users/break-glass.ts'
import type { FirstAdmin } from '../people/users/first-admin.ts'
import { resetPassword as reset } from '../people/users/reset-password.ts'
import { openHostTrail } from '../record/audit/host-trail.ts'
import { openSite } from '../surfaces/http/answer/static.ts'
import type { Connection } from '../surfaces/http/answer/unacknowledged.ts'
import { getSecurityHeaders } from '../surfaces/http/headers.ts'
import { toListenError, tryListening } from '../surfaces/http/listen-address.ts'
import { routeByRawPath } from '../surfaces/http/raw-path.ts'
import { createHostCheck, createHostMatcher } from '../surfaces/http/request-host.ts'
import { type ComposeOptions, compose, openDatabase, openDatabaseBeside, type Plat, type Process } from './compose.ts'

/** Time for requests in progress to finish at shutdown. */
const SHUTDOWN_MS = 8000
const DRAIN_TICK_MS = 20
/** One Ctrl-C reaches a process more than once if its parents pass it on. */
const SAME_SIGNAL_MS = 300
/** Maximum number of bytes of a body that Bun reads; imports are the largest. */
const MAX_REQUEST_BYTES = 512 * 1024 * 1024

/** The shortest idle timeout of Bun, which has no way to close a connection at once. */
const DISCONNECT_S = 1

/** The folder of the built web UI: beside the sources, or inside an executable. */
const SITE = join(import.meta.dirname, ...(Bun.isStandaloneExecutable ? ['web'] : ['..', '..', 'dist', 'web']))

const processFor = (flags: Flags): Process => {
  const config = loadConfig({ env: process.env, flags, cwd: process.cwd() })
  const log = createLogger({ level: config.logLevel, format: config.logFormat })
  return { config, log, now: () => new Date() }
}

const toUrl = ({ hostname, port }: { hostname?: string | undefined; port?: number | undefined }): string => {
  const isAny = hostname === undefined || hostname === '0.0.0.0' || hostname === '::'
  const host = isAny ? 'localhost' : hostname.includes(':') ? `[${hostname}]` : hostname
  return `http://${host}:${port}`
}

const getConnection = (server: Bun.Server<undefined>, request: Request): Connection | undefined => {
  const peer = server.requestIP(request)
  return peer && server.port !== undefined
    ? { address: peer.address, port: peer.port, localPort: server.port }
    : undefined
}

/** The text for the person who starts the server. The password is shown only here. */
const formatBanner = (
  { passwordSignIn }: Pick<Config, 'passwordSignIn'>,
  url: string,
  firstAdmin: FirstAdmin | undefined,
): string => {
  const lines = [
    '',
    `  Plat ${VERSION} is running at ${url}: open it in a browser`,
    `  API reference: ${url}/api/docs (sign in first)`,
    '',
  ]
  if (firstAdmin?.password)
    lines.push(
      '  This is the first start. Sign in with',
      `    user name  ${firstAdmin.username}`,
      `    password   ${firstAdmin.password}`,
      '  It is shown this once; `plat user reset-password` makes a new one at any time.',
    )
  else if (firstAdmin)
    lines.push(`  The first user "${firstAdmin.username}" was made with the password you configured.`)
  else if (passwordSignIn === 'break-glass')
    lines.push('  Sign in there, or with `plat login --sso`. Passwords are off, except of break-glass users.')
  else
    lines.push(
      '  Sign in there, or with `plat login`. Forgot the password? `plat user reset-password USERNAME` on this host.',
    )
  return `${lines.join('\n')}\n\n`
}

/** The page to which a client sends a browser for the user's consent. */
const CONSENT_PAGE = '/mcp-oauth/authorize'

export type Server = {
  readonly url: string
  readonly plat: Plat
  /** The admin that this start has created. */
  readonly firstAdmin: FirstAdmin | undefined
  readonly stop: () => Promise<void>
}

/** Listens. Resolves when requests are answered and there is a user to send them. */
export const startServer = async (context: Process, options: ComposeOptions = {}): Promise<Server> => {
  const { config, log } = context
  await tryListening(config.listenAddr).catch((error: unknown) => {
    throw toListenError(error, config.listenAddr)
  })
  const opened = await openDatabase(context)
  const plat = await compose(context, opened, options).catch(async (error: unknown) => {
    await opened.close()
    throw error
  })
  const { hostname, port } = config.listenAddr
  let isStopping = false
  /** Asks the client to use another connection next time, because this one ends with the process. */
  const closing = (response: Response): Response => {
    response.headers.set('Connection', 'close')
    return response
  }
  const site = openSite(SITE, {
    alsoPages: config.mcpOauthEnabled ? [CONSENT_PAGE] : [],
    headers: getSecurityHeaders(config),
    checkHost: createHostCheck(config.allowedHosts),
    isElsewhere: createHostMatcher(config.netboxApiHosts),
    attributes: ` data-max-rows="${config.webMaxRows}"`,
  })
  const listen = async () =>
    Bun.serve({
      ...(hostname === undefined ? {} : { hostname }),
      port,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      idleTimeout: 60,
      // Bun shares a port among processes by default unless `development` is set (SO_REUSEPORT).
      reusePort: false,
      // Otherwise Bun writes errors to the terminal itself, between the lines of the log.
      development: false,
      ...routeByRawPath(async (request, socket, isPathAltered) => {
        const peer = () => socket.requestIP(request)?.address ?? ''
        const connection = () => getConnection(socket, request)
        const disconnect = () => socket.timeout(request, DISCONNECT_S)
        const keepOpen = () => socket.timeout(request, 0)
        const page = isPathAltered ? undefined : site(request)
        const response = await (page ?? plat.fetch(request, { peer, connection, disconnect, keepOpen, isPathAltered }))
        return isStopping ? closing(response) : response
      }),
      error: (error) => {
        log.error('request failed outside of the application', { error })
        return new Response('Internal error\n', { status: 500, headers: getSecurityHeaders(config) })
      },
    })
  const server = await listen().catch(async (error: unknown) => {
    await plat.close()
    throw toListenError(error, config.listenAddr)
  })
  const firstAdmin = await plat.firstAdmin.catch(async (error: unknown) => {
    await server.stop(true)
    await plat.close()
    throw error
  })
  return {
    url: toUrl(server),
    plat,
    firstAdmin,
    stop: async () => {
      plat.startDraining()
      isStopping = true
      // Keep serving while the load balancer drains this instance.
      if (config.shutdownDelayMs > 0) await Bun.sleep(config.shutdownDelayMs)
      plat.closeStreams()
      // Refuse new connections; finish the requests in progress until the deadline.
      void server.stop()
      const deadlineMs = Date.now() + SHUTDOWN_MS
      while (server.pendingRequests > 0 && Date.now() < deadlineMs) await Bun.sleep(DRAIN_TICK_MS)
      await server.stop(true)
      await plat.close()
    },
  }
}

const stopOnSignal = (server: Server, { log }: Process): Promise<void> =>
  new Promise((resolve, reject) => {
    let stoppingSince: number | undefined
    const stop = (signal: string) => {
      const now = Date.now()
      if (stoppingSince !== undefined && now - stoppingSince < SAME_SIGNAL_MS) return
      if (stoppingSince !== undefined) process.exit(1)
      stoppingSince = now
      log.info('stopping', { signal })
      server.stop().then(resolve, reject)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })

const showBanner = (config: Config, { url, firstAdmin }: Server, { log }: Process): void => {
  if (config.logFormat === 'text') {
    process.stderr.write(formatBanner(config, url, firstAdmin))
    return
  }
  // A log in JSON never contains the password.
  log.info('listening', { url, version: VERSION })
  if (firstAdmin?.password)
    log.info('the first user was made; `plat user reset-password` on this host shows a password for it', {
      username: firstAdmin.username,
    })
}

/** Serves until the process is stopped. @throws ConfigError, DataLockedError, MigrationError */
export const serve = async (flags: Flags, options: ComposeOptions = {}): Promise<void> => {
  const context = processFor(flags)
  const server = await startServer(context, options)
  const stopped = stopOnSignal(server, context)
  // Last, because a reader of the banner may stop the server at once.
  showBanner(context.config, server, context)
  await stopped
}

/** Migrates the database to this program's schema, and does nothing else. */
export const migrateOnly = async (flags: Flags): Promise<void> => {
  const { close } = await openDatabase(processFor(flags))
  await close()
}

/** Maximum wait of a command on the host for the writes of a running server; the longest is a large import. */
const WRITER_PATIENCE_MS = 600_000
const WRITER_PAUSE_MS = 100

/** Retries while a running server holds the one writer of SQLite. */
const retryWhileLocked = async <T>({ log }: Process, write: () => Promise<T>): Promise<T> => {
  const giveUpMs = Date.now() + WRITER_PATIENCE_MS
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await write()
    } catch (error) {
      if (!isBusy(error) || Date.now() > giveUpMs) throw error
      if (!hasSaid) log.warn('the server is writing, such as an import: waiting for the end of it')
      await Bun.sleep(WRITER_PAUSE_MS)
    }
  }
}

/** `plat user reset-password`. Returns the password if it was generated. */
export const resetPassword = async (flags: Flags, username: string, password: string | undefined) => {
  const context = processFor(flags)
  const { db, close } = await openDatabaseBeside(context)
  const passwords = createPasswords()
  try {
    const trail = await openHostTrail({ ...context, db })
    const { now } = context
    const endKeys = endKeysMadeByOthers
    const options = { db, passwords, username, now, trail, endKeys }
    return await retryWhileLocked(context, () => reset({ ...options, ...(password === undefined ? {} : { password }) }))
  } finally {
    passwords.close()
    await close()
  }
}

/** `plat user break-glass`: whether a user may sign in by password while PASSWORD_SIGN_IN is `break-glass`. */
export const breakGlass = async (flags: Flags, username: string, isOn: boolean): Promise<BreakGlass> => {
  const context = processFor(flags)
  const { db, close } = await openDatabaseBeside(context)
  try {
    const trail = await openHostTrail({ ...context, db })
    return await retryWhileLocked(context, () => setBreakGlass({ db, trail, username, isOn, now: context.now }))
  } finally {
    await close()
  }
}

/** `plat user evict`: ends all sessions, API keys and OAuth grants of an account. */
export const evict = async (flags: Flags, username: string): Promise<Evicted> => {
  const context = processFor(flags)
  const { db, close } = await openDatabaseBeside(context)
  const sessions = openSessionStore({ ...context, db })
  try {
    const trail = await openHostTrail({ ...context, db })
    return await retryWhileLocked(context, () => evictUser({ db, sessions, trail, username, now: context.now }))
  } finally {
    sessions.close()
    await close()
  }
}

/** `plat user reset-2fa`: removes all second factors of an account. */
export const resetFactors = async (flags: Flags, username: string): Promise<{ readonly username: string }> => {
  const context = processFor(flags)
  const { db, close } = await openDatabaseBeside(context)
  try {
    const trail = await openHostTrail({ ...context, db })
    return await retryWhileLocked(context, () => resetFactorsOnHost({ db, trail, username }))
  } finally {
    await close()
  }
}
