/** The message that all formats render, composed of the events that were waiting. */
import { cleanText } from './clean-text.ts'

export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export type MessageLine = {
  readonly text: string
  /** The address of the page of the object; '' without one. */
  readonly link: string
}

/** All texts are cleaned; each format escapes them. */
export type Message = {
  readonly title: string
  readonly lines: readonly MessageLine[]
  /** The number of objects that no line tells of. */
  readonly more: number
  readonly severity: Severity
  /** The address of Plat, or of the page of the only object; '' without one. */
  readonly link: string
  /** RFC 3339. */
  readonly at: string
}

export const MAX_TITLE = 150
export const MAX_LINES = 20
/** The largest number of characters of a line. */
export const MAX_LINE = 300

/** Titles of events that their names do not tell well. */
const TITLES: Readonly<Record<string, string>> = {
  'device.promoted': 'Device promoted',
  'discovery.started': 'Scan started',
  'discovery.completed': 'Scan completed',
  'discovery.device_found': 'New device found',
  'discovery.device_gone': 'Device gone',
  'discovery.device_returned': 'Device is back',
  'conflict.detected': 'Conflict detected',
  'conflict.resolved': 'Conflict resolved',
  'dns.drift_detected': 'DNS zone differs from its server',
  'dns.drift_resolved': 'DNS zone as documented again',
  'dns.sync_failed': 'DNS server cannot be used',
  'source.failed': 'Source cannot be read',
  'source.recovered': 'Source is read again',
  'source.waiting': 'Source has changes that wait',
  'pool.utilization_high': 'Pool nearly full',
}

const toTitle = (event: string): string => {
  const words = event.replace(/[._]/g, ' ')
  return TITLES[event] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const WARNINGS: ReadonlySet<string> = new Set([
  ...['conflict.detected', 'dns.drift_detected', 'pool.utilization_high', 'source.failed'],
])

export const getSeverity = (event: string): Severity => {
  if (event === 'dns.sync_failed') return 'critical'
  return WARNINGS.has(event) || event.endsWith('.deleted') ? 'warning' : 'info'
}

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The contents of a title. */
export type Composed = {
  /** The names of the events, each once. */
  readonly events: readonly string[]
  readonly eventCount: number
  readonly objectCount: number
  /** '' for a message that is no digest. */
  readonly digest: string
}

/** @example buildTitle({ events: ['device.deleted'], eventCount: 300, objectCount: 300, digest: '' }) // 'Device deleted (300)' */
export const buildTitle = ({ events, eventCount, objectCount, digest }: Composed): string => {
  const [only] = events
  const what =
    only !== undefined && events.length === 1
      ? `${toTitle(only)}${objectCount > 1 ? ` (${objectCount})` : ''}`
      : `${formatCount(eventCount, 'event')} of ${formatCount(objectCount, 'object')}`
  const kind = digest && `${digest.charAt(0).toUpperCase()}${digest.slice(1)} digest`
  const title = digest === '' ? what : eventCount === 0 ? kind : `${kind}: ${what}`
  return cleanText(title, MAX_TITLE)
}

/** Returns the highest severity of some events. */
export const getHighestSeverity = (events: readonly string[]): Severity => {
  const found = new Set(events.map(getSeverity))
  return SEVERITIES.findLast((severity) => found.has(severity)) ?? 'info'
}

export const formatMore = (more: number): string => `and ${more} more`

/**
 * Joins as many lines as fit, and says how many are left out.
 * @param render returns the escaped text of a line
 * @param max the largest number of characters of the result
 */
export const joinLines = (
  { lines, more }: Pick<Message, 'lines' | 'more'>,
  { render, max, separator = '\n' }: { render: (line: MessageLine) => string; max: number; separator?: string },
): string => {
  const texts = lines.map(render)
  for (let kept = texts.length; kept > 0; kept--) {
    const left = more + texts.length - kept
    const joined = [...texts.slice(0, kept), ...(left > 0 ? [formatMore(left)] : [])].join(separator)
    if (joined.length <= max) return joined
  }
  return texts.length + more > 0 ? formatMore(texts.length + more) : ''
}
