/** Sends rows or an estate document to the server, and follows the progress. Rows that name objects in the place of ids are a document. */

import { AppError } from '../../../src/contract/errors.ts'
import type { ApplyResult, ImportQuery } from '../../../src/exchange/estate/api.ts'
import { buildError } from '../../../src/surfaces/cli/connection/client.ts'
import { createForeignAnswerError } from '../../../src/surfaces/cli/connection/foreign-answer.ts'
import { request } from '../api/client.ts'
import type { ImportRow, ResourceName } from '../export/fields.ts'
import { listNameFields } from './import-fields.ts'

export type RowError = {
  /** 1 is the first. */
  readonly row: number
  readonly error: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

export type ImportResult = {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
  /** The first hundred. */
  readonly errors: readonly RowError[]
  /** All of them; 1 is the first. Absent without any, and from an older server. */
  readonly failed_rows?: readonly number[]
}

export type Progress = { readonly done: number; readonly total: number }

/** Yields the lines of an answer as they come. @throws Error when it breaks off in one */
async function* readJsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let open = ''
  for (;;) {
    const { done, value = '' } = await reader.read()
    const lines = (open + value).split('\n')
    open = done ? '' : (lines.pop() ?? '')
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
    if (done) return
  }
}

export type SendOptions = {
  readonly isDryRun: boolean
  /** The rule for empty values of rows. */
  readonly empty?: ImportQuery['empty']
  readonly onProgress: (progress: Progress) => void
  readonly signal: AbortSignal
}

const BROKE_OFF = 'The connection was lost. Nothing was changed, unless the import had ended'

/** Follows the lines of an answer. @returns the last one */
const readLastLine = async (response: Response, onProgress: SendOptions['onProgress']) => {
  const brokeOff = new AppError('UNAVAILABLE', BROKE_OFF)
  if (!response.body) throw brokeOff
  for await (const line of readJsonLines(response.body)) {
    // The server's half of the contract.
    if (line.progress) onProgress(line.progress as Progress)
    if (line.error) throw buildError(response.status, line.error, 'The server')
    if (line.result) return line
  }
  throw brokeOff
}

/** Sends a body that a proxy may find too large: then the error names its limit. */
const post = (path: string, init: RequestInit): Promise<Response> =>
  request(path, { ...init, method: 'POST' }).catch((error: unknown) => {
    const isBare = error instanceof AppError && error.message.endsWith('HTTP status 413')
    throw isBare ? createForeignAnswerError('The server', 413) : error
  })

export type Applied = { readonly result: ApplyResult; readonly changeId: string | undefined }

/** Sends an estate document. A dry run answers the plan. */
export const sendDocument = async (
  body: Readonly<Record<string, unknown>>,
  { isDryRun, onProgress, signal }: SendOptions,
): Promise<Applied> => {
  const response = await post('/api/estate/apply', {
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ ...body, dry_run: isDryRun }),
    signal,
  })
  const { result, change_id } = await readLastLine(response, onProgress)
  return { result: result as ApplyResult, changeId: typeof change_id === 'string' ? change_id : undefined }
}

export const sendRows = async (
  resource: ResourceName,
  rows: readonly ImportRow[],
  { isDryRun, empty = 'keep', onProgress, signal }: SendOptions,
): Promise<ImportResult> => {
  const query = new URLSearchParams({ resource, dry_run: String(isDryRun), empty })
  const response = await post(`/api/estate/import?${query}`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    signal,
  })
  const { result } = await readLastLine(response, onProgress)
  return result as ImportResult
}

export type Batch = {
  readonly resource: ResourceName
  readonly rows: readonly ImportRow[]
  /** Names of objects that are not there, by their resource: they are made as well. */
  readonly missing: ReadonlyMap<string, readonly string[]>
}

export type Sent = { readonly result: ImportResult; readonly plan?: ApplyResult }

const namesSpace = ({ addresses }: ImportRow): boolean =>
  Array.isArray(addresses) && addresses.some((one) => typeof one === 'object' && one !== null && 'space' in one)

/** True for rows that only an estate document may hold. */
const isDocument = ({ resource, rows, missing }: Batch): boolean => {
  if (missing.size > 0) return true
  const fields = listNameFields(resource)
  return rows.some((row) => fields.some((field) => row[field] !== undefined) || namesSpace(row))
}

const buildDocument = ({ resource, rows, missing }: Batch, empty: ImportQuery['empty']) => ({
  ...Object.fromEntries([...missing].map(([to, names]) => [to, names.map((name) => ({ name }))])),
  [resource]: rows,
  lists: 'add' as const,
  empty,
})

/** Returns the result of an apply in the form of an import. Errors of the objects that are made as well count as the first row's. */
const toImportResult = (resource: ResourceName, { counts, errors, failed_rows = {} }: ApplyResult): ImportResult => {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = counts[resource] ?? {}
  const others = errors.filter((one) => one.resource !== resource)
  return {
    ...{ created, updated, unchanged, failed: failed + others.length },
    errors: [
      ...others.map((one) => ({ ...one, row: 1, error: `${one.resource} ${one.name}: ${one.error}`, details: [] })),
      ...errors.filter((one) => one.resource === resource).map((one) => ({ ...one, row: one.row + 1 })),
    ],
    failed_rows: (failed_rows[resource] ?? []).map((row) => row + 1),
  }
}

export const sendBatch = async (batch: Batch, options: SendOptions): Promise<Sent> => {
  const { resource, rows } = batch
  if (!isDocument(batch)) return { result: await sendRows(resource, rows, options) }
  const document = { ...buildDocument(batch, options.empty ?? 'keep'), atomic: !options.isDryRun }
  const { result } = await sendDocument(document, options)
  const imported = toImportResult(resource, result)
  const plan = { ...result, changes: result.changes.filter((change) => change.resource === resource) }
  return {
    result: imported,
    ...(options.isDryRun && imported.failed === 0 && { plan: { ...plan, changes_total: plan.changes.length } }),
  }
}
