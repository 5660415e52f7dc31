/** Builds the primary keys of rows that are unique in a network. */
import { type Expression, sql } from 'kysely'
import type { IpKey } from '../../net/ip.ts'

/** Ids hold no blanks. */
export const buildNetworkKey = (networkId: string, key: string): string => `${networkId} ${key}`

/** Builds an expression for `buildNetworkKey` of a key that SQL makes. */
export const buildMovedNetworkKey = (networkId: string, key: Expression<IpKey>) =>
  sql<string>`${buildNetworkKey(networkId, '')} || ${key}`
