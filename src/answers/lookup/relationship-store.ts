/** The relationships of devices that a lookup shows. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import * as relationships from '../../inventory/relationships/relationships.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { MAX_ROWS } from './store.ts'

const selectNamed = (db: Kysely<Tables>) =>
  db
    .selectFrom('relationships')
    .select(['parent_id', 'child_id', 'type', 'notes', 'managed_by', 'created_at'])
    .select(relationships.selectNames)
    .orderBy('parent_id')
    .orderBy('child_id')
    .orderBy('type')
    .limit(MAX_ROWS)
const asParent = preparedKeys((db: Kysely<Tables>, ids) => selectNamed(db).where('parent_id', 'in', ids))
const asChild = preparedKeys((db: Kysely<Tables>, ids) => selectNamed(db).where('child_id', 'in', ids))

export const findRelationships = async (scope: StoreScope, deviceIds: readonly string[]) => {
  const parents = await asParent(scope, deviceIds)
  const children = await asChild(scope, deviceIds)
  // A relationship between two of the devices is found from both ends.
  return [...parents, ...children.filter(({ parent_id }) => !deviceIds.includes(parent_id))]
}
