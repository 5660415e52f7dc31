/** Runs the job of one source: fetches, converts, and checks the rows. Every failure becomes a part of the outcome. */
import type { ConvertReport, EstateDocument, Host } from '../../convert/converter.ts'
import { SOURCE_KINDS } from '../kinds/index.ts'
import {
  type About,
  type FetchMeans,
  type Json,
  SnapshotError,
  type SnapshotRows,
  type SourceKind,
} from '../kinds/source-kind.ts'
import { type AskSettings, createAsk } from './ask.ts'
import { FetchError } from './fetch-error.ts'
import { FetchLog } from './fetch-log.ts'
import type { FetchFacts, FetchFailure, SourceJob } from './protocol.ts'
import { parsePush, WrongKindError } from './push.ts'
import { createSend } from './send.ts'
import { hashSnapshot } from './snapshot-hash.ts'
import { requireTarget } from './target.ts'

const MAX_ROWS = 100_000
/** Rows of ports, cables and relationships, beside the others. */
const MAX_CONNECTIONS = 200_000
const MAX_LEFT = 200
const CONNECTIONS: ReadonlySet<string> = new Set(['ports', 'cables', 'relationships'])

export type JobRows = {
  readonly documents: EstateDocument
  readonly about: ReadonlyMap<string, About>
  readonly hosts: readonly Host[]
  readonly report: ConvertReport
}

export type JobResult = { readonly facts: FetchFacts; readonly snapshotHash?: string } & (
  | { readonly rows: JobRows }
  | { readonly isSame: true }
  | { readonly error: FetchFailure }
)

type FetchJob = Extract<SourceJob, { do: 'fetch' | 'test' }>

type Asking = Pick<AskSettings, 'send' | 'log' | 'timeoutMs' | 'signal'> & Pick<FetchMeans, 'run'>

const EMPTY: JobRows = {
  documents: {},
  about: new Map(),
  hosts: [],
  report: { read: {}, made: {}, described: [], left: [], warnings: [] },
}

const createKindFetch = (
  kind: SourceKind,
  job: Pick<FetchJob, 'options' | 'secrets' | 'nowMs'> & { readonly url: string },
  { run, ...asking }: Asking,
): FetchMeans => {
  const { url, options, secrets, nowMs } = job
  const { log } = asking
  return {
    ask: createAsk({ url, kind, ...asking }),
    ...(run && { run }),
    url: url.replace(/\/+$/, ''),
    options,
    secrets,
    now: new Date(nowMs),
    log: (text: string) => log.line(text),
    warn: (text: string) => log.warn(text),
    product: (text: string) => log.product(text),
  }
}

/** Returns the snapshot of a system, also of a client that collects it. @throws FetchError */
export const fetchSnapshot = async (
  kind: SourceKind,
  job: Pick<FetchJob, 'options' | 'secrets' | 'nowMs'> & { readonly url: string },
  asking: Asking,
): Promise<Json> => await kind.fetch(createKindFetch(kind, job, asking))

const countRows = (documents: EstateDocument, isConnection: boolean): number =>
  Object.entries(documents).reduce(
    (sum, [resource, rows]) => sum + (CONNECTIONS.has(resource) === isConnection ? rows.length : 0),
    0,
  )

/** @throws FetchError `too_large`, and `bad_answer` where objects came of which no row says anything */
export const checkRows = ({ documents, hosts, report }: SnapshotRows): void => {
  const rows = countRows(documents, false) + hosts.length
  const connections = countRows(documents, true)
  if (rows > MAX_ROWS)
    throw new FetchError('too_large', `${rows} objects are more than ${MAX_ROWS}: use include or exclude`)
  if (connections > MAX_CONNECTIONS)
    throw new FetchError('too_large', `${connections} ports and relationships are more than ${MAX_CONNECTIONS}`)
  const read = Object.values(report.read).reduce((sum, count) => sum + count, 0)
  if (read > 0 && rows + report.left.length === 0)
    throw new FetchError('bad_answer', `${read} objects came, and none of them could be read`)
}

/** Keeps the first warnings and kinds of left objects: each object of a snapshot might have one of its own. */
const limitReport = (report: ConvertReport, log: FetchLog): ConvertReport => {
  for (const { message } of report.warnings) log.warn(message)
  const more = report.left.slice(MAX_LEFT).reduce((sum, { count }) => sum + count, 0)
  const further = more > 0 ? [{ what: 'others', count: more, why: 'are not listed' }] : []
  const listed = report.left
    .slice(0, MAX_LEFT)
    .map((one) => ({ ...one, what: log.clean(one.what), why: log.clean(one.why) }))
  return { ...report, warnings: [], left: [...listed, ...further] }
}

const convert = async (kind: SourceKind, snapshot: Json, job: SourceJob, log: FetchLog): Promise<JobRows> => {
  const { options, ref, nowMs, placing } = job
  const rows = await kind.convert(snapshot, { options, ref, now: new Date(nowMs), ...(placing && { placing }) })
  checkRows(rows)
  const { documents, about, hosts, report } = rows
  return { documents, about, hosts, report: limitReport(report, log) }
}

/** Returns the failure of a run. A kind trusts no answer, so any other error is one of the answer. */
const toFailure = (error: unknown, job: SourceJob, log: FetchLog): FetchFailure => {
  if (error instanceof FetchError) {
    const { code, message, retryAfterSeconds } = error
    return {
      code,
      message: log.clean(message, 2000),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(job.do === 'push' ? { field: 'snapshot' as const } : {}),
    }
  }
  const text = error instanceof Error ? error.message : String(error)
  const where =
    log.lastRequest === '' || error instanceof SnapshotError ? '' : `${log.lastRequest}: the answer has another form: `
  return {
    code: 'bad_answer',
    message: log.clean(where + text),
    ...(job.do === 'push'
      ? { field: error instanceof WrongKindError ? ('kind' as const) : ('snapshot' as const) }
      : {}),
  }
}

type Worked = Readonly<Pick<JobResult, 'snapshotHash'>> & ({ readonly rows: JobRows } | { readonly isSame: true })

/** Fetches and converts, unless the snapshot is the known one. */
const fetchRows = async (
  kind: SourceKind,
  job: FetchJob & { readonly url: string },
  { asking, log }: { readonly asking: Asking; readonly log: FetchLog },
): Promise<Worked> => {
  const snapshot = await fetchSnapshot(kind, job, asking)
  const snapshotHash = job.repeat && hashSnapshot(job.repeat.salt, JSON.stringify(snapshot))
  if (snapshotHash === undefined) return { rows: await convert(kind, snapshot, job, log) }
  if (snapshotHash === job.repeat?.known) return { snapshotHash, isSame: true }
  return { snapshotHash, rows: await convert(kind, snapshot, job, log) }
}

const work = async (job: SourceJob, bytes: Uint8Array, log: FetchLog): Promise<Worked> => {
  const kind = SOURCE_KINDS[job.kind]
  if (!kind) throw new FetchError('bad_answer', `the kind ${job.kind} is unknown to this program`)
  if (job.do === 'push') return { rows: await convert(kind, parsePush(kind, bytes), job, log) }
  const { target, secrets, timeoutMs } = job
  requireTarget(target)
  const means = { ...job, url: target.url || (kind.defaultUrl ?? '') }
  const asking = { send: createSend({ target, secrets, log }), log, timeoutMs }
  if (job.do === 'fetch') return await fetchRows(kind, means, { asking, log })
  await kind.test(createKindFetch(kind, means, asking))
  return { rows: EMPTY }
}

export const runSourceJob = async (job: SourceJob, bytes: Uint8Array): Promise<JobResult> => {
  const log = new FetchLog(job.do === 'push' ? {} : job.secrets)
  try {
    const worked = await work(job, bytes, log)
    return { facts: log.facts(), ...worked }
  } catch (error) {
    return { facts: log.facts(), error: toFailure(error, job, log) }
  }
}
