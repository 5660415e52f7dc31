/** Creates the API key of `plat login`: one per machine and server, which the next login there replaces. */
import { hostname } from 'node:os'
import { AppError } from '../../../contract/errors.ts'
import { isRecord, toText } from '../../../contract/unknown.ts'
import type { Io } from '../io.ts'
import { readJson, sendRequest, type Transport } from './client.ts'
import { getSettingsPath } from './settings.ts'

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }

/** The prefix of the key names of this machine; undefined if the machine has no id. */
type Machine = { readonly prefix: string; readonly isKnown: boolean }

const TAG_CHARACTERS = 8

/** Derived from the host name, the machine id and the path of the stored key, so it differs per machine and user. */
const describeMachine = async ({ env, machineId }: Io): Promise<Machine> => {
  const host = hostname()
  const id = await machineId()
  if (id === undefined) return { prefix: `plat login on ${host}, `, isKnown: false }
  // machine-id(5): the id itself must not be disclosed.
  const hash = new Bun.CryptoHasher('sha256').update(`${id}\n${host}\n${getSettingsPath(env)}`).digest('hex')
  return { prefix: `plat login on ${host} (${hash.slice(0, TAG_CHARACTERS)}), `, isKnown: true }
}

type Key = { readonly id: string; readonly name: string; readonly createdAt: string }
type NewKey = { readonly key: string; readonly id: string | undefined; readonly createdAt: string }

/** A session of `plat login` and its user. */
export type LoginSession = { readonly inSession: Transport; readonly userId: string }

const fetchKeys = async ({ inSession, userId }: LoginSession): Promise<Key[]> => {
  const path = `/api/keys?user_id=${encodeURIComponent(userId)}`
  const rows = await readJson(inSession, await sendRequest(inSession, path, { method: 'GET', headers: JSON_HEADERS }))
  if (!Array.isArray(rows)) return []
  return rows
    .filter(isRecord)
    .filter((row) => row.user_id === userId)
    .map((row) => ({ id: toText(row.id), name: toText(row.name), createdAt: toText(row.created_at) }))
}

const create = async (inSession: Transport, name: string): Promise<NewKey> => {
  const init = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify({ name }) }
  const made = await readJson(inSession, await sendRequest(inSession, '/api/keys', init))
  if (!isRecord(made) || typeof made.key !== 'string')
    throw new AppError('UNAVAILABLE', `${inSession.baseUrl} answered without a key`)
  return {
    key: made.key,
    id: typeof made.id === 'string' ? made.id : undefined,
    createdAt: toText(made.created_at),
  }
}

const remove = async (inSession: Transport, id: string): Promise<void> => {
  await sendRequest(inSession, `/api/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

/** Returns the name of a new key of this machine. */
export const buildKeyName = async (io: Io): Promise<string> =>
  `${(await describeMachine(io)).prefix}${new Date().toISOString()}`

type Earlier = {
  /** Id of the key that is stored on this machine. */
  readonly storedId: string | undefined
  /** Id of the new key. */
  readonly ownId: string
}

/** Finds the earlier keys of this machine, to be deleted after the new one is stored. */
export const findEarlierKeys = async (
  io: Io,
  session: LoginSession,
  { storedId, ownId }: Earlier,
): Promise<{ readonly remove: () => Promise<void> }> => {
  const machine = await describeMachine(io)
  const keys = await fetchKeys(session)
  const own = keys.find(({ id }) => id === ownId)
  const isOver = ({ id, name, createdAt }: Key): boolean =>
    id !== ownId &&
    (id === storedId ||
      (machine.isKnown &&
        name.startsWith(machine.prefix) &&
        Date.parse(own?.createdAt ?? '') - Date.parse(createdAt) >= UNDER_WAY_MS))
  return {
    remove: async () => {
      // If this fails, the next login deletes them.
      for (const { id } of keys.filter(isOver)) await remove(session.inSession, id).catch(() => undefined)
    },
  }
}

/** Returns the key to delete before a new one: one of the same name, or at the limit the oldest that is not in use. */
const findBlockingKey = (error: AppError, earlier: readonly Key[], wanted: Wanted): Key | undefined => {
  if (error.code === 'ALREADY_EXISTS')
    return earlier.find(({ name }) => name.toLowerCase() === wanted.name.toLowerCase())
  if (error.code !== 'LIMIT_REACHED') return undefined
  const oldestFirst = [...earlier].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  return oldestFirst.find(({ id }) => id !== wanted.storedId) ?? oldestFirst[0]
}

type Wanted = {
  readonly name: string
  /** Id of the key that is stored on this machine. */
  readonly storedId: string | undefined
}

/** Another login on this machine may be about to store a key younger than this. */
const UNDER_WAY_MS = 60_000

export type MachineKey = {
  readonly key: string
  readonly id: string | undefined
  /** Deletes the earlier keys of this machine and returns their ids. Call it after the new key is stored. */
  readonly deleteEarlier: () => Promise<readonly string[]>
  /** Deletes the new key if it could not be stored. */
  readonly undo: () => Promise<void>
}

/**
 * Creates the key of this machine. The earlier key remains valid until `deleteEarlier`. If the server permits no
 * further key, the earlier one is deleted first, in the same session.
 * @param given a name for the key in place of the default, which has machine and time
 */
export const makeMachineKey = async (
  io: Io,
  session: LoginSession,
  { given, storedId }: { readonly given: string | undefined; readonly storedId: string | undefined },
): Promise<MachineKey> => {
  const { inSession } = session
  const machine = await describeMachine(io)
  const earlier = (await fetchKeys(session)).filter(
    ({ id, name }) => id === storedId || (machine.isKnown && name.startsWith(machine.prefix)),
  )
  const wanted = { name: given ?? `${machine.prefix}${new Date().toISOString()}`, storedId }
  const made = await create(inSession, wanted.name).catch(async (error: unknown) => {
    const victim = error instanceof AppError ? findBlockingKey(error, earlier, wanted) : undefined
    if (!victim) throw error
    await remove(inSession, victim.id)
    return create(inSession, wanted.name)
  })
  const isOver = ({ id, createdAt }: Key): boolean =>
    id === storedId || Date.parse(made.createdAt) - Date.parse(createdAt) >= UNDER_WAY_MS
  return {
    key: made.key,
    id: made.id,
    deleteEarlier: async () => {
      const over = earlier.filter(isOver)
      // If this fails, the next login deletes them.
      for (const { id } of over) await remove(inSession, id).catch(() => undefined)
      return over.map(({ id }) => id)
    },
    undo: async () => {
      if (made.id !== undefined) await remove(inSession, made.id).catch(() => undefined)
    },
  }
}
