/** Checks the machine: the server can listen on its address, and scans can send pings. */
import { readFileSync, realpathSync } from 'node:fs'
import { hostname as hostName } from 'node:os'
import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import { formatAddress, type ListenAddress, tryListening } from '../../surfaces/http/listen-address.ts'
import { getOrigin } from './doctor-server.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { findListeners, type Listener } from './listeners.ts'

const ANSWER_MS = 2000

/** Returns true if a Plat answers there. */
const isAnswered = async (address: ListenAddress): Promise<boolean> => {
  try {
    const response = await fetch(`${getOrigin(address)}/healthz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    })
    return response.ok && (await response.text()) === 'ok'
  } catch {
    // The port is in use, but not by a Plat that answers.
    return false
  }
}

const CHECK = 'listen address'

/** The data that the settings of the doctor name. */
export type OwnData =
  | { readonly folder: string; readonly isServing: boolean }
  /** The host names and process ids of the instances on the database; undefined if they are unknown. */
  | { readonly instances: ReadonlySet<string> | undefined }

const realPath = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Returns true if the process serves the data; undefined if that is unknown. */
const isOwn = ({ pid, folder }: Listener, own: OwnData): boolean | undefined => {
  if ('folder' in own) return folder === realPath(own.folder)
  if (folder !== undefined) return false
  return own.instances && [...own.instances].some((name) => name.endsWith(`:${pid}`) && isThisHost(name))
}

/** A long host name has lost its beginning in the name of an instance. */
const isThisHost = (name: string): boolean => {
  const host = name.slice(0, name.lastIndexOf(':'))
  return hostName() === host || (hostName().split('.')[0] ?? '').endsWith(host)
}

const describeData = ({ folder }: Listener): string =>
  folder === undefined ? 'a database server' : `the data folder ${folder}`

const describeOwn = (own: OwnData): string => ('folder' in own ? `the data folder ${own.folder}` : 'DATABASE_URL')

/** Describes the Plat that answers. */
const describeAnswer = (at: string, { port }: ListenAddress, own: OwnData): Finding => {
  const listeners = findListeners(port)
  const another = listeners.find((listener) => isOwn(listener, own) === false)
  if (another)
    return problem(
      CHECK,
      `${at}: another Plat answers there, process ${another.pid} with ${describeData(another)}, not ${describeOwn(own)}`,
      `set LISTEN_ADDR to another address, or stop that process (kill ${another.pid})`,
    )
  const [mine] = listeners
  if (mine && isOwn(mine, own))
    return ok(CHECK, `${at}: the Plat of ${describeOwn(own)} answers there, instance ${hostName()}:${mine.pid}`)
  if ('folder' in own && !own.isServing)
    return problem(
      CHECK,
      `${at}: another Plat answers there; no server uses ${describeOwn(own)}`,
      'set LISTEN_ADDR to another address, or stop the other server',
    )
  return ok(CHECK, `${at}: a Plat answers there; whose data it serves cannot be seen from here`)
}

const checkPort = async (address: ListenAddress, own: OwnData): Promise<Finding> => {
  const at = formatAddress(address)
  if (await isAnswered(address)) return describeAnswer(at, address, own)
  return isServing(own)
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

const isServing = (own: OwnData): boolean => 'folder' in own && own.isServing

export const checkListening = async (address: ListenAddress, own: OwnData): Promise<Finding> => {
  const at = formatAddress(address)
  if (address.port === 0) return ok(CHECK, `${at}: any free port`)
  try {
    await tryListening(address)
  } catch (error) {
    switch (getErrorCode(error)) {
      case 'EADDRINUSE':
        return checkPort(address, own)
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
        return problem(CHECK, `${at}: ${getErrorMessage(error)}`, 'set LISTEN_ADDR to another address')
    }
  }
  return isServing(own)
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

/** A scan that cannot send pings only finds hosts with an open or closed TCP port. */
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
