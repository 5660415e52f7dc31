/** Stores the reports about a scan: the same for a process of this server and for a scanner in another place. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { FromScanner, Progress } from '../../scanner/protocol.ts'
import { type Ingestion, type InSpace, ingest } from '../devices/ingest.ts'
import { noteRun } from '../rules/rules.ts'
import type { Scan } from '../schema.ts'
import { processInBatches } from './batches.ts'
import { finish } from './finish.ts'
import * as store from './scan-store.ts'

type Report<Type extends FromScanner['type']> = Extract<FromScanner, { type: Type }>
export type Batch = Pick<Report<'batch'>, 'progress' | 'hosts'>

export type Intake = {
  readonly ingestion: InSpace<Omit<Ingestion, 'stage'>>
  /** Writes the progress. Returns false if the scan is no longer run by the one who reports. */
  readonly advance: (tx: Ctx, progress: Progress) => Promise<boolean>
}

/** The scanner counts its own targets, which may be slightly fewer. */
export const computeScanned = (
  { total_hosts }: Pick<Scan, 'total_hosts'>,
  { scanned, total }: Pick<Progress, 'scanned' | 'total'>,
): number => (total === 0 ? 0 : Math.min(total_hosts, Math.round((scanned / total) * total_hosts)))

/** @param atEnd runs in the transaction of the last hosts @returns false if the scan is no longer run by the one who reports */
export const storeBatch = (
  ctx: Ctx,
  { ingestion, advance }: Intake,
  { progress, hosts }: Batch,
  atEnd: (tx: Ctx) => Promise<void> = async () => {},
): Promise<boolean> => {
  // Rows lost in a power failure are found again: the scan resumes from the last durable checkpoint.
  const work = { items: hosts, options: { deferSync: true } }
  return processInBatches(ctx, work, async (tx, some, isLast) => {
    if (!(await advance(tx, progress))) return false
    await ingest(tx, { ...ingestion, stage: progress.stage }, some)
    if (isLast) await atEnd(tx)
    return true
  })
}

/** Stores the privileges of the scanner. Returns the notes about them. */
export const storePrivilege = async (tx: Ctx, id: string, { privilege }: Report<'ready'>): Promise<string[]> => {
  await store.setState(tx, id, { privilege: JSON.stringify(privilege) })
  return privilege.advice === '' ? [] : [`More privileges: ${privilege.advice}`]
}

type Completion = {
  readonly scan: Scan
  /** The name of this process, which has the lease of the scan. */
  readonly holder: string
  readonly previousScanId: string
}

/** Completes a scan whose scanner has seen all of it. May be repeated after an interruption. */
export const complete = async (ctx: Ctx, { scan, holder, previousScanId }: Completion): Promise<void> => {
  const { id } = scan
  await finish(ctx, scan, previousScanId)
  await ctx.write(async (tx) => {
    const ended = { status: 'completed' as const, stage: '' as const, scanned_hosts: scan.total_hosts }
    if (!(await store.change(tx, { id, from: ['running'], holder }, { ...ended, completed_at: tx.now }))) return
    await store.setState(tx, id, { checkpoint: '' })
    await noteRun(tx, scan.rule_id)
    const completed = await store.find(tx, id)
    if (completed) await tx.emit('discovery.completed', completed)
  })
}
