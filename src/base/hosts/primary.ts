/** Decides which of the hosts of a database is its primary, from the answers of all. */
import type { Host } from './database-url.ts'

/** The answer of a host. */
export type Look = {
  readonly isInRecovery: boolean
  /** The number that all servers of a cluster share; undefined if the server does not tell it. */
  readonly systemId: string | undefined
  /** Rises with each promotion; undefined if the server does not tell it. */
  readonly timeline: number | undefined
  /** Where the log ends that is flushed (primary) or replayed (standby), as text and in bytes. */
  readonly lsn: string | undefined
  readonly position: number | undefined
  /** Since the last replayed commit of a standby. */
  readonly sinceReplayMs: number | undefined
}

export type Seen = {
  readonly host: Host
  /** The last answer; undefined if the host has left two questions in a row unanswered, or has not been asked. */
  readonly look: Look | undefined
  /** The reason for the missing answer. */
  readonly problem: string
}

export type Role = 'primary' | 'standby' | 'away' | 'foreign'

export type HostState = {
  /** The name of the host. */
  readonly host: string
  readonly role: Role
  readonly timeline?: number
  readonly systemId?: string
  /** The distance to the flushed position of the primary; set for a standby of a primary that answers. */
  readonly lagBytes?: number
  /** The time since the last replayed commit; 0 if all is replayed. Set for a standby of a primary that answers. */
  readonly lagMs?: number
  readonly replayedLsn?: string
  /** Set for the primary. */
  readonly flushedLsn?: string
  /** The reason why the host is not used, or not for reads; '' for none. */
  readonly message: string
}

/** The cluster that was in use before. */
export type Known = { readonly systemId: string | undefined; readonly timeline: number }

export const NOTHING_KNOWN: Known = { systemId: undefined, timeline: 0 }

const getTimeline = ({ look }: Seen): number => look?.timeline ?? 0

const isForeign = ({ look }: Seen, systemId: string | undefined): boolean =>
  systemId !== undefined && look?.systemId !== undefined && look.systemId !== systemId

/**
 * Returns the host that is not in recovery; of several the one with the highest timeline, of equal ones the first. A
 * timeline below a known one has been left: such a host was the primary once, and its further writes will be lost.
 * @param seen in the order of the URL
 */
export const selectPrimary = (seen: readonly Seen[], known: Known): Seen | undefined => {
  const candidates = seen.filter(({ look }) => look && !look.isInRecovery)
  // Timelines of different clusters cannot be compared: without a known one, the first host decides.
  const systemId = known.systemId ?? candidates[0]?.look?.systemId
  return candidates
    .filter((one) => !isForeign(one, systemId) && getTimeline(one) >= known.timeline)
    .reduce<Seen | undefined>((best, one) => (best && getTimeline(best) >= getTimeline(one) ? best : one), undefined)
}

const describeForeign = (seen: Seen, primary: Seen | undefined, known: Known): string | undefined => {
  if (isForeign(seen, known.systemId))
    return `has the system identifier ${seen.look?.systemId}, but the cluster in use has ${known.systemId}: it is another database, and is not used`
  if (seen.look?.isInRecovery) return undefined
  const by = primary
    ? `${primary.host.name} is the primary on timeline ${getTimeline(primary)}`
    : `timeline ${known.timeline} was in use`
  return `accepts writes on timeline ${getTimeline(seen)}, but ${by}: it is not used`
}

/** Returns the state of a host beside the primary. */
export const toHostState = (seen: Seen, primary: Seen | undefined, known: Known): HostState => {
  const { host, look, problem } = seen
  if (!look) return { host: host.name, role: 'away', message: problem }
  const said = {
    host: host.name,
    ...(look.timeline !== undefined && { timeline: look.timeline }),
    ...(look.systemId !== undefined && { systemId: look.systemId }),
  }
  if (seen === primary) {
    const flushed = look.lsn === undefined ? {} : { flushedLsn: look.lsn }
    return { ...said, role: 'primary', ...flushed, message: '' }
  }
  const reason = describeForeign(seen, primary, known)
  if (reason !== undefined) return { ...said, role: 'foreign', message: reason }
  return { ...said, role: 'standby', ...computeLag(look, primary?.look), message: formatBehindMessage(seen, primary) }
}

const computeLag = ({ lsn, position, sinceReplayMs }: Look, primary: Look | undefined): Partial<HostState> => {
  const replayed = lsn === undefined ? {} : { replayedLsn: lsn }
  if (primary?.position === undefined || position === undefined) return replayed
  const lagBytes = Math.max(0, primary.position - position)
  const lagMs = lagBytes === 0 ? 0 : sinceReplayMs
  return { ...replayed, lagBytes, ...(lagMs !== undefined && { lagMs: Math.max(0, Math.round(lagMs)) }) }
}

/** True if a standby follows the timeline of the primary, so that positions of both can be compared. */
export const isFollowing = (standby: Seen, primary: Seen | undefined): boolean =>
  standby.look?.isInRecovery === true &&
  primary !== undefined &&
  standby.look.timeline === primary.look?.timeline &&
  !isForeign(standby, primary.look?.systemId)

const formatBehindMessage = (seen: Seen, primary: Seen | undefined): string =>
  !primary || isFollowing(seen, primary)
    ? ''
    : `is on timeline ${seen.look?.timeline ?? 'unknown'}, but the primary is on ${primary.look?.timeline ?? 'unknown'}: it answers no reads`
