/** Writes the audit trail: turns what the kernel tells of a call into an entry, and adds it to a chain. */
import type { Kysely } from 'kysely'
import { type AuditEvent, type AuditSink, NO_AUDIT } from '../../platform/audit.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/database.ts'
import { toAppError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Tables } from '../tables.ts'
import { createSigner, type Entry, type SignedChain, type Signer } from './chain.ts'
import { changesOf, cutToBytes } from './changes.ts'
import * as store from './store.ts'

export type TrailOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<Config, 'auditEnabled' | 'encryptionKey' | 'encryptionKeyPrevious'>
  readonly log: Logger
  readonly now: () => Date
}

/** Of what a caller chose freely: a name as typed, an id in a path, and a message that repeats them. */
const MAX_TEXT_BYTES = 1024

const TOO_MANY = 429

/** Text that every engine keeps as it is, so that its hash holds. */
const kept = (text: string): string => cutToBytes(text.toWellFormed().replaceAll('\0', '\ufffd'), MAX_TEXT_BYTES)

const entryOf = (event: AuditEvent, at: Date, failure?: unknown): Entry => ({
  id: Bun.randomUUIDv7('hex', at.getTime()),
  timestamp: at.toISOString(),
  action: event.action,
  resource: event.resource,
  resource_id: kept(event.resourceId),
  user_id: event.userId,
  username: kept(event.username),
  key_id: event.keyId,
  ip_address: event.client,
  changes: changesOf(event.changes),
  status: failure === undefined ? 'success' : 'failure',
  error: failure === undefined ? '' : kept(toAppError(failure).message),
  request_id: event.requestId,
})

/**
 * Signs what is not signed with the current key yet: everything when there is a key for the first time, and what an
 * earlier key has signed.
 */
const signAnew = async ({ db, log }: TrailOptions, signer: Signer): Promise<void> => {
  const stale = (chain: SignedChain) => !signer.isCurrent(chain)
  if (!(await store.chains({ db: db.read })).some(stale)) return
  await db.write(async (tx) => {
    const scope = { db: tx.db, store: db }
    for (const { chain: number } of (await store.chains(tx)).filter(stale)) {
      const chain = await store.lock(scope, number)
      if (!chain || signer.isCurrent(chain)) continue
      const verdict = signer.judge(chain)
      if (verdict === 'signed' || verdict === 'unsigned')
        await store.replaceChain(scope, { ...chain, signature: signer.sign(chain) })
      // Whoever takes signatures away leaves this behind.
      if (verdict === 'unsigned' && chain.end_seq > 0)
        log.warn('the audit trail was not signed until now', { chain: number, entries_until: chain.end_seq })
      if (verdict === 'forged' || verdict === 'unknown-key')
        log.error('the audit trail was altered: `plat audit verify` says more', { chain: number, signature: verdict })
    }
  })
}

const trailOf = ({ db, log, now }: TrailOptions, signer: Signer): AuditSink<Kysely<Tables>> => {
  /** Chains that somebody else has put an end to. They are left as they are, so that it stays visible. */
  const broken = new Set<number>()
  const writer = store.createWriter(db)

  const takeChain = async (tx: Kysely<Tables>): Promise<SignedChain> => {
    for (;;) {
      const chain = await writer.lockFree(tx, broken)
      if (chain && signer.isCurrent(chain)) return chain
      if (!chain) break
      broken.add(chain.chain)
      log.error('the audit trail was altered: `plat audit verify` says more', { chain: chain.chain })
    }
    // All are taken, or broken: wait for any.
    const sound = (await store.chains({ db: tx })).filter(({ chain }) => !broken.has(chain))
    const any = sound[Math.floor(Math.random() * sound.length)]
    const chain = await store.lock({ db: tx, store: db }, any?.chain ?? 0)
    if (!chain) throw new Error('the audit trail has no chains')
    return chain
  }

  const record = async (tx: Kysely<Tables>, event: AuditEvent, failure?: unknown): Promise<void> => {
    const chain = await takeChain(tx)
    await writer.append(tx, {
      chain,
      entry: entryOf(event, now(), failure),
      // What was not sound does not become so by going on.
      sign: signer.isCurrent(chain) ? signer.sign : () => chain.signature,
    })
  }

  return {
    succeeded: async (event, tx) => {
      if (tx) await record(tx, event)
      else await db.write((own) => record(own.db, event))
    },
    failed: async (event, error) => {
      // Whoever is over a limit may not fill the disk with it.
      if (toAppError(error).status === TOO_MANY) return
      try {
        await db.write((own) => record(own.db, event, error))
      } catch (failure) {
        log.error('an audit entry could not be written', { request_id: event.requestId, error: failure })
      }
    },
  }
}

/** The trail that the configuration asks for. */
export const openTrail = async (options: TrailOptions): Promise<AuditSink<Kysely<Tables>>> => {
  const signer = createSigner(options.config)
  await signAnew(options, signer)
  return options.config.auditEnabled ? trailOf(options, signer) : NO_AUDIT
}
