/** Scanners of a test app without their wire: enrolled by the functions that its requests call. */
import { createLogger } from '../src/base/runtime/log.ts'
import { VERSION } from '../src/base/runtime/version.ts'
import { hashSecret } from '../src/base/security/secret-token.ts'
import { findByEnrolment, redeem, type SaidFacts } from '../src/inventory/scanners/state-store.ts'
import { NO_AUDIT } from '../src/kernel/changes/audit.ts'
import { NO_HISTORY } from '../src/kernel/changes/history.ts'
import type { Ctx } from '../src/kernel/ctx.ts'
import { createKernel } from '../src/kernel/kernel.ts'
import { announcing, eventRecorder } from '../src/record/events/record.ts'
import type { TestApp } from './app/app.ts'

/** What an enrolling scanner says of itself. */
export const FACTS: SaidFacts = {
  ...{ protocol: 1, version: VERSION, hostname: 'branch', slots: 2, ip_address: '192.0.2.7' },
  capabilities: { icmp: true, arp: true, neighbours: true, listen: false },
  links: ['10.9.0.0/24'],
}

export type Transactions = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>

/** Returns the function that runs work in a transaction, as a request of a scanner does. Its events are recorded. */
export const createTransactions =
  ({ db }: Pick<TestApp, 'db'>, now: () => Date): Transactions =>
  (work) => {
    const kernel = createKernel({
      ...{ db, features: [{ operations: [], reactions: announcing }], now, onCommit: () => {} },
      ...{ audit: NO_AUDIT, history: NO_HISTORY, events: eventRecorder },
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    })
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>()
    const run = async (ctx: Ctx) => resolve(await ctx.write(work))
    kernel.runJob({ name: 'test', summary: '', everyMs: 1000, run }).catch(reject)
    return promise
  }

/** Redeems an enrolment token. Returns the hash of the token of the scanner; undefined for a token that is refused. */
export const redeemToken = (
  write: Transactions,
  token: string,
  facts: SaidFacts = FACTS,
): Promise<string | undefined> => {
  const enrolment_hash = hashSecret(token)
  const token_hash = hashSecret(`plat_sc_${crypto.randomUUID()}`)
  return write(async (ctx) => {
    const found = await findByEnrolment(ctx, enrolment_hash)
    if (!found || found.expires_at <= ctx.now) return undefined
    const redeemed = { enrolment_hash, token_hash, public_key: 'key', facts, ip_address: '192.0.2.7' }
    return (await redeem(ctx, found.id, redeemed)) ? token_hash : undefined
  })
}

/** Creates a scanner and enrols it. */
export const enrolScanner = async (
  { admin, write }: { readonly admin: Awaited<ReturnType<TestApp['as']>>; readonly write: Transactions },
  draft: { readonly name: string; readonly tags?: string[] },
  facts?: SaidFacts,
): Promise<{ readonly id: string; readonly tokenHash: string }> => {
  const { id, enrolment_token } = await admin.api.scanners.create(draft)
  const tokenHash = await redeemToken(write, enrolment_token, facts)
  if (tokenHash === undefined) throw new Error('a new token is redeemed')
  return { id, tokenHash }
}
