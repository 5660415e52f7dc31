/** Counts the taken addresses of a block for callers who may list either devices or reservations, but not both. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import * as reservations from '../../inventory/reservations/reservations.ts'
import type { KeyRange } from '../../inventory/used-addresses/used-addresses.ts'
import type { StoreScope } from '../../kernel/ctx.ts'

/** The largest number of addresses to count, the same as in `countTakenIn`. */
const MAX_COUNTED = 65_536

const readCount = async (
  rows: Promise<readonly { readonly n: number | string | bigint }[]>,
): Promise<number | undefined> => {
  const count = Number((await rows)[0]?.n ?? 0)
  return count > MAX_COUNTED ? undefined : count
}

const addressCount = prepared((db: Kysely<Tables>, { first, last }: KeyRange) =>
  db
    .selectFrom(
      db
        .selectFrom('addresses')
        .select('ip_key')
        .distinct()
        .where('ip_key', '>=', first)
        .where('ip_key', '<=', last)
        .limit(MAX_COUNTED + 1)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll().as('n')),
)
/** Counts the addresses of a block that devices have; undefined if they are too many. */
export const countAddressesIn = (scope: StoreScope, range: KeyRange): Promise<number | undefined> =>
  readCount(addressCount(scope, range))

const reservationCount = prepared((db: Kysely<Tables>, { first, last, now }: KeyRange & { now: string }) =>
  db
    .selectFrom(
      db
        .selectFrom('reservations')
        .select('ip_key')
        .where('ip_key', '>=', first)
        .where('ip_key', '<=', last)
        .where(reservations.isLive(now))
        .limit(MAX_COUNTED + 1)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll().as('n')),
)
/** Like `countAddressesIn`, for active reservations. */
export const countReservationsIn = (
  scope: StoreScope,
  range: KeyRange & { now: string },
): Promise<number | undefined> => readCount(reservationCount(scope, range))
