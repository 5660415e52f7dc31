/** The transaction of an import: validates every row, and writes all or nothing. */

import { createBreathe } from '../../base/runtime/pause.ts'
import { AppError, shorten } from '../../contract/errors.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import { createItemErrors } from '../../kernel/bulk/attempt.ts'
import type { KernelWriteOptions } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type ImportQuery, type ImportResult, MAX_ERRORS } from '../estate/api.ts'
import { splitRows } from './import-deferred.ts'
import { AddressMoves } from './import-moves.ts'
import { RowFailed, skipSavepoints } from './import-whole.ts'
import type { BatchImporter } from './importers.ts'
import type { Received } from './received.ts'
import type { Batching, Outcome, Row } from './row.ts'

/** Slightly more characters than the audit trail stores of a file. */
const AUDITED_LENGTH = 16 * 1024
/** From this number of rows, or of bytes, an import is a large transaction. */
const LARGE_ROWS = 1000
const LARGE_BYTES = 256 * 1024

const isLarge = ({ total, bytes }: Received): boolean => total >= LARGE_ROWS || bytes >= LARGE_BYTES

export type ImportTask = {
  readonly query: ImportQuery
  readonly importer: BatchImporter
  readonly body: Received
  /** The caller's reason for the change. */
  readonly note: string
  readonly audit: NonNullable<KernelWriteOptions<Tables>['audit']>
  readonly attempt: KernelWriteOptions<Tables>['attempt']
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
  readonly #failedRows: number[] = []
  readonly #report = createItemErrors()
  #deferred = 0

  add(rows: readonly Row[], outcomes: readonly Outcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      if (typeof outcome === 'string') {
        this.#counts[outcome]++
        continue
      }
      this.#counts.failed++
      const { row = 0, value = {} } = rows[i] ?? {}
      this.#failedRows.push(row)
      if (this.#errors.length === MAX_ERRORS) continue
      const id = typeof value.id === 'string' ? { id: shorten(value.id) } : {}
      this.#errors.push({ row, ...id, ...this.#report(outcome) })
    }
  }

  /** Counts objects as updated that had been unchanged when their rows were read. */
  recount(updated: number): void {
    this.#counts.unchanged -= updated
    this.#counts.updated += updated
  }

  /** Adds rows that a second round completes. */
  defer(rows: readonly Row[], outcomes: readonly Outcome[]): void {
    this.#deferred += rows.length
    this.add(rows, outcomes)
  }

  result({ resource, dry_run, first_round }: ImportQuery): ImportResult {
    const deferred = first_round ? { deferred: this.#deferred } : {}
    const failed = this.#failedRows.length > 0 ? { failed_rows: this.#failedRows.toSorted((a, b) => a - b) } : {}
    return { resource, dry_run, ...this.#counts, errors: this.#errors, ...failed, ...deferred, change_id: '' }
  }
}

/** A row that is imported in part, with the outcome of that. */
type Waiting = { readonly row: Row; readonly outcome: Outcome }

/** A device with a time of creation gets no ports of its type, as one that is made again. */
const addOwnPorts =
  ({ resource, own_ports }: ImportQuery, { now }: Ctx) =>
  (row: Row): Row =>
    resource === 'devices' && own_ports ? { ...row, ownPorts: now } : row

/** Rows that are imported again together. */
const AGAIN_AT_ONCE = 100

/** Imports rows again if their references should exist by now, unless a second round will. */
const finish = async (
  ctx: Ctx,
  { query, importer, signal }: Pick<ImportTask, 'query' | 'importer' | 'signal'>,
  { waiting, tally, batching }: { waiting: readonly Waiting[]; tally: Tally; batching: Batching },
): Promise<void> => {
  for (const batch of splitBatches(waiting, AGAIN_AT_ONCE)) {
    signal.throwIfAborted()
    await ctx.confirmRights()
    const rows = batch.map(({ row }) => row)
    const first = batch.map(({ outcome }) => outcome)
    if (query.first_round) {
      tally.defer(rows, first)
      continue
    }
    const again = await importer(ctx, rows, batching)
    tally.add(
      rows,
      first.map((outcome, at) => {
        const second = again[at] ?? 'unchanged'
        return outcome === 'unchanged' || (typeof outcome === 'string' && typeof second !== 'string') ? second : outcome
      }),
    )
  }
}

/** The number of times that rows are tried which require objects of other rows. */
const MAX_PASSES = 50

const importAll = async (ctx: Ctx, { query, body, importer, progress, signal }: ImportTask, beginning: Beginning) => {
  const tally = new Tally()
  const breathe = createBreathe()
  const batching: Batching = { breathe, rules: query, moves: new AddressMoves() }
  const waiting: Waiting[] = []

  /** Imports rows, or the parts of them that are possible. Returns the rows that require objects which are not there. */
  const importRows = async (rows: readonly Row[]): Promise<Row[]> => {
    signal.throwIfAborted()
    await ctx.confirmRights()
    const divided = await splitRows(ctx, query.resource, rows, query.first_round)
    const possible = [...rows.keys()].filter((at) => !divided.waiting.has(at))
    const some = possible.flatMap((at) => divided.rows[at] ?? [])
    const imported = some.length > 0 ? await importer(ctx, some.map(addOwnPorts(query, ctx)), batching) : []
    const outcomes = new Map(possible.map((at, i) => [at, imported[i] ?? 'unchanged']))
    const later = new Set(divided.deferred.map(({ at }) => at))
    const complete = possible.filter((at) => !later.has(at))
    tally.add(
      complete.flatMap((at) => rows[at] ?? []),
      complete.flatMap((at) => outcomes.get(at) ?? []),
    )
    for (const { row, at } of divided.deferred) {
      const outcome = outcomes.get(at)
      if (outcome !== undefined) waiting.push({ row, outcome })
    }
    return rows.filter((_, at) => divided.waiting.has(at))
  }

  let left: Row[] = []
  let done = 0
  for await (const rows of body.batches()) {
    beginning.add(rows)
    left.push(...(await importRows(rows)))
    done += rows.length
    progress(done)
    await breathe()
  }
  for (let passes = 0, before = Number.POSITIVE_INFINITY; left.length < before && passes < MAX_PASSES; passes++) {
    before = left.length
    const again: Row[] = []
    for (const rows of splitBatches(left, AGAIN_AT_ONCE)) again.push(...(await importRows(rows)))
    left = again
  }
  // They get their objects in a second round, or their errors.
  for (const row of left) waiting.push({ row, outcome: 'unchanged' })
  await finish(ctx, { query, importer, signal }, { waiting, tally, batching })
  tally.recount(batching.moves.released)
  await ctx.confirmRights()
  const result = tally.result(query)
  if (query.dry_run || result.failed > 0) throw new Undo(result)
  return { ...result, change_id: await ctx.commitChange() }
}

const createUndoneError = ({ failed, errors: [first] }: ImportResult): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    `Nothing was imported: of ${failed} bad rows row ${first?.row} is the first: ${first?.error}`,
  )

/** Returns `progress` without numbers that were shown before, for an import that runs again. */
const skipShownProgress = (progress: ImportTask['progress']): ImportTask['progress'] => {
  let shown = 0
  return (done) => {
    if (done > shown) progress(done)
    shown = Math.max(shown, done)
  }
}

/** @throws AppError for errors of the whole import; the result contains the errors of rows */
export const runImport = async (ctx: Ctx, given: ImportTask): Promise<ImportResult> => {
  const task = { ...given, progress: skipShownProgress(given.progress) }
  const { audit, query, note, attempt } = task
  const run = (contextOf: (tx: Ctx) => Ctx) =>
    ctx.write(
      async (tx) => {
        const beginning = new Beginning()
        const result = await importAll(contextOf(tx), task, beginning)
        const { created, updated, unchanged } = result
        audit.note({ changes: { created, updated, unchanged, rows: beginning.rows } })
        return result
      },
      { exclusive: true, large: isLarge(task.body), audit, note, attempt },
    )
  try {
    return await run(skipSavepoints).catch((error: unknown) => {
      if (!(error instanceof RowFailed)) throw error
      // A savepoint for each row finds the errors of all of them. The import is then undone, unless the rows only failed together.
      return run((tx) => tx)
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
    if (!query.dry_run) await audit.failed(createUndoneError(error.result))
    return error.result
  }
}
