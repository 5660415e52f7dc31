/** The named locks, which last until the transaction ends. With one writer, as on SQLite, a lock does nothing. */
import type { QueryRunner, Sql } from '../../database/database.ts'

/**
 * The kinds of locks in the order in which they are taken, and how their names begin on the server. Older programs beside this one use the
 * same names.
 */
const PREFIXES = {
  scopes: 'scopes',
  idempotency: 'idempotency',
  /** The keys of writes that may take minutes: names of a kind share locks, and no short write waits for a long one. */
  longIdempotency: 'long-idempotency',
  /** The numbers of proposals, and that of policies. */
  proposals: 'proposals',
  /** All changes of the settings of sources: they are few, and their names and refs concern all of them. */
  sources: 'sources',
  apply: 'estate apply',
  undo: 'undo',
  admins: 'admins',
  usernames: 'usernames',
  firstAdmin: 'first-admin',
  /** The definitions of custom fields, by resource. */
  definitions: 'custom-fields',
  racks: 'rack',
  placement: 'networks placement',
  pools: 'pool',
  discoveredDevices: 'discovered devices',
  refs: 'ref',
  /** The tree of the objects of a kind, and their names. */
  objectTree: 'object tree',
  objectNames: 'object name',
  /** The natural keys of device types. */
  deviceTypes: 'device type',
  /** Before the locks of addresses: a network that moves to another space ends its scan. */
  discoveryScans: 'discovery scans',
  /** Used addresses, by blocks of 256. Writers of neighboring addresses wait for them, so they are taken late. */
  blocks: 'block',
  zones: 'dns-zones all',
  /** The alarms of pools, compared at the end of the work. */
  utilization: 'utilization',
  /** The sets of scopes, of which new ones are stored at the end of the transaction. */
  areas: 'areas',
  /** The tree of datacenters: the lock of the scopes, which hold the datacenters below theirs. */
  datacenterTree: 'scopes',
  /** The values of custom fields that name objects, and unique values. */
  references: 'custom-reference',
  values: 'custom-value',
  /** The numbers of the NetBox API, which count on. */
  netboxIds: 'netbox-ids',
  /** The events that wait for the next message of a webhook, while an instance composes it. */
  notifications: 'webhook notifications',
  /** The deliveries of a webhook, while an instance claims some of them. */
  deliveries: 'webhook deliveries',
} as const

export type LockKind = keyof typeof PREFIXES

/** The keys that are locked; by default the kind has one lock. */
export type LockKeys = readonly string[]

/** Takes locks until the transaction ends. Queries sent after the call run when the locks are held; it need not be awaited. */
export type Lock = (kind: LockKind, keys?: LockKeys, mode?: 'shared') => Promise<void>

type Scope = { readonly db: QueryRunner; readonly sql: Pick<Sql, 'lockNames' | 'lockNamesShared'> }

const listNames = (kind: LockKind, keys: LockKeys | undefined): string[] => {
  const prefix = PREFIXES[kind]
  return keys?.map((key) => `${prefix} ${key}`) ?? [prefix]
}

/** Takes locks in a transaction without a context. */
export const lockNamed = ({ db, sql }: Scope, ...[kind, keys, mode]: Parameters<Lock>): Promise<void> => {
  const names = listNames(kind, keys)
  return mode === 'shared' ? sql.lockNamesShared(db, names) : sql.lockNames(db, names)
}

// The keys of the table above.
const RANKS = new Map((Object.keys(PREFIXES) as LockKind[]).map((kind, rank) => [kind, rank]))
const getRank = (kind: LockKind): number => RANKS.get(kind) ?? 0

/**
 * Taken in any order: a write finds by the stored rows whether it changes the tree of datacenters; what a value names is known at the end of its validation, and whose values name a deleted object is known at the end
 * of the deletion; numbers of the NetBox API are stored when an input or an answer first has them. Two such transactions may wait for each other;
 * PostgreSQL then ends one of them, which is repeated.
 */
const ANYTIME: ReadonlySet<LockKind> = new Set(['datacenterTree', 'references', 'values', 'netboxIds'])

type Held = { readonly names: ReadonlySet<string>; readonly last: LockKind | undefined }

/**
 * The locks that a call holds in its transaction. Tests check that they are taken in order: then no two calls wait for each other. Each item
 * of a bulk call, an import or an undo has an order of its own; two such calls may wait for each other, and one of them is repeated.
 */
export class LockOrder {
  #names = new Set<string>()
  #last: LockKind | undefined

  /** @throws Error for a kind that comes before the last one */
  add(kind: LockKind, keys: LockKeys | undefined): void {
    const fresh = listNames(kind, keys).filter((name) => !this.#names.has(name))
    if (fresh.length === 0) return
    for (const name of fresh) this.#names.add(name)
    if (ANYTIME.has(kind)) return
    if (this.#last !== undefined && getRank(kind) < getRank(this.#last))
      throw new Error(`the lock "${kind}" is taken after "${this.#last}": locks.ts has the order`)
    this.#last = kind
  }

  /** Begins an item. Returns the state for its end. */
  begin(): Held {
    const before = { names: new Set(this.#names), last: this.#last }
    this.#last = undefined
    return before
  }

  /** @param isUndone true if the rollback of the item has released its locks */
  end({ names, last }: Held, isUndone: boolean): void {
    if (isUndone) this.#names = new Set(names)
    this.#last = last
  }
}
