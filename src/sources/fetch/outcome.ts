/** The output of the process in lines of JSON, so that the server parses no large text at once. */
import type { EstateRow, Host } from '../../convert/converter.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { About } from '../kinds/source-kind.ts'
import type { FetchFailure, SourceOutcome } from './protocol.ts'
import type { JobResult, JobRows } from './run-job.ts'

/** The length of a line after which the next one begins. It is parsed in a millisecond. */
const LINE_LENGTH = 128 * 1024

type Line =
  | (Pick<JobResult, 'facts' | 'snapshotHash'> & { readonly error?: FetchFailure; readonly isSame?: true })
  | Pick<JobRows, 'report'>
  | { readonly resource: Resource; readonly rows: readonly EstateRow[] }
  | { readonly about: readonly (readonly [string, About])[] }
  | { readonly hosts: readonly Host[] }

/** Yields the JSON of lists of the items: a row may be long, so that their number says little. */
function* cutLists(items: Iterable<unknown>): Generator<string> {
  let texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = JSON.stringify(item)
    texts.push(text)
    length += text.length
    if (length < LINE_LENGTH) continue
    yield `[${texts.join(',')}]`
    texts = []
    length = 0
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`
}

/** Yields the JSON of each `Line`. */
function* listLines(result: JobResult): Generator<string> {
  const { facts } = result
  if ('error' in result) {
    yield JSON.stringify({ facts, error: result.error })
    return
  }
  const { snapshotHash } = result
  if ('isSame' in result) {
    yield JSON.stringify({ facts, snapshotHash, isSame: true })
    return
  }
  yield JSON.stringify({ facts, snapshotHash })
  const { documents, about, hosts, report } = result.rows
  yield JSON.stringify({ report })
  for (const [resource, rows] of Object.entries(documents))
    for (const list of cutLists(rows)) yield `{"resource":${JSON.stringify(resource)},"rows":${list}}`
  for (const list of cutLists(about)) yield `{"about":${list}}`
  for (const list of cutLists(hosts)) yield `{"hosts":${list}}`
}

export function* writeOutcome(result: JobResult): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const line of listLines(result)) yield encoder.encode(`${line}\n`)
}

/** @param lines in the order in which they were written */
export const readOutcome = (lines: readonly unknown[]): SourceOutcome => {
  // Both halves are one program.
  const [first, second, ...others] = lines as Line[]
  if (!first || !('facts' in first)) throw new Error('The process of a source has written nothing')
  const { facts, error, snapshotHash, isSame } = first
  if (error) return { ...facts, isDone: false, error }
  const hashed = { ...facts, ...(snapshotHash !== undefined && { snapshotHash }) }
  if (isSame) return { ...hashed, isDone: true, isSame }
  if (!second || !('report' in second)) throw new Error('The process of a source has written no report')
  const { report } = second
  const documents: Partial<Record<Resource, EstateRow[]>> = {}
  const about: Record<string, About> = Object.create(null)
  const hosts: Host[] = []
  for (const line of others)
    if ('rows' in line) {
      const rows = documents[line.resource] ?? []
      documents[line.resource] = rows
      rows.push(...line.rows)
    } else if ('about' in line) for (const [key, one] of line.about) about[key] = one
    else if ('hosts' in line) hosts.push(...line.hosts)
  return { ...hashed, isDone: true, documents, about, hosts, report }
}
