/** Gives a row that takes the object of a missing row the values that were last applied of that row. */
import type { Resource } from '../../../inventory/resources.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { findByKeys, formatKey, type Link } from '../object-reads.ts'
import type { OpenRow } from '../row.ts'
import type { Match } from './devices.ts'

const formatLink = (sourceId: string, key: string): string => `${sourceId} ${key}`

/** Returns the applied values of rows, as JSON by the link. */
const findBases = async (ctx: Ctx, links: readonly Link[]): Promise<ReadonlyMap<string, string>> => {
  const bases = new Map<string, string>()
  for (const [sourceId, some] of Map.groupBy(links, ({ source_id }) => source_id)) {
    // The column has names of resources only.
    const keys = some.map(({ resource, key }) => ({ resource: resource as Resource, key }))
    for (const [key, { base, row }] of await findByKeys(ctx, sourceId, keys))
      if (base !== null) bases.set(formatLink(sourceId, key), base === '' ? row : base)
  }
  return bases
}

/** Returns the rows with the bases of the rows of which they take the objects: a link moves with its base. */
export const inheritBases = async <R extends OpenRow>(
  ctx: Ctx,
  rows: readonly R[],
  matches: ReadonlyMap<string, Match>,
): Promise<readonly R[]> => {
  const listForgotten = ({ stored }: OpenRow): readonly Link[] => {
    const match = matches.get(formatKey(stored))
    return match?.is === 'found' ? match.forgets : []
  }
  const links = rows.flatMap(listForgotten)
  if (links.length === 0) return rows
  const bases = await findBases(ctx, links)
  return rows.map((row) => {
    const [base] = listForgotten(row).flatMap((link) => bases.get(formatLink(link.source_id, formatKey(link))) ?? [])
    return base === undefined ? row : { ...row, stored: { ...row.stored, base } }
  })
}
