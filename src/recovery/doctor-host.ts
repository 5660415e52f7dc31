/** Checks the machine: the server can listen on its address, and scans can send pings. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Config } from '../platform/runtime/config/config.ts'
import { codeOf, type Finding, messageOf, ok, problem, warning } from './finding.ts'

type Address = Config['listenAddr']

const textOf = ({ hostname = '', port }: Address): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`

/** Listens for a moment. @throws the error of the system */
const tryListening = ({ hostname, port }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, ...(hostname === undefined ? {} : { host: hostname }) }, () => server.close(() => resolve()))
  })

const ANSWER_MS = 2000

/** Returns true if a Plat answers there. */
const answers = async ({ hostname, port }: Address): Promise<boolean> => {
  const isAny = hostname === undefined || hostname === '0.0.0.0' || hostname === '::'
  const url = `http://${isAny ? 'localhost' : textOf({ hostname, port: 0 }).replace(/:0$/, '')}:${port}/healthz`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })
    return response.ok && (await response.text()) === 'ok'
  } catch {
    // The port is in use, but not by a Plat that answers.
    return false
  }
}

const CHECK = 'listen address'

const taken = async (address: Address, isServing: boolean): Promise<Finding> => {
  const at = textOf(address)
  if (await answers(address)) return ok(CHECK, `${at}: a Plat answers there`)
  return isServing
    ? warning(
        CHECK,
        `${at} is in use, but no Plat answers there`,
        'if the server was started a moment ago, try again; if not, its log has the reason',
      )
    : problem(
        CHECK,
        `${at} is in use by another program`,
        `stop that (ss -ltnp 'sport = :${address.port}' names it), or set LISTEN_ADDR`,
      )
}

/** @param isServing true if a server uses the data folder; undefined if that is unknown */
export const checkListening = async (address: Address, isServing: boolean): Promise<Finding> => {
  const at = textOf(address)
  if (address.port === 0) return ok(CHECK, `${at}: any free port`)
  try {
    await tryListening(address)
  } catch (error) {
    switch (codeOf(error)) {
      case 'EADDRINUSE':
        return taken(address, isServing)
      case 'EACCES':
        return problem(
          CHECK,
          `${at}: this user may not listen on a port this low`,
          'listen on 8080 behind a proxy, or give the service AmbientCapabilities=CAP_NET_BIND_SERVICE',
        )
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        return problem(
          CHECK,
          `${at} is not an address of this machine`,
          'set LISTEN_ADDR to one of its own (ip address lists them), or to :8080 for all',
        )
      default:
        return problem(CHECK, `${at}: ${messageOf(error)}`, 'set LISTEN_ADDR to another address')
    }
  }
  return isServing
    ? warning(
        CHECK,
        `${at} is free, and yet a server uses the data folder`,
        'it listens elsewhere: give this command the settings that the server has',
      )
    : ok(CHECK, `${at} is free`)
}

export type PingFacts = {
  readonly platform: string
  /** The groups of this process, primary and supplementary. */
  readonly groups: readonly number[]
  /** `/proc/sys/net/ipv4/ping_group_range`, empty if it can't be read. */
  readonly range: string
  /** `/proc/self/status` */
  readonly status: string
}

const CAP_NET_RAW = 13n

const hasRawSockets = (status: string): boolean => {
  const [, mask] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? []
  return mask !== undefined && ((BigInt(`0x${mask}`) >> CAP_NET_RAW) & 1n) === 1n
}

const isInRange = ({ groups, range }: PingFacts): boolean => {
  const [first = Number.NaN, last = Number.NaN] = range.trim().split(/\s+/).map(Number)
  return groups.some((group) => group >= first && group <= last)
}

/** Without pings, a scan only finds hosts with an open or closed TCP port. */
export const checkPing = (facts: PingFacts): Finding => {
  const check = 'ping'
  if (facts.platform !== 'linux') return ok(check, 'not looked at on this system')
  if (isInRange(facts)) return ok(check, 'pings can be sent (ping_group_range)')
  if (hasRawSockets(facts.status)) return ok(check, 'pings can be sent (CAP_NET_RAW)')
  const [group = 0] = facts.groups
  return warning(
    check,
    'pings cannot be sent: scans find hosts by their TCP ports alone',
    `as root: echo 'net.ipv4.ping_group_range = ${group} ${group}' > /etc/sysctl.d/60-plat.conf && sysctl --system`,
  )
}

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another operating system, or a container that hides it.
    return ''
  }
}

export const pingFacts = (): PingFacts => ({
  platform: process.platform,
  groups: [...new Set([process.getgid?.(), ...(process.getgroups?.() ?? [])])].filter((group) => group !== undefined),
  range: readIfThere('/proc/sys/net/ipv4/ping_group_range'),
  status: readIfThere('/proc/self/status'),
})
