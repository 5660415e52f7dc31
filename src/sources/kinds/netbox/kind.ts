/** NetBox: its whole inventory by its API, as `estate.pull` reads it. */
import { z } from 'zod'
import { RESOURCES } from '../../../inventory/resources.ts'
import type { SourceKind } from '../source-kind.ts'

export const netbox: SourceKind = {
  kind: 'netbox',
  title: 'NetBox',
  description:
    'The inventory of a NetBox, with the same refs as an import of it, so that both run side by side during a move',
  needs: 'a token that may read all objects',
  makesAll: true,
  hasGlobalIds: true,
  secrets: [{ name: 'token', description: 'The API token; one of version 2 begins with nbt_', required: true }],
  options: [],
  Options: z.strictObject({}),
  types: RESOURCES.map(({ noun }) => noun),
  whenGone: 'decommission',
  goneAfterHours: 24,
  fetch: async (means) => (await import('./fetch.ts')).fetchNetbox(means),
  test: async (means) => (await import('./fetch.ts')).testNetbox(means),
  convert: async (snapshot, means) => (await import('./convert.ts')).convertNetboxPages(snapshot, means),
}
