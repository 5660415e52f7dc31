/** Gives scans to scanners, and takes them back. */
import type { Config } from '../../base/config/config.ts'
import { createSecret } from '../../base/security/secret-token.ts'
import { getNetworkOrThrow } from '../../inventory/networks/networks.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { scanIssue } from '../scans/scan-rules.ts'
import * as store from '../scans/scan-store.ts'
import { fail } from '../scans/scans.ts'
import type { Scan } from '../schema.ts'
import { type Holder, type Review, reviewHoldings } from './holdings.ts'
import { findConcerned, findStartable } from './queries.ts'

export type Claimant = Holder & {
  readonly name: string
  /** The number of further scans that it may be given. */
  readonly free: number
}

export type Given = {
  readonly scan: Scan
  readonly lease: string
  /** False for a scan that has been begun before. */
  readonly isFirst: boolean
}

export type Claims = Pick<Review, 'cancel' | 'drop'> & { readonly given: readonly Given[] }

/** @returns undefined if the scan is in another state by now, or cannot run */
const give = async (
  tx: Ctx,
  { id: scanner_id, name: scanner_name }: Claimant,
  scan: Pick<Scan, 'id' | 'network_id' | 'status'>,
  config: Config,
): Promise<Given | undefined> => {
  const { id, status } = scan
  const before = await store.find(tx, id)
  if (!before) return undefined
  // The subnet, the address space or the settings may have changed since the scan was queued or interrupted.
  const issue = await scanIssue(tx, await getNetworkOrThrow(tx, scan.network_id), config)
  if (issue) {
    await fail(tx, before, issue.message)
    return undefined
  }
  const taken = { status: 'running' as const, started_at: before.started_at ?? tx.now, scanner_id, scanner_name }
  if (!(await store.change(tx, { id, from: [status] }, taken))) return undefined
  const lease = createSecret()
  await store.setState(tx, id, { lease, seq: 0 })
  const given = await store.find(tx, id)
  if (!given) return undefined
  const isFirst = before.started_at === null
  if (isFirst) await tx.emit('discovery.started', given)
  else await store.addNote(tx, id, `given to ${scanner_name}: resumes from its checkpoint`)
  return { scan: given, lease, isFirst }
}

/** Lets the next scanner of the label have the scan. It resumes from its checkpoint. */
export const giveBack = async (tx: Ctx, id: string, note: string): Promise<void> => {
  const free = { status: 'pending' as const, stage: '' as const, hosts_per_second: 0 }
  if (!(await store.change(tx, { id, from: ['running'] }, { ...free, scanner_id: null, scanner_name: '' }))) return
  await store.addNote(tx, id, note)
  await tx.emit('scan.queued')
}

/** Gives a scan back to the one who had it before its silence, under the same lease. Call after `lockStarts`. */
export const restore = async (
  tx: Ctx,
  { id: scanner_id, name: scanner_name }: Pick<Claimant, 'id' | 'name'>,
  { id, network_id }: Pick<Scan, 'id' | 'network_id'>,
): Promise<boolean> => {
  if (await store.isNetworkBusy(tx, network_id)) return false
  const taken = { status: 'running' as const, scanner_id, scanner_name }
  if (!(await store.change(tx, { id, from: ['pending'] }, taken))) return false
  await store.addNote(tx, id, `${scanner_name} is back, and goes on`)
  return true
}

/** Settles the scans that a scanner has, and gives it more, in one transaction. */
export const claim = async (tx: Ctx, claimant: Claimant, config: Config): Promise<Claims> => {
  // Another instance may give the same scan.
  await store.lockStarts(tx)
  const scans = await findConcerned(tx, [claimant.id], claimant.holding)
  const { cancel, drop, returning, lost } = reviewHoldings(claimant, scans)
  const dropped = [...drop]
  for (const scan of returning) if (!(await restore(tx, claimant, scan))) dropped.push(scan.id)
  const given: Given[] = []
  for (const scan of lost) {
    const one = given.length < claimant.free ? await give(tx, claimant, scan, config) : undefined
    if (one) given.push(one)
    else {
      await store.setState(tx, scan.id, { lease: '' })
      await giveBack(tx, scan.id, `${claimant.name} does not have it any more`)
    }
  }
  const startable = given.length < claimant.free ? await findStartable(tx, [...claimant.labels]) : []
  for (const scan of startable) {
    if (given.length >= claimant.free) break
    if (await store.isNetworkBusy(tx, scan.network_id)) continue
    const one = await give(tx, claimant, { ...scan, status: 'pending' }, config)
    if (one) given.push(one)
  }
  return { cancel, drop: dropped, given }
}

/** Fails the running scans of a scanner, except for scans that are done. */
export const failRunning = async (tx: Ctx, scannerId: string, reason: string): Promise<void> => {
  for (const { id, status, is_done } of (await findConcerned(tx, [scannerId], [])).values()) {
    const scan = status === 'running' && is_done === 0 ? await store.find(tx, id) : undefined
    if (scan) await fail(tx, scan, reason)
  }
}
