/** Writes the audit trail: converts an event of the kernel into an entry, and appends it to a chain. */
import type { Kysely } from 'kysely'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { toAppError } from '../../contract/errors.ts'
import type { Batch } from '../../database/at-commit.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { type AuditEvent, type AuditSink, NO_AUDIT } from '../../kernel/changes/audit.ts'
import { createSigner, type Entry, type SignedChain, type Signer } from './chain.ts'
import { cutToBytes, formatChanges } from './changes.ts'
import { withProposalId } from './proposal-ids.ts'
import { type Counted, createRefusals } from './refusals.ts'
import * as store from './store.ts'

export type TrailOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<Config, 'auditEnabled' | 'encryptionKey' | 'encryptionKeyPrevious'>
  readonly log: Logger
  readonly now: () => Date
}

/** The limit of texts that a caller chooses: a typed name, an id in a path, and a message that repeats them. */
const MAX_TEXT_BYTES = 1024
/** The limit of all texts together, for a request without valid credentials. */
const MAX_GUEST_BYTES = 256
/** The part of that limit for the message. */
const MAX_GUEST_ERROR_BYTES = 128

const TOO_MANY = 429

/** Removes characters that an engine does not store unchanged, so that the hash stays valid. */
const toStorableText = (text: string, bytes = MAX_TEXT_BYTES): string =>
  cutToBytes(text.toWellFormed().replaceAll('\0', '\ufffd'), bytes)

/** An entry before it gets its time and id. */
type Draft = Omit<Entry, 'id' | 'timestamp'>

const buildPlainDraft = (event: AuditEvent, error?: string): Draft => ({
  action: event.action,
  resource: event.resource,
  resource_id: toStorableText(event.resourceId),
  user_id: event.userId,
  username: toStorableText(event.username),
  key_id: event.keyId,
  ip_address: event.client,
  changes: event.isGuest ? '' : formatChanges(event.changes, event.schema),
  status: error === undefined ? 'success' : 'failure',
  error: error === undefined ? '' : toStorableText(error),
  request_id: event.requestId,
  oauth_client: toStorableText(event.oauthClient),
  tool: event.tool,
  key_owner_id: event.keyOwnerId,
  key_owner: toStorableText(event.keyOwner),
  change_id: event.changeId,
})

/** Cuts the texts of an unauthenticated request, so that all of them together are short. */
const limitGuestDraft = (draft: Draft): Draft => {
  let left = MAX_GUEST_BYTES
  const cut = (text: string, most: number): string => {
    const short = toStorableText(text, Math.min(most, left))
    left -= Buffer.byteLength(short)
    return short
  }
  const error = cut(draft.error, MAX_GUEST_ERROR_BYTES)
  const username = cut(draft.username, left)
  const resource_id = cut(draft.resource_id, left)
  return { ...draft, error, username, resource_id, oauth_client: cut(draft.oauth_client, left) }
}

const buildDraft = (event: AuditEvent, error?: string): Draft => {
  const draft = buildPlainDraft(event, error)
  return event.isGuest ? limitGuestDraft(draft) : draft
}

/** Returns one entry for counted refusals, with their common fields. */
const buildCountedDraft = ({ last, count }: Counted<Draft>): Draft => ({
  ...last,
  resource_id: '',
  username: '',
  request_id: '',
  oauth_client: '',
  error: `${count} more within a minute: ${last.error}`,
})

const buildEntry = (at: Date, draft: Draft): Entry => ({
  id: Bun.randomUUIDv7('hex', at.getTime()),
  timestamp: at.toISOString(),
  ...draft,
})

/** Signs chains without a signature of the current key: all with the first key, later only chains signed by an earlier key. */
const signAgain = async ({ db, log }: TrailOptions, signer: Signer): Promise<void> => {
  const isStale = (chain: SignedChain) => !signer.isCurrent(chain)
  if (!(await store.findChains({ db: db.read })).some(isStale)) return
  await db.write(async (tx) => {
    const scope = { db: tx.db, store: db }
    for (const { chain: number } of (await store.findChains(tx)).filter(isStale)) {
      const chain = await store.lock(scope, number)
      if (!chain || signer.isCurrent(chain)) continue
      const verdict = signer.verify(chain)
      if (verdict === 'signed' || verdict === 'unsigned')
        await store.replaceChain(scope, { ...chain, signature: signer.sign(chain) })
      // Also logged when an attacker has removed the signatures.
      if (verdict === 'unsigned' && chain.end_seq > 0)
        log.warn('the audit trail was not signed until now', { chain: number, entries_until: chain.end_seq })
      if (verdict === 'forged' || verdict === 'unknown-key')
        log.error('the audit trail was altered: `plat audit verify` says more', { chain: number, signature: verdict })
    }
  })
}

/** Creates a trail that this signer signs. */
export const createSignedTrail = ({ db, log, now }: TrailOptions, signer: Signer): Trail => {
  /** Chains with an invalid signature. They are left unchanged, so that the alteration stays visible. */
  const broken = new Set<number>()
  const writer = store.createWriter(db)

  type Taken = { readonly chain: SignedChain; readonly isSound: boolean }

  const takeChain = async (tx: Kysely<Tables>): Promise<Taken> => {
    for (;;) {
      const chain = await writer.lockFree(tx, broken)
      if (!chain) break
      if (signer.isCurrent(chain)) return { chain, isSound: true }
      broken.add(chain.chain)
      log.error('the audit trail was altered: `plat audit verify` says more', { chain: chain.chain })
    }
    // All chains are locked or broken: waits for any sound one.
    const sound = (await store.findChains({ db: tx })).filter(({ chain }) => !broken.has(chain))
    const any = sound[Math.floor(Math.random() * sound.length)]
    const chain = await store.lock({ db: tx, store: db }, any?.chain ?? 0)
    if (!chain) throw new Error('the audit trail has no chains')
    return { chain, isSound: signer.isCurrent(chain) }
  }

  /** Returns the chain after the append, if its signature was valid. */
  const appendToAny = async (tx: Kysely<Tables>, entries: readonly Entry[]): Promise<SignedChain | undefined> => {
    const { chain, isSound } = await takeChain(tx)
    // Keeps an invalid signature: a new one would hide the alteration.
    const after = await writer.append(tx, { chain, entries, sign: isSound ? signer.sign : () => chain.signature })
    if (!after) throw new Error('an audit chain changed while it was locked')
    return isSound ? after : undefined
  }

  /** A valid chain of the last commit, if no other instance writes. Reading it for each commit would be slow. */
  let last: SignedChain | undefined

  /** Appends all entries of a commit to one chain. */
  const write: Batch<Tables, Draft> = async (tx, drafts) => {
    const at = now()
    const entries = drafts.map((draft) => buildEntry(at, draft))
    const known = last && (await writer.append(tx, { chain: last, entries, sign: signer.sign }))
    const sound = known ?? (await appendToAny(tx, entries))
    last = db.sql.kept(sound)
  }

  const record = async (draft: Draft, tx?: Tx<Tables>): Promise<void> => {
    if (tx) tx.atCommit(write, draft)
    else await db.write(async (own) => own.atCommit(write, draft))
  }

  const refusals = createRefusals<Draft>(() => now().getTime())

  const recordFailure = async (draft: Draft): Promise<void> => {
    try {
      await record(draft)
    } catch (failure) {
      log.error('an audit entry could not be written', { request_id: draft.request_id, error: failure })
    }
  }

  return {
    succeeded: async (event, tx) => record(buildDraft(await withProposalId(tx?.db ?? db.read, event)), tx),
    failed: async (event, error) => {
      const { status, message, code } = toAppError(error)
      // Requests over a rate limit must not fill the disk.
      if (status === TOO_MANY) return
      // Without the database the entry keeps the number, and the failure to write it is logged.
      const draft = buildDraft(await withProposalId(db.read, event).catch(() => event), message)
      if (event.isGuest && refusals.count({ client: event.client, route: event.route, code }, draft)) return
      await recordFailure(draft)
    },
    writeCounts: async (isEnd) => {
      for (const counted of refusals.due(isEnd)) await recordFailure(buildCountedDraft(counted))
    },
  }
}

export type Trail = AuditSink<Tx<Tables>> & {
  /** Writes the entries of counted refusals: the entries that are due, or all at the end of the process. */
  readonly writeCounts: (isEnd?: boolean) => Promise<void>
}

/** Opens the trail for the configuration. */
export const openTrail = async (options: TrailOptions): Promise<Trail> => {
  const signer = createSigner(options.config)
  await signAgain(options, signer)
  return options.config.auditEnabled ? createSignedTrail(options, signer) : { ...NO_AUDIT, writeCounts: async () => {} }
}
