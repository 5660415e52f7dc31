/** Sends an estate document to the server, and follows the progress. */

import { AppError } from '../../../src/contract/errors.ts'
import type { ApplyResult } from '../../../src/exchange/estate/api.ts'
import { buildError } from '../../../src/surfaces/cli/connection/client.ts'
import { createForeignAnswerError } from '../../../src/surfaces/cli/connection/foreign-answer.ts'
import { request } from '../api/client.ts'

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

/** The largest body of an apply, and its number of rows: of ports and cables together, and of all others. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_ROWS = 100_000
const MAX_PORTS = 200_000
const TOO_LARGE = 'This is more than a browser can import. Use plat import'

const checkSize = (document: Readonly<Record<string, unknown>>, body: string): void => {
  const count = (isPort: boolean) =>
    Object.entries(document)
      .filter(([name]) => (name === 'ports' || name === 'cables') === isPort)
      .reduce((sum, [, list]) => sum + (Array.isArray(list) ? list.length : 0), 0)
  if (body.length > MAX_BYTES || count(false) > MAX_ROWS || count(true) > MAX_PORTS)
    throw new AppError('INVALID_INPUT', TOO_LARGE)
}

/** Sends a body that a proxy may find too large: then the error names its limit. */
const post = (path: string, init: RequestInit): Promise<Response> =>
  request(path, { ...init, method: 'POST' }).catch((error: unknown) => {
    const isBare = error instanceof AppError && error.message.endsWith('HTTP status 413')
    throw isBare ? createForeignAnswerError('The server', 413) : error
  })

export type Applied = { readonly result: ApplyResult; readonly changeId: string | undefined }

/** Sends an estate document. A dry run answers the plan. @throws AppError INVALID_INPUT for a document that is too large, and errors of the server */
export const sendDocument = async (
  document: Readonly<Record<string, unknown>>,
  { isDryRun, onProgress, signal }: SendOptions,
): Promise<Applied> => {
  const body = JSON.stringify({ ...document, dry_run: isDryRun })
  checkSize(document, body)
  const response = await post('/api/estate/apply', {
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body,
    signal,
  })
  const { result, change_id } = await readLastLine(response, onProgress)
  return { result: result as ApplyResult, changeId: typeof change_id === 'string' ? change_id : undefined }
}
