// Declares every setting once; parsing, `NAME_FILE`, help and documentation derive from this table.

import { parseDatabaseUrl } from '../hosts/database-url.ts'
import { checkRootCertificate } from '../hosts/tls.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../runtime/log.ts'
import { checkPassword } from '../security/password-rule.ts'
import { DISCOVERY_VARIABLES } from './discovery-variables.ts'
import { MAIL_VARIABLES } from './mail-variables.ts'
import { SOURCE_VARIABLES } from './source-variables.ts'
import {
  createChoiceParser,
  createDurationParser,
  createIntegerParser,
  createOptionalDurationParser,
  createOptionalParser,
  createUrlParser,
  InvalidValue,
  list,
  listenAddress,
  type Parser,
  parseAddressOrCidr,
  parseBoolean,
  parseForwardingHeader,
  parseHexKey,
  parseHostName,
  parseIssuerUrl,
  parseText,
} from './values.ts'

export type Variable<Value> = {
  /** The environment variable. The flag has the same words: `--listen-addr`. */
  readonly name: string
  /** The text that is parsed if the variable is unset; '' for none. */
  readonly default: string
  readonly parse: Parser<Value>
  /** The value is never shown, and may be read from the file that `NAME_FILE` names. */
  readonly isSecret?: true
  readonly help: string
}

const parseAdminPassword: Parser<string> = (value) => {
  const problem = checkPassword(value)
  if (problem) throw new InvalidValue(problem.charAt(0).toLowerCase() + problem.slice(1))
  return value
}

/** Validates the URL and returns the text itself: each use takes its hosts from it. */
const parsePostgresUrl: Parser<string> = (value) => {
  checkRootCertificate(parseDatabaseUrl(value).tls)
  return value
}

const requests = createIntegerParser(1, 1_000_000_000)
const days = createIntegerParser(1, 36_500)

export const VARIABLES = {
  listenAddr: {
    name: 'LISTEN_ADDR',
    default: ':8080',
    parse: listenAddress,
    help: 'Where to listen: :port for all addresses, host:port or [v6]:port',
  },
  dataDir: { name: 'DATA_DIR', default: './data', parse: parseText, help: 'Folder of the data file and its backups' },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: '',
    parse: createOptionalParser(parsePostgresUrl),
    isSecret: true,
    help: 'PostgreSQL to use, postgres://...; several hosts of one cluster as HOST:PORT,HOST:PORT; without it SQLite in DATA_DIR',
  },
  databaseConnections: {
    name: 'DATABASE_CONNECTIONS',
    default: '20',
    parse: createIntegerParser(2, 1000),
    help: 'Most connections to PostgreSQL for requests and jobs; streamed lists use up to half as many in addition, and notifications one',
  },
  databaseReads: {
    name: 'DATABASE_READS',
    default: 'primary',
    parse: createChoiceParser(['primary', 'standbys'] as const),
    help: 'Where PostgreSQL reads lists, searches, exports and reports: primary, or standbys of DATABASE_URL that have replayed all commits before the request',
  },
  databaseStatementTimeoutMs: {
    name: 'DATABASE_STATEMENT_TIMEOUT',
    default: '1m',
    parse: createDurationParser('24h'),
    help: 'Longest time a statement may take on PostgreSQL; migrations have no limit',
  },
  databaseLockTimeoutMs: {
    name: 'DATABASE_LOCK_TIMEOUT',
    default: '10s',
    parse: createDurationParser('24h'),
    help: 'Longest time a statement waits on PostgreSQL for the locks of another one',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    parse: createChoiceParser(LOG_LEVELS),
    help: `Least severe level to log: ${LOG_LEVELS.join(', ')}`,
  },
  logFormat: {
    name: 'LOG_FORMAT',
    default: 'text',
    parse: createChoiceParser(LOG_FORMATS),
    help: `Form of the log: ${LOG_FORMATS.join(' or ')}`,
  },
  devMode: {
    name: 'DEV_MODE',
    default: 'false',
    parse: parseBoolean,
    help: 'For development: cookies work over plain http, and nothing is rate limited',
  },
  requestTimeoutMs: {
    name: 'REQUEST_TIMEOUT',
    default: '30s',
    parse: createDurationParser('24h'),
    help: 'Longest time a request may take',
  },
  shutdownDelayMs: {
    name: 'SHUTDOWN_DELAY',
    default: '0',
    parse: createOptionalDurationParser('5m'),
    help: 'How long a server that is being shut down still answers while /readyz reports that it is not ready, so that a load balancer sends it no new clients',
  },
  streamsPerUser: {
    name: 'STREAMS_PER_USER',
    default: '8',
    parse: createIntegerParser(1, 100_000),
    help: 'Most long answers of one user whose clients have read nothing for a second; beyond it the oldest is aborted',
  },
  streamsTotal: {
    name: 'STREAMS_TOTAL',
    default: '64',
    parse: createIntegerParser(1, 100_000),
    help: 'The same for all users together',
  },
  rateLimitStore: {
    name: 'RATE_LIMIT_STORE',
    default: 'memory',
    parse: createChoiceParser(['memory', 'valkey']),
    help: 'Where requests are counted for the limits: memory (each instance alone) or valkey (all together)',
  },
  rateLimitEnabled: {
    name: 'RATE_LIMIT_ENABLED',
    default: 'true',
    parse: parseBoolean,
    help: 'Limit the requests of each client; the login limit stays on regardless',
  },
  rateLimitRequests: {
    name: 'RATE_LIMIT_REQUESTS',
    default: '100',
    parse: requests,
    help: 'Requests of one client per RATE_LIMIT_WINDOW',
  },
  rateLimitUserRequests: {
    name: 'RATE_LIMIT_USER_REQUESTS',
    default: '0',
    parse: createIntegerParser(0, 1_000_000_000),
    help: 'Requests of one user per RATE_LIMIT_WINDOW, by all sessions, keys and AI clients together; 0: no limit',
  },
  rateLimitWindowMs: {
    name: 'RATE_LIMIT_WINDOW',
    default: '1m',
    parse: createDurationParser('24h'),
    help: 'Time after which a client may use all its requests again',
  },
  loginRateLimitRequests: {
    name: 'LOGIN_RATE_LIMIT_REQUESTS',
    default: '5',
    parse: requests,
    help: 'Logins and password changes of one client per LOGIN_RATE_LIMIT_WINDOW; if set it applies in dev mode too',
  },
  loginRateLimitWindowMs: {
    name: 'LOGIN_RATE_LIMIT_WINDOW',
    default: '1m',
    parse: createDurationParser('24h'),
    help: 'Time after which a client may use all its logins again',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    default: 'false',
    parse: parseBoolean,
    help: "Trust the forwarding headers of TRUSTED_PROXIES about the client's address, and about scheme and host in URLs of the NetBox API",
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '',
    parse: list(parseAddressOrCidr),
    help: 'Trusted reverse proxies: IP addresses and CIDRs, comma-separated',
  },
  trustedProxyHeader: {
    name: 'TRUSTED_PROXY_HEADER',
    default: 'X-Forwarded-For',
    parse: parseForwardingHeader,
    help: 'The one header in which TRUSTED_PROXIES name the client; by default X-Forwarded-For, or X-Real-IP if it is missing',
  },
  allowedHosts: {
    name: 'ALLOWED_HOSTS',
    default: '',
    parse: list(parseHostName),
    help: 'Host names, without ports, that requests may be addressed to, comma-separated; without it all of them',
  },
  netboxApiHosts: {
    name: 'NETBOX_API_HOSTS',
    default: '',
    parse: list(parseHostName),
    help: 'Host names, without ports, at which /api/ is the NetBox API and nothing else of Plat is served, comma-separated',
  },
  sessionTtlMs: {
    name: 'SESSION_TTL',
    default: '24h',
    parse: createDurationParser(),
    help: 'How long a login lasts after its last use',
  },
  feedsPerUser: {
    name: 'FEEDS_PER_USER',
    default: '16',
    parse: createIntegerParser(1, 100_000),
    help: 'Live feeds (/api/events) of one user that an instance keeps open at most; beyond it the oldest is closed',
  },
  sessionStoreType: {
    name: 'SESSION_STORE_TYPE',
    default: 'sqlite',
    parse: createChoiceParser(['sqlite', 'valkey']),
    help: 'Where sessions are stored: sqlite (the main database, whichever it is) or valkey',
  },
  valkeyUrl: {
    name: 'VALKEY_URL',
    default: 'redis://localhost:6379/0',
    parse: createUrlParser('redis', 'rediss', 'valkey', 'valkeys'),
    isSecret: true,
    help: 'The Valkey or Redis server of SESSION_STORE_TYPE=valkey and RATE_LIMIT_STORE=valkey',
  },
  cookieSecure: {
    name: 'COOKIE_SECURE',
    default: 'true',
    parse: parseBoolean,
    help: 'Send the session cookie over https alone',
  },
  initialAdminUsername: {
    name: 'INITIAL_ADMIN_USERNAME',
    default: '',
    parse: createOptionalParser(parseText),
    help: 'Name of the admin who is created at the first start; admin if only the password is set',
  },
  initialAdminPassword: {
    name: 'INITIAL_ADMIN_PASSWORD',
    default: '',
    parse: createOptionalParser(parseAdminPassword),
    isSecret: true,
    help: 'Password of that admin; without it one is generated and shown once',
  },
  initialAdminEmail: {
    name: 'INITIAL_ADMIN_EMAIL',
    default: 'admin@localhost',
    parse: parseText,
    help: 'E-mail address of that admin',
  },
  initialAdminFullName: {
    name: 'INITIAL_ADMIN_FULL_NAME',
    default: 'System Administrator',
    parse: parseText,
    help: 'Full name of that admin',
  },
  auditEnabled: { name: 'AUDIT_ENABLED', default: 'false', parse: parseBoolean, help: 'Keep an audit log of changes' },
  auditRetentionDays: {
    name: 'AUDIT_RETENTION_DAYS',
    default: '90',
    parse: days,
    help: 'Days that audit entries are kept',
  },
  historyRetentionDays: {
    name: 'HISTORY_RETENTION_DAYS',
    default: '365',
    parse: days,
    help: 'Days that the history of the inventory is kept',
  },
  proposalExpiryDays: {
    name: 'PROPOSAL_EXPIRY_DAYS',
    default: '90',
    parse: createIntegerParser(1, 3650),
    help: 'Days after which a draft or an open proposal without an entry or edit is closed',
  },
  encryptionKey: {
    name: 'ENCRYPTION_KEY',
    default: '',
    parse: createOptionalParser(parseHexKey),
    isSecret: true,
    help: 'Key of stored credentials and secrets, 64 hexadecimal digits; without it none can be stored',
  },
  encryptionKeyPrevious: {
    name: 'ENCRYPTION_KEY_PREVIOUS',
    default: '',
    parse: list(parseHexKey),
    isSecret: true,
    help: 'Earlier keys, comma-separated, until everything is encrypted with ENCRYPTION_KEY',
  },
  ssrfAllowPrivateTargets: {
    name: 'SSRF_ALLOW_PRIVATE_TARGETS',
    default: 'false',
    parse: parseBoolean,
    help: 'Let webhooks and other outgoing requests reach private addresses',
  },
  dnsServers: {
    name: 'DNS_SERVERS',
    default: '',
    parse: list(parseAddressOrCidr),
    help: 'DNS servers that may be reached although they are private or on this machine: IP addresses and CIDRs, comma-separated',
  },
  dnsMaxRecords: {
    name: 'DNS_MAX_RECORDS',
    default: '500000',
    parse: createIntegerParser(100, 100_000_000),
    help: 'Most records of a DNS zone that is transferred, with 256 bytes for each; a larger zone fails',
  },
  ...SOURCE_VARIABLES,
  ...DISCOVERY_VARIABLES,
  mcpOauthEnabled: {
    name: 'MCP_OAUTH_ENABLED',
    default: 'false',
    parse: parseBoolean,
    help: 'Let MCP clients log in through OAuth; needs MCP_OAUTH_ISSUER_URL',
  },
  mcpOauthIssuerUrl: {
    name: 'MCP_OAUTH_ISSUER_URL',
    default: '',
    parse: createOptionalParser(parseIssuerUrl),
    help: 'Address at which OAuth clients reach this server, https://... without a path',
  },
  mcpOauthAccessTokenTtlMs: {
    name: 'MCP_OAUTH_ACCESS_TOKEN_TTL',
    default: '1h',
    parse: createDurationParser(),
    help: 'How long an access token is valid',
  },
  mcpOauthRefreshTokenTtlMs: {
    name: 'MCP_OAUTH_REFRESH_TOKEN_TTL',
    default: '720h',
    parse: createDurationParser(),
    help: 'How long a refresh token is valid',
  },
  mcpOauthRefreshGraceMs: {
    name: 'MCP_OAUTH_REFRESH_GRACE',
    default: '0',
    parse: createOptionalDurationParser('5m'),
    help: 'How long a used refresh token still returns an access token, for clients that refresh twice at once; 0 disables it',
  },
  webMaxRows: {
    name: 'WEB_MAX_ROWS',
    default: '120000',
    parse: createIntegerParser(100, 1_000_000),
    help: 'Most devices that the page of devices holds in the browser; of more the server sends the rows that are shown',
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    default: '',
    parse: createOptionalParser(parseIssuerUrl),
    help: 'Address at which browsers reach this server, https://... without a path; passkeys and single sign-on need it; without it MCP_OAUTH_ISSUER_URL',
  },
  passwordSignIn: {
    name: 'PASSWORD_SIGN_IN',
    default: 'all',
    parse: createChoiceParser(['all', 'break-glass']),
    help: 'Who may sign in with a password: all, or break-glass (only users who are marked so: plat user break-glass)',
  },
  ssoAllowLoopback: {
    name: 'SSO_ALLOW_LOOPBACK',
    default: 'false',
    parse: parseBoolean,
    help: 'Let identity providers of single sign-on be on this machine',
  },
  secondFactorRoles: {
    name: 'SECOND_FACTOR_ROLES',
    default: '',
    parse: list(parseText),
    help: 'Names of roles whose users need a second factor if they sign in with a password, comma-separated; * for all users',
  },
  poolUtilizationThresholdPercent: {
    name: 'POOL_UTILIZATION_THRESHOLD',
    default: '90',
    parse: createIntegerParser(1, 100),
    help: 'Percentage of a pool in use at which an event is emitted',
  },
  webhookRetentionDays: {
    name: 'WEBHOOK_RETENTION_DAYS',
    default: '30',
    parse: days,
    help: 'Days that webhook deliveries are kept',
  },
  ...MAIL_VARIABLES,
} as const satisfies Readonly<Record<string, Variable<unknown>>>

/** The parsed value of every variable, before settings that affect others are applied. */
export type Values = {
  readonly [Field in keyof typeof VARIABLES]: ReturnType<(typeof VARIABLES)[Field]['parse']>
}
