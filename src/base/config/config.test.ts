// The meaning of the variables and the precedence of their sources. The `.env` syntax is tested beside its parser.
import { describe, expect, test } from 'bun:test'
import { parseCidr, parseCidrOrThrow } from '../../net/cidr.ts'
import { type Config, ConfigError, type ConfigSources, describeConfig, loadConfig } from './config.ts'
import type { Layer } from './sources.ts'

const KEY = 'AB'.repeat(32)

/** A file system of these files under /srv/plat; all others are absent. */
function readFrom(files: Readonly<Record<string, string | Error>>) {
  return (path: string): string => {
    const content = files[path] ?? Object.assign(new Error('no such file'), { code: 'ENOENT' })
    if (content instanceof Error) throw content
    return content
  }
}

function load(env: Layer, more: Partial<ConfigSources> = {}) {
  return loadConfig({ env, cwd: '/srv/plat', readFile: readFrom({}), ...more })
}

function problemsOf(env: Layer, more: Partial<ConfigSources> = {}): readonly string[] {
  try {
    load(env, more)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
  return []
}

test('nothing set gives the documented defaults', () => {
  expect(load({})).toEqual({
    listenAddr: { port: 8080 },
    dataDir: '/srv/plat/data',
    databaseUrl: undefined,
    databaseConnections: 20,
    databaseReads: 'primary',
    databaseStatementTimeoutMs: 60_000,
    databaseLockTimeoutMs: 10_000,
    logLevel: 'info',
    logFormat: 'text',
    devMode: false,
    requestTimeoutMs: 30_000,
    shutdownDelayMs: 0,
    streamsPerUser: 8,
    streamsTotal: 64,
    rateLimitStore: 'memory',
    rateLimitEnabled: true,
    rateLimitRequests: 100,
    rateLimitUserRequests: 0,
    rateLimitWindowMs: 60_000,
    loginRateLimitEnabled: true,
    loginRateLimitRequests: 5,
    loginRateLimitWindowMs: 60_000,
    trustProxy: false,
    trustedProxies: [],
    trustedProxyHeader: 'x-forwarded-for',
    allowedHosts: [],
    netboxApiHosts: [],
    sessionTtlMs: 86_400_000,
    feedsPerUser: 16,
    sessionStoreType: 'sqlite',
    valkeyUrl: 'redis://localhost:6379/0',
    webMaxRows: 120_000,
    cookieSecure: true,
    initialAdminUsername: undefined,
    initialAdminPassword: undefined,
    initialAdminEmail: 'admin@localhost',
    initialAdminFullName: 'System Administrator',
    auditEnabled: false,
    auditRetentionDays: 90,
    historyRetentionDays: 365,
    proposalExpiryDays: 90,
    encryptionKey: undefined,
    encryptionKeyPrevious: [],
    ssrfAllowPrivateTargets: false,
    dnsServers: [],
    dnsMaxRecords: 500_000,
    sourceTargets: [],
    discoveryMaxConcurrent: 2,
    discoverySnmpv2cEnabled: false,
    discoveryTimeoutMs: 1_000,
    discoveryRatePerSecond: 2_000,
    discoveryCleanupDays: 30,
    discoveryRandomMacCleanupDays: 7,
    presenceRetentionDays: 365,
    discoveryAllowedSubnets: [],
    discoveryAllowLocal: false,
    discoveryPorts: [],
    scannerOfflineAfterMs: 60_000,
    discoveryFingerprintsDir: '',
    mcpOauthEnabled: false,
    mcpOauthIssuerUrl: undefined,
    mcpOauthAccessTokenTtlMs: 3_600_000,
    mcpOauthRefreshTokenTtlMs: 2_592_000_000,
    mcpOauthRefreshGraceMs: 0,
    publicUrl: undefined,
    passwordSignIn: 'all',
    ssoAllowLoopback: false,
    secondFactorRoles: [],
    poolUtilizationThresholdPercent: 90,
    webhookRetentionDays: 30,
    smtpUrl: undefined,
    smtpFrom: undefined,
  })
})

const SMTP = { port: 465, isSecure: false, user: '', pass: '', verifiesCertificate: true }

test('every variable is described once, the secrets as secret', () => {
  const all = describeConfig()
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.filter(({ help }) => help === '')).toEqual([])
  expect(all.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
    'DATABASE_URL',
    'VALKEY_URL',
    'INITIAL_ADMIN_PASSWORD',
    'ENCRYPTION_KEY',
    'ENCRYPTION_KEY_PREVIOUS',
    'SMTP_URL',
  ])
  expect(all[0]).toEqual({ name: 'LISTEN_ADDR', default: ':8080', help: expect.any(String), secret: false })
})

test.each<[string, string, Partial<Config>]>([
  ['LISTEN_ADDR', ':0', { listenAddr: { port: 0 } }],
  ['LISTEN_ADDR', '127.0.0.1:9000', { listenAddr: { hostname: '127.0.0.1', port: 9000 } }],
  ['LISTEN_ADDR', 'plat_1.example.com:80', { listenAddr: { hostname: 'plat_1.example.com', port: 80 } }],
  ['LISTEN_ADDR', '[::1]:8080', { listenAddr: { hostname: '::1', port: 8080 } }],
  ['LISTEN_ADDR', ' :81 ', { listenAddr: { port: 81 } }],
  ['LISTEN_ADDR', '', { listenAddr: { port: 8080 } }],
  ['DATA_DIR', '/var/lib/plat', { dataDir: '/var/lib/plat' }],
  ['DATABASE_URL', 'postgres://db/plat', { databaseUrl: 'postgres://db/plat' }],
  ['DATABASE_URL', 'postgresql://db/plat', { databaseUrl: 'postgresql://db/plat' }],
  ['DATABASE_READS', 'Primary', { databaseReads: 'primary' }],
  ['LOG_LEVEL', 'WARN', { logLevel: 'warn' }],
  ['LOG_FORMAT', 'json', { logFormat: 'json' }],
  ['REQUEST_TIMEOUT', '500ms', { requestTimeoutMs: 500 }],
  ['SESSION_TTL', '30s', { sessionTtlMs: 30_000 }],
  ['SESSION_TTL', '5m', { sessionTtlMs: 300_000 }],
  ['SESSION_TTL', '24h', { sessionTtlMs: 86_400_000 }],
  ['SESSION_TTL', '30d', { sessionTtlMs: 2_592_000_000 }],
  ['SESSION_STORE_TYPE', 'valkey', { sessionStoreType: 'valkey' }],
  ['VALKEY_URL', 'rediss://cache:6380/1', { valkeyUrl: 'rediss://cache:6380/1' }],
  ['AUDIT_ENABLED', 'true', { auditEnabled: true }],
  ['AUDIT_ENABLED', '1', { auditEnabled: true }],
  ['AUDIT_ENABLED', 'Yes', { auditEnabled: true }],
  ['AUDIT_ENABLED', 'ON', { auditEnabled: true }],
  ['COOKIE_SECURE', 'false', { cookieSecure: false }],
  ['COOKIE_SECURE', '0', { cookieSecure: false }],
  ['COOKIE_SECURE', 'No', { cookieSecure: false }],
  ['COOKIE_SECURE', 'OFF', { cookieSecure: false }],
  ['RATE_LIMIT_ENABLED', 'false', { rateLimitEnabled: false, loginRateLimitEnabled: true }],
  ['POOL_UTILIZATION_THRESHOLD', '100', { poolUtilizationThresholdPercent: 100 }],
  ['ENCRYPTION_KEY', KEY, { encryptionKey: KEY.toLowerCase() }],
  ['ENCRYPTION_KEY_PREVIOUS', `${KEY}, ${KEY}`, { encryptionKeyPrevious: [KEY.toLowerCase(), KEY.toLowerCase()] }],
  [
    'MCP_OAUTH_ISSUER_URL',
    'https://plat.example.com/',
    { mcpOauthIssuerUrl: 'https://plat.example.com', publicUrl: 'https://plat.example.com' },
  ],
  [
    'MCP_OAUTH_ISSUER_URL',
    'http://localhost:8080//',
    { mcpOauthIssuerUrl: 'http://localhost:8080', publicUrl: 'http://localhost:8080' },
  ],
  ['WEB_MAX_ROWS', '100', { webMaxRows: 100 }],
  ['WEB_MAX_ROWS', '1000000', { webMaxRows: 1_000_000 }],
  ['PUBLIC_URL', 'https://plat.example.com/', { publicUrl: 'https://plat.example.com' }],
  [
    'SMTP_URL',
    'smtp://plat:p%40ss@mail.example.com',
    { smtpUrl: { ...SMTP, host: 'mail.example.com', port: 587, user: 'plat', pass: 'p@ss' } },
  ],
  ['SMTP_URL', 'smtps://mail.example.com', { smtpUrl: { ...SMTP, host: 'mail.example.com', isSecure: true } }],
  ['SMTP_URL', 'smtp://[::1]:25/', { smtpUrl: { ...SMTP, host: '::1', port: 25 } }],
  [
    'SMTP_URL',
    'smtp://localhost:25?verify=false',
    { smtpUrl: { ...SMTP, host: 'localhost', port: 25, verifiesCertificate: false } },
  ],
  ['SMTP_FROM', 'plat@example.com', { smtpFrom: 'plat@example.com' }],
  ['SMTP_FROM', 'Plat of the lab <plat@example.com>', { smtpFrom: 'Plat of the lab <plat@example.com>' }],
  ['PASSWORD_SIGN_IN', 'break-glass', { passwordSignIn: 'break-glass' }],
  ['SECOND_FACTOR_ROLES', 'admin, Network team', { secondFactorRoles: ['admin', 'Network team'] }],
  ['INITIAL_ADMIN_PASSWORD', ' pass word ', { initialAdminPassword: ' pass word ', initialAdminUsername: 'admin' }],
  ['INITIAL_ADMIN_USERNAME', 'root', { initialAdminPassword: undefined, initialAdminUsername: 'root' }],
  ['NOT_A_SETTING', 'x', {}],
])('%s=%s is understood', (name, value, expected) => {
  expect(load({ [name]: value })).toEqual({ ...load({}), ...expected })
})

test('DISCOVERY_PORTS takes ports and ranges, each once, in order', () => {
  expect(load({ DISCOVERY_PORTS: '80, 22,8000-8002,80' }).discoveryPorts).toEqual([22, 80, 8000, 8001, 8002])
})

test.each(['0', '65536', '80-70', 'ssh', '1-', '-5'])('DISCOVERY_PORTS refuses %s', (ports) => {
  expect(() => load({ DISCOVERY_PORTS: ports })).toThrow('DISCOVERY_PORTS: must be a comma-separated list of ports')
})

test('TRUSTED_PROXIES takes addresses as blocks of one, and mapped addresses as IPv4', () => {
  expect(load({ TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16,2001:db8::1,::ffff:10.0.0.2' }).trustedProxies).toEqual(
    ['10.0.0.1/32', '192.168.0.0/16', '2001:db8::1/128', '10.0.0.2/32'].map((text) => {
      const cidr = parseCidr(text)
      if (!cidr) throw new Error(text)
      return cidr
    }),
  )
})

test('DNS_SERVERS takes addresses, of loopback too, and CIDRs', () => {
  expect(load({ DNS_SERVERS: '127.0.0.1, ::1,10.0.0.0/8' }).dnsServers).toEqual(
    ['127.0.0.1/32', '::1/128', '10.0.0.0/8'].map(parseCidrOrThrow),
  )
})

const DURATION = 'must be a duration like 500ms, 30s, 5m, 24h or 30d'
const LISTEN = 'must have the form :8080, host:8080 or [v6]:8080, with a port from 0 to 65535'
const SENDER = 'must be an e-mail address, such as plat@example.com or Plat <plat@example.com>'
const ISSUER = 'must be an absolute http or https URL without user, query or fragment'
const PATH = 'must have no path: Plat needs its own host name, such as https://plat.example.com'
const PROXIES = 'must be a comma-separated list of IP addresses and CIDRs'

test.each([
  ['LISTEN_ADDR', '8080', LISTEN],
  ['LISTEN_ADDR', ':65536', LISTEN],
  ['LISTEN_ADDR', ':http', LISTEN],
  ['LISTEN_ADDR', '::1:8080', LISTEN],
  ['LISTEN_ADDR', 'http://localhost:8080', LISTEN],
  ['LISTEN_ADDR', '[10.0.0.1]:80', 'must have an IPv6 address between its brackets'],
  ['LISTEN_ADDR', '[]:80', 'must have an IPv6 address between its brackets'],
  ['LISTEN_ADDR', '300.0.0.1:80', 'must name an IPv4 address or a host before its port'],
  ['DATABASE_URL', 'mysql://db/plat', 'must start with postgres:// or postgresql://'],
  ['DATABASE_URL', 'postgres://', 'must start with postgres:// or postgresql://'],
  [
    'DATABASE_URL',
    'postgres://plat:50%off@db/plat',
    'must have a % in its password only before two hexadecimal digits, as in %40 for @: write the % itself as %25',
  ],
  [
    'DATABASE_URL',
    'postgres://plat:sesame@db/plat?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    'must name a file that can be read as sslrootcert: /nowhere/ca.pem (ENOENT)',
  ],
  ['DATABASE_READS', 'standbys', 'must be primary without a DATABASE_URL, because SQLite has no standbys'],
  ['DATABASE_READS', 'replicas', 'must be one of: primary, standbys'],
  ['VALKEY_URL', 'localhost:6379', 'must start with redis:// or rediss:// or valkey:// or valkeys://'],
  ['LOG_LEVEL', 'loud', 'must be one of: debug, info, warn, error'],
  ['LOG_FORMAT', 'xml', 'must be one of: text, json'],
  ['SESSION_STORE_TYPE', 'memory', 'must be one of: sqlite, valkey'],
  ['REQUEST_TIMEOUT', '30', DURATION],
  ['REQUEST_TIMEOUT', '1.5s', DURATION],
  ['REQUEST_TIMEOUT', '-5s', DURATION],
  ['REQUEST_TIMEOUT', '5 s', DURATION],
  ['REQUEST_TIMEOUT', '0s', 'must be longer than zero'],
  ['REQUEST_TIMEOUT', '25h', 'must not be longer than 24h'],
  ['SESSION_TTL', '999999999999d', 'must not be longer than 3650d'],
  ['AUDIT_ENABLED', 'maybe', 'must be true or false'],
  ['RATE_LIMIT_REQUESTS', '0', 'must be a whole number from 1 to 1000000000'],
  ['RATE_LIMIT_REQUESTS', '1e3', 'must be a whole number from 1 to 1000000000'],
  ['POOL_UTILIZATION_THRESHOLD', '101', 'must be a whole number from 1 to 100'],
  ['DNS_MAX_RECORDS', '99', 'must be a whole number from 100 to 100000000'],
  ['WEB_MAX_ROWS', '99', 'must be a whole number from 100 to 1000000'],
  ['WEB_MAX_ROWS', '1000001', 'must be a whole number from 100 to 1000000'],
  ['TRUSTED_PROXIES', '10.0.0.0/33', PROXIES],
  ['TRUSTED_PROXIES', '10.0.0.1,proxy', PROXIES],
  ['DNS_SERVERS', '127.0.0.1:53', PROXIES],
  ['DNS_SERVERS', '10.0.0.0/8,ns1.example.org', PROXIES],
  ['ENCRYPTION_KEY', KEY.slice(1), 'must be exactly 64 hexadecimal digits'],
  ['ENCRYPTION_KEY', `${KEY}\n`, 'must be exactly 64 hexadecimal digits'],
  ['ENCRYPTION_KEY_PREVIOUS', `${KEY},x`, 'must be exactly 64 hexadecimal digits'],
  ['MCP_OAUTH_ISSUER_URL', 'plat.example.com', ISSUER],
  ['MCP_OAUTH_ISSUER_URL', 'ftp://plat.example.com', ISSUER],
  ['MCP_OAUTH_ISSUER_URL', 'https://plat.example.com?', ISSUER],
  ['MCP_OAUTH_ISSUER_URL', 'https://plat.example.com/#a', ISSUER],
  ['MCP_OAUTH_ISSUER_URL', 'https://me@plat.example.com', ISSUER],
  ['MCP_OAUTH_ISSUER_URL', 'https://example.com/plat', PATH],
  ['PUBLIC_URL', 'plat.example.com', ISSUER],
  ['PUBLIC_URL', 'https://example.com/plat/', PATH],
  ['SMTP_URL', 'mail.example.com:25', 'must start with smtp:// or smtps://'],
  ['SMTP_URL', 'https://mail.example.com', 'must start with smtp:// or smtps://'],
  ['SMTP_URL', 'smtp://user@mail.example.com', 'must have a user and a password, or neither'],
  ['SMTP_URL', 'smtp://u:%zz@mail.example.com', 'must have a user and a password that are percent-encoded'],
  ['SMTP_URL', 'smtp://mail.example.com/path', 'must end with the port, or with ?verify=false behind it'],
  ['SMTP_URL', 'smtp://mail.example.com?x=1', 'must end with the port, or with ?verify=false behind it'],
  ['SMTP_FROM', 'plat', SENDER],
  ['SMTP_FROM', 'Plat plat@example.com', SENDER],
  ['SMTP_FROM', 'Plat <plat@example.com', SENDER],
  ['SMTP_FROM', 'plat@example.com\r\nBcc: a@example.com', SENDER],
  ['INITIAL_ADMIN_PASSWORD', '1234567', 'the password must have at least 8 characters'],
  ['INITIAL_ADMIN_PASSWORD', 'é'.repeat(37), 'the password must not be longer than 72 bytes in UTF-8'],
])('%s=%s is refused', (name, value, problem) => {
  expect(problemsOf({ [name]: value })).toEqual([`${name}: ${problem}`])
})

test('all problems are reported at once', () => {
  expect(problemsOf({ LISTEN_ADDR: 'x', SESSION_TTL: '1', MCP_OAUTH_ENABLED: 'true' })).toEqual([
    `LISTEN_ADDR: ${LISTEN}`,
    `SESSION_TTL: ${DURATION}`,
    'MCP_OAUTH_ISSUER_URL: must be set when MCP_OAUTH_ENABLED is true',
  ])
})

test('a wrong URL of a database with standbys is one problem', () => {
  expect(problemsOf({ DATABASE_READS: 'standbys', DATABASE_URL: 'mysql://db' })).toEqual([
    'DATABASE_URL: must start with postgres:// or postgresql://',
  ])
})

test('a wrong issuer of an enabled OAuth server is one problem', () => {
  expect(problemsOf({ MCP_OAUTH_ENABLED: 'true', MCP_OAUTH_ISSUER_URL: 'x' })).toEqual([
    `MCP_OAUTH_ISSUER_URL: ${ISSUER}`,
  ])
})

describe('dev mode', () => {
  test.each([
    ['the flag', {}, { devMode: true }],
    ['the variable', { DEV_MODE: 'true' }, {}],
    [
      'the flag over the settings it replaces',
      { COOKIE_SECURE: 'true', RATE_LIMIT_ENABLED: 'true' },
      { devMode: true },
    ],
  ])('%s turns off secure cookies and both limits', (_name, env, flags) => {
    expect(load(env, { flags })).toMatchObject({
      devMode: true,
      cookieSecure: false,
      rateLimitEnabled: false,
      loginRateLimitEnabled: false,
    })
  })

  test.each([
    ['allows scans of local ranges', {}, true],
    ['leaves a refusal of local ranges that is set', { DISCOVERY_ALLOW_LOCAL: 'false' }, false],
  ])('%s', (_name, env, discoveryAllowLocal) => {
    expect(load(env, { flags: { devMode: true } })).toMatchObject({ discoveryAllowLocal })
  })

  test('keeps a login limit that is set', () => {
    const config = load({ LOGIN_RATE_LIMIT_REQUESTS: '5' }, { flags: { devMode: true } })
    expect(config).toMatchObject({ loginRateLimitEnabled: true, loginRateLimitRequests: 5, rateLimitEnabled: false })
  })

  test('a flag that is false beats the variable', () => {
    expect(load({ DEV_MODE: 'true' }, { flags: { devMode: false } })).toMatchObject({
      devMode: false,
      cookieSecure: true,
    })
  })
})

describe('precedence', () => {
  const readFile = readFrom({ '/srv/plat/.env': 'LOG_LEVEL=error\nLOG_FORMAT=json\nDATA_DIR=from-file\n' })

  test('a flag beats the environment, which beats .env', () => {
    const config = load({ LOG_LEVEL: 'warn', LOG_FORMAT: 'text' }, { flags: { logLevel: 'debug' }, readFile })
    expect(config).toMatchObject({ logLevel: 'debug', logFormat: 'text', dataDir: '/srv/plat/from-file' })
  })

  test('an empty value leaves the decision to the next source', () => {
    expect(load({ LOG_LEVEL: '' }, { flags: { logLevel: '' }, readFile })).toMatchObject({ logLevel: 'error' })
  })

  test.each(['LISTEN_ADDR', 'listenAddr', 'listen-addr'])('a flag may be named %s', (flag) => {
    expect(load({}, { flags: { [flag]: ':1' } }).listenAddr).toEqual({ port: 1 })
  })

  test('a flag that is no setting and one that is undefined are ignored', () => {
    expect(load({}, { flags: { verbose: true, logLevel: undefined } })).toEqual(load({}))
  })

  test('a broken .env stops the start and names the line, without its text', () => {
    const broken = readFrom({ '/srv/plat/.env': 'LOG_LEVEL=info\nhunter2\n' })
    expect(problemsOf({}, { readFile: broken })).toEqual(['.env line 2: must have the form KEY=VALUE'])
  })

  test('a .env that cannot be read stops the start', () => {
    const denied = readFrom({ '/srv/plat/.env': Object.assign(new Error('denied'), { code: 'EACCES' }) })
    expect(problemsOf({}, { readFile: denied })).toEqual(['.env: cannot be read (EACCES)'])
  })
})

describe('secrets in files', () => {
  const files = {
    '/run/key': `${KEY}\n`,
    '/srv/plat/db': 'postgres://db/plat\r\n',
    '/run/empty': '\n',
    '/run/bad': 'hunter2',
  }
  const readFile = readFrom(files)

  test('NAME_FILE gives the text of the file without its last line break', () => {
    const config = load({ ENCRYPTION_KEY_FILE: '/run/key', DATABASE_URL_FILE: 'db' }, { readFile })
    expect(config).toMatchObject({ encryptionKey: KEY.toLowerCase(), databaseUrl: 'postgres://db/plat' })
  })

  test('the environment beats the NAME_FILE of .env', () => {
    const withDotenv = readFrom({ ...files, '/srv/plat/.env': 'ENCRYPTION_KEY_FILE=/run/bad' })
    expect(load({ ENCRYPTION_KEY: KEY }, { readFile: withDotenv }).encryptionKey).toBe(KEY.toLowerCase())
  })

  test.each([
    [{ ENCRYPTION_KEY: KEY, ENCRYPTION_KEY_FILE: '/run/key' }, 'set it or ENCRYPTION_KEY_FILE, not both'],
    [{ ENCRYPTION_KEY_FILE: '/run/no' }, 'cannot read /run/no, which ENCRYPTION_KEY_FILE names (ENOENT)'],
    [{ ENCRYPTION_KEY_FILE: '/run/empty' }, '/run/empty, which ENCRYPTION_KEY_FILE names, is empty'],
    [{ ENCRYPTION_KEY_FILE: '/run/bad' }, 'must be exactly 64 hexadecimal digits'],
  ])('%o is refused', (env, problem) => {
    expect(problemsOf(env, { readFile })).toEqual([`ENCRYPTION_KEY: ${problem}`])
  })

  test('only secrets have NAME_FILE', () => {
    expect(load({ LOG_LEVEL_FILE: '/run/bad' }, { readFile }).logLevel).toBe('info')
  })
})
