/** How devices are found: by words anywhere in their text, by the address itself, by the block their address is in. */
import { sql } from 'kysely'
import { parseCidr } from '../../net/cidr.ts'
import { ipKey, parseIp } from '../../net/ip.ts'
import { escapeLike } from '../../platform/db/database.ts'
import { invalidField } from '../../platform/errors.ts'
import type { Ctx } from '../ctx.ts'

/**
 * A CIDR finds the devices with an address inside it. Anything else is words that must all occur, in any case; what equals
 * a name, host name or address comes first, then what begins with it, then the rest, each by name.
 * @throws AppError VALIDATION_ERROR for nothing but blanks.
 */
export const searchQuery = (ctx: Ctx, q: string) => {
  const text = q.trim().toLowerCase()
  if (text === '') throw invalidField('q', 'must not be blank')
  const query = ctx.db.selectFrom('devices').select('doc')

  const cidr = parseCidr(text)
  if (cidr) {
    const { family, first, last } = cidr
    return query
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('addresses')
          .select('device_id')
          .where('ip_key', '>=', ipKey({ family, value: first }))
          .where('ip_key', '<=', ipKey({ family, value: last })),
      )
      .orderBy('name_key')
      .orderBy('id')
  }

  const ip = parseIp(text)
  const words = ctx.store.sql.matchesWords('devices', [...new Set(text.split(/\s+/))])
  const matching = query.where((eb) => {
    if (!ip) return words
    // An address may be written in other ways than the one that is stored.
    const having = eb.selectFrom('addresses').select('device_id').where('ip_key', '=', ipKey(ip))
    return eb.or([words, eb('id', 'in', having)])
  })
  const prefix = `${escapeLike(text)}%`
  return matching
    .orderBy(({ selectFrom }) => {
      const exactly = selectFrom('addresses')
        .select('device_id')
        .where('ip_key', '=', ip ? ipKey(ip) : '')
      const beginning = selectFrom('addresses')
        .select('device_id')
        .where('ip', '>=', text)
        .where('ip', '<', `${text}\uffff`)
      return sql`CASE
        WHEN name_key = ${text} OR hostname_key = ${text} OR id IN (${exactly}) THEN 0
        WHEN name_key LIKE ${prefix} ESCAPE '\\' OR hostname_key LIKE ${prefix} ESCAPE '\\' OR id IN (${beginning}) THEN 1
        ELSE 2 END`
    })
    .orderBy('name_key')
    .orderBy('id')
}
