/** A real Plat on a real, fresh database, for tests, without a socket. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose, openDatabase, type Plat } from '../../src/app/compose.ts'
import { contracts } from '../../src/app/contracts.ts'
import { type Config, loadConfig } from '../../src/base/config/config.ts'
import { createLogger, type Logger } from '../../src/base/runtime/log.ts'
import { createOutbound, type Outbound } from '../../src/base/security/outbound.ts'
import { createNamedTargetRules, createTargetRules, OutboundError } from '../../src/base/security/outbound-target.ts'
import { computePasswordWaitMs, createPasswords, type Passwords } from '../../src/base/security/passwords.ts'
import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import type { Listening } from '../../src/discovery/listening/listener.ts'
import { createDnsConnector } from '../../src/dns/client/connector.ts'
import type { Packs } from '../../src/exchange/packs/files.ts'
import type { startScan } from '../../src/scanner/process.ts'
import { createClient } from '../../src/surfaces/cli/connection/client.ts'
import { createRole, createUser, keyFor } from '../estates/identities.ts'
import type { Dialect } from '../servers/servers.ts'
import { copyDataFile, migratedPostgres } from './migrated.ts'

const ORIGIN = 'http://plat.test'
/** Tests send more requests than a person does. The tests of the limits set them again. */
export const UNLIMITED = { RATE_LIMIT_ENABLED: 'false', LOGIN_RATE_LIMIT_REQUESTS: '1000000' }
/** No test sends a packet to any other address, whatever networks it creates. */
const LOOPBACK_ALONE = { DISCOVERY_ALLOWED_SUBNETS: '127.0.0.0/8', DISCOVERY_ALLOW_LOCAL: 'true' }

const unresolved = async (): Promise<never> => {
  throw new Error('tests ask no resolver')
}
/** Validates targets as usual, and sends nothing. */
const NOWHERE: Outbound = {
  ...createOutbound({ rules: { ...createTargetRules(false), resolve: unresolved } }),
  send: async () => {
    throw new OutboundError('tests send nothing')
  },
  exchange: async () => {
    throw new OutboundError('tests send nothing')
  },
}

export type TestOptions = {
  readonly dialect?: Dialect
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>
  readonly now?: () => Date
  readonly log?: Logger
  /** Replaces the default, bcrypt at the lowest cost. */
  readonly passwords?: Passwords
  /** Replaces the default, which sends nothing. */
  readonly outbound?: Outbound
  /** False runs jobs only by `plat.runJob`. */
  readonly withJobs?: boolean
  /** Replaces the scanner processes. */
  readonly startScan?: typeof startScan
  /** Replaces the process that listens, and the interfaces. */
  readonly listening?: Listening
  /** Replaces the packs of the program. */
  readonly packs?: () => Packs
  /** A database to begin with in place of an empty one: the path of a data file, or the name of a database of the cluster. */
  readonly template?: string
}

type RoleName = 'admin' | 'operator' | 'viewer'

/** A caller with raw requests and the typed client. */
export type TestCaller = {
  readonly key: string
  readonly userId: string
  readonly request: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>
  readonly api: ReturnType<typeof createClient<typeof contracts>>
}

export type TestApp = {
  readonly plat: Plat
  readonly db: Db<Tables>
  readonly config: Config
  readonly fetch: (request: Request) => Promise<Response>
  /** Creates a user with a system role, or with exactly these permissions. */
  readonly as: (who: RoleName | readonly string[]) => Promise<TestCaller>
  readonly guest: TestCaller['request']
  readonly close: () => Promise<void>
}

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

export const testApp = async ({
  dialect = 'sqlite',
  env = {},
  now = () => new Date(),
  log = quiet,
  passwords,
  outbound = NOWHERE,
  withJobs = true,
  startScan: scanner,
  listening,
  packs,
  template,
}: TestOptions = {}): Promise<TestApp> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'plat-test-'))
  const server = dialect === 'postgres' ? await migratedPostgres(template) : undefined
  const config = loadConfig({
    env: {
      ...UNLIMITED,
      ...LOOPBACK_ALONE,
      DATA_DIR: dataDir,
      LISTEN_ADDR: '127.0.0.1:0',
      ...(server ? { DATABASE_URL: server.url } : {}),
      ...env,
    },
    cwd: dataDir,
  })
  const isFresh = server !== undefined || (config.databaseUrl === undefined && (await copyDataFile(config, template)))
  const opened = await openDatabase({ config, log, now })
  // So that no test waits for the hash of a first admin.
  if (isFresh && template === undefined) await createUser(opened.db, { username: 'first', roles: ['admin'] })
  const plat = await compose({ config, log, now }, opened, {
    passwords: passwords ?? createPasswords({ cost: 4, maxWaitMs: computePasswordWaitMs(config.requestTimeoutMs) }),
    ...(scanner ? { startScan: scanner } : {}),
    ...(listening ? { listening } : {}),
    ...(packs ? { packs } : {}),
    outbound,
    // Tests with SSO_ALLOW_LOOPBACK have a provider on this machine.
    providerOutbound: createOutbound({
      rules: createNamedTargetRules(
        { ...createTargetRules(false), resolve: unresolved },
        { allowsLoopback: config.ssoAllowLoopback },
      ),
    }),
    dns: createDnsConnector({
      rules: { ...createTargetRules(false), resolve: unresolved },
      servers: config.dnsServers,
    }),
    withJobs,
    checksLockOrder: true,
  })
  const fetch = async (request: Request) => plat.fetch(request)

  const requestAs =
    (key: string | undefined): TestCaller['request'] =>
    async (method, path, body, headers = {}) =>
      fetch(
        new Request(ORIGIN + path, {
          method,
          headers: {
            ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )

  let people = 0
  const as: TestApp['as'] = async (who) => {
    // A template has users already.
    const username = `${template === undefined ? 'user' : 'later-user'}-${++people}`
    const role = typeof who === 'string' ? who : (await createRole(opened.db, { name: username, permissions: who })).id
    const { id } = await createUser(opened.db, { username, roles: [role] })
    const key = await keyFor(opened.db, id)
    return {
      key,
      userId: id,
      request: requestAs(key),
      api: createClient(
        {
          fetch: (url, init) => fetch(new Request(url, init)),
          baseUrl: ORIGIN,
          headers: { Authorization: `Bearer ${key}` },
        },
        contracts,
      ),
    }
  }

  return {
    plat,
    db: opened.db,
    config,
    fetch,
    as,
    guest: requestAs(undefined),
    close: async () => {
      await plat.close()
      await server?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
