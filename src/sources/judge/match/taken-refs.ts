/** Finds the refs of rows that other objects have: an object gets no ref of another one. */
import { findIdsByRefs } from '../../../exchange/apply/objects.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { formatKey } from '../object-reads.ts'
import { listRefs, type OpenRow } from '../row.ts'

/**
 * Returns the sources of such refs, by `formatKey` of the row.
 * @param ids the objects of the rows by the same key; rows without one are matched by their refs
 */
export const findTakenRefs = async (
  ctx: Ctx,
  rows: readonly OpenRow[],
  ids: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const taken = new Map<string, readonly string[]>()
  const known = rows.filter(({ stored }) => ids.has(formatKey(stored)))
  for (const [resource, some] of Map.groupBy(known, ({ stored }) => stored.resource)) {
    const owners = await findIdsByRefs(
      ctx,
      resource,
      some.flatMap(({ fields }) => listRefs(fields)),
    )
    for (const { stored, fields } of some) {
      const key = formatKey(stored)
      const others = listRefs(fields).filter(([source, ref]) => {
        const owner = owners.get(`${source} ${ref}`)
        return owner !== undefined && owner !== ids.get(key)
      })
      if (others.length > 0)
        taken.set(
          key,
          others.map(([source]) => source),
        )
    }
  }
  return taken
}
