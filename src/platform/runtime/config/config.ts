// The configuration: read once, at the start, whole or not at all. Pure but for reading files; what is
// configured is in variables.ts.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Flags, flagLayer, type Layer, type ReadFile, readDotenv, readText } from './sources.ts'
import { InvalidValue } from './values.ts'
import { VARIABLES, type Values, type Variable } from './variables.ts'

/** Every setting, parsed: times in milliseconds, `dataDir` absolute, what is not set undefined or an empty list. */
export type Config = Values & {
  /** Independent of `rateLimitEnabled`; off only in dev mode without a LOGIN_RATE_LIMIT_REQUESTS. */
  readonly loginRateLimitEnabled: boolean
}

/** The configuration cannot be used. The message is for the operator: one problem a line, each naming its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

export type ConfigSources = {
  readonly env: Layer
  /** Flags of the command line; what is not a setting is ignored. */
  readonly flags?: Flags
  /** Folder of `.env`, and what relative paths are relative to. */
  readonly cwd: string
  readonly readFile?: ReadFile
}

/**
 * Reads the configuration: a flag beats the environment, which beats `.env`.
 *
 * @throws ConfigError with every problem there is
 * @example
 * loadConfig({ env: { REQUEST_TIMEOUT: '5s' }, cwd: '/srv/plat' }).requestTimeoutMs // 5000
 */
export function loadConfig({ env, flags = {}, cwd, readFile = readUtf8 }: ConfigSources): Config {
  const dotenv = readDotenv(cwd, readFile)
  const layers = [flagLayer(flags), env, dotenv.values]
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
  // Each field holds what its own parser returned, which is how Values is defined; a failed one throws below.
  const values = Object.fromEntries(entries) as Values

  if (values.mcpOauthEnabled && values.mcpOauthIssuerUrl === undefined && !setNames.has('MCP_OAUTH_ISSUER_URL')) {
    problems.push('MCP_OAUTH_ISSUER_URL: must be set when MCP_OAUTH_ENABLED is true')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return combine(values, cwd, setNames)
}

/** Applies the settings that change what others mean. */
function combine(values: Values, cwd: string, setNames: ReadonlySet<string>): Config {
  const { devMode, initialAdminPassword } = values
  return {
    ...values,
    dataDir: resolve(cwd, values.dataDir),
    cookieSecure: values.cookieSecure && !devMode,
    rateLimitEnabled: values.rateLimitEnabled && !devMode,
    discoveryAllowLocal: values.discoveryAllowLocal || (devMode && !setNames.has('DISCOVERY_ALLOW_LOCAL')),
    loginRateLimitEnabled: !devMode || setNames.has('LOGIN_RATE_LIMIT_REQUESTS'),
    initialAdminUsername: values.initialAdminUsername ?? (initialAdminPassword === undefined ? undefined : 'admin'),
  }
}

export type ConfigDescription = {
  readonly name: string
  /** As it would be written; '' for none. */
  readonly default: string
  readonly help: string
  readonly secret: boolean
}

/** Every variable in the order of the documentation, for `--help` and the docs. */
export function describeConfig(): readonly ConfigDescription[] {
  return Object.values(VARIABLES).map(({ name, default: text, help, isSecret }: Variable<unknown>) => {
    return { name, default: text, help, secret: isSecret === true }
  })
}

function readUtf8(path: string): string {
  return readFileSync(path, 'utf8')
}
