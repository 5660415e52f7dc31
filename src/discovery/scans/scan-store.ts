/** The queries of scans; the only writer of their tables. */
import { type SqlBool, sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createLeases, type LeaseColumns } from '../../kernel/jobs/leases.ts'
import { createRecorder } from '../../resource/recorder.ts'
import type { Scan, ScanDetail, ScanNote, ScanPrivilege, ScanStatus } from '../schema.ts'
import type { ChangeRow, ScanRow, ScanStateRow } from '../table.ts'

export const leases = createLeases('discovery_scans', 'id')

const columns = [
  'id',
  'network_id',
  'status',
  'scan_type',
  'stage',
  'total_hosts',
  'scanned_hosts',
  'found_hosts',
  'hosts_per_second',
  'exclude_ips',
  'error_message',
  'rule_id',
  'created_by',
  'scanner_id',
  'scanner_name',
  'started_at',
  'completed_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ScanRow)[]

type Stored = Pick<ScanRow, (typeof columns)[number]>

const computePercent = ({ status, scanned_hosts, total_hosts }: Stored): number => {
  if (status === 'completed') return 100
  return total_hosts === 0 ? 0 : Math.floor((scanned_hosts / total_hosts) * 10_000) / 100
}

/** The fields in the order of the contract. */
export const fromRow = (row: Stored): Scan => {
  const { id, network_id, status, scan_type, stage, total_hosts, scanned_hosts, found_hosts, ...rest } = row
  const counts = { total_hosts, scanned_hosts, found_hosts, progress_percent: computePercent(row) }
  return { id, network_id, status, scan_type, stage, ...counts, ...rest }
}

/** Newest first. */
export const query = (ctx: Ctx) =>
  ctx.db.selectFrom('discovery_scans').select(columns).orderBy('created_at', 'desc').orderBy('id', 'desc')

const selectById = (ctx: Ctx, id: string) => ctx.db.selectFrom('discovery_scans').select(columns).where('id', '=', id)

export const find = async (ctx: Ctx, id: string): Promise<Scan | undefined> => {
  const row = await selectById(ctx, id).executeTakeFirst()
  return row && fromRow(row)
}

/** Finds like `find`, and keeps other writers off the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Scan | undefined> => {
  const row = await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst()
  return row && fromRow(row)
}

export const findState = (ctx: Ctx, id: string): Promise<ScanStateRow | undefined> =>
  ctx.db
    .selectFrom('discovery_scan_states')
    .select(['scan_id', 'privilege', 'log', 'checkpoint', 'lease', 'seq'])
    .where('scan_id', '=', id)
    .executeTakeFirst()

/** Finds the lease of a scanner, and how far its reports are stored. */
export const findTaking = (
  ctx: Ctx,
  id: string,
): Promise<(Pick<ScanStateRow, 'lease' | 'seq'> & Pick<ScanRow, 'is_done'>) | undefined> =>
  ctx.db
    .selectFrom('discovery_scan_states')
    .innerJoin('discovery_scans', 'discovery_scans.id', 'discovery_scan_states.scan_id')
    .select(['lease', 'seq', 'is_done'])
    .where('scan_id', '=', id)
    .executeTakeFirst()

/** The stored JSON was written by this module. */
const parsePrivilege = ({ privilege }: ScanStateRow) =>
  privilege === '' ? null : (JSON.parse(privilege) as ScanPrivilege)
const parseLog = ({ log }: ScanStateRow) => JSON.parse(log) as ScanNote[]

export const withState = async (ctx: Ctx, scan: Scan): Promise<ScanDetail> => {
  const state = await findState(ctx, scan.id)
  return { ...scan, privilege: state ? parsePrivilege(state) : null, log: state ? parseLog(state) : [] }
}

const recorder = createRecorder({
  ...{ kind: 'scan', table: 'discovery_scans' },
  find: async (ctx, ids) => (await query(ctx).where('id', 'in', ids).execute()).map(fromRow),
})

/** @param credential_user the user that gives the right to use credentials; null for scans of a rule of an earlier version */
export const insert = async (
  ctx: Ctx,
  { progress_percent: _, ...scan }: Scan,
  credential_user: string | null,
): Promise<void> => {
  await recorder.write(ctx, [scan.id], async () => {
    await ctx.db
      .insertInto('discovery_scans')
      .values({ ...scan, holder: '', until_ms: 0, resumes: 0, is_done: 0, credential_user })
      .execute()
  })
  await ctx.db
    .insertInto('discovery_scan_states')
    .values({ scan_id: scan.id, privilege: '', log: '[]', checkpoint: '', lease: '', seq: 0 })
    .execute()
}

export const findCredentialUser = async (ctx: Ctx, id: string): Promise<string | null> => {
  const row = await ctx.db
    .selectFrom('discovery_scans')
    .select('credential_user')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.credential_user ?? null
}

/** Notes kept of a scan: the first ones, which describe its privileges, and the last ones. */
const MAX_NOTES = 100
const FIRST_NOTES = 20
const MAX_NOTE = 500

export const addNotes = async (ctx: Ctx, id: string, texts: readonly string[]): Promise<void> => {
  const state = texts.length > 0 ? await findState(ctx, id) : undefined
  if (!state) return
  const log = [
    ...parseLog(state),
    ...texts.map((text) => ({
      at: ctx.now,
      text: text.toWellFormed().replaceAll('\u0000', '').slice(0, MAX_NOTE),
    })),
  ]
  if (log.length > MAX_NOTES) log.splice(FIRST_NOTES, log.length - MAX_NOTES)
  await setState(ctx, id, { log: JSON.stringify(log) })
}

export const addNote = (ctx: Ctx, id: string, text: string): Promise<void> => addNotes(ctx, id, [text])

export const setState = async (
  ctx: Ctx,
  id: string,
  fields: Partial<Pick<ScanStateRow, 'privilege' | 'log' | 'checkpoint' | 'lease' | 'seq'>>,
): Promise<void> => {
  await ctx.db.updateTable('discovery_scan_states').set(fields).where('scan_id', '=', id).execute()
}

type Change = Partial<Omit<ScanRow, 'id' | 'network_id' | 'created_at' | keyof LeaseColumns>>

type Condition = {
  readonly id: string
  readonly from: readonly ScanStatus[]
  /** Only where this process runs it, or ran it before. */
  readonly holder?: string
}

/** Changes a scan that is in one of these states; false, and nothing changed, when it no longer is. */
export const change = async (ctx: Ctx, { id, from, holder }: Condition, fields: Change): Promise<boolean> => {
  let query = ctx.db
    .updateTable('discovery_scans')
    .set({ ...fields, updated_at: ctx.now })
    .where('id', '=', id)
    .where('status', 'in', from)
  if (holder !== undefined) query = query.where('holder', '=', holder)
  const { numUpdatedRows } = await recorder.write(ctx, [id], () => query.executeTakeFirstOrThrow())
  return numUpdatedRows > 0n
}

/** Takes the network from its recordings. */
const releaseNetwork = ({ db }: Ctx, networkId: string) =>
  db
    .updateTable('discovery_scans')
    .set({ holder: '' })
    .where('network_id', '=', networkId)
    .where('status', '=', 'failed')
    .whereRef('holder', '=', 'id')

/**
 * Returns true if a scan of the network runs or is being recorded. Takes the network from recordings with an expired lease. Call after
 * `lockStarts`.
 */
export const isNetworkBusy = async (ctx: Ctx, networkId: string): Promise<boolean> => {
  await releaseNetwork(ctx, networkId).where(leases.isFree(ctx)).execute()
  const busy = await ctx.db
    .selectFrom('discovery_scans')
    .select('id')
    .where('network_id', '=', networkId)
    .where(({ eb, or, and }) =>
      or([eb('status', '=', 'running'), and([eb('status', '=', 'failed'), eb('holder', '=', eb.ref('id'))])]),
    )
    .executeTakeFirst()
  return busy !== undefined
}

/** Takes the network from the recordings of its scans, which fail at their next step. Call after `lockStarts`. */
export const endRecordings = async (ctx: Ctx, networkId: string): Promise<void> => {
  await releaseNetwork(ctx, networkId).execute()
}

/** Returns the running scan of a network. */
export const findRunning = (ctx: Ctx, networkId: string): Promise<Pick<ScanRow, 'id' | 'rule_id'> | undefined> =>
  ctx.db
    .selectFrom('discovery_scans')
    .select(['id', 'rule_id'])
    .where('network_id', '=', networkId)
    .where('status', '=', 'running')
    .executeTakeFirst()

/** No other server starts a scan before the transaction ends. */
export const lockStarts = (ctx: Ctx): Promise<void> => ctx.lock('discoveryScans')

const selectRunning = ({ db }: Ctx) =>
  db
    .selectFrom('discovery_scans')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('status', '=', 'running')

/** Number of running scans on all servers and scanners. */
export const countRunning = async (ctx: Ctx): Promise<number> => {
  const { n } = await selectRunning(ctx).executeTakeFirstOrThrow()
  return Number(n)
}

/** Number of scans that run on the servers themselves. */
export const countOwnRunning = async (ctx: Ctx): Promise<number> => {
  const { n } = await selectRunning(ctx).where('scanner_id', 'is', null).executeTakeFirstOrThrow()
  return Number(n)
}

/** Queued and running scans, oldest first, with the label of the scanner of their network. */
export const open = (ctx: Ctx) =>
  ctx.db
    .selectFrom('discovery_scans')
    .innerJoin('networks', 'networks.id', 'discovery_scans.network_id')
    .select([
      ...(['discovery_scans.id', 'network_id', 'status', 'holder', 'resumes', 'scanner_id', 'is_done'] as const),
      'networks.scanner',
    ])
    // Time since the end of the lease; PostgreSQL sends 64-bit numbers as text.
    .select(({ ref }) =>
      sql<number | string>`${ctx.store.sql.nowMs(Date.parse(ctx.now))} - ${ref('until_ms')}`.as('left_ms'),
    )
    .where('status', 'in', ['pending', 'running'])
    .orderBy('discovery_scans.created_at')
    .orderBy('discovery_scans.id')
    .execute()

/** Returns the scans that have waited for a scanner since before a time, with the label of their network. */
export const findWaitingSince = (ctx: Ctx, before: string, limit: number) =>
  ctx.db
    .selectFrom('discovery_scans')
    .innerJoin('networks', 'networks.id', 'network_id')
    .select(['discovery_scans.id', 'rule_id', 'networks.scanner'])
    .where('status', '=', 'pending')
    .where('networks.scanner', '<>', '')
    // A scan that a scanner has given up waits again since its last change.
    .where('discovery_scans.updated_at', '<=', before)
    .orderBy('discovery_scans.id')
    .limit(limit)
    .execute()

/** Finds the completed scan of the network before this one. Ids are in the order in which scans were asked for. */
export const findCompletedBefore = async (ctx: Ctx, networkId: string, id: string): Promise<string | undefined> => {
  const row = await ctx.db
    .selectFrom('discovery_scans')
    .select('id')
    .where('network_id', '=', networkId)
    .where('status', '=', 'completed')
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Finds the scans of a network after one, up to another and with it. */
export const findIdsBetween = async (
  ctx: Ctx,
  { network_id, id }: Scan,
  after: string | undefined,
): Promise<string[]> => {
  const all = ctx.db
    .selectFrom('discovery_scans')
    .select('id')
    .where('network_id', '=', network_id)
    .where('id', '<=', id)
    .where('id', '>', after ?? '')
  return (await all.execute()).map((row) => row.id)
}

export type Ended = { readonly id: string; readonly network_id: string; readonly completed_at: string }

/** Scans that ended before a moment, oldest first, from behind one on. */
export const findEndedBefore = async (
  ctx: Ctx,
  { before, after, limit }: { before: string; after: Ended | undefined; limit: number },
): Promise<Ended[]> => {
  let all = ctx.db
    .selectFrom('discovery_scans')
    .select(['id', 'network_id', 'completed_at'])
    .where('completed_at', '<', before)
  if (after) all = all.where(sql<SqlBool>`(completed_at, id) > (${after.completed_at}, ${after.id})`)
  const rows = await all.orderBy('completed_at').orderBy('id').limit(limit).execute()
  // Scans that have not ended have no order here.
  return rows.map(({ completed_at, ...row }) => ({ ...row, completed_at: completed_at ?? '' }))
}

/** True if the scan is among the newest of its network. */
export const isAmongNewest = async (
  ctx: Ctx,
  { id, network_id }: Pick<Ended, 'id' | 'network_id'>,
  count: number,
): Promise<boolean> => {
  const newer = await ctx.db
    .selectFrom('discovery_scans')
    .select('id')
    .where('network_id', '=', network_id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(count)
    .execute()
  return newer.some((one) => one.id === id)
}

/** Some of the changes of a scan; answers with how many. */
export const removeSomeChanges = async (ctx: Ctx, scanId: string, count: number): Promise<number> => {
  const rows = await ctx.db
    .selectFrom('discovery_changes')
    .select(['kind', 'discovered_id'])
    .where('scan_id', '=', scanId)
    .limit(count)
    .execute()
  for (const [kind, some] of Map.groupBy(rows, (row) => row.kind))
    await ctx.db
      .deleteFrom('discovery_changes')
      .where('scan_id', '=', scanId)
      .where('kind', '=', kind)
      .where(
        'discovered_id',
        'in',
        some.map(({ discovered_id }) => discovered_id),
      )
      .execute()
  return rows.length
}

export const remove = (ctx: Ctx, id: string): Promise<void> =>
  recorder.write(ctx, [id], async () => {
    await ctx.db.deleteFrom('discovery_scans').where('id', '=', id).execute()
  })

/** Changes of one statement. */
const REMOVED_AT_ONCE = 250

/** One transaction removes all, and the event loop turns in it: a scan may have changes of sixty-five thousand devices. */
export const removeOfNetwork = async (ctx: Ctx, networkId: string): Promise<void> => {
  const scans = await ctx.db.selectFrom('discovery_scans').select('id').where('network_id', '=', networkId).execute()
  for (const { id } of scans) while ((await removeSomeChanges(ctx, id, REMOVED_AT_ONCE)) > 0) await pause()
  await recorder.writeWhere(
    ctx,
    async () => scans,
    () => ctx.db.deleteFrom('discovery_scans').where('network_id', '=', networkId).returning('id').execute(),
  )
}

export const insertChanges = async (ctx: Ctx, rows: readonly ChangeRow[]): Promise<void> => {
  if (rows.length === 0) return
  await ctx.db
    .insertInto('discovery_changes')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['scan_id', 'kind', 'discovered_id']).doNothing())
    .execute()
}

export const countChanges = async (ctx: Ctx, scanIds: readonly string[], kind: ChangeRow['kind']): Promise<number> => {
  const { n } = await ctx.db
    .selectFrom('discovery_changes')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('scan_id', 'in', scanIds)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export const selectChanges = (ctx: Ctx, scanIds: readonly string[]) =>
  ctx.db
    .selectFrom('discovery_changes')
    .select(['discovered_id', 'kind', 'ip', 'hostname', 'mac_address', 'changes'])
    .where('scan_id', 'in', scanIds)
