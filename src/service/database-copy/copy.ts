/** Copies all data to another database and compares the two; until then the target is marked as unfinished. */

import { pause } from '../../base/runtime/pause.ts'
import { AppError } from '../../contract/errors.ts'
import { getDdl, listPending, MigrationError } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { computeFingerprint, readPages, type Source, type Target } from './engine-adapter.ts'
import { buildTable, type Fingerprint, isSame, type Row, sumText, type Table } from './form.ts'
import { readState } from './seeds.ts'

/** Receives the completed and total rows; 0 of 0 for stages that are not counted in rows. */
export type ShowRows = (stage: string, done: number, total: number) => void

/** The steps between which a kill may happen, for tests. */
export type Step = (done: 'marked' | 'batch' | 'copied' | 'fastened' | 'settled') => void | Promise<void>

export type CopyOptions = {
  readonly source: Source
  readonly target: Target
  /** True if the remains of an earlier copy are deleted. */
  readonly isRestart: boolean
  readonly signal: AbortSignal
  readonly progress: ShowRows
  readonly step?: Step
}

export type TableReport = {
  readonly table: string
  readonly rows: number
  readonly checksum: string
  readonly copy_rows: number
  readonly copy_checksum: string
  readonly is_same: boolean
}

export type CopyReport = {
  /** True if it resumed an earlier copy. */
  readonly is_resumed: boolean
  readonly tables: readonly TableReport[]
}

/** One table as described by both databases, with its columns in one order. */
type Pair = { readonly from: Table; readonly to: Table }

const checkSource = async (source: Source): Promise<void> => {
  const applied = await source.applied()
  if (applied.length === 0) throw new AppError('NOT_FOUND', `${source.place} holds no data of Plat`)
  const pending = listPending(migrations, applied, getDdl(source.engine))
  if (pending.length > 0)
    throw new MigrationError(
      `${source.place} is of an earlier version: ${pending.map(({ name }) => name).join(', ')} to come. Make a backup, run plat migrate, and copy then.`,
    )
}

/** @returns true if an earlier copy can be resumed */
const prepareTarget = async ({ target, isRestart, signal, progress }: CopyOptions): Promise<boolean> => {
  const state = await readState(target, signal)
  if (state === 'begun' && !isRestart) return true
  if (state === 'begun by another version' && !isRestart)
    throw new AppError(
      'ALREADY_EXISTS',
      `${target.place} holds a copy that another version of Plat has begun: finish it with that version, or start again with --restart`,
    )
  progress('preparing the target', 0, 0)
  if (state !== 'empty') await target.wipe()
  await target.prepare()
  return false
}

const createSchemaError = (table: string): AppError =>
  new AppError('INTERNAL_ERROR', `${table} is not the same table in the two databases`)

const buildPair = (from: Table, other: Table | undefined): Pair => {
  if (!other || other.columns.length !== from.columns.length) throw createSchemaError(from.name)
  const columns = from.columns.map(({ name, kind }) => {
    const column = other.columns.find((one) => one.name === name)
    if (column?.kind !== kind) throw createSchemaError(from.name)
    return column
  })
  return {
    from,
    to: buildTable(
      from.name,
      columns,
      from.key.map((at) => from.columns[at]?.name ?? ''),
    ),
  }
}

const loadPairs = async ({ source, target }: CopyOptions): Promise<Pair[]> => {
  const there = new Map((await target.tables()).map((table) => [table.name, table]))
  const pairs = (await source.tables()).map((table) => buildPair(table, there.get(table.name)))
  for (const { from } of pairs) there.delete(from.name)
  const [extra] = there.keys()
  if (extra !== undefined) throw createSchemaError(extra)
  return pairs
}

/** Returns the last copied key of the table. A table that differs from the source is copied again. */
const findLastKeptKey = async (
  { from, to }: Pair,
  { source, target, signal }: CopyOptions,
  looking: () => void,
): Promise<Row | undefined> => {
  const last = await target.lastKey(to)
  if (!last) return undefined
  looking()
  const there = await computeFingerprint(target, to, { signal })
  const wanted = await computeFingerprint(source, from, { upTo: last, signal })
  if (isSame(there, wanted)) return last
  await target.clear(to)
  return undefined
}

const copyRows = async (pairs: readonly Pair[], options: CopyOptions, total: number): Promise<void> => {
  const { source, target, signal, progress, step } = options
  let done = 0
  for (const pair of pairs) {
    const { from, to } = pair
    const stage = `copying ${from.name}`
    const after = await findLastKeptKey(pair, options, () => progress(`checking ${from.name}`, done, total))
    if (after) done += await target.count(to)
    progress(stage, done, total)
    for await (const rows of readPages(source, from, { after, signal })) {
      await target.insert(to, rows)
      done += rows.length
      progress(stage, done, total)
      await step?.('batch')
    }
  }
}

const fastenAll = async ({ target, signal, progress }: CopyOptions): Promise<void> => {
  const parts = await target.looseParts()
  for (const [done, part] of parts.entries()) {
    signal.throwIfAborted()
    progress(`indexes: ${done} of ${parts.length}`, 0, 0)
    await target.fasten(part)
    // Lets the process handle Ctrl-C.
    await pause()
  }
}

const buildReport = (table: string, there: Fingerprint, here: Fingerprint): TableReport => ({
  table,
  rows: there.rows,
  checksum: sumText(there),
  copy_rows: here.rows,
  copy_checksum: sumText(here),
  is_same: isSame(there, here),
})

const compare = async (pairs: readonly Pair[], options: CopyOptions, total: number): Promise<TableReport[]> => {
  const { source, target, signal, progress } = options
  const reports: TableReport[] = []
  let done = 0
  for (const { from, to } of pairs) {
    const read = (rows: number) => {
      done += rows
      progress(`comparing ${from.name}`, done, 2 * total)
    }
    const there = await computeFingerprint(source, from, { signal, read })
    reports.push(buildReport(from.name, there, await computeFingerprint(target, to, { signal, read })))
  }
  return reports
}

const countAll = async (pairs: readonly Pair[], source: Source): Promise<number> => {
  let total = 0
  for (const { from } of pairs) total += await source.count(from)
  return total
}

/** @throws AppError, MigrationError; the target is then unchanged, or the copy can be resumed */
export const copyEstate = async (options: CopyOptions): Promise<CopyReport> => {
  const { source, target, step } = options
  await checkSource(source)
  const is_resumed = await prepareTarget(options)
  const pairs = await loadPairs(options)
  await target.loosen()
  await step?.('marked')
  const total = await countAll(pairs, source)
  await copyRows(pairs, options, total)
  await step?.('copied')
  await fastenAll(options)
  await step?.('fastened')
  options.progress('settling', 0, 0)
  await target.settle(pairs.map(({ to }) => to))
  await step?.('settled')
  const tables = await compare(pairs, options, total)
  if (tables.every((table) => table.is_same)) await target.finish()
  return { is_resumed, tables }
}
