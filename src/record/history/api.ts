/** The history contract: changes of the estate, their objects, and their undo. Browser-safe. */
import { z } from 'zod'
import { Filter, idOf, Key, line, Timestamp } from '../../contract/fields/fields.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { operation } from '../../kernel/operation.ts'
import { KIND_NAMES, KINDS, type KindOf, toKind } from './kind-names.ts'

export const Kind = z.enum(KINDS)

export const ItemChange = z.enum(['create', 'update', 'delete'])
export type ItemChange = z.infer<typeof ItemChange>

const Fields = z
  .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
  .describe('The fields that differ; all of them for a create and a delete')

const Names = z
  .record(z.string(), z.string())
  .optional()
  .describe('The names, as of then, of the objects whose ids are in the fields; of those that you may list')

const KindId = z.string().optional().describe('The kind of an object of a kind')

export const Item = z
  .object({
    ...{ kind: Kind, kind_id: KindId, id: z.string(), name: z.string(), change: ItemChange },
    ...{ fields: Fields, names: Names },
  })
  .meta({ id: 'HistoryItem', columns: ['kind', 'change', 'name', 'fields', 'id'] })
export type Item = z.infer<typeof Item>

const Simple = z.union([z.null(), z.boolean(), z.number(), z.string()])
export type SimpleValue = z.infer<typeof Simple>

/** An object of a change, in short. */
export const ChangeObject = z
  .object({
    ...{ kind: Kind, kind_id: KindId, id: z.string() },
    ...{ name: z.string().describe('As of then'), change: ItemChange },
    fields: z
      .array(z.object({ field: z.string(), from: Simple.optional(), to: Simple.optional() }))
      .describe('Of an update: the first 3 that differ, with their values if both are short'),
    names: Names,
  })
  .meta({ id: 'ChangeObject' })
export type ChangeObject = z.infer<typeof ChangeObject>

const origin = {
  operation: z.string().describe('The operation, or the job'),
  user_id: z.string(),
  username: z.string(),
  via: z.enum(['guest', 'session', 'key', 'oauth', 'job']),
}
const circumstances = {
  oauth_client: z.string(),
  tool: z.string().describe('The MCP tool'),
  ip_address: z.string(),
  request_id: z.string(),
  note: z.string(),
}
const undoes = z.string().nullable().describe('The change that this one undoes')
const proposal_id = z.string().describe('The proposal that it merges; empty without one')

/** `id` and `at` are empty for a preview. */
export const Change = z
  .object({
    id: z.string(),
    at: z.union([Timestamp, z.literal('')]),
    ...origin,
    key_id: z.string(),
    ...circumstances,
    summary: z.string(),
    counts: z
      .object(Object.fromEntries(ItemChange.options.map((change) => [change, z.record(z.string(), z.int())])))
      .partial()
      .describe('The number of objects by change and kind'),
    objects: z.array(ChangeObject).describe('The first 3, those of the resource of the operation before others'),
    undoes,
    undone_by: z.string().nullable().describe('The newest undo of it that is not undone itself'),
    proposal_id,
    items: z.array(Item).optional().describe('The first 100 objects'),
  })
  .meta({ id: 'Change', columns: ['at', 'username', 'operation', 'summary', 'note', 'id'] })
export type Change = z.infer<typeof Change>

export const HistoryEntry = z
  .object({
    ...Item.shape,
    change_id: z.string(),
    at: Timestamp,
    ...origin,
    ...circumstances,
    undoes,
    proposal_id,
  })
  .meta({ id: 'HistoryEntry', columns: ['at', 'username', 'change', 'fields', 'note', 'change_id'] })
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** The longest text by which objects are found. */
const MAX_NAME_CHARACTERS = 128
/** The most rows of a page. */
const MAX_ROWS = 1000
const DEFAULT_ROWS = 100

const Page = {
  limit: z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS).describe('Most rows to return'),
  offset: z.int().min(0).optional().describe('Rows to skip first'),
}
const Stream = {
  limit: z.int().min(1).optional().describe('Most rows to return; all of them without it'),
  offset: Page.offset,
}
const MAX_MOMENT_CHARACTERS = 64
const moment = (what: string) => line(MAX_MOMENT_CHARACTERS).min(1).describe(`${what}: RFC 3339, change id or 24h`)

/** Any one of them opens the history, of which a caller sees the kinds that it may read. */
const access = { anyOf: [...new Set(KINDS.map((kind) => KIND_NAMES[kind].read))] }

/** A change has no name by which it could be looked up: the username in it is not its own. */
const ChangeId = z.object({ id: Key.describe('Id of a change') })

export const history = {
  list: operation({
    name: 'history.list',
    summary: 'List the changes of the estate, newest first',
    http: 'GET /api/history',
    access,
    scope: 'custom',
    mcp: 'listed',
    input: () =>
      z.object({
        kind: Kind.optional().describe('Of an object'),
        object_id: Filter.optional(),
        q: line(MAX_NAME_CHARACTERS).min(1).optional().describe('Part of a name'),
        user_id: idOf('users').optional(),
        operation: Filter.optional(),
        from: moment('Not before').optional(),
        to: line(MAX_MOMENT_CHARACTERS).min(1).optional().describe('Not after'),
        ...Page,
      }),
    output: () => z.array(Change),
  }),
  diff: operation({
    name: 'history.diff',
    summary: 'Compare the estate at two moments',
    description: 'An object that was created and deleted in between, or changed and changed back, is not part of it.',
    http: 'GET /api/history/diff',
    access,
    scope: 'custom',
    cli: { args: ['from', 'to'] },
    input: () =>
      z.object({
        from: moment('The earlier moment'),
        to: moment('The later moment; now without it').optional(),
        kind: Kind.optional(),
        ...Stream,
      }),
    output: () => z.array(Item),
  }),
  extent: operation({
    name: 'history.extent',
    summary: 'Show when the history begins, and how many changes it has',
    http: 'GET /api/history/extent',
    access,
    scope: 'custom',
    input: () => z.object({}),
    output: () =>
      z
        .object({
          begins_at: Timestamp.describe('Earlier moments cannot be shown'),
          retention_days: z.int(),
          changes: z.int(),
        })
        .meta({ id: 'HistoryExtent' }),
  }),
  get: operation({
    name: 'history.get',
    summary: 'Show a change with its first 100 objects',
    http: 'GET /api/history/{id}',
    access,
    scope: 'custom',
    input: ChangeId,
    output: Change,
  }),
  undo: operation({
    name: 'history.undo',
    summary: 'Undo a change of the estate',
    description:
      'Runs the ordinary rules in one transaction, as one new change: all of it or nothing. With anything in the way, or undone already, ' +
      'the answer is 409 UNDO_CONFLICT, whose details name each obstacle. To undo an undo brings back what it took.',
    http: 'POST /api/history/{id}/undo',
    effect: 'action',
    hasHistory: true,
    returnsChange: true,
    isBulk: true,
    isLong: true,
    access,
    scope: 'checkWrite',
    cli: { command: 'undo', args: ['id'] },
    input: ChangeId,
    output: Change,
  }),
  items: operation({
    name: 'history.items',
    summary: 'List all objects of a change, by kind and id',
    http: 'GET /api/history/{id}/items',
    access,
    scope: 'custom',
    input: () => z.object({ ...ChangeId.shape, kind: Kind.optional(), change: ItemChange.optional(), ...Stream }),
    output: () => z.array(Item),
  }),
}

/** A relationship has no id of its own. Its changes are in the histories of its devices. */
type Historied = Exclude<Resource, 'relationships'>
export const HISTORIED: readonly Historied[] = INVENTORY.filter((resource) => resource !== 'relationships')

const defineHistory = (resource: Historied) => {
  const { noun, read } = KIND_NAMES[toKind(resource)]
  const relationships = resource === 'devices' ? 'With those of its relationships. ' : ''
  return operation({
    name: `${resource}.history`,
    summary: `List the changes of ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}, newest first`,
    description: `${relationships}Also of one that was deleted.`,
    http: `GET /api/${resource}/{id}/history`,
    access: read,
    scope: 'custom',
    input: () => z.object({ id: idOf(resource), ...Page }),
    output: () => z.array(HistoryEntry),
  })
}

/** Returns the histories of objects, by kind. */
export const histories = Object.fromEntries(
  KINDS.flatMap((kind) => {
    const resource = HISTORIED.find((one) => toKind(one) === kind)
    return resource ? [[kind, defineHistory(resource)]] : []
  }),
  // The kinds of these resources.
) as { readonly [K in KindOf<Historied>]: ReturnType<typeof defineHistory> }
