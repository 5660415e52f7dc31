/** Imports a whole resource: every row judged, all or nothing, with progress on the way. */
import { singular } from '../../platform/command.ts'
import { AppError, toAppError } from '../../platform/errors.ts'
import { readBytes, requireJsonType } from '../../platform/http/body.ts'
import { countRows, type JsonRow, jsonRows } from '../../platform/http/json-rows.ts'
import type { KernelWriteOptions } from '../../platform/kernel.ts'
import { pause } from '../../platform/pause.ts'
import { rawQuery } from '../../platform/raw-query.ts'
import type { Ctx, Feature } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { estateRoutes, ImportQuery, type ImportResult, MAX_ERRORS, MAX_IMPORT_BYTES } from './api.ts'
import { IMPORTERS } from './importers.ts'
import type { Row } from './row.ts'

/** Characters of a file that the audit trail has room for, and a few more. */
const AUDITED_LENGTH = 16 * 1024

/** Rows worked on between two turns of the event loop. */
const BATCH = 100

type Progress = (done: number) => void

/** Undoes the transaction of an import that must change nothing, and carries its result out. */
class Undo extends Error {
  constructor(readonly result: ImportResult) {
    super('the import is undone')
  }
}

const rowOf = ({ row, text }: JsonRow): Row => {
  try {
    // The cutter lets objects alone through.
    return { row, value: JSON.parse(text) as Row['value'] }
  } catch (cause) {
    throw new AppError('INVALID_JSON', `row ${row}: is not valid JSON`, { cause })
  }
}

function* batchesOf(bytes: Uint8Array): Generator<Row[]> {
  let batch: Row[] = []
  for (const row of jsonRows(bytes)) {
    batch.push(rowOf(row))
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

type Audit = NonNullable<KernelWriteOptions<Tables>['audit']>
type Body = { readonly query: ImportQuery; readonly bytes: Uint8Array; readonly audit: Audit }
type Import = Body & { readonly progress: Progress }

/** What of a file goes into the audit trail, which keeps no more than the beginning of it. */
const firstRows = (bytes: Uint8Array): unknown[] => {
  const rows: unknown[] = []
  let length = 0
  for (const row of jsonRows(bytes)) {
    rows.push(rowOf(row).value)
    length += row.text.length
    if (length > AUDITED_LENGTH) break
  }
  return rows
}

const importAll = async (ctx: Ctx, { query, bytes, progress }: Import): Promise<ImportResult> => {
  const { resource, dry_run } = query
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  const errors: ImportResult['errors'] = []
  let done = 0
  for (const rows of batchesOf(bytes)) {
    ctx.signal.throwIfAborted()
    const outcomes = await IMPORTERS[resource].run(ctx, rows)
    for (const [i, outcome] of outcomes.entries()) {
      if (typeof outcome === 'string') {
        counts[outcome]++
        continue
      }
      counts.failed++
      const { row = 0, value = {} } = rows[i] ?? {}
      if (errors.length === MAX_ERRORS) continue
      const { code, error, details } = outcome.toBody()
      errors.push({
        row,
        ...(typeof value.id === 'string' ? { id: value.id } : {}),
        code,
        error,
        details: [...details],
      })
    }
    done += rows.length
    progress(done)
    await pause()
  }
  const result = { resource, dry_run, ...counts, errors }
  if (dry_run || counts.failed > 0) throw new Undo(result)
  return result
}

const whyUndone = ({ failed, errors: [first] }: ImportResult): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    `Nothing was imported: of ${failed} bad rows row ${first?.row} is the first: ${first?.error}`,
  )

const run = async (ctx: Ctx, task: Import): Promise<ImportResult> => {
  const { audit, query, bytes } = task
  try {
    return await ctx.write(
      async (tx) => {
        const result = await importAll(tx, task)
        const { created, updated, unchanged } = result
        audit.note({ changes: { created, updated, unchanged, rows: firstRows(bytes) } })
        return result
      },
      { alone: true, audit },
    )
  } catch (error) {
    if (!(error instanceof Undo)) throw error
    if (!query.dry_run) await audit.failed(whyUndone(error.result))
    return error.result
  }
}

/** The lines of the answer, as the import goes on. A client that goes away aborts the import through `ctx.signal`. */
const answer = (ctx: Ctx, body: Body): ReadableStream<Uint8Array> => {
  const { query, bytes, audit } = body
  const encoder = new TextEncoder()
  let isOpen = true
  const work = async (send: (line: object) => void): Promise<void> => {
    try {
      const total = countRows(bytes)
      send({ result: await run(ctx, { ...body, progress: (done) => send({ progress: { done, total } }) }) })
    } catch (thrown) {
      // Trying out changes nothing, and leaves no trace.
      if (!query.dry_run) await audit.failed(thrown)
      if (!isOpen) return // nobody is listening any more, and nothing was changed
      const error = toAppError(thrown)
      if (error.code === 'INTERNAL_ERROR') ctx.log.error('import failed', { resource: query.resource, error: thrown })
      send({ error: error.toBody() })
    }
  }
  return new ReadableStream({
    start: (controller) => {
      const send = (line: object) => {
        if (isOpen) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      }
      void work(send).then(() => {
        if (isOpen) controller.close()
      })
    },
    cancel: () => {
      isOpen = false
    },
  })
}

export const feature: Feature = {
  operations: [],
  routes: [
    {
      route: estateRoutes.import,
      handler: async (ctx, request, audit) => {
        const query = rawQuery(ImportQuery, request)
        audit.note({ resource: singular(query.resource) })
        for (const permission of IMPORTERS[query.resource].permissions) ctx.require(permission)
        requireRowsType(request)
        const bytes = await readBytes(request, MAX_IMPORT_BYTES)
        return new Response(answer(ctx, { query, bytes, audit }), {
          headers: { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' },
        })
      },
    },
  ],
}

/** JSON, or JSON lines. @throws AppError INVALID_INPUT for any other type. */
function requireRowsType(request: Request): void {
  if (/^application\/(x-)?ndjson\b/i.test(request.headers.get('content-type') ?? '')) return
  requireJsonType(request)
}
