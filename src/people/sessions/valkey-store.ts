/**
 * Sessions in a Valkey or Redis server, by token hash and by user. All keys have a time to live. The server is not trusted: each
 * session is signed with a key of the database, and one that was ended stays ended.
 */
import { z } from 'zod'
import type { Valkey } from '../../base/runtime/valkey.ts'
import { isSameHash } from '../../base/security/secret-token.ts'
import type { Db } from '../../database/database.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import { SIGN_IN_METHODS } from './api.ts'
import { findEnded, recordEnd, removeExpiredEnds } from './ended-session-store.ts'
import type { TextSigner } from './signed-text.ts'
import type { Session, SessionStore } from './store.ts'

const buildSessionKey = (id: string) => `plat:session:${id}`
const buildTokenKey = (hash: string) => `plat:session-token:${hash}`
const buildUserKey = (userId: string) => `plat:user-sessions:${userId}`

const Moment = z.iso.datetime().transform((text) => new Date(text))
/** The stored form of a session. */
const Stored = z.object({
  id: z.string(),
  tokenHash: z.string(),
  userId: z.string(),
  userGeneration: z.int(),
  createdAt: Moment,
  renewedAt: Moment,
  expiresAt: Moment,
  ipAddress: z.string(),
  userAgent: z.string(),
  // Sessions of versions before single sign-on and passkeys lack both.
  method: z.enum(SIGN_IN_METHODS).default('password'),
  providerId: z.string().nullable().default(null),
  endsAt: Moment.nullable().default(null),
})
type Stored = z.infer<typeof Stored>

/** Parses a session. A text that can't be parsed is no session: it may be of a later version. */
const parse = (text: string): Stored | undefined => {
  try {
    return Stored.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const toSession = ({ tokenHash: _, ...session }: Stored): Session => session

/** Computes a duration, not a time, because the server's clock may differ. */
const computeTtl = ({ renewedAt, expiresAt }: Pick<Session, 'renewedAt' | 'expiresAt'>): string =>
  String(Math.max(1, expiresAt.getTime() - renewedAt.getTime()))

/** Replaces an unchanged text: one of two requests renews, and neither revives a removed session. */
const RENEW = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1`

const filterTexts = (answer: unknown): string[] =>
  Array.isArray(answer) ? answer.filter((one): one is string => typeof one === 'string') : []

export type ValkeyStoreOptions = {
  readonly valkey: Valkey
  /** Has the ends of sessions. */
  readonly db: Db<Tables>
  readonly signer: TextSigner
  /** The longest time that a session lives without use, in ms. */
  readonly ttlMs: number
  readonly now: () => Date
}

export const createValkeyStore = ({ valkey, db, signer, ttlMs, now }: ValkeyStoreOptions): SessionStore => {
  const { send, close } = valkey

  /** Returns the session that this Plat has stored; undefined for any other text. */
  const read = async (text: unknown): Promise<Stored | undefined> => {
    const opened = typeof text === 'string' ? await signer.open(text) : undefined
    return opened === undefined ? undefined : parse(opened)
  }
  const write = (stored: object): Promise<string> => signer.sign(JSON.stringify(stored))

  /** The text of one session may have been copied to the key of another one. */
  const readAt = async (id: string, text: unknown): Promise<Stored | undefined> => {
    const stored = await read(text)
    return stored?.id === id ? stored : undefined
  }
  /** Returns the session, also if it was ended. */
  const getStored = async (id: string): Promise<Stored | undefined> =>
    readAt(id, await send('GET', buildSessionKey(id)))
  const isEnded = async (id: string): Promise<boolean> => (await findEnded(db, [id])).has(id)
  const get = async (id: string): Promise<Stored | undefined> => {
    const [stored, hasEnded] = await Promise.all([getStored(id), isEnded(id)])
    return hasEnded ? undefined : stored
  }
  const getAll = async (ids: readonly string[]): Promise<Stored[]> => {
    const found: Stored[] = []
    for (const some of splitBatches(ids)) {
      const [texts, ended] = await Promise.all([send('MGET', ...some.map(buildSessionKey)), findEnded(db, some)])
      const stored = await Promise.all(some.map((id, at) => readAt(id, Array.isArray(texts) ? texts[at] : undefined)))
      for (const one of stored) if (one && !ended.has(one.id)) found.push(one)
    }
    return found
  }

  return {
    isInDatabase: false,
    server: valkey,
    create: async (session, tokenHash) => {
      const ttl = computeTtl(session)
      await send('SET', buildSessionKey(session.id), await write({ ...session, tokenHash }), 'PX', ttl)
      await send('SADD', buildUserKey(session.userId), session.id)
      await send('PEXPIRE', buildUserKey(session.userId), ttl)
      // Written last: from now on the token is accepted.
      await send('SET', buildTokenKey(tokenHash), session.id, 'PX', ttl)
    },
    find: async (tokenHash) => {
      const id = await send('GET', buildTokenKey(tokenHash))
      const stored = typeof id === 'string' ? await get(id) : undefined
      return stored && isSameHash(stored.tokenHash, tokenHash) ? toSession(stored) : undefined
    },
    get: async (id) => {
      const stored = await get(id)
      return stored && toSession(stored)
    },
    getAll: async (ids) => (await getAll(ids)).map(toSession),
    list: async (userId) => {
      const ids = filterTexts(await send('SMEMBERS', buildUserKey(userId)))
      // Another user's session may have been written into the set.
      const found = (await getAll(ids)).filter((one) => one.userId === userId)
      const alive = new Set(found.map(({ id }) => id))
      const gone = ids.filter((id) => !alive.has(id))
      if (gone.length > 0) await send('SREM', buildUserKey(userId), ...gone)
      return found.map(toSession)
    },
    renew: async (found, { renewedAt, expiresAt }) => {
      const text = await send('GET', buildSessionKey(found.id))
      const stored = await readAt(found.id, text)
      if (typeof text !== 'string' || stored?.renewedAt.getTime() !== found.renewedAt.getTime()) return false
      const next = await write({ ...stored, renewedAt, expiresAt })
      const keys = [buildSessionKey(stored.id), buildTokenKey(stored.tokenHash), buildUserKey(stored.userId)]
      const isMoved = await send(
        'EVAL',
        RENEW,
        String(keys.length),
        ...keys,
        text,
        next,
        computeTtl({ renewedAt, expiresAt }),
      )
      return isMoved === 1
    },
    remove: async (id) => {
      const stored = await getStored(id)
      // Also of a session that is not there: it may have been taken away, to be put back later.
      const latestMs = Math.max(stored?.expiresAt.getTime() ?? 0, now().getTime() + ttlMs)
      await recordEnd(db, id, new Date(latestMs))
      if (!stored) return
      await send('DEL', buildTokenKey(stored.tokenHash), buildSessionKey(id))
      await send('SREM', buildUserKey(stored.userId), id)
    },
    purge: (at, writeEnds = (work) => db.write((tx) => work(tx.db))) => removeExpiredEnds(db, at, writeEnds),
    close,
  }
}
