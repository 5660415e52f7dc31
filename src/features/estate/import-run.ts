/** The transaction of an import: every row judged, all or nothing. */
import { AppError } from '../../platform/contract/errors.ts'
import type { KernelWriteOptions } from '../../platform/operation/context.ts'
import { createBreathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { type ImportQuery, type ImportResult, MAX_ERRORS } from './api.ts'
import { IMPORTERS } from './importers.ts'
import type { Received } from './received.ts'
import type { Outcome, Row } from './row.ts'

/** Characters of a file that the audit trail has room for, and a few more. */
const AUDITED_LENGTH = 16 * 1024
/** Rows and bytes from which on an import is a large transaction: the commit of less takes a few milliseconds. */
const LARGE_ROWS = 1000
const LARGE_BYTES = 256 * 1024

const isLarge = ({ total, bytes }: Received): boolean => total >= LARGE_ROWS || bytes >= LARGE_BYTES

export type ImportTask = {
  readonly query: ImportQuery
  readonly body: Received
  readonly audit: NonNullable<KernelWriteOptions<Tables>['audit']>
  /** Told how many rows have been looked at. */
  readonly progress: (done: number) => void
  /** Ends it when the client is gone. */
  readonly signal: AbortSignal
}

/** Undoes the transaction of an import that must change nothing, and carries its result out. */
class Undo extends Error {
  constructor(readonly result: ImportResult) {
    super('the import is undone')
  }
}

/** The beginning of the file, which is all that the audit trail keeps of it. */
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
    return { resource, dry_run, ...this.#counts, errors: this.#errors }
  }
}

const importAll = async (ctx: Ctx, { query, body, progress, signal }: ImportTask, beginning: Beginning) => {
  const importer = IMPORTERS[query.resource]
  const tally = new Tally()
  const breathe = createBreathe()
  let done = 0
  for await (const rows of body.batches()) {
    signal.throwIfAborted()
    await ctx.confirmRights()
    beginning.add(rows)
    tally.add(rows, await importer.run(ctx, rows, breathe))
    done += rows.length
    progress(done)
    await breathe()
  }
  await ctx.confirmRights()
  const result = tally.result(query)
  if (query.dry_run || result.failed > 0) throw new Undo(result)
  return result
}

const whyUndone = ({ failed, errors: [first] }: ImportResult): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    `Nothing was imported: of ${failed} bad rows row ${first?.row} is the first: ${first?.error}`,
  )

/** @throws AppError for what ends the import as a whole; of bad rows the result tells */
export const runImport = async (ctx: Ctx, task: ImportTask): Promise<ImportResult> => {
  const { audit, query } = task
  try {
    return await ctx.write(
      async (tx) => {
        const beginning = new Beginning()
        const result = await importAll(tx, task, beginning)
        const { created, updated, unchanged } = result
        audit.note({ changes: { created, updated, unchanged, rows: beginning.rows } })
        return result
      },
      { exclusive: true, large: isLarge(task.body), audit },
    )
  } catch (error) {
    if (!(error instanceof Undo)) throw error
    if (!query.dry_run) await audit.failed(whyUndone(error.result))
    return error.result
  }
}
