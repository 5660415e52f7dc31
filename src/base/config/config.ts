// Reads the configuration once, at the start. It is valid as a whole, or rejected.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Flags, type Layer, type ReadFile, readDotenv, readText, toFlagLayer } from './sources.ts'
import { InvalidValue } from './values.ts'
import { VARIABLES, type Values, type Variable } from './variables.ts'

/** All settings, parsed: times in milliseconds, `dataDir` absolute, unset ones undefined or an empty list. */
export type Config = Values & {
  /** Independent of `rateLimitEnabled`; off only in dev mode without a LOGIN_RATE_LIMIT_REQUESTS. */
  readonly loginRateLimitEnabled: boolean
}

/** The configuration is invalid. The message is for the operator: one problem per line, each with its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

export type ConfigSources = {
  readonly env: Layer
  /** Flags of the command line. Flags that are not settings are ignored. */
  readonly flags?: Flags
  /** The folder of `.env`, and the base of relative paths. */
  readonly cwd: string
  readonly readFile?: ReadFile
}

/**
 * Reads the configuration: a flag overrides the environment, which overrides `.env`.
 *
 * @throws ConfigError with all problems
 * @example loadConfig({ env: { REQUEST_TIMEOUT: '5s' }, cwd: '/srv/plat' }).requestTimeoutMs // 5000
 */
export function loadConfig({ env, flags = {}, cwd, readFile = readUtf8 }: ConfigSources): Config {
  const dotenv = readDotenv(cwd, readFile)
  const layers = [toFlagLayer(flags), env, dotenv.values]
  const readRelative: ReadFile = (path) => readFile(resolve(cwd, path))
  const problems = [...dotenv.problems]
  const setNames = new Set<string>()

  const entries = Object.entries(VARIABLES).map(([field, variable]: [string, Variable<unknown>]) => {
    try {
      const text = readText(variable, layers, readRelative)
      if (text !== undefined) setNames.add(variable.name)
      return [field, variable.parse(text ?? variable.default)]
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      problems.push(`${variable.name}: ${error.message}`)
      return [field, undefined]
    }
  })
  // Each field holds the result of its own parser, as Values declares; a failure throws below.
  const values = Object.fromEntries(entries) as Values

  if (values.mcpOauthEnabled && values.mcpOauthIssuerUrl === undefined && !setNames.has('MCP_OAUTH_ISSUER_URL')) {
    problems.push('MCP_OAUTH_ISSUER_URL: must be set when MCP_OAUTH_ENABLED is true')
  }
  if (values.databaseReads === 'standbys' && values.databaseUrl === undefined && !setNames.has('DATABASE_URL')) {
    problems.push('DATABASE_READS: must be primary without a DATABASE_URL, because SQLite has no standbys')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return combine(values, cwd, setNames)
}

/** Applies the settings that affect others. */
function combine(values: Values, cwd: string, setNames: ReadonlySet<string>): Config {
  const { devMode, initialAdminPassword, allowedHosts } = values
  return {
    ...values,
    dataDir: resolve(cwd, values.dataDir),
    // No hosts are all hosts.
    allowedHosts: allowedHosts.length > 0 ? [...allowedHosts, ...values.netboxApiHosts] : [],
    publicUrl: values.publicUrl ?? values.mcpOauthIssuerUrl,
    cookieSecure: values.cookieSecure && !devMode,
    rateLimitEnabled: values.rateLimitEnabled && !devMode,
    discoveryAllowLocal: values.discoveryAllowLocal || (devMode && !setNames.has('DISCOVERY_ALLOW_LOCAL')),
    loginRateLimitEnabled: !devMode || setNames.has('LOGIN_RATE_LIMIT_REQUESTS'),
    initialAdminUsername: values.initialAdminUsername ?? (initialAdminPassword === undefined ? undefined : 'admin'),
  }
}

export type ConfigDescription = {
  readonly name: string
  /** The default in the form of a setting; '' for none. */
  readonly default: string
  readonly help: string
  readonly secret: boolean
}

/** Returns every variable in the order of the documentation, for `--help` and the docs. */
export function describeConfig(): readonly ConfigDescription[] {
  return Object.values(VARIABLES).map(({ name, default: text, help, isSecret }: Variable<unknown>) => {
    return { name, default: text, help, secret: isSecret === true }
  })
}

function readUtf8(path: string): string {
  return readFileSync(path, 'utf8')
}
