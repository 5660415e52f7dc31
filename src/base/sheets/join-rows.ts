/** Joins the rows of one object: a sheet of addresses has a row for each of them. Browser-safe. */
import { MERGED_FIELD } from './guess-columns.ts'
import type { CellLine, RowOrigin, SheetRow } from './sheet.ts'

/** A row that is read. */
export type Joinable = {
  /** Its number in the file. */
  readonly number: number
  /** Its place among the rows; 1 is the first. */
  readonly at: number
  readonly row: SheetRow
  readonly addresses: unknown[]
  readonly lines: CellLine[]
}

/** The rows of one object. The parts of joined rows are kept by their keys, so that many rows take no longer each. */
type Group = {
  readonly draft: Joinable
  /** Absent while one row has the object, as in most sheets. */
  joined?: {
    readonly rows: number[]
    /** The row of each address. */
    readonly origins: number[]
    readonly addresses: Map<string, number>
    readonly lines: Set<string>
    readonly lists: Map<string, Set<unknown>>
  }
}

type OnDifference = (field: string, at: { readonly row: number; readonly value: string }) => void

const toText = (value: unknown): string => (typeof value === 'string' ? value.trim().toLowerCase() : '')

/** Returns the identity of a row; undefined for a row of an object without a name. */
const buildKey = ({ id, name, datacenter, datacenter_id }: SheetRow): string | undefined => {
  if (typeof id === 'string' && id !== '') return `\n${id}`
  const text = toText(name)
  if (text === '') return undefined
  return datacenter === undefined && datacenter_id === undefined
    ? text
    : `${text}\n${toText(datacenter)}\n${toText(datacenter_id)}`
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const buildAddressKey = (address: unknown): string =>
  isRecord(address) ? `${toText(address.ip)} ${toText(address.space)}` : JSON.stringify(address)

const buildLineKey = ({ column, value }: CellLine): string => JSON.stringify([column, value])

/** Adds addresses to a list. An address that is there keeps its parts and gets the others. @returns the added ones */
const addAddresses = (list: unknown[], keys: Map<string, number>, more: readonly unknown[]): number => {
  const before = list.length
  for (const address of more) {
    const key = buildAddressKey(address)
    const at = keys.get(key)
    const same = at === undefined ? undefined : list[at]
    if (at !== undefined && isRecord(same) && isRecord(address)) list[at] = { ...address, ...same }
    else {
      keys.set(key, list.length)
      list.push(address)
    }
  }
  return list.length - before
}

/** Returns addresses of one row, each once. */
export const mergeAddresses = (addresses: readonly unknown[]): unknown[] => {
  const list: unknown[] = []
  addAddresses(list, new Map(), addresses)
  return list
}

const toShown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export class RowJoiner {
  readonly #groups: Group[] = []
  readonly #byKey = new Map<string, Group>()
  readonly #isJoined: boolean
  readonly #onDifference: OnDifference

  /** @param onDifference called with each value that an earlier row of the object has otherwise */
  constructor(isJoined: boolean, onDifference: OnDifference) {
    this.#isJoined = isJoined
    this.#onDifference = onDifference
  }

  add(draft: Joinable): void {
    const key = this.#isJoined ? buildKey(draft.row) : undefined
    const known = key === undefined ? undefined : this.#byKey.get(key)
    if (known) {
      this.#merge(known, draft)
      return
    }
    const group: Group = { draft }
    this.#groups.push(group)
    if (key !== undefined) this.#byKey.set(key, group)
  }

  finish(): { readonly drafts: readonly Joinable[]; readonly origins: RowOrigin[] } {
    for (const { draft, joined } of this.#groups)
      for (const [field, items] of joined?.lists ?? [])
        draft.row[field] = field === 'description' ? [...items].join('\n') : [...items]
    return {
      drafts: this.#groups.map(({ draft }) => draft),
      origins: this.#groups.map(({ draft, joined }) =>
        joined ? { rows: joined.rows, addresses: joined.origins } : draft.number,
      ),
    }
  }

  #merge(group: Group, { number, at, row, addresses, lines }: Joinable): void {
    const { draft } = group
    group.joined ??= {
      rows: [draft.number],
      origins: draft.addresses.map(() => draft.number),
      addresses: new Map(draft.addresses.map((one, at) => [buildAddressKey(one), at])),
      lines: new Set(draft.lines.map(buildLineKey)),
      lists: new Map(),
    }
    const { joined } = group
    joined.rows.push(number)
    for (const [field, value] of Object.entries(row)) this.#mergeField(draft.row, joined.lists, { field, value, at })
    for (const line of lines) {
      if (joined.lines.has(buildLineKey(line))) continue
      joined.lines.add(buildLineKey(line))
      draft.lines.push(line)
    }
    const added = addAddresses(draft.addresses, joined.addresses, addresses)
    for (let i = 0; i < added; i++) joined.origins.push(number)
    if (draft.addresses.length > 0) draft.row[MERGED_FIELD] = draft.addresses
  }

  #mergeField(
    own: SheetRow,
    lists: Map<string, Set<unknown>>,
    { field, value, at }: { readonly field: string; readonly value: unknown; readonly at: number },
  ): void {
    if (field === MERGED_FIELD || field === 'name') return
    const held = own[field]
    if (held === undefined || held === '') own[field] = value
    else if (field === 'custom' && isRecord(held) && isRecord(value)) own[field] = { ...value, ...held }
    else if (field === 'description' || (Array.isArray(held) && Array.isArray(value))) {
      const items = lists.get(field) ?? new Set(Array.isArray(held) ? held : [held])
      lists.set(field, items)
      for (const item of Array.isArray(value) ? value : [value]) items.add(item)
    } else if (JSON.stringify(held) !== JSON.stringify(value))
      this.#onDifference(field, { row: at, value: toShown(value) })
  }
}
