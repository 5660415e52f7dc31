/** The guards of a run: an empty list where there was one, and too many objects that are gone. */
import type { DbScope } from '../../kernel/ctx.ts'
import { countTypes } from './object-reads.ts'

type Said = {
  readonly sourceId: string
  /** The types of all rows, before filters. */
  readonly said: ReadonlySet<string>
  /** The types of the kind that may be empty. */
  readonly maybeEmpty?: readonly string[] | undefined
}

/** Returns the message of a run in which no row of a type came, although some were there before; undefined without. */
export const findEmptyType = async (
  scope: DbScope,
  { sourceId, said, maybeEmpty = [] }: Said,
): Promise<string | undefined> => {
  const counts = await countTypes(scope, sourceId)
  const lost = counts.find(({ type }) => !said.has(type) && !maybeEmpty.includes(type))
  if (!lost) return undefined
  const n = lost.count === 1 ? '1 object' : `${lost.count} objects`
  return `no object of the type ${lost.type} came, and there were ${n} before; a run with force takes them as gone`
}

const DAY_MS = 86_400_000

/**
 * Returns the end of the last forced run, which has accepted the objects that were missing then; '' without one.
 * @param since the time after which it has ended
 */
export const findAcceptedAt = async ({ db }: DbScope, sourceId: string, since: string): Promise<string> => {
  // The index has the begins of runs, and no run takes a day.
  const earliest = new Date(Date.parse(since) - DAY_MS).toISOString()
  const run = await db
    .selectFrom('source_runs')
    .select('completed_at')
    .where('source_id', '=', sourceId)
    .where('created_at', '>=', earliest)
    .where('force', '=', 1)
    .where('status', '=', 'completed')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return run?.completed_at ?? ''
}

/** From this number of linked objects on, a share of missing ones holds a run. */
const MIN_HELD = 10

type Gone = { readonly resource: string; readonly linked: number; readonly missing: number }

/** Returns the message of a source with too many missing objects; undefined without. */
export const findHeld = (counts: readonly Gone[], maxGonePercent: number): string | undefined => {
  const held = counts.filter(
    ({ linked, missing }) => linked >= MIN_HELD && missing > 0 && missing * 100 > linked * maxGonePercent,
  )
  if (held.length === 0) return undefined
  const parts = held.map(({ resource, linked, missing }) => `${missing} of ${linked} ${resource}`)
  return `${parts.join(', ')} are gone, more than ${maxGonePercent} %: nothing is applied without force`
}
