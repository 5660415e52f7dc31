/** The transaction of an import: validates every row, and writes all or nothing. */
import { AppError } from '../../platform/contract/errors.ts'
import type { KernelWriteOptions } from '../../platform/operation/context.ts'
import { createBreathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { type ImportQuery, type ImportResult, MAX_ERRORS } from './api.ts'
import type { Importer } from './importers.ts'
import type { Received } from './received.ts'
import type { Outcome, Row } from './row.ts'

/** Slightly more characters than the audit trail stores of a file. */
const AUDITED_LENGTH = 16 * 1024
/** From this number of rows, or of bytes, an import is a large transaction. */
const LARGE_ROWS = 1000
const LARGE_BYTES = 256 * 1024

const isLarge = ({ total, bytes }: Received): boolean => total >= LARGE_ROWS || bytes >= LARGE_BYTES

export type ImportTask = {
  readonly query: ImportQuery
  readonly importer: Importer
  readonly body: Received
  /** The caller's reason for the change. */
  readonly note: string
  readonly audit: NonNullable<KernelWriteOptions<Tables>['audit']>
  /** Called with the number of processed rows. */
  readonly progress: (done: number) => void
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** Rolls back the transaction of a dry run or a failed import, and carries its result. */
class Undo extends Error {
  constructor(readonly result: ImportResult) {
    super('the import is undone')
  }
}

/** Collects the start of the file, which is all that the audit trail stores. */
class Beginning {
  readonly rows: unknown[] = []
  #length = 0

  add(rows: readonly Row[]): void {
    for (const { value } of rows) {
      if (this.#length > AUDITED_LENGTH) return
      this.rows.push(value)
      this.#length += JSON.stringify(value).length
    }
  }
}

class Tally {
  readonly #counts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  readonly #errors: ImportResult['errors'] = []

  add(rows: readonly Row[], outcomes: readonly Outcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      if (typeof outcome === 'string') {
        this.#counts[outcome]++
        continue
      }
      this.#counts.failed++
      if (this.#errors.length === MAX_ERRORS) continue
      const { row = 0, value = {} } = rows[i] ?? {}
      const { code, error, details } = outcome.toBody()
      const id = typeof value.id === 'string' ? { id: value.id } : {}
      this.#errors.push({ row, ...id, code, error, details: [...details] })
    }
  }

  result({ resource, dry_run }: ImportQuery): ImportResult {
    return { resource, dry_run, ...this.#counts, errors: this.#errors, change_id: '' }
  }
}

const importAll = async (ctx: Ctx, { query, body, importer, progress, signal }: ImportTask, beginning: Beginning) => {
  const tally = new Tally()
  const breathe = createBreathe()
  let done = 0
  for await (const rows of body.batches()) {
    signal.throwIfAborted()
    await ctx.confirmRights()
    beginning.add(rows)
    tally.add(rows, await importer(ctx, rows, breathe))
    done += rows.length
    progress(done)
    await breathe()
  }
  await ctx.confirmRights()
  const result = tally.result(query)
  if (query.dry_run || result.failed > 0) throw new Undo(result)
  return { ...result, change_id: await ctx.recordChange() }
}

const whyUndone = ({ failed, errors: [first] }: ImportResult): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    `Nothing was imported: of ${failed} bad rows row ${first?.row} is the first: ${first?.error}`,
  )

/** @throws AppError for errors of the whole import; the result contains those of rows */
export const runImport = async (ctx: Ctx, task: ImportTask): Promise<ImportResult> => {
  const { audit, query, note } = task
  try {
    return await ctx.write(
      async (tx) => {
        const beginning = new Beginning()
        const result = await importAll(tx, task, beginning)
        const { created, updated, unchanged } = result
        audit.note({ changes: { created, updated, unchanged, rows: beginning.rows } })
        return result
      },
      { exclusive: true, large: isLarge(task.body), audit, note },
    )
  } catch (error) {
    if (!(error instanceof Undo)) throw error
    if (!query.dry_run) await audit.failed(whyUndone(error.result))
    return error.result
  }
}
