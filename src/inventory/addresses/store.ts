/** The queries of free addresses. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { POOL_NETWORK } from '../pools/inner-networks.ts'

/** Returns the pools, and the facts of their networks that are visible. */
export const listPools = prepared(
  (db: Kysely<Tables>) =>
    db
      .selectFrom('pools')
      .leftJoin('networks', 'networks.id', 'pools.network_id')
      .select(['pools.id', 'pools.name', 'pools.name_key', 'pools.name_order', 'network_id', 'start_key', 'end_key'])
      .select(['subnet', 'space_id', 'datacenter_id']),
  'many',
)

export const listNetworks = prepared(
  (db: Kysely<Tables>) =>
    db
      .selectFrom('networks')
      .select(['id', 'name', 'name_key', 'name_order', 'id as network_id', 'first_key as start_key'])
      .select(['last_key as end_key', 'subnet', 'space_id', 'datacenter_id']),
  'many',
)

/** Returns the bounds of networks. */
export const findBounds = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('networks')
    .select(['id', ...POOL_NETWORK])
    .where('id', 'in', ids),
)
