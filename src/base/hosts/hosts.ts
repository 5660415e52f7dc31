/** The hosts of a PostgreSQL database: which of them is the primary, and what the others are. */
import { AppError } from '../../contract/errors.ts'
import type { Logger } from '../runtime/log.ts'
import type { DatabaseUrl, Host } from './database-url.ts'
import {
  type HostState,
  isFollowing,
  type Known,
  NOTHING_KNOWN,
  type Seen,
  selectPrimary,
  toHostState,
} from './primary.ts'
import { type ConnectTo, watchHost } from './watch-host.ts'

export type PrimaryListener = (primary: Host | undefined) => void

export type Hosts = {
  readonly hosts: DatabaseUrl['hosts']
  /** The host to connect to; undefined while none is known to be the primary. A single host needs no proof. */
  readonly primary: () => Host | undefined
  /** The timeline of the primary, if it is known. */
  readonly timeline: () => number | undefined
  /** False if the primary does not tell its timeline. */
  readonly tellsTimeline: () => boolean
  /** The standbys on the timeline of the primary: their positions can be compared with its own. */
  readonly standbys: () => readonly Host[]
  /** In the order of the URL. */
  readonly states: () => readonly HostState[]
  /** How often another host or timeline has replaced one that was in use. */
  readonly failovers: () => number
  /** The listener is called when the primary is left: for another host, another timeline, or for none. Its connections are to be closed. */
  readonly onPrimary: (listener: PrimaryListener) => void
  /** Asks all hosts at once: a connection was lost, or a statement refused because it writes. */
  readonly lookNow: () => void
  /** Settles when each host has been asked once. */
  readonly ready: Promise<void>
  /** @throws AppError UNAVAILABLE if none of them is the primary then; it says why for each */
  readonly requirePrimary: () => Promise<void>
  readonly close: () => Promise<void>
}

export type HostsOptions = DatabaseUrl & {
  readonly connect: ConnectTo
  readonly log?: Logger | undefined
}

const PAUSE_S = 1

/** Returns the error of each request that needs the database while none of its hosts is the primary. */
export const createNoPrimaryError = (): AppError =>
  new AppError('UNAVAILABLE', 'The database has no primary at the moment; try again in a moment', {
    retryAfterS: PAUSE_S,
  })

const createNoPrimaryAtStartError = (states: readonly HostState[]): AppError => {
  const names = states.map(({ host }) => host).join(', ')
  return new AppError('UNAVAILABLE', `none of ${names} is a primary: ${listReasons(states).join('; ')}`)
}

const listReasons = (states: readonly HostState[]): string[] =>
  states.map(({ host, role, message }) => (role === 'standby' ? `${host} is a standby` : `${host} ${message}`))

type Primary = { readonly host: Host; readonly timeline: number | undefined; readonly systemId: string | undefined }

const isSame = (a: Primary | undefined, b: Primary | undefined): boolean =>
  a?.host === b?.host && a?.timeline === b?.timeline && a?.systemId === b?.systemId

export const createHosts = ({ hosts, connect, log }: HostsOptions): Hosts => {
  const isOne = hosts.length === 1
  const listeners: PrimaryListener[] = []
  const named = new Set<string>()
  let known: Known = NOTHING_KNOWN
  let chosen: Seen | undefined
  let primary: Primary | undefined
  /** The primary, also after it was left. */
  let last: Primary | undefined
  let isReady = false
  let failovers = 0

  const lookNow = (): void => {
    for (const { lookSoon } of watches) lookSoon()
  }
  const collectSeen = (): Seen[] => watches.map(({ seen }) => seen())

  const warnOfForeign = (): void => {
    for (const { host, role, message } of states()) {
      if (role !== 'foreign' || named.has(host)) continue
      named.add(host)
      log?.warn('a host of DATABASE_URL is not used', { host, reason: message })
    }
  }

  const replace = (next: Primary | undefined): void => {
    const isLeft = primary !== undefined
    const isAnother = next !== undefined && last !== undefined && !isSame(last, next)
    primary = next
    if (next) {
      last = next
      known = { systemId: next.systemId ?? known.systemId, timeline: next.timeline ?? known.timeline }
    }
    if (isAnother) failovers++
    if (!next) log?.warn('the database has no primary', { hosts: listReasons(states()) })
    else if (isAnother) log?.warn('the database has another primary', { host: next.host.name, timeline: next.timeline })
    else if (!isOne) log?.info('primary of the database', { host: next.host.name, timeline: next.timeline })
    if (isLeft || isAnother) for (const listener of listeners) listener(next?.host)
    if (!next) lookNow()
  }

  /** @returns true if all requests wait for a primary */
  const checkHosts = (): boolean => {
    // An older primary may answer sooner than the present one.
    if (!isReady) return false
    // Another cluster behind the one name replaces the database, as it would for a program that looks at nothing.
    chosen = selectPrimary(collectSeen(), isOne ? NOTHING_KNOWN : known)
    const look = chosen?.look
    const next = chosen && { host: chosen.host, timeline: look?.timeline, systemId: look?.systemId }
    if (!isSame(primary, next)) replace(next)
    warnOfForeign()
    return next === undefined && !isOne
  }

  const watches = hosts.map((host) => watchHost(host, connect, checkHosts))
  const states = (): HostState[] => collectSeen().map((seen) => toHostState(seen, chosen, known))

  const ready = Promise.all(watches.map(({ first }) => first)).then(() => {
    isReady = true
    checkHosts()
  })

  // Requests connect to a single host that does not answer: the error says why.
  const current = (): Host | undefined => (isOne && !watches[0]?.seen().look?.isInRecovery ? hosts[0] : primary?.host)

  return {
    hosts,
    primary: current,
    timeline: () => primary?.timeline,
    tellsTimeline: () => primary === undefined || primary.timeline !== undefined,
    standbys: () =>
      collectSeen()
        .filter((seen) => isFollowing(seen, chosen))
        .map(({ host }) => host),
    states,
    failovers: () => failovers,
    onPrimary: (listener) => {
      listeners.push(listener)
    },
    lookNow,
    ready,
    requirePrimary: async () => {
      await ready
      if (!current()) throw createNoPrimaryAtStartError(states())
    },
    close: async () => {
      await Promise.all(watches.map(({ close }) => close()))
    },
  }
}
