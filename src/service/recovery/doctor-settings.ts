/** Checks the settings: invalid values, and combinations that contradict each other. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, ConfigError, loadConfig } from '../../base/config/config.ts'
import { type Layer, readDotenv } from '../../base/config/sources.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

export type Surroundings = {
  readonly env: Layer
  readonly flags: Layer
  readonly cwd: string
}

const readUtf8 = (path: string): string => readFileSync(path, 'utf8')

/** Replaces invalid settings by their defaults, so that the other checks can continue. */
const replaceInvalid = ({ env, flags, cwd }: Surroundings, wrong: ReadonlySet<string>): Config => {
  const merged = { ...readDotenv(cwd, readUtf8).values, ...env }
  const right = Object.entries(merged).filter(([name]) => !wrong.has(name) && !wrong.has(name.replace(/_FILE$/, '')))
  const readFile = (path: string): string => {
    // The `.env` file is already part of the merged settings.
    if (path === resolve(cwd, '.env')) return ''
    return readUtf8(path)
  }
  return loadConfig({ env: Object.fromEntries(right), flags, cwd, readFile })
}

const NAME = /^([A-Z][A-Z0-9_]*): /

export const checkSettings = (around: Surroundings): { readonly config: Config; readonly findings: Finding[] } => {
  try {
    const config = loadConfig(around)
    return { config, findings: [ok('settings', 'all of them make sense'), ...checkCombinations(config)] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const findings = error.problems.map((message) =>
      problem(
        'settings',
        message,
        'correct it: the server does not start like this; docs/configuration.md lists every setting',
      ),
    )
    // A missing issuer has no invalid value itself, so the setting that requires it is removed.
    const wrong = new Set(error.problems.flatMap((message) => NAME.exec(message)?.[1] ?? []))
    if (wrong.has('MCP_OAUTH_ISSUER_URL')) wrong.add('MCP_OAUTH_ENABLED')
    const config = replaceInvalid(around, wrong)
    return { config, findings: [...findings, ...checkCombinations(config)] }
  }
}

const isEverybody = ({ prefix }: { readonly prefix: number }): boolean => prefix === 0

const checkProxy = ({ trustProxy, trustedProxies }: Config): Finding => {
  if (trustProxy && trustedProxies.length === 0)
    return problem(
      'proxy',
      'TRUST_PROXY is on, but no proxy is trusted: all clients count as one, with the address of the proxy',
      'set TRUSTED_PROXIES to the addresses of the proxies, or TRUST_PROXY=false if there is none',
    )
  if (!trustProxy && trustedProxies.length > 0)
    return warning(
      'proxy',
      'TRUSTED_PROXIES is set, but TRUST_PROXY is off: the headers of the proxies are ignored',
      'set TRUST_PROXY=true, or leave TRUSTED_PROXIES out',
    )
  if (trustedProxies.some(isEverybody))
    return problem(
      'proxy',
      'TRUSTED_PROXIES trusts every address: any client can claim to be another one',
      'name the addresses of the proxies alone',
    )
  return ok('proxy', trustProxy ? `${trustedProxies.length} trusted` : 'none is trusted')
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

const isReachable = ({ listenAddr }: Config): boolean => !LOOPBACK.test(listenAddr.hostname ?? '')

const checkCookies = (config: Config): Finding => {
  if (!config.cookieSecure && isReachable(config))
    return warning(
      'cookies',
      'session cookies are sent over plain http, and other machines can connect',
      'put a proxy with TLS before it, and set COOKIE_SECURE=true',
    )
  if (config.cookieSecure && isReachable(config) && !config.trustProxy)
    return warning(
      'cookies',
      'cookies need https, and the server speaks plain http: browsers on other machines cannot sign in',
      'put a proxy with TLS before it and set TRUST_PROXY and TRUSTED_PROXIES; or, on a network that is trusted, COOKIE_SECURE=false',
    )
  return ok('cookies', config.cookieSecure ? 'sent over https alone' : 'sent over plain http, on this machine alone')
}

const checkDevMode = (config: Config): Finding[] =>
  config.devMode && isReachable(config)
    ? [
        warning(
          'dev mode',
          'nothing is rate limited, and other machines can connect',
          'leave DEV_MODE out, or set LISTEN_ADDR=localhost:8080',
        ),
      ]
    : []

const checkCombinations = (config: Config): Finding[] => [
  checkProxy(config),
  checkCookies(config),
  ...checkDevMode(config),
]
