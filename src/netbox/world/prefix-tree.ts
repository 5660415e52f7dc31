/** The place of networks in the tree of networks that the caller sees. */
import { sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { listSubnetKeysAround } from '../../inventory/networks/membership.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Counter } from './counters.ts'

type Row = { readonly key: string; readonly n: number | string }

/** Counts the networks inside networks, at any depth, by their ids. */
export const CHILDREN: Counter = {
  name: 'networks inside',
  tables: ['networks'],
  isByKeys: true,
  count: async ({ db }, keys = []) => {
    const counts = new Map<string, number>()
    for (const batch of splitBatches(keys)) {
      const { rows } = await sql<Row>`SELECT own.id AS key, (SELECT count(*) FROM networks AS child
          WHERE child.first_key >= own.first_key AND child.first_key <= own.last_key AND child.prefix > own.prefix) AS n
        FROM networks AS own WHERE own.id IN (${sql.join(batch)})`.execute(db)
      for (const { key, n } of rows) counts.set(key, Number(n))
    }
    return counts
  },
}

const findExisting = async ({ db }: Ctx, subnetKeys: readonly string[]): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (const batch of splitBatches(subnetKeys)) {
    const rows = db.selectFrom('networks').select('subnet_key').distinct().where('subnet_key', 'in', batch)
    for (const { subnet_key } of await rows.execute()) found.add(subnet_key)
  }
  return found
}

/** Counts the subnets around networks that are networks, by the ids of the inner ones. */
export const DEPTH: Counter = {
  name: 'networks around',
  tables: ['networks'],
  isByKeys: true,
  count: async (ctx, keys = []) => {
    const around = new Map<string, readonly string[]>()
    for (const batch of splitBatches(keys)) {
      const rows = ctx.db.selectFrom('networks').select(['id', 'first_key', 'prefix']).where('id', 'in', batch)
      for (const { id, first_key, prefix } of await rows.execute()) {
        // The most specific comes first, with all bits; the last one has none.
        const subnets = listSubnetKeysAround(first_key)
        around.set(id, subnets.slice(subnets.length - prefix))
      }
    }
    const existing = await findExisting(ctx, [...new Set([...around.values()].flat())])
    return new Map([...around].map(([id, subnets]) => [id, subnets.filter((one) => existing.has(one)).length]))
  },
}
