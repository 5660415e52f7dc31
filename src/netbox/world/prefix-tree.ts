/** The place of networks in the tree of networks that the caller sees. */
import { sql } from 'kysely'
import { memoized } from '../../database/cache/revision-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { listSubnetKeysAround } from '../../inventory/networks/membership.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatCidr, toCidr } from '../../net/cidr.ts'
import { fromIpKey, getSpaceKey, type IpKey } from '../../net/ip.ts'
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

/** Up to so many networks, to look for networks of all lengths is faster than to find out which there are. */
const MAX_LOOKED_UP_IN_FULL = 50

/** Returns the lengths of prefixes that networks have, of all callers. */
const findLengths = async ({ unscoped }: Ctx): Promise<readonly number[]> => {
  const read = async () => {
    const rows = await unscoped.db.selectFrom('networks').select('prefix').distinct().execute()
    return rows.map(({ prefix }) => prefix)
  }
  const { db, store } = unscoped
  if (db !== store.read) return read()
  const revision = await store.revision(['networks'])
  return memoized(store.cache.at<Promise<readonly number[]>>('netbox lengths', revision))('', read)
}

type Bounds = { readonly first_key: IpKey; readonly prefix: number }

/** Returns the keys of the subnets around a network. @param lengths of networks; undefined for any */
const listSubnetsAround = ({ first_key, prefix }: Bounds, lengths: readonly number[] | undefined): string[] => {
  if (lengths) {
    const [ip, space] = [fromIpKey(first_key), getSpaceKey(first_key)]
    return lengths.filter((length) => length < prefix).map((length) => `${space}${formatCidr(toCidr(ip, length))}`)
  }
  // The most specific comes first, with all bits; the last one has none.
  const subnets = listSubnetKeysAround(first_key)
  return subnets.slice(subnets.length - prefix)
}

/** Counts the subnets around networks that are networks, by the ids of the inner ones. */
export const DEPTH: Counter = {
  name: 'networks around',
  tables: ['networks'],
  isByKeys: true,
  count: async (ctx, keys = []) => {
    const lengths = keys.length > MAX_LOOKED_UP_IN_FULL ? await findLengths(ctx) : undefined
    const around = new Map<string, readonly string[]>()
    for (const batch of splitBatches(keys)) {
      const rows = ctx.db.selectFrom('networks').select(['id', 'first_key', 'prefix']).where('id', 'in', batch)
      for (const { id, ...bounds } of await rows.execute()) around.set(id, listSubnetsAround(bounds, lengths))
    }
    const existing = await findExisting(ctx, [...new Set([...around.values()].flat())])
    return new Map([...around].map(([id, subnets]) => [id, subnets.filter((one) => existing.has(one)).length]))
  },
}
