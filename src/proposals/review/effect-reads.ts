/** Reads the effects of a proposal without their documents, with the places that count now. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findDocuments, parsePlaces } from '../effect-store.ts'
import type { StoredProposal } from '../store.ts'
import type { EffectRow } from '../table.ts'
import { findPlaces, NOWHERE, type Places } from './places.ts'

/** An effect without its documents. */
export type SeenEffect = Pick<EffectRow, 'kind' | 'id' | 'name' | 'change' | 'operation' | 'position'> & {
  readonly places: Places
}

/** Returns the revision of the scopes by which places are found. */
export const readScopesRevision = async (ctx: Ctx): Promise<string> => {
  const tables = ['scopes'] as const
  if (ctx.db === ctx.store.read) return ctx.store.revision(tables)
  return ctx.revision(tables) ?? (await ctx.store.sql.revisionIn(ctx.db, tables)) ?? ''
}

type Own = Pick<StoredProposal, 'seq' | 'id' | 'version' | 'scopes_revision'>

/** Places the stored documents again. */
const placeAgain = async (ctx: Ctx, row: Own, keys: readonly SeenEffect[]): Promise<readonly Places[]> => {
  const documents = await findDocuments(ctx, row.seq, keys)
  // All of them together: the objects that others belong to are among them.
  return findPlaces(
    ctx,
    keys.map(({ kind, id, change }) => {
      const states = documents.get(`${kind} ${id}`)
      return { kind, id, change, before: states?.before ?? undefined, after: states?.document ?? undefined }
    }),
  )
}

/** Returns the effects in the order in which they came about. */
export const findSeenEffects = async (ctx: Ctx, row: Own): Promise<readonly SeenEffect[]> => {
  const rows = await ctx.db
    .selectFrom('proposal_effects')
    .select(['kind', 'id', 'name', 'change', 'operation', 'position', 'places'])
    .where('proposal', '=', row.seq)
    .orderBy('position')
    .execute()
  const effects = rows.map((one): SeenEffect => ({ ...one, places: parsePlaces(one.places) }))
  const revision = await readScopesRevision(ctx)
  if (effects.length === 0 || row.scopes_revision === revision) return effects
  const cache = ctx.store.cache.at<readonly Places[]>('proposal places', revision)
  const key = `${row.id} ${row.version}`
  const known = cache.get(key)
  const places = known ?? (await placeAgain(ctx, row, effects))
  if (!known) cache.set(key, places, JSON.stringify(places).length)
  return effects.map((effect, i) => ({ ...effect, places: places[i] ?? NOWHERE }))
}

/** The number of effects of one kind and change in the same places; one for an effect. */
export type PlacedCount = Pick<EffectRow, 'kind' | 'change'> & { readonly places: Places; readonly n?: number }

/** Returns the effects of proposals by kind, change and places, by the `seq` of the proposal. Their places must count. */
export const groupEffects = async (
  ctx: Ctx,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, readonly PlacedCount[]>> => {
  const groups = new Map<number, PlacedCount[]>()
  for (const some of splitBatches(seqs)) {
    const rows = await ctx.db
      .selectFrom('proposal_effects')
      .select(({ fn }) => ['proposal', 'kind', 'change', 'places', fn.countAll<number | string>().as('n')])
      .where('proposal', 'in', some)
      .groupBy(['proposal', 'kind', 'change', 'places'])
      .execute()
    for (const { proposal, kind, change, places, n } of rows) {
      const own = groups.get(Number(proposal)) ?? []
      groups.set(Number(proposal), own)
      own.push({ kind, change, places: parsePlaces(places), n: Number(n) })
    }
  }
  return groups
}
