/** Names the objects of items, and the objects to which they refer, as of the items. */
import { sql } from 'kysely'
import { toText } from '../../../contract/unknown.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import { formatName, parseId } from '../../../inventory/relationships/relationships.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Permission } from '../../../kernel/operation.ts'
import type { Item } from '../api.ts'
import { KIND_NAMES, type Kind } from '../kind-names.ts'
import { type Document, getName, KIND_RULES, parseDocument } from '../kinds.ts'
import { VisibleItems } from '../visible-items.ts'
import { type CustomTargets, findCustomTargets, hasCustomValues, listReferred, type Referred } from './references.ts'

type Named = Pick<Item, 'kind' | 'id' | 'name' | 'fields' | 'names'>

/** An item with the state that names it, and the numbers of the changes at which its states are read. */
export type Shown<T extends Named = Item> = {
  readonly item: T
  readonly document: Document
  readonly from: number | undefined
  /** Undefined for the present. */
  readonly to: number | undefined
}

/** An object at a moment: right after the change `seq`, or now. */
type Asked = Referred & { readonly seq: number | undefined }

const buildKey = ({ kind, id, seq }: Asked): string => `${kind} ${seq ?? ''} ${id}`

const keepDistinct = (asked: readonly Asked[]): Asked[] => [
  ...new Map(asked.map((one) => [buildKey(one), one])).values(),
]

/** Adds the documents of objects of one kind that differ from the present ones. */
const readEarlier = async (
  ctx: Ctx,
  kind: Kind,
  asked: readonly (Asked & { readonly seq: number })[],
  found: Map<string, string>,
): Promise<void> => {
  for (const batch of splitBatches(asked)) {
    const rows = batch.map(({ id, seq }) => sql`(CAST(${id} AS TEXT), CAST(${seq} AS BIGINT))`)
    const { rows: states } = await sql<{ id: string; seq: number | string; before: string | null }>`
      WITH asked (id, seq) AS (VALUES ${sql.join(rows)})
      SELECT asked.id, asked.seq, history.before FROM asked
      JOIN history ON history.kind = ${kind} AND history.id = asked.id AND history.seq = (
        SELECT min(later.seq) FROM history AS later
        WHERE later.kind = ${kind} AND later.id = asked.id AND later.seq > asked.seq)`.execute(ctx.db)
    for (const { id, seq, before } of states) {
      const key = buildKey({ kind, id, seq: Number(seq) })
      if (before === null) found.delete(key)
      else found.set(key, before)
    }
  }
}

/** The documents of objects at moments, by `buildKey`. */
type Documents = ReadonlyMap<string, Document>

const readDocuments = async (ctx: Ctx, asked: readonly Asked[]): Promise<Documents> => {
  const found = new Map<string, string>()
  for (const [kind, all] of Map.groupBy(keepDistinct(asked), (one) => one.kind)) {
    // The present first: a change that is committed in between records the document that was read here.
    const present = await KIND_RULES[kind].documents(ctx, [...new Set(all.map(({ id }) => id))])
    for (const one of all) {
      const json = present.get(one.id)
      if (json !== undefined) found.set(buildKey(one), json)
    }
    await readEarlier(
      ctx,
      kind,
      all.filter((one): one is Asked & { seq: number } => one.seq !== undefined),
      found,
    )
  }
  return new Map([...found].map(([key, json]) => [key, parseDocument(json)]))
}

const isCableEnd = (value: unknown): value is { readonly port_id: string; readonly side: string } =>
  typeof value === 'object' && value !== null && 'port_id' in value

const listEnds = ({ a, b }: Document) => [a, b].filter(isCableEnd)

/** Returns the objects that name an item without a name. */
const listNaming = ({ item: { kind, id }, document }: Shown<Named>, withDevices: boolean): Referred[] => {
  if (kind === 'relationship') {
    const { parent_id, child_id } = parseId(id)
    return [parent_id, child_id].map((device) => ({ kind: 'device', id: device }))
  }
  if (kind === 'cable') return listEnds(document).map(({ port_id }) => ({ kind: 'port', id: port_id }))
  if (kind === 'discovery-lock') return [{ kind: 'device', id: id.split(' ')[0] ?? '' }]
  if (kind === 'port' && withDevices) return [{ kind: 'device', id: toText(document.device_id) }]
  return kind === 'discovery-rule' ? [{ kind: 'network', id: toText(document.network_id) }] : []
}

/** The documents of the objects that the caller may list, at the moments of the items. */
class Names {
  readonly #documents: Map<string, Document>

  constructor(documents: Documents) {
    this.#documents = new Map(documents)
  }

  /** Returns the object after the item, or before it if it is gone. */
  #find({ from, to }: Shown<Named>, object: Referred): Document | undefined {
    return (
      this.#documents.get(buildKey({ ...object, seq: to })) ?? this.#documents.get(buildKey({ ...object, seq: from }))
    )
  }

  /** Returns the name of an object; undefined for one that the caller may not list. A port has the name of its device before its own. */
  get(shown: Shown<Named>, object: Referred): string | undefined {
    const document = this.#find(shown, object)
    if (!document) return undefined
    const name = getName(object.kind, object.id, document)
    if (object.kind !== 'port') return name
    const device = this.get(shown, { kind: 'device', id: toText(document.device_id) })
    return device === undefined ? name : `${device} ${name}`
  }

  /** Returns the name of an item. @param withDevice a port is named after its device */
  of(shown: Shown<Named>, withDevice: boolean): string {
    const { item, document } = shown
    const named = (kind: Kind, id: string) => this.get(shown, { kind, id })
    if (item.kind === 'relationship') {
      const triple = parseId(item.id)
      const pairs = [triple.parent_id, triple.child_id].flatMap((id) => [[id, named('device', id) ?? id] as const])
      return pairs.some(([id, name]) => name !== id) ? formatName(new Map(pairs), triple) : item.name
    }
    if (item.kind === 'cable' && item.name === item.id) {
      const ends = listEnds(document).map(({ port_id, side }) => {
        const port = named('port', port_id)
        return port === undefined || side !== 'rear' ? port : `${port} rear`
      })
      return ends.length === 2 && ends.every((end) => end !== undefined) ? ends.join(' - ') : item.name
    }
    if (item.kind === 'discovery-lock') {
      const [device = '', field = ''] = item.id.split(' ')
      const name = named('device', device)
      return name === undefined ? item.name : `${name} ${field}`
    }
    if (item.kind === 'port' && withDevice) {
      const device = named('device', toText(document.device_id))
      return device === undefined ? item.name : `${device} ${item.name}`
    }
    if (item.kind === 'discovery-rule') return named('network', toText(document.network_id)) ?? item.name
    return item.name
  }
}

/** Returns the permission to list the objects of a kind. */
export const getListPermission = (kind: Kind): Permission =>
  KIND_NAMES[kind].read.replace(/:read$/, ':list') as Permission

const NO_TARGETS: CustomTargets = new Map()

/** `withDevices`: ports are named after their devices. */
type Naming = { readonly withDevices: boolean }

/** Returns items with the names of their objects as of then, for a caller who may list these. */
export const nameItems = async <T extends Named>(
  ctx: Ctx,
  all: readonly Shown<T>[],
  { withDevices }: Naming = { withDevices: false },
): Promise<T[]> => {
  const custom = all.some(({ item }) => hasCustomValues(item)) ? await findCustomTargets(ctx) : NO_TARGETS
  const parts = all.map((shown) => ({
    shown,
    naming: listNaming(shown, withDevices),
    referred: listReferred(shown.item, custom),
  }))
  if (parts.every(({ naming, referred }) => naming.length + referred.length === 0)) return all.map(({ item }) => item)
  const visible = await VisibleItems.of(ctx, getListPermission)
  const readVisible = async (asked: readonly Asked[]): Promise<Documents> => {
    const listed = asked.filter(({ kind }) => visible.kinds.includes(kind))
    const seen = await visible.seen(keepDistinct(listed).map((one) => ({ ...one, states: [{ seq: one.seq }] })))
    return readDocuments(ctx, seen)
  }
  const atBoth = ({ from, to }: Shown<T>, object: Referred): Asked[] => [
    { ...object, seq: to },
    ...(from === undefined ? [] : [{ ...object, seq: from }]),
  ]
  const documents = await readVisible(
    parts.flatMap(({ shown, naming, referred }) => [...naming, ...referred].flatMap((one) => atBoth(shown, one))),
  )
  const devices = parts.flatMap(({ shown, naming, referred }) =>
    [...naming, ...referred].flatMap((one) =>
      one.kind === 'port'
        ? atBoth(shown, one).flatMap((asked) => {
            const document = documents.get(buildKey(asked))
            return document ? atBoth(shown, { kind: 'device', id: toText(document.device_id) }) : []
          })
        : [],
    ),
  )
  const names = new Names(new Map([...documents, ...(await readVisible(devices))]))
  return parts.map(({ shown, referred }) => {
    const pairs = referred.flatMap((one) => {
      const name = names.get(shown, one)
      return name === undefined || name === one.id ? [] : [[one.id, name] as const]
    })
    return {
      ...shown.item,
      name: names.of(shown, withDevices),
      ...(pairs.length > 0 && { names: Object.fromEntries(pairs) }),
    }
  })
}
