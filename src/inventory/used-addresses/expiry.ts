/** The revision of data that depends on reservations, which expire without a write. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** The latest expiry of the stored expired reservations; `''` without any. Changes with time alone. */
export const findLastExpiry = async (ctx: Ctx): Promise<string> =>
  (await lastExpiryBefore(ctx, { now: ctx.now }))[0]?.at ?? ''

const lastExpiryBefore = prepared((db: Kysely<Tables>, { now }: { now: string }) =>
  db
    .selectFrom('reservations')
    .select(({ fn }) => fn.max('expires_at').as('at'))
    .where('expires_at', '<=', now),
)

/** Returns the revision of data that depends on reservations: an expiry changes it without a write. */
export const getExpiringRevision = async (ctx: Ctx, tables: Parameters<Ctx['store']['revision']>[0]): Promise<string> =>
  `${await ctx.store.revision(tables)} ${await findLastExpiry(ctx)}`
