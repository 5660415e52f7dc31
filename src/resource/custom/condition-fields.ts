/** The fields that the condition of a custom field may name. Loads no schema, because the browser loads it. */
import { listFields, type ResourceFacts } from '../facts.ts'

/** Begins the name of a custom field in a condition. */
export const CUSTOM = 'custom.'

/** The types of fields that a condition may name. */
const NAMED_TYPES: ReadonlySet<string> = new Set(['name', 'text', 'choice', 'reference', 'tags'])
export const NAMED_CUSTOM_TYPES: readonly string[] = ['choice', 'boolean', 'reference']

/** The fields of the addresses of devices, whose schema has no facts. Reservations have some of them. */
const ADDRESS_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  ['type', 'label', 'interface', 'switch_port', 'dns_name', 'mac_address', 'network_id', 'pool_id', 'space_id'].map(
    (name) => [name, []],
  ),
)

/**
 * Returns the built-in fields that a condition may name, with the values of the fields that have only some.
 * @param facts of the resource; undefined for `addresses`
 */
export const listConditionFields = (facts: ResourceFacts | undefined): ReadonlyMap<string, readonly string[]> => {
  if (!facts) return ADDRESS_FIELDS
  const named = listFields(facts).filter(([, { type }]) => NAMED_TYPES.has(type))
  return new Map(named.map(([name, field]) => [name, field.type === 'choice' ? field.of : []]))
}
