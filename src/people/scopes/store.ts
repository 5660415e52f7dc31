/** The queries of scopes; the only writer of their table. */

import type { DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore } from '../../resource/recorder.ts'
import type { Scope } from './api.ts'
import type { ScopeRow } from './table.ts'

export const query = ({ db }: DbScope) => db.selectFrom('scopes').selectAll().orderBy('name_order').orderBy('id')

// Written by `toRow`.
const listIn = (json: string): string[] => JSON.parse(json) as string[]

/** A scope has the field only with entries. */
export const withKinds = (kind_ids: readonly string[]): Pick<Scope, 'kind_ids'> =>
  kind_ids.length > 0 ? { kind_ids: [...kind_ids] } : {}

/** Returns the object of a row. */
export const toScope = ({
  name_key: _,
  name_order: _order,
  datacenter_ids,
  space_ids,
  subnets,
  tags,
  kind_ids,
  ...scope
}: ScopeRow): Scope => ({
  id: scope.id,
  name: scope.name,
  description: scope.description,
  datacenter_ids: listIn(datacenter_ids),
  space_ids: listIn(space_ids),
  subnets: listIn(subnets),
  tags: listIn(tags),
  ...withKinds(listIn(kind_ids)),
  created_at: scope.created_at,
  updated_at: scope.updated_at,
})

const toRow = (scope: Scope): ScopeRow => ({
  ...scope,
  ...buildNameKeys(scope.name),
  datacenter_ids: JSON.stringify(scope.datacenter_ids),
  space_ids: JSON.stringify(scope.space_ids),
  subnets: JSON.stringify(scope.subnets),
  tags: JSON.stringify(scope.tags),
  kind_ids: JSON.stringify(scope.kind_ids ?? []),
})

export const findAll = async ({ db }: DbScope): Promise<Scope[]> => (await query({ db }).execute()).map(toScope)

export const { find, findNamesake, lock, insert, update, remove } = createPlainStore({
  ...{ kind: 'scope', table: 'scopes' },
  ...{ query, fromRow: toScope, toRow },
})

/** Counts as a change of the table, and changes no scope. */
export const touch = async ({ db }: DbScope): Promise<void> => {
  await db.updateTable('scopes').set({ description: '' }).where('id', 'is', null).execute()
}

/** Returns the ids that belong to an object of the table. */
export const filterExistingIds = async (
  { db }: DbScope,
  table: 'datacenters' | 'spaces' | 'kinds',
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom(table).select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
