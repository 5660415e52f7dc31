/** The rules of datacenters. */

import { type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { resourceRules } from '../../resource/rules.ts'
import { objectStore } from '../../resource/store.ts'
import { type Datacenter, datacenters } from './api.ts'
import { datacenterFacts } from './resource.ts'

const store = objectStore<typeof datacenterFacts, Datacenter>(datacenterFacts)
const rules = resourceRules<typeof datacenterFacts, Datacenter>(store)

/** Returns the existing ids. Other features check their references with it. */
export const filterExistingDatacenters = store.filterExisting

export const feature: Feature = {
  operations: implement(datacenters, {
    ...rules.handlers,
    devices: async (ctx, { id, ...page }) => {
      await rules.getOrThrow(ctx, id)
      const revision = await ctx.store.revision(['devices'])
      const query = ctx.db
        .selectFrom('devices')
        .select('doc')
        .where('datacenter_id', '=', id)
        .orderBy('name_order')
        .orderBy('id')
      return listRows(ctx, { revision, query, page, row: ({ doc }) => doc })
    },
  }),
  reactions: rules.reactions,
}
