/** The periodic jobs of discovery: starts due scans, and deletes old scans and discovered devices. */
import type { Config } from '../../base/config/config.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { forget } from '../devices/discovered-devices.ts'
import * as queries from '../devices/discovered-queries.ts'
import { ruleIssue } from '../scans/scan-rules.ts'
import * as scanStore from '../scans/scan-store.ts'
import { fail, startByRule } from '../scans/scans.ts'
import * as ruleStore from './rule-store.ts'
import { takeDue } from './rules.ts'

const DAY_MS = 86_400_000
/** Devices deleted in one transaction. */
const FORGET_AT_ONCE = 100
/** Days that scans are kept. */
const KEEP_SCANS_DAYS = 90
/** Scans of each network that are kept regardless of age. */
const KEEP_SCANS = 20
const CHANGES_AT_ONCE = 500

export const startDue = async (ctx: Ctx, config: Config): Promise<void> => {
  for (const due of await ruleStore.findDue(ctx, ctx.now)) {
    // The rule stays due. Until the network, its space or the setting changes, it needs no transaction.
    if (ruleIssue(due, config) !== undefined) continue
    await ctx.write(async (tx) => {
      const rule = await takeDue(tx, due.id, config)
      if (rule) await startByRule(tx, rule, config)
    })
  }
}

/** A scan waits so long for a scanner. */
const MAX_WAIT_MS = DAY_MS
const FAIL_AT_ONCE = 100

/** Fails scans that no scanner has taken. */
export const failWaiting = async (ctx: Ctx): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - MAX_WAIT_MS).toISOString()
  if ((await scanStore.findWaitingSince(ctx, before, 1)).length === 0) return
  await ctx.write(async (tx) => {
    for (const { scanner, ...scan } of await scanStore.findWaitingSince(tx, before, FAIL_AT_ONCE))
      await fail(tx, scan, `no scanner "${scanner}" came for it`)
  })
}

type KeepDays = {
  readonly days: number
  /** For devices with a random MAC; never more than for the others. */
  readonly randomMacDays: number
}

/** Deletes discovered devices that are not documented and that no scan has seen for so many days. */
export const forgetOld = async (ctx: Ctx, { days, randomMacDays }: KeepDays): Promise<void> => {
  const computeDaysAgo = (count: number): string => new Date(Date.parse(ctx.now) - count * DAY_MS).toISOString()
  const moments = { before: computeDaysAgo(days), randomBefore: computeDaysAgo(Math.min(days, randomMacDays)) }
  let forgotten = 0
  for (;;) {
    const ids = await queries.findForgettable(ctx, moments, FORGET_AT_ONCE)
    if (ids.length > 0) await ctx.write((tx) => forget(tx, ids))
    forgotten += ids.length
    if (ids.length < FORGET_AT_ONCE) break
  }
  if (forgotten > 0)
    ctx.log.info('discovered devices forgotten', { forgotten, unseen_for_days: days, random_mac_days: randomMacDays })
}

/** Deletes scans that ended long ago, with their logs and differences. The devices that they found stay. */
export const forgetScans = async (ctx: Ctx): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - KEEP_SCANS_DAYS * DAY_MS).toISOString()
  let forgotten = 0
  let after: scanStore.Ended | undefined
  for (;;) {
    const old = await scanStore.findEndedBefore(ctx, { before, after, limit: FORGET_AT_ONCE })
    for (const { id, network_id } of old) {
      const isKept = await scanStore.isAmongNewest(ctx, { id, network_id }, KEEP_SCANS)
      // One at a time: a scan may have the changes of 65,000 devices.
      if (isKept) continue
      await removeScan(ctx, id)
      forgotten++
    }
    after = old.at(-1)
    if (old.length < FORGET_AT_ONCE) break
  }
  if (forgotten > 0) ctx.log.info('old scans deleted', { forgotten, older_than_days: KEEP_SCANS_DAYS })
}

const removeScan = async (ctx: Ctx, id: string): Promise<void> => {
  let removed: number
  do removed = await ctx.write((tx) => scanStore.removeSomeChanges(tx, id, CHANGES_AT_ONCE))
  while (removed === CHANGES_AT_ONCE)
  await ctx.write((tx) => scanStore.remove(tx, id))
}
