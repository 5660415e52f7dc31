/** Slugs, colors and descriptions of names: rows have the name alone, and the NetBox API shows the others. */
import {
  type DocumentName,
  MAX_NAME,
  MAX_NAME_DESCRIPTION,
  NAME_COLOR,
  NAME_KINDS,
  NAME_SLUG,
  type NameKind,
} from '../../contract/fields/document-names.ts'
import { isStorable } from '../../contract/storable.ts'
import { isMadeOf } from './objects/tenancy.ts'
import type { NetboxObject } from './read/objects.ts'

/** The color of a name without one. */
const USUAL_COLOR = '9e9e9e'

/** The fields of NetBox that a name of a document has. */
const KEPT: ReadonlySet<string> = new Set(['slug', 'color', 'description', 'vm_role'])

type Read = { readonly name: DocumentName; readonly kept: ReadonlySet<string> }

const readName = (kind: NameKind, object: NetboxObject): Read | undefined => {
  const name = String(object.name ?? '').trim()
  const slug = String(object.slug ?? '')
  if (name === '' || name.length > MAX_NAME || !isStorable(name) || !NAME_SLUG.test(slug)) return undefined
  const color = String(object.color ?? USUAL_COLOR).toLowerCase()
  const description = String(object.description ?? '')
  const more = {
    ...(color !== USUAL_COLOR && NAME_COLOR.test(color) && { color }),
    ...(description !== '' && description.length <= MAX_NAME_DESCRIPTION && isStorable(description) && { description }),
    // Objects are read without fields that are false.
    ...(kind === 'dcim.devicerole' && object.vm_role !== true && { vm_role: false }),
  }
  const isUsual = (field: string): boolean =>
    (field === 'color' && color === USUAL_COLOR) || (field === 'vm_role' && object.vm_role === true)
  const kept = new Set([...KEPT].filter((field) => field === 'slug' || field in more || isUsual(field)))
  return { name: { kind, name, slug, ...more }, kept }
}

const isNameKind = (kind: string): kind is NameKind => NAME_KINDS.some((one) => one === kind)

/** The names of a file that say more than their name, up to a number of them. */
export class Names {
  readonly #list: DocumentName[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Adds a name that rows have. Returns its fields that are not left over. */
  add(kind: string, object: NetboxObject): ReadonlySet<string> {
    const read = isNameKind(kind) ? readName(kind, object) : undefined
    if (!read) return new Set()
    const { name, kept } = read
    const { kind: _, name: text, slug, ...more } = name
    if (isMadeOf(slug, text) && Object.keys(more).length === 0) return kept
    if (this.#list.length >= this.#most) return new Set()
    this.#list.push(name)
    return kept
  }

  get list(): readonly DocumentName[] {
    return this.#list
  }
}
