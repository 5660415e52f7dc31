/** Verifies the whole trail in batches, and finds the first altered entry. */

import type { StoreScope } from '../../kernel/ctx.ts'
import type { Verification } from './api.ts'
import { CHAINS, hashEntry, type Link, type SignedChain, type Signer, toSeq, toSignedChain } from './chain.ts'
import * as store from './store.ts'

/** A problem, and the last entry before it, by which problems of several chains are ordered. */
type Finding = { readonly id: string; readonly reason: string; readonly after: string }

type ChainCheck = {
  readonly chain: number
  /** Takes the entries in order. */
  readonly add: (link: Link, hash: string) => void
  /** Called after the last entry. */
  readonly end: () => Finding | undefined
}

const formatCount = (n: number): string => (n === 1 ? 'one entry was' : `${n} entries were`)

const checkChain = (chain: SignedChain, signer: Signer): ChainCheck => {
  let last = { seq: chain.start_seq, hash: chain.start_hash, id: '' }
  let finding: Finding | undefined
  const noteFinding = (id: string, reason: string): void => {
    finding ??= { id, reason, after: last.id }
  }

  const checkEnd = (): void => {
    const missing = chain.end_seq - last.seq
    if (missing > 0) noteFinding('', `at the end, behind ${last.id || 'what is kept'}, ${formatCount(missing)} removed`)
    else if (missing < 0) noteFinding(last.id, 'it was added by someone else')
    else if (last.hash !== chain.end_hash) noteFinding(last.id, 'it was altered, and given a new hash')
    const verdict = signer.verify(chain)
    if (signer.hasKey && verdict !== 'signed')
      noteFinding(last.id, `it is the newest here, but the signature that says so is not valid (${verdict})`)
  }

  return {
    chain: chain.chain,
    add: (link, hash) => {
      if (finding) return
      const missing = link.seq - last.seq - 1
      if (missing > 0) noteFinding(link.id, `before it ${formatCount(missing)} removed`)
      else if (missing < 0) noteFinding(link.id, 'it was added by someone else')
      else if (hashEntry(last.hash, link) !== hash)
        noteFinding(link.id, last.id ? `it was altered, or the one before it (${last.id})` : 'it was altered')
      last = { seq: link.seq, hash, id: link.id }
    },
    end: () => {
      if (!finding) checkEnd()
      return finding
    },
  }
}

const isEarlier = (a: Finding, b: Finding): boolean => (a.id || `${a.after}~`) < (b.id || `${b.after}~`)

/** Reads entries and chains in one query, so that both are of one snapshot while others write. */
export const verify = async (ctx: StoreScope, signer: Signer): Promise<Verification> => {
  const seen = new Set<number>()
  let checked = 0
  let first: Finding | undefined
  let check: ChainCheck | undefined
  const report = (finding: Finding | undefined): void => {
    if (finding && (!first || isEarlier(finding, first))) first = finding
  }
  for await (const rows of ctx.store.scan(store.selectChainsWithEntries(ctx)))
    for (const { id, place, hash, ...row } of rows) {
      const chain = toSignedChain(row)
      if (check?.chain !== chain.chain) {
        report(check?.end())
        check = checkChain(chain, signer)
        seen.add(chain.chain)
      }
      if (id === null) continue // a chain without entries
      checked++
      // All columns are null together, which the type of an outer join does not express.
      check.add({ ...row, id, chain: chain.chain, seq: toSeq(chain.chain, place ?? 0) } as Link, hash ?? '')
    }
  report(check?.end())

  for (let chain = 0; chain < CHAINS; chain++)
    if (!seen.has(chain)) report({ id: '', reason: `chain ${chain} was removed with all its entries`, after: '~' })
  const stray = await store.findStray(ctx)
  if (stray !== undefined) report({ id: stray, reason: 'it was added by someone else', after: '' })
  return {
    ok: !first,
    checked,
    signed: signer.hasKey,
    first_bad: first ? { id: first.id, reason: first.reason } : null,
  }
}
