/** `plat database copy`: parses its arguments, runs the copy and prints the report. */
import { SQL } from 'bun'
import type { Config } from '../../base/config/config.ts'
import { AppError } from '../../contract/errors.ts'
import { Interrupted } from '../../surfaces/cli/io.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { formatTable } from '../../surfaces/cli/output/table.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { inWords } from '../recovery/disk-words.ts'
import { checkKey } from '../recovery/doctor-data.ts'
import { loadSessionConfig } from '../recovery/offline.ts'
import { type CopyReport, copyEstate, type Step, type TableReport } from './copy.ts'
import { carryKey } from './encryption-key.ts'
import type { Side, Source, Target } from './engine-adapter.ts'
import { getConfiguredPlace, isSamePlace, type Place, placeIn } from './location.ts'
import { createMeter, formatTime } from './meter.ts'

type Move = { readonly from: Place; readonly to: Place; readonly isRestart: boolean }

type Moved = CopyReport & {
  readonly from: string
  readonly to: string
  readonly seconds: number
  /** Notes for the operator. */
  readonly notes: readonly string[]
}

const moveIn = (texts: Texts, config: Config): Move => {
  const [fromText, toText] = [getText(texts, 'from'), getText(texts, 'to')]
  if (toText === undefined) throw createUsageError('--to PLACE missing: where to copy the data to')
  const to = placeIn(toText, 'to')
  const from = fromText === undefined ? getConfiguredPlace(config) : placeIn(fromText, 'from')
  if (isSamePlace(from, to)) throw createUsageError('--to names the place that the data are in')
  return { from, to, isRestart: isOn(texts, 'restart') }
}

const openSourceAt = async (place: Place): Promise<Source> =>
  place.kind === 'postgres'
    ? (await import('./postgres-adapter.ts')).openPostgresSource(place.url)
    : (await import('./sqlite-adapter.ts')).openSqliteSource(place.dataDir)

const openTargetAt = async (place: Place): Promise<Target> =>
  place.kind === 'postgres'
    ? (await import('./postgres-adapter.ts')).openPostgresTarget(place.url)
    : (await import('./sqlite-adapter.ts')).openSqliteTarget(place.dataDir)

const closeAfter = async <S extends Side, T>(side: S, work: (side: S) => Promise<T>): Promise<T> => {
  try {
    return await work(side)
  } finally {
    // A lost connection can't be closed in order; the earlier error reports it.
    await side.close().catch(() => {})
  }
}

const withBoth = async <T>(from: Place, to: Place, work: (source: Source, target: Target) => Promise<T>): Promise<T> =>
  closeAfter(await openSourceAt(from), async (source) =>
    closeAfter(await openTargetAt(to), (target) => work(source, target)),
  )

/** Returns notes on the key that encrypts the copied secrets. */
const listKeyNotes = async (target: Target, config: Config): Promise<string[]> => {
  const { status, message, advice } = await checkKey(target.query, config)
  return status === 'ok' ? [] : [`Encryption key: ${message}; ${advice}`]
}

const run = (session: Session, config: Config, { from, to, isRestart }: Move): Promise<Moved> => {
  const { io, globals } = session
  const meter = createMeter(io.stderr, 'copy')
  const progress = globals.isQuiet ? () => {} : meter.show
  const signal = io.interrupted()
  const startedMs = performance.now()
  const keyFolder = from.kind === 'folder' ? from.dataDir : config.dataDir
  const work = async (source: Source, target: Target): Promise<Moved> => {
    const notes: string[] = []
    const step: Step = (done) => {
      if (done !== 'marked') return
      const note = carryKey(keyFolder, to)
      if (note !== undefined) notes.push(note)
    }
    const report = await copyEstate({ source, target, isRestart, signal, progress, step })
    notes.push(...(await listKeyNotes(target, config)), ...(source.warning === undefined ? [] : [source.warning]))
    return { ...report, from: source.place, to: target.place, seconds: (performance.now() - startedMs) / 1000, notes }
  }
  return withBoth(from, to, work).finally(meter.clear)
}

const countRows = (tables: readonly TableReport[]): number => tables.reduce((sum, { rows }) => sum + rows, 0)

const formatCount = (n: number): string => n.toLocaleString('en-US')

const present = async ({ io, globals }: Session, moved: Moved): Promise<void> => {
  const { tables, is_resumed, from, to, seconds, notes } = moved
  const is_same = tables.every((table) => table.is_same)
  if (globals.isQuiet && is_same) return
  if (globals.output === 'json') {
    const answer = {
      from,
      to,
      is_same,
      is_resumed,
      rows: countRows(tables),
      seconds: Number(seconds.toFixed(1)),
      tables,
      notes,
    }
    await io.stdout.write(`${toPrintableJson(JSON.stringify(answer, undefined, io.stdout.isTty ? 2 : undefined))}\n`)
    return
  }
  const rows = tables.map((table) => ({
    table: table.table,
    rows: table.rows,
    checksum: table.checksum,
    copy: table.is_same ? 'the same' : `DIFFERENT: ${table.copy_rows} rows, ${table.copy_checksum}`,
  }))
  const options = {
    columns: ['table', 'rows', 'checksum', 'copy'],
    hasHeaders: globals.hasHeaders,
    width: io.stdout.columns,
  }
  for (const text of formatTable(rows, options)) await io.stdout.write(text)
  if (!is_same) return
  const lines = [
    '',
    `${formatCount(countRows(tables))} rows of ${tables.length} tables were copied from ${from} to ${to}${is_resumed ? ', some of them by an earlier run' : ''}, and all of them are the same there (${formatTime(seconds * 1000)})`,
    `${from} is unchanged. Start the server on the copy, and not on the old data again`,
    ...notes,
  ]
  await io.stdout.write(lines.map((line) => `${toPrintable(line)}\n`).join(''))
}

const explain = async ({ io }: Session, error: unknown): Promise<never> => {
  if (error instanceof Interrupted)
    await io.stderr.write('interrupted; the same command resumes the copy, and no server starts on it until then\n')
  if (error instanceof SQL.PostgresError && error.code.startsWith('ERR_POSTGRES_CONNECTION'))
    throw new AppError('UNAVAILABLE', 'The connection to PostgreSQL was lost: the same command resumes the copy', {
      cause: error,
    })
  throw error
}

export const copyCommand = async (session: Session, texts: Texts): Promise<number> => {
  const config = loadSessionConfig(session, texts)
  const move = moveIn(texts, config)
  const moved = await run(session, config, move)
    .catch((error: unknown) => explain(session, error))
    .catch(inWords('the copy'))
  await present(session, moved)
  const different = moved.tables.filter(({ is_same }) => !is_same).map(({ table }) => table)
  if (different.length > 0)
    throw new AppError(
      'INTERNAL_ERROR',
      `${different.join(', ')}: the copy differs from the source, and no server starts on it. Run the same command again to copy the differences`,
    )
  return 0
}
