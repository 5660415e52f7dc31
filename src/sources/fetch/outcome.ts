/** The output of the process in lines of JSON, so that the server parses no large text at once. */
import type { EstateRow, Host } from '../../convert/converter.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { About } from '../kinds/source-kind.ts'
import type { FetchFacts, FetchFailure, SourceOutcome } from './protocol.ts'
import type { JobResult, JobRows } from './run-job.ts'

/** Rows of a line: some 100 KB. */
const ROWS = 250

type Line =
  | { readonly facts: FetchFacts; readonly error?: FetchFailure }
  | Pick<JobRows, 'packs' | 'report'>
  | { readonly resource: Resource; readonly rows: readonly EstateRow[] }
  | { readonly about: readonly (readonly [string, About])[] }
  | { readonly hosts: readonly Host[] }

function* cut<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += ROWS) yield items.slice(at, at + ROWS)
}

function* listLines(result: JobResult): Generator<Line> {
  const { facts } = result
  if ('error' in result) {
    yield { facts, error: result.error }
    return
  }
  yield { facts }
  const { documents, packs, about, hosts, report } = result.rows
  yield { packs, report }
  // The keys of an estate document are resources.
  for (const [resource, rows] of Object.entries(documents))
    for (const some of cut(rows)) yield { resource: resource as Resource, rows: some }
  for (const some of cut([...about])) yield { about: some }
  for (const some of cut(hosts)) yield { hosts: some }
}

export function* writeOutcome(result: JobResult): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const line of listLines(result)) yield encoder.encode(`${JSON.stringify(line)}\n`)
}

/** @param lines in the order in which they were written */
export const readOutcome = (lines: readonly unknown[]): SourceOutcome => {
  // Both halves are one program.
  const [first, second, ...others] = lines as Line[]
  if (!first || !('facts' in first)) throw new Error('The process of a source has written nothing')
  const { facts, error } = first
  if (error) return { ...facts, isDone: false, error }
  if (!second || !('report' in second)) throw new Error('The process of a source has written no report')
  const { packs, report } = second
  const documents: Partial<Record<Resource, EstateRow[]>> = {}
  const about: Record<string, About> = Object.create(null)
  const hosts: Host[] = []
  for (const line of others)
    if ('rows' in line) {
      documents[line.resource] ??= []
      documents[line.resource]?.push(...line.rows)
    } else if ('about' in line) for (const [key, one] of line.about) about[key] = one
    else if ('hosts' in line) hosts.push(...line.hosts)
  const warnings = [...facts.warnings, ...report.warnings]
  return { ...facts, warnings, isDone: true, documents, packs, about, hosts, report }
}
