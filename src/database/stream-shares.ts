/** Divides the connections for streams between users, so that one user never has all of them. */
import type { Db, SnapshotsDue } from './database.ts'

type Owner = { held: number; readonly waiting: (() => void)[] }

/** Returns a database that counts its streams for a user. */
export type StreamShares = <Tables>(store: Db<Tables>, userId: string) => Db<Tables>

/** While a stream waits, the streams of its user that are older are recalled, so often. */
const OLDEST_WANTED_MS = 1000
const RECALL_MS = 500

/**
 * @param most streams of one user at a time; a later one waits for its turn
 * @param recall called while a stream waits: the earlier ones of its user, which slow clients may read, must end soon
 */
export const createStreamShares = (most: number, recall: SnapshotsDue = () => {}): StreamShares => {
  const owners = new Map<string, Owner>()

  const enter = async (userId: string): Promise<void> => {
    const owner = owners.get(userId) ?? { held: 0, waiting: [] }
    owners.set(userId, owner)
    if (owner.held < most) {
      owner.held++
      return
    }
    const timer = setInterval(() => recall(performance.now() - OLDEST_WANTED_MS, userId), RECALL_MS)
    await new Promise<void>((enter) => owner.waiting.push(enter))
    clearInterval(timer)
  }
  const leave = (userId: string): void => {
    const owner = owners.get(userId)
    if (!owner) return
    const next = owner.waiting.shift()
    // The next one has the place of the one that leaves.
    if (next) next()
    else if (--owner.held === 0) owners.delete(userId)
  }

  return (store, userId) => ({
    ...store,
    stream: async function* (...queries) {
      await enter(userId)
      try {
        yield* store.stream(...queries)
      } finally {
        leave(userId)
      }
    },
  })
}
