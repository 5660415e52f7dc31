/** `plat import` sends each file in one request, which loads all of it or nothing. It stops at the first failure. */

import { encodeNote, NOTE_HEADER } from '../../contract/change-note.ts'
import { AppError } from '../../contract/errors.ts'
import { KEY_HEADER } from '../../contract/idempotency-key.ts'
import type { Row } from '../../contract/labels.ts'
import { getErrorMessage, isRecord } from '../../contract/unknown.ts'
import { buildError, sendRequest, type Transport } from '../../surfaces/cli/connection/client.ts'
import { ForeignAnswerError } from '../../surfaces/cli/connection/foreign-answer.ts'
import { CutAnswer, repeatIfCut } from '../../surfaces/cli/connection/repeat.ts'
import { retryWhileBusy } from '../../surfaces/cli/connection/retry.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { offerUndo } from '../../surfaces/cli/output/preview.ts'
import { createProgress } from '../../surfaces/cli/output/progress.ts'
import { formatTable } from '../../surfaces/cli/output/table.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { MAX_IMPORT_BYTES } from '../estate/api.ts'
import { findSources, type SourceFile, type Sources } from './cli-files.ts'

const COLUMNS = ['file', 'resource', 'created', 'updated', 'unchanged', 'failed']

const DRY_RUN_NOTE =
  'note: a dry run: nothing was changed. Each file was checked against the current data of the server, without the files before it\n'

/** The last line of a file, as the server counts its rows. */
export type Result = Row & { readonly failed: number }

const isResult = (value: unknown): value is Result => isRecord(value) && typeof value.failed === 'number'

async function* parseLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let open = ''
  for await (const chunk of body) {
    const lines = (open + decoder.decode(chunk, { stream: true })).split('\n')
    open = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
  if (open.trim() !== '') yield JSON.parse(open)
}

export type ImportRequest = {
  readonly io: Session['io']
  readonly transport: Transport
  readonly isDryRun: boolean
  readonly note: string | undefined
  readonly signal: AbortSignal
  /** The query of the first of two rounds. */
  readonly round?: Readonly<Record<string, string>>
}

type FileResult = Result & { readonly file: string }

/** Lists of objects that earlier lists need: with them, an import has two rounds. */
const buildRoundQuery = ({ files }: Sources, isDryRun: boolean): Readonly<Record<string, string>> | undefined => {
  const has = (resource: string) => files.some((file) => file.resource === resource)
  if (isDryRun || files.length === 1 || !(has('custom-fields') || has('ports'))) return undefined
  return { first_round: 'true', ...(has('ports') && { own_ports: 'true' }) }
}

const post = async (
  file: SourceFile,
  { io, transport, isDryRun, note, signal, round = {} }: ImportRequest,
  key: string,
): Promise<Response> => {
  const query = new URLSearchParams({ resource: file.resource, dry_run: String(isDryRun), ...round })
  const buildInit = (body: Blob | string) => ({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
      [KEY_HEADER]: key,
      ...(note !== undefined && { [NOTE_HEADER]: encodeNote(note) }),
    },
    body,
    signal,
    // Disables Bun's limit of five minutes for a response: a large import may take longer.
    timeout: false,
  })
  let bytes = 0
  // A body that is read from a file can be sent once.
  const send = async () => {
    const body = await file.body()
    bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.size
    return sendRequest(transport, `/api/estate/import?${query}`, buildInit(body))
  }
  return retryWhileBusy(io, send, signal).catch((cause: unknown) => {
    if (!(cause instanceof AppError) || cause.status !== 413) throw cause
    // Above its limit for all requests, Plat too answers without an error of its own.
    if (cause instanceof ForeignAnswerError && bytes <= MAX_IMPORT_BYTES) throw cause
    throw new AppError(
      'INVALID_INPUT',
      `${file.name} is more than the server takes at once: split it into several files`,
      {
        status: 413,
        cause,
      },
    )
  })
}

const createCutError = (from: string, { name }: SourceFile, cause?: unknown): AppError =>
  new AppError('UNAVAILABLE', `${from} broke off in the middle of ${name}`, {
    cause: new CutAnswer(getErrorMessage(cause), { cause }),
  })

const loadOnce = async (session: Session, file: SourceFile, request: ImportRequest, key: string): Promise<Result> => {
  const response = await post(file, request, key)
  const progress = createProgress(session.io.stderr, file.name)
  const from = request.transport.baseUrl ?? ''
  try {
    for await (const line of parseLines(response.body ?? new ReadableStream())) {
      if (!isRecord(line)) continue
      if (isRecord(line.progress)) await progress.show(Number(line.progress.done), Number(line.progress.total))
      if (isRecord(line.error)) throw buildError(response.status, line.error, from)
      if (isResult(line.result)) return line.result
    }
  } catch (cause) {
    if (cause instanceof AppError || request.signal.aborted) throw cause
    throw createCutError(from, file, cause)
  } finally {
    await progress.clear()
  }
  throw createCutError(from, file)
}

/** Sends one file, and shows its progress. */
export const loadFile = (session: Session, file: SourceFile, request: ImportRequest): Promise<Result> => {
  const key = crypto.randomUUID()
  return repeatIfCut(() => loadOnce(session, file, request, key), request.signal)
}

const formatRowError = (file: SourceFile, error: Row): string => {
  const id = typeof error.id === 'string' && error.id !== '' ? ` (${error.id})` : ''
  return toPrintable(`${file.name}: row ${error.row}${id}: ${error.error}`)
}

const reportRows = async ({ io }: Session, file: SourceFile, { errors, failed }: Result): Promise<void> => {
  const listed = (Array.isArray(errors) ? errors : []).filter(isRecord)
  const more = failed - listed.length
  const lines = [
    ...listed.map((error) => formatRowError(file, error)),
    ...(more > 0 ? [`${file.name}: and ${more} more`] : []),
  ]
  const verdict = `error: ${toPrintable(file.name)}: ${failed} of its rows can't be loaded, so none of them was`
  await io.stderr.write(`${[verdict, ...lines.map((line) => `  ${line}`)].join('\n')}\n`)
}

const printResults = async (
  { io, globals }: Session,
  results: readonly (Row & { readonly file: string })[],
): Promise<void> => {
  if (globals.isQuiet) return
  if (globals.output === 'json') {
    const text = JSON.stringify(results, undefined, io.stdout.isTty ? 2 : undefined)
    await io.stdout.write(`${toPrintableJson(text)}\n`)
    return
  }
  const width = io.stdout.isTty ? io.stdout.columns : undefined
  for (const piece of formatTable(results, { columns: COLUMNS, hasHeaders: globals.hasHeaders, width }))
    await io.stdout.write(piece)
}

const noteSkipped = async ({ io }: Session, { skipped }: Sources): Promise<void> => {
  for (const name of skipped)
    await io.stderr.write(`note: ${toPrintable(name)} skipped: its name is not that of a resource\n`)
}

/** Loads files in order, up to the first one with bad rows. */
const loadAll = async (
  session: Session,
  files: readonly SourceFile[],
  request: ImportRequest,
): Promise<FileResult[]> => {
  const results: FileResult[] = []
  for (const file of files) {
    const result = await loadFile(session, file, request)
    results.push({ file: file.name, ...result })
    if (result.failed > 0) {
      await reportRows(session, file, result)
      // A dry run continues: it changes nothing that later files depend on.
      if (!request.isDryRun) break
    }
  }
  return results
}

/** Returns the files of which the first round has left something out. */
const selectIncomplete = (files: readonly SourceFile[], results: readonly FileResult[]): SourceFile[] =>
  files.filter((_, at) => typeof results[at]?.deferred === 'number' && results[at].deferred > 0)

export const importEstate = async (session: Session, texts: Texts): Promise<number> => {
  const path = getText(texts, 'path')
  if (path === undefined) throw createUsageError('PATH missing: a folder or a file')
  const sources = await findSources(session.io, path, getText(texts, 'resource'))
  await noteSkipped(session, sources)
  const { transport } = await session.connect()
  const request = {
    io: session.io,
    transport,
    isDryRun: isOn(texts, 'dry-run'),
    note: getText(texts, 'change-note'),
    signal: session.io.interrupted(),
  }
  const round = buildRoundQuery(sources, request.isDryRun)
  const results = await loadAll(session, sources.files, { ...request, ...(round && { round }) })
  const again = results.every(({ failed }) => failed === 0) ? selectIncomplete(sources.files, results) : []
  // Values come before the rules that may require them.
  const last = again.toSorted((a, b) => Number(a.resource === 'custom-fields') - Number(b.resource === 'custom-fields'))
  const completed = await loadAll(session, last, request)
  const changes = [...results, ...completed]
  await printResults(session, results)
  // In the order in which they can be undone.
  await offerUndo(session, changes.flatMap(({ change_id: id }) => (typeof id === 'string' && id ? [id] : [])).reverse())
  const left = sources.files.slice(results.length)
  if (left.length > 0)
    await session.io.stderr.write(`note: not tried: ${left.map(({ name }) => toPrintable(name)).join(', ')}\n`)
  if (request.isDryRun && !session.globals.isQuiet) await session.io.stderr.write(DRY_RUN_NOTE)
  return changes.some(({ failed }) => failed > 0) ? 2 : 0
}
