/** Reads the answers of the REST API, where references are objects and choices have labels. */
import { isRecord } from '../../../contract/unknown.ts'
import { createFileError } from '../../converter.ts'
import type { JsonFile } from '../../json-file.ts'
import { ObjectLimit } from '../../object-limit.ts'
import { getRouteKind, isPluginObject, isRead } from './kinds.ts'
import {
  addObject,
  CUSTOM_FIELDS,
  convertFields,
  countIn,
  mapIn,
  type NetboxObject,
  type NetboxSource,
  NUMBERS,
  type Objects,
  parseNumber,
  toStorableValue,
} from './objects.ts'

/** `/api/dcim/sites/3/` in the URL of an object. */
const OBJECT_PATH = /\/api\/((?:plugins\/)?[a-z0-9_-]+\/[a-z0-9_-]+)\/\d+\/?$/

/** NetBox itself does not count so far, but another Plat begins above. */
const FIRST_OF_PLAT = 1_000_000_001
const STAND_INS = new Set(['Unassigned', 'Unknown', 'Unspecified'])

/** True for an object with which another Plat fills a field that NetBox demands. */
const isStandIn = (value: unknown): boolean =>
  isRecord(value) && Number(value.id) >= FIRST_OF_PLAT && STAND_INS.has(String(value.name ?? value.model))

/** True for a device type that is only the text of devices in another Plat. */
const isTextOfDevices = (kind: string, value: unknown): boolean =>
  kind === 'dcim.devicetype' && isRecord(value) && isStandIn(value.manufacturer)

/** Collects the objects of any number of answers. */
export class RestReader {
  readonly #objects: Objects = new Map()
  readonly #briefs = new Map<string, Map<number, NetboxObject>>()
  readonly #unread = new Map<string, number>()
  readonly #kinds = new Map<string, string>()
  readonly #limit = new ObjectLimit()

  add(kind: string, value: unknown): void {
    if (!isRead(kind)) {
      countIn(this.#unread, kind)
      return
    }
    if (isStandIn(value) || isTextOfDevices(kind, value)) return
    this.#limit.add()
    addObject(this.#objects, kind, isRecord(value) ? this.#object(kind, value) : { value: toStorableValue(value) })
  }

  source(): NetboxSource {
    return { form: 'rest', objects: this.#objects, briefs: this.#briefs, unread: this.#unread }
  }

  #object(kind: string, source: Record<string, unknown>): Record<string, unknown> {
    const { custom_fields, tags, ...others } = source
    // A field of a type of the plugin may have any name.
    const isPlugin = isPluginObject(kind)
    const object = convertFields(kind, others, (field, value) => this.#value(isPlugin ? '' : field, value))
    // 3.6 and 3.7 send the role under both names.
    if (kind === 'dcim.device' && source.role) object.role = this.#value('role', source.role)
    if (isRecord(custom_fields)) {
      const present = Object.entries(custom_fields).filter(([, value]) => value !== null && value !== '')
      const kept = present.map(([name, value]) => [name, this.#reference(value)] as const)
      if (kept.length > 0) object[CUSTOM_FIELDS] = Object.fromEntries(kept)
    }
    if (Array.isArray(tags) && tags.length > 0)
      object.tags = tags.map((tag) => (isRecord(tag) ? (tag.name ?? tag.slug) : tag)).map(toStorableValue)
    return object
  }

  #value(field: string, value: unknown): unknown {
    if (NUMBERS.has(field)) return parseNumber(isRecord(value) ? value.value : value) ?? value
    if (Array.isArray(value)) return value.map((item) => this.#value(field, item))
    if (!isRecord(value)) return toStorableValue(value)
    if ('value' in value && 'label' in value) return toStorableValue(value.value)
    if (typeof value.app_label === 'string' && typeof value.model === 'string')
      return `${value.app_label}.${value.model}`
    // A reference to an object of any type.
    if (typeof value._content_type === 'string') return toStorableValue(value.display ?? value.id)
    return this.#reference(value)
  }

  /** Returns the id of an object that another one names, and remembers its short form. */
  #reference(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#reference(item))
    if (!isRecord(value) || typeof value.id !== 'number') return toStorableValue(value)
    if (isStandIn(value)) return undefined
    const kind = typeof value.url === 'string' ? this.#kindOf(value.url) : undefined
    if (kind !== undefined && isRead(kind)) {
      const briefs = mapIn(this.#briefs, kind)
      if (!briefs.has(value.id)) {
        this.#limit.add()
        briefs.set(value.id, { ...this.#object(kind, value), id: value.id })
      }
    }
    return value.id
  }

  #kindOf(url: string): string | undefined {
    const route = OBJECT_PATH.exec(url)?.[1]
    if (route === undefined) return undefined
    const known = this.#kinds.get(route)
    if (known !== undefined) return known
    const kind = getRouteKind(route)
    this.#kinds.set(route, kind)
    return kind
  }
}

/** Adds the objects of a list at a position, or of an answer with `results`. */
const addAnswer = (file: JsonFile, reader: RestReader, route: string, at: number): void => {
  const kind = getRouteKind(route)
  const addAll = (list: number): number => {
    let n = 0
    for (const element of file.elements(list)) {
      reader.add(kind, file.value(element))
      n++
    }
    return n
  }
  if (file.isArray(at)) {
    addAll(at)
    return
  }
  if (!file.isObject(at)) throw createFileError(`byte ${at}`, `${route} is no list of objects`)
  let found: number | undefined
  let count: unknown
  for (const { key, at: member } of file.members(at)) {
    if (key === 'results' && file.isArray(member)) found = addAll(member)
    else if (key === 'count') count = file.value(member)
    else if (key !== 'next' && key !== 'previous')
      throw createFileError(`byte ${member}`, `${route} is no list of objects`)
  }
  if (found === undefined) throw createFileError(`byte ${at}`, `${route} has no results`)
  if (typeof count === 'number' && count > found)
    throw createFileError(`byte ${at}`, `${route} has ${found} of ${count} objects; ask for all of its pages`)
}

/** Reads one object that has a list for each route. */
export const readRest = (file: JsonFile): NetboxSource => {
  const reader = new RestReader()
  for (const { key, at } of file.members(file.start)) {
    if (!/^\/?(?:api\/)?(?:plugins\/)?[a-z0-9_-]+\/[a-z0-9_-]+\/?$/.test(key))
      throw createFileError(`byte ${at}`, `${JSON.stringify(key.slice(0, 64))} is no route of NetBox, like dcim/sites`)
    addAnswer(file, reader, key, at)
  }
  file.checkEnd(file.start)
  return reader.source()
}
