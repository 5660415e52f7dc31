/** Adds the kinds and custom fields of packs as rows, so that a person sees them before they are made. */
import { toText } from '../../contract/unknown.ts'
import type { EstateDocument, EstateRow } from '../../convert/converter.ts'
import { type PackFile, RELEASED } from '../../exchange/packs/released.ts'
import { isKindResource } from '../../resource/custom/fields.ts'

/** Returns the newest version of a pack. */
const findPack = (name: string): PackFile | undefined => RELEASED.findLast((pack) => pack.name === name)

const readField = ({ resource, name }: EstateRow): string => `${toText(resource)}.${toText(name)}`.toLowerCase()

/** Adds the rows that the document does not have. */
const addRows = (
  own: readonly EstateRow[],
  more: readonly EstateRow[],
  read: (row: EstateRow) => string,
): EstateRow[] => {
  const taken = new Set(own.map(read))
  return [...own, ...more.filter((row) => !taken.has(read(row)) && taken.add(read(row)))]
}

/** Returns the document with the rows of its packs. A field that names a kind of another pack is left out, as at its installation. */
export const addPackRows = (documents: EstateDocument, names: readonly string[]): EstateDocument => {
  const packs = names.flatMap((name) => findPack(name) ?? [])
  if (packs.length === 0) return documents
  const kinds = addRows(
    documents.kinds ?? [],
    packs.flatMap((pack) => pack.kinds),
    ({ id, name }) => toText(id ?? name).toLowerCase(),
  )
  const ids = new Set(kinds.map(({ id }) => id))
  const canMake = ({ resource, reference_to }: EstateRow) =>
    [resource, reference_to].every(
      (name) => typeof name !== 'string' || name === '' || !isKindResource(name) || ids.has(name),
    )
  const fields = addRows(
    documents['custom-fields'] ?? [],
    packs.flatMap((pack) => pack['custom-fields']).filter(canMake),
    readField,
  )
  return {
    ...documents,
    ...(kinds.length > 0 && { kinds }),
    ...(fields.length > 0 && { 'custom-fields': fields }),
  }
}
