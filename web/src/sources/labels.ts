/** The words of sources: states, results, and errors with the help against them. Pure functions. */
import { isResource } from '../../../src/inventory/resources.ts'
import { getNoun } from '../../../src/resource/nouns.ts'
import { formatSpan } from '../discovery/span.ts'
import { formatCount, plural } from '../ui/format.ts'
import type { Tone } from '../ui/primitives.tsx'
import type { Source, SourceRun } from './queries.ts'

type Status = Source['status']
type ErrorCode = Exclude<SourceRun['error_code'], ''>

export const STATUSES: readonly Status[] = ['failed', 'held', 'waiting', 'ok', 'new']

export const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  failed: 'bad',
  held: 'warn',
  waiting: 'info',
  ok: 'ok',
  new: 'idle',
}

export const STATUS_TEXTS: Readonly<Record<Status, string>> = {
  failed: 'failed',
  held: 'held',
  waiting: 'waiting for you',
  ok: 'in sync',
  new: 'never read',
}

/** The help against an error, beside its message. */
export const ERROR_HELP: Readonly<Record<ErrorCode, string>> = {
  target: 'Allow private addresses in its settings, or ask the operator of this server.',
  unreachable: 'Nothing was changed. It is tried again by itself.',
  timeout: 'Nothing was changed. A longer timeout can be set in its settings.',
  tls: 'Test it: the certificate that it shows can then be trusted by its fingerprint.',
  unauthorized: 'Check the secret in its settings.',
  forbidden: 'The account of the source lacks a right.',
  wrong_url: 'Check the URL in its settings.',
  rate_limited: 'It is tried again by itself, later.',
  too_large: 'Filters in its settings make it smaller.',
  bad_answer: 'Nothing was changed.',
  empty: 'Nothing was changed: an empty answer is taken for an error.',
  key: 'Enter its secrets again.',
  interrupted: 'The server ended during the run. It is read again by itself.',
}

/** Counts the objects that a person may want to look at, without the kept ones. */
export const countOpen = ({ counts }: Pick<Source, 'counts'>): number =>
  counts.changed + counts.unclear + counts.failed + counts.gone

type Outcome = Pick<SourceRun, 'status' | 'result'>

const RESULTS: Readonly<Record<SourceRun['result'], readonly [text: string, tone: Tone]>> = {
  '': ['completed', 'ok'],
  unchanged: ['unchanged', 'idle'],
  read: ['read, not applied', 'info'],
  applied: ['applied', 'ok'],
  held: ['held', 'warn'],
}

const RUN_STATUSES: Readonly<Record<SourceRun['status'], readonly [text: string, tone: Tone] | undefined>> = {
  pending: ['waiting', 'idle'],
  running: ['running', 'info'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'warn'],
  completed: undefined,
}

export const describeOutcome = ({ status, result }: Outcome): readonly [text: string, tone: Tone] =>
  RUN_STATUSES[status] ?? RESULTS[result]

export const TRIGGERS: Readonly<Record<SourceRun['trigger'], string>> = {
  schedule: 'schedule',
  hand: 'by hand',
  push: 'push',
}

/** @example formatInterval(90) // 'every 90 minutes' */
export const formatInterval = (minutes: number): string => {
  if (minutes === 0) return 'by hand only'
  if (minutes % 1440 === 0) return minutes === 1440 ? 'daily' : `every ${minutes / 1440} days`
  if (minutes % 60 === 0) return minutes === 60 ? 'hourly' : `every ${minutes / 60} hours`
  return `every ${minutes} minutes`
}

/** Types with an irregular plural. */
const PLURALS: Readonly<Record<string, string>> = { relationship: 'relationships', vm: 'VMs' }

/** @example formatRead({ host: 2, vm: 1 }) // '2 hosts, 1 vm' */
export const formatRead = (read: SourceRun['read']): string =>
  Object.entries(read)
    .filter(([, n]) => n > 0)
    .map(([type, n]) => plural(n, type === 'vm' ? 'VM' : type, PLURALS[type]))
    .join(', ')

type Counts = SourceRun['counts'][string]

/** The words of a run that has applied, and of one that has only read. */
const COUNTED: Readonly<Record<keyof Counts, readonly [done: string, open: string]>> = {
  created: ['created', 'new'],
  updated: ['updated', 'changed'],
  gone: ['gone', 'gone'],
  kept: ['kept', 'kept'],
  unclear: ['unclear', 'unclear'],
  failed: ['refused', 'refused'],
}

export const sumCounts = (counts: SourceRun['counts']): Counts =>
  Object.values(counts).reduce(
    (sum, one) => ({
      created: sum.created + one.created,
      updated: sum.updated + one.updated,
      gone: sum.gone + one.gone,
      kept: sum.kept + one.kept,
      unclear: sum.unclear + one.unclear,
      failed: sum.failed + one.failed,
    }),
    { created: 0, updated: 0, gone: 0, kept: 0, unclear: 0, failed: 0 },
  )

/** @example formatCounts({ created: 3, updated: 0, gone: 1, kept: 0, unclear: 0, failed: 0 }, 'applied') // '3 created, 1 gone' */
export const formatCounts = (counts: Counts, result: SourceRun['result']): string =>
  Object.entries(COUNTED)
    .flatMap(([name, [done, open]]) => {
      // `Object.entries` returns texts as keys.
      const n = counts[name as keyof Counts]
      return n > 0 ? [`${formatCount(n)} ${result === 'read' || result === 'held' ? open : done}`] : []
    })
    .join(', ')

/** The noun of a resource by its name, as `network` of `networks`. */
export const getResourceNoun = (name: string): string => (isResource(name) ? getNoun(name) : name)

/** @example toTitle('client_key') // 'Client key', of `uri` 'URI' */
export const toTitle = (name: string): string => {
  const words = name.replaceAll('_', ' ').replace(/\b(uri|id|vpc)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Examples of URLs by kind. */
export const URL_EXAMPLES: Readonly<Partial<Record<Source['kind'], string>>> = {
  document: 'https://cmdb.example.com/hosts.json',
  netbox: 'https://netbox.example.com',
  proxmox: 'https://pve.example.com:8006',
  vcenter: 'https://vcenter.example.com',
  docker: 'https://docker.example.com:2376',
  kubernetes: 'https://cluster.example.com:6443',
}

/** @example formatTook(run) // '2 min 15 s' */
export const formatTook = ({ started_at, completed_at }: Pick<SourceRun, 'started_at' | 'completed_at'>): string => {
  if (started_at === null || completed_at === null) return ''
  const ms = Date.parse(completed_at) - Date.parse(started_at)
  return ms < 1000 ? `${Math.max(0, ms)} ms` : formatSpan(ms / 1000)
}

const KIB = 1024

/** @example formatBytes(1_500_000) // '1.4 MiB' */
export const formatBytes = (bytes: number): string => {
  if (bytes < KIB) return plural(bytes, 'byte')
  return bytes < KIB * KIB ? `${Math.round(bytes / KIB)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`
}
