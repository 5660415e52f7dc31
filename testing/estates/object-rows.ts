/** Checks the objects of an estate document by the kinds of its packs and its own kinds. */
import type { EstateDocument, EstateRow } from '../../src/convert/converter.ts'
import { findPackField, findPackKind, fitsPackField } from '../../src/convert/objects/packs.ts'
import { isResource } from '../../src/inventory/resources.ts'

const FIELDS = new Set(['kind', 'name', 'parent', 'datacenter', 'description', 'custom', 'refs'])
const REQUIRED: Readonly<Record<string, string>> = { circuits: 'provider', 'rack-reservations': 'rack' }
const MAX_NAME = 255
const MAX_DESCRIPTION = 4096

/** Returns a definition with a built-in resource in place of each kind, which the schema of the server knows only at run time. */
export const toBuiltInField = (row: EstateRow): EstateRow => {
  const toBuiltIn = (name: unknown) => (name === 'addresses' || isResource(String(name)) ? name : 'devices')
  return {
    ...row,
    resource: toBuiltIn(row.resource),
    ...(row.reference_to !== undefined && { reference_to: toBuiltIn(row.reference_to) }),
  }
}

const listValueProblems = (at: string, { kind, custom }: EstateRow): string[] =>
  Object.entries((custom ?? {}) as EstateRow).flatMap(([name, value]) => {
    const isPacked = findPackField(String(kind), name) !== undefined
    return isPacked && !fitsPackField(String(kind), name, value) ? [`${at}.custom.${name}: does not fit its field`] : []
  })

export const listObjectProblems = (document: EstateDocument, packs: readonly string[]): string[] => {
  const own = new Set(document.kinds?.map(({ id }) => String(id)))
  const names = new Set<string>()
  const refs = new Set<string>()
  return (document.objects ?? []).flatMap((row, i) => {
    const at = `objects[${i}]`
    const kind = String(row.kind)
    const found = findPackKind(kind)
    const hasUniqueNames = found
      ? found.hasUniqueNames
      : document.kinds?.find(({ id }) => id === kind)?.unique_names !== false
    const problems = listValueProblems(at, row)
    if (found ? !packs.includes(found.pack) : !own.has(kind)) problems.push(`${at}: the kind ${kind} is not there`)
    for (const field of Object.keys(row)) if (!FIELDS.has(field)) problems.push(`${at}.${field}: is no field`)
    const name = String(row.name ?? '')
    if (name.trim() === '' || name.length > MAX_NAME) problems.push(`${at}.name: is none`)
    if (String(row.description ?? '').length > MAX_DESCRIPTION) problems.push(`${at}.description: is too long`)
    const key = `${kind} ${name.toLowerCase()}`
    if (hasUniqueNames && names.has(key)) problems.push(`${at}.name: ${name} stands twice`)
    names.add(key)
    const ref = JSON.stringify(row.refs)
    if (refs.has(ref)) problems.push(`${at}.refs: ${ref} stands twice`)
    refs.add(ref)
    const required = REQUIRED[kind]
    if (required !== undefined && (row.custom as EstateRow | undefined)?.[required] === undefined)
      problems.push(`${at}.custom.${required}: is required`)
    return problems
  })
}
