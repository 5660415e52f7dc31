/** Sends rows to the import of the server, whole or not at all, and follows its progress. */
import { errorOf } from '../../../src/platform/cli/client.ts'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { request } from '../api/client.ts'
import type { ImportRow, ResourceName } from '../export/fields.ts'

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
}

export type Progress = { readonly done: number; readonly total: number }

/** The lines of an answer as they come. @throws Error when it breaks off in one */
async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Readonly<Record<string, unknown>>> {
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

type Options = {
  readonly isDryRun: boolean
  readonly onProgress: (progress: Progress) => void
  readonly signal: AbortSignal
}

export const sendRows = async (
  resource: ResourceName,
  rows: readonly ImportRow[],
  { isDryRun, onProgress, signal }: Options,
): Promise<ImportResult> => {
  const response = await request(`/api/estate/import?${new URLSearchParams({ resource, dry_run: String(isDryRun) })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    signal,
  })
  const brokeOff = new AppError(
    'UNAVAILABLE',
    'The connection was lost. Nothing was changed, unless the import had ended',
  )
  if (!response.body) throw brokeOff
  for await (const line of jsonLines(response.body)) {
    // The server's half of the contract.
    if (line.progress) onProgress(line.progress as Progress)
    if (line.error) throw errorOf(response.status, line.error, 'The server')
    if (line.result) return line.result as ImportResult
  }
  throw brokeOff
}
