/** Computes the changed names of a zone, or all of it, and records the difference. Sends nothing. */

import { pause } from '../../../base/runtime/pause.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Rrset } from '../rrset-store.ts'
import * as rrsets from '../rrset-store.ts'
import { raiseSerial, serializeHead } from '../serial.ts'
import * as store from '../store.ts'
import { computeNames, computeWhole, findDanglingFilter } from './compute.ts'
import { buildRrsetKey } from './desired-rrsets.ts'
import { listChangedRrsets } from './diff.ts'
import { type Run, reopen } from './run.ts'

const NAMES_AT_ONCE = 500
/** The RRsets that are written in one transaction. */
const WRITTEN_AT_ONCE = 5000
const UNDER_WAY_MS = 20

/**
 * Waits for the transactions that began before the zone was there, or had other settings: they have not noted the names that
 * they change.
 */
const waitForOthers = async ({ ctx: { store: db } }: Run): Promise<void> => {
  const at = (await db.sql.underWay(db.read))?.next
  if (at === undefined) return
  for (;;) {
    const { oldest } = (await db.sql.underWay(db.read)) ?? { oldest: at }
    if (oldest >= at) return
    await new Promise((resolve) => setTimeout(resolve, UNDER_WAY_MS))
  }
}

/** @param isWhole true after the whole zone was computed: its settings may have changed, and the head of the file with them */
const saveAll = async (
  { write, zone }: Run,
  found: readonly Rrset[],
  { done, isWhole, now }: { readonly done: readonly string[]; readonly isWhole: boolean; readonly now: Date },
): Promise<void> => {
  for (let from = 0; from < found.length || from === 0; from += WRITTEN_AT_ONCE) {
    const part = found.slice(from, from + WRITTEN_AT_ONCE)
    const isLast = from + WRITTEN_AT_ONCE >= found.length
    await write(async (inner) => {
      await rrsets.save(inner, zone.id, part)
      if (!isLast) return
      await rrsets.removeChanges(inner, zone.id, done)
      const state = isWhole ? await store.findState(inner, zone.id) : undefined
      if (state && state.head !== serializeHead(zone)) await raiseSerial(inner, zone, now)
    })
  }
}

/** The RRsets that are compared before the event loop runs again. */
const COMPARED_AT_ONCE = 1000

/** Returns the RRsets of the whole zone that differ from the RRsets on record. */
const computeWholeDifference = async ({ ctx, zone, index }: Run): Promise<Rrset[]> => {
  const wants = new Map((await computeWhole(ctx, zone, index)).map((one) => [buildRrsetKey(one.name, one.type), one]))
  const found: Rrset[] = []
  for (const part of splitBatches(
    await rrsets.findAllInSteps({ db: ctx.store.read, store: ctx.store }, zone.id),
    COMPARED_AT_ONCE,
  )) {
    const keys = part.map(({ name, type }) => buildRrsetKey(name, type))
    found.push(
      ...listChangedRrsets(
        part,
        keys.flatMap((key) => wants.get(key) ?? []),
        zone.mode,
      ),
    )
    for (const key of keys) wants.delete(key)
    await pause()
  }
  for (const part of splitBatches([...wants.values()], COMPARED_AT_ONCE)) {
    found.push(...listChangedRrsets([], part, zone.mode))
    await pause()
  }
  return found
}

/**
 * Computes the changed names, until none is left, or the filter leads to nothing. The settings are read after the changes, so that they are at least as new.
 * @returns the run with the settings that were used last
 */
export const compute = async (first: Run, now: () => Date): Promise<Run> => {
  let run = first
  const { ctx, zone } = first
  for (;;) {
    if (await rrsets.hasWhole(ctx, zone.id)) {
      await waitForOthers(run)
      const done = (await rrsets.findChanges(ctx, zone.id)).map(({ id }) => id)
      run = await reopen(run)
      if ((await findDanglingFilter(ctx, run.zone)) !== undefined) return run
      await saveAll(run, await computeWholeDifference(run), { done, isWhole: true, now: now() })
      continue
    }
    const noted = await rrsets.findChanges(ctx, zone.id, NAMES_AT_ONCE)
    if (noted.length === 0) return run
    run = await reopen(run)
    // A whole computation is due now, which takes all changes with it.
    if (noted.some(({ name }) => name === rrsets.WHOLE)) continue
    const names = [...new Set(noted.map(({ name }) => name))]
    const wanted = await computeNames(ctx, { zone: run.zone, index: run.index, names })
    const found = listChangedRrsets(await rrsets.findByNames(ctx, zone.id, names), wanted, run.zone.mode)
    const done = noted.map(({ id }) => id)
    await saveAll(run, found, { done, isWhole: false, now: now() })
  }
}
