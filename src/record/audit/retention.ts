/** Deletes entries past their retention. The rest can still be verified: a chain records where it was cut. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Signer } from './chain.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The number of entries of one transaction, which holds the writer for a few milliseconds. */
const BATCH = 500

export type Retention = { readonly days: number; readonly signer: Signer }

/** Cuts a chain in one transaction. @returns the number of deleted entries */
const trimChain = async (
  ctx: Ctx,
  chain: number,
  { cutoff, signer }: { cutoff: string; signer: Signer },
): Promise<number> => {
  const before = await store.lock(ctx, chain)
  if (!before) return 0
  const entries = await store.findOldest(ctx, chain, BATCH)
  const young = entries.findIndex(({ timestamp }) => timestamp >= cutoff)
  const old = young === -1 ? entries : entries.slice(0, young)
  const last = old.at(-1)
  if (!last) return 0
  await store.removeUntil(ctx, chain, last.seq)
  const start = { start_seq: last.seq, start_hash: last.hash }
  const isEmpty = young === -1 && entries.length < BATCH
  const after = { ...before, ...start, ...(isEmpty && { end_seq: last.seq, end_hash: last.hash }) }
  // An invalid signature stays until the chain is empty, so that the alteration remains visible.
  const signature = isEmpty || signer.isCurrent(before) ? signer.sign(after) : before.signature
  await store.replaceChain(ctx, { ...after, signature })
  return old.length
}

export const removeOld = async (ctx: Ctx, { days, signer }: Retention): Promise<void> => {
  const cutoff = new Date(Date.parse(ctx.now) - days * DAY_MS).toISOString()
  let removed = 0
  for (const { chain } of await store.findChains(ctx)) {
    let count: number
    do {
      count = await ctx.write((tx) => trimChain(tx, chain, { cutoff, signer }))
      removed += count
    } while (count === BATCH && !ctx.signal.aborted)
  }
  if (removed > 0) ctx.log.info('old audit entries deleted', { removed, older_than_days: days })
}
