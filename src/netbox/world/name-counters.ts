/** The numbers of objects with a name that no nested form shows. */
import { sql } from 'kysely'
import { buildNameKey } from '../numbers/keys.ts'
import { type Counter, countBy, countByCustom, isOneOf, type Row } from './counters.ts'
import { UNKNOWN } from './keys.ts'
import { MACHINE_TAG } from './machines.ts'
import { TAGGED } from './names.ts'

/** The types of a manufacturer; `Unknown` has the texts of devices in place of a type. */
export const MANUFACTURER_TYPES: Counter = {
  name: 'manufacturer types',
  tables: ['device_types', 'devices'],
  count: async ({ db }) => {
    const typed = await db
      .selectFrom('device_types')
      .select(['manufacturer', sql<number | string>`count(*)`.as('n')])
      .groupBy('manufacturer')
      .execute()
    const texts = await db
      .selectFrom('devices')
      .select('make_model')
      .distinct()
      .where('device_type_id', 'is', null)
      .execute()
    const counts = new Map<string, number>()
    const add = (name: string, n: number) => counts.set(buildNameKey(name), (counts.get(buildNameKey(name)) ?? 0) + n)
    for (const { manufacturer, n } of typed) add(manufacturer, Number(n))
    add(UNKNOWN, new Set(texts.map(({ make_model }) => buildNameKey(make_model || UNKNOWN))).size)
    return counts
  },
}

const countTags = (table: 'device_tags' | 'pool_tags'): Counter =>
  countBy(
    `items of ${table}`,
    [table],
    (keys) =>
      sql<Row>`SELECT tag AS key, count(*) AS n FROM ${sql.table(table)} WHERE tag <> ${MACHINE_TAG} ${isOneOf('tag', keys)} GROUP BY tag`,
  )

/** Devices and pools, by the texts of tags. */
export const TAG_TEXTS: readonly Counter[] = [countTags('device_tags'), countTags('pool_tags')]

/** Objects with the custom field `tags`, by the keys of its values. */
export const TAG_VALUES: readonly Counter[] = TAGGED.map((resource) =>
  countByCustom({ name: `tagged ${resource}`, resource, field: 'tags' }),
)
