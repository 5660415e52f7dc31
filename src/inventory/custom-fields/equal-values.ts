/** Finds values of unique fields that were stored before texts were trimmed, and that are equal to another one without their blanks. */
import { sql } from 'kysely'
import type { Warning } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { readCustom } from '../../resource/custom/objects.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as store from '../../resource/custom/store.ts'
import { getOwnValue } from '../../resource/custom/unique.ts'
import { selectFromTable, toCustomTable } from '../../resource/named-tables.ts'

const MAX_WARNINGS = 100
/** The number of values with blanks around them that are compared, of all fields. */
const MAX_BLANKED = 5000
/** The characters that `String.trim` removes. */
const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

type Keyed = { readonly value: string; readonly object_id: string }

/** Reads the keys with blanks around them. */
const findBlanked = async ({ db }: Ctx, { number }: StoredField): Promise<Keyed[]> =>
  db
    .selectFrom('custom_values')
    .select(['value', 'object_id'])
    .where('field', '=', number)
    .where(sql<boolean>`ltrim(rtrim(value, ${BLANKS}), ${BLANKS}) <> value`)
    .orderBy('value')
    .orderBy('object_id')
    .limit(MAX_BLANKED)
    .execute()

/** Returns the names of objects by their ids. */
const findNames = async (
  { db }: Ctx,
  resource: CustomResource,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  if (ids.length === 0 || resource === 'addresses') return new Map()
  const name = resource === 'cables' ? 'label' : 'name'
  const rows = selectFromTable(db, toCustomTable(resource)).select(['id', sql.ref<string>(name).as('name')])
  const found = await rows.where('id', 'in', ids).execute()
  return new Map(found.map((row) => [row.id, row.name]))
}

/** Returns the pairs of objects with values that are equal without the blanks around them. */
const findEqual = async (ctx: Ctx, field: StoredField): Promise<[id: string, other: string][]> => {
  const blanked = await findBlanked(ctx, field)
  const plain = [...new Set(blanked.map(({ value }) => value.trim()))]
  const others = await store.findRowsWithKeys(ctx, field.number, plain)
  const byText = Map.groupBy([...others, ...blanked], ({ value }) => value.trim())
  return blanked.flatMap(({ value, object_id }): [string, string][] => {
    const other = byText.get(value.trim())?.find((one) => one.object_id !== object_id)
    return other ? [[object_id, other.object_id]] : []
  })
}

const findFieldWarnings = async (ctx: Ctx, field: StoredField): Promise<Warning[]> => {
  const { resource, name } = field
  const pairs = (await findEqual(ctx, field)).slice(0, MAX_WARNINGS)
  const ids = [...new Set(pairs.flat())]
  const [names, values] = [await findNames(ctx, resource, ids), await readCustom(ctx, resource, ids)]
  const getText = (id: string): string => String(getOwnValue(values.get(id) ?? {}, name) ?? '')
  return pairs.flatMap(([id, other]) => {
    const [text, same] = [getText(id), getText(other)]
    // A long key is the beginning of its value.
    if (text.trim().toLowerCase() !== same.trim().toLowerCase()) return []
    const what = `${JSON.stringify(text)} in custom.${name} is the value of ${JSON.stringify(names.get(other) ?? other)} as well`
    const message = `${what}, because blanks at the ends of a text no longer count. The field is unique: change one of them`
    return [{ kind: 'custom_values_equal', resource, id, name: names.get(id) ?? id, message }]
  })
}

/** Returns a warning for each value of a unique field that another object has without blanks. */
export const findEqualValues = async (ctx: Ctx): Promise<Warning[]> => {
  const warnings: Warning[] = []
  for (const field of await store.findAll(ctx))
    if (field.unique && field.type === 'text' && warnings.length < MAX_WARNINGS)
      warnings.push(...(await findFieldWarnings(ctx, field)))
  return warnings.slice(0, MAX_WARNINGS)
}
