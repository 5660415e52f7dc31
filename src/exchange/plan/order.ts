/** Orders the rows of a list: a row is planned after the rows that it needs. */
import { isRecord, toText } from '../../contract/unknown.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Scope } from '../apply/named-objects.ts'
import { type Given, hasParents, withParentsFirst } from '../apply/parents-first.ts'

/** A condition of a definition may name the definition of another row. */
const withConditionsLast = (given: readonly Given[]): readonly (readonly Given[])[] => {
  const hasCondition = ([, raw]: Given): boolean => isRecord(raw) && Boolean(raw.only_for)
  return [given.filter((row) => !hasCondition(row)), given.filter(hasCondition)]
}

/** Divides the rows of objects by their kinds, because names repeat in different kinds. Rows without a known kind are last. */
const groupByKind = async (given: readonly Given[], { getObjects }: Scope): Promise<readonly (readonly Given[])[]> => {
  const kinds = getObjects('kinds')
  const findId = async (raw: unknown): Promise<string> => {
    if (!isRecord(raw)) return ''
    const kind = raw.kind ?? raw.kind_id
    const { id, name } = isRecord(kind) ? kind : { id: undefined, name: undefined }
    const text = (toText(kind) || toText(id) || toText(name)).trim()
    if (text === '') return ''
    return (await kinds.find({ text }))[0]?.id ?? ''
  }
  const groups = new Map<string, Given[]>()
  for (const row of given) {
    const kind = await findId(row[1])
    const group = groups.get(kind)
    if (group) group.push(row)
    else groups.set(kind, [row])
  }
  const unknown = groups.get('') ?? []
  groups.delete('')
  return [...groups.values(), unknown]
}

/** Yields the rows of a list in steps: a row may name rows of earlier steps. */
export async function* orderRows(
  resource: Resource,
  given: readonly Given[],
  scope: Scope,
): AsyncGenerator<readonly Given[]> {
  if (resource === 'custom-fields') yield* withConditionsLast(given)
  else if (!hasParents(resource)) yield given
  else if (resource === 'objects') for (const group of await groupByKind(given, scope)) yield* withParentsFirst(group)
  else yield* withParentsFirst(given)
}
