/** Sources, their runs and their objects as they are sent. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../contract/fields/fields.ts'
import { KINDS } from './kinds/names.ts'

export const Kind = z.enum(KINDS)
export type Kind = z.infer<typeof Kind>

export const Mode = z.enum(['review', 'auto'])
export const WhenGone = z.enum(['decommission', 'delete', 'keep'])
export type WhenGone = z.infer<typeof WhenGone>

/** The state of a source: the first that is true. */
export const STATUSES = ['failed', 'held', 'waiting', 'ok', 'new'] as const
export const Status = z.enum(STATUSES)
export type Status = z.infer<typeof Status>

/** Where rows of a place are put. */
export const PlaceRule = z.object({
  match: z.string().describe('A pattern for the place of a row; `*` is any text'),
  datacenter_id: z.string().nullable(),
  space_id: z.string().nullable(),
})
export type PlaceRule = z.infer<typeof PlaceRule>

export const ObjectCounts = z.object({
  objects: z.int(),
  changed: z.int().describe('Said and not applied'),
  kept: z.int().describe('Not written, because a person, an owner or a lock says otherwise'),
  gone: z.int(),
  unclear: z.int().describe('Wait for a person or another source'),
  failed: z.int(),
})
export type ObjectCounts = z.infer<typeof ObjectCounts>

export const Source = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: Kind,
    url: z.string().describe('Empty: the default address of the kind, or snapshots are pushed'),
    options: z.record(z.string(), z.unknown()).describe('The options of the kind'),
    secrets_set: z.array(z.string()).describe('The names of the secrets that are set; they are never sent'),
    enabled: z.boolean(),
    mode: Mode.describe('review: a person applies; auto: a run applies'),
    interval_minutes: z.int().describe('0: by hand only'),
    timeout_seconds: z.int(),
    allow_private: z.boolean(),
    tls_ca: z.string(),
    tls_fingerprint: z.string(),
    include: z.array(z.string()),
    exclude: z.array(z.string()),
    datacenter_id: z.string().nullable(),
    space_id: z.string().nullable().describe('null: the default address space'),
    places: z.array(PlaceRule),
    tags: z.array(z.string()),
    custom: z.record(z.string(), z.string()).describe('The custom field of devices for each fact'),
    ref: z.string().describe('The source of the refs of its objects'),
    when_gone: WhenGone,
    gone_after_hours: z.int(),
    max_gone_percent: z.int(),
    description: z.string(),
    managed_by: z.string().describe('The owner of the objects that it makes'),
    status: Status,
    status_message: z.string(),
    is_running: z.boolean(),
    product: z.string().describe('The system and its version, as the last run was told'),
    counts: ObjectCounts,
    last_run_at: Timestamp.nullable(),
    last_success_at: Timestamp.nullable(),
    next_run_at: Timestamp.nullable().describe('null: not by itself'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Source', columns: ['id', 'name', 'kind', 'status', 'counts', 'last_success_at'] })
export type Source = z.infer<typeof Source>

export const SecretSpec = z.object({ name: z.string(), description: z.string(), required: z.boolean() })
export const OptionSpec = z.object({
  name: z.string(),
  type: z.enum(['text', 'number', 'flag', 'texts', 'object']),
  default: z.unknown().meta({ examples: [true] }),
  description: z.string(),
  required: z.boolean(),
})

/** The description of a kind for people. */
export const SourceKindInfo = z
  .object({
    kind: Kind,
    title: z.string(),
    description: z.string(),
    needs: z.string().describe('The right that its account must have'),
    default_url: z.string(),
    is_pushed_only: z.boolean(),
    secrets: z.array(SecretSpec),
    options: z.array(OptionSpec),
    types: z.array(z.string()).describe('The types of objects that it reads'),
    when_gone: WhenGone,
    gone_after_hours: z.int(),
  })
  .meta({ id: 'SourceKind', columns: ['kind', 'title', 'secrets', 'options', 'when_gone'] })
export type SourceKindInfo = z.infer<typeof SourceKindInfo>

export const RUN_ERRORS = [
  ...(['target', 'unreachable', 'timeout', 'tls', 'unauthorized', 'forbidden', 'wrong_url'] as const),
  ...(['rate_limited', 'too_large', 'bad_answer', 'empty', 'key', 'interrupted'] as const),
] as const
export const RunErrorCode = z.enum(RUN_ERRORS)
export type RunErrorCode = z.infer<typeof RunErrorCode>

const RunCounts = z.object({
  created: z.int(),
  updated: z.int(),
  gone: z.int(),
  kept: z.int(),
  unclear: z.int(),
  failed: z.int(),
})
export type RunCounts = z.infer<typeof RunCounts>

const Left = z.object({ what: z.string(), count: z.int(), why: z.string() })

const runFields = {
  id: z.string(),
  source_id: z.string(),
  trigger: z.enum(['schedule', 'hand', 'push']),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']),
  result: z
    .enum(['', 'unchanged', 'read', 'applied', 'held'])
    .describe('unchanged: nothing differs; read: a person applies; applied; held: too many are gone'),
  product: z.string(),
  read: z.record(z.string(), z.int()).describe('The number of objects of each type'),
  counts: z.record(z.string(), RunCounts).describe('By resource: done, or open'),
  left: z.array(Left).describe('Objects and fields without a place in Plat'),
  warnings: z.array(z.object({ message: z.string() })),
  requests: z.int(),
  bytes: z.int(),
  error_code: z.union([z.literal(''), RunErrorCode]),
  message: z.string(),
  change_id: z.string().describe('The change in the history; empty if nothing has changed'),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
}

export const SourceRun = z
  .object(runFields)
  .meta({ id: 'SourceRun', columns: ['id', 'trigger', 'status', 'result', 'error_code', 'started_at'] })
export type SourceRun = z.infer<typeof SourceRun>

export const SourceRunWithLog = z
  .object({ ...runFields, log: z.array(z.object({ at: Timestamp, text: z.string() })) })
  .meta({ id: 'SourceRunWithLog' })
export type SourceRunWithLog = z.infer<typeof SourceRunWithLog>

export const ObjectState = z.enum(['changed', 'synced', 'kept', 'gone', 'unclear', 'failed'])
export type ObjectState = z.infer<typeof ObjectState>
export const ObjectAction = z.enum(['create', 'update', 'delete', 'decommission', 'none'])
export type ObjectAction = z.infer<typeof ObjectAction>

export const SourceObject = z
  .object({
    source_id: z.string(),
    source: z.string().describe('The name of the source'),
    resource: z.string(),
    key: z.string().describe('The id of the object there'),
    type: z.string(),
    place: z.string(),
    name: z.string(),
    object_id: z.string().nullable(),
    state: ObjectState,
    action: ObjectAction.describe('What an apply would do'),
    fields: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
    kept: z
      .record(z.string(), z.object({ here: z.unknown(), source: z.unknown(), why: z.enum(['edited', 'locked']) }))
      .describe('The fields that are not written'),
    why: z.string().describe('Of a whole object that is kept: owner or deleted'),
    because: z.string().describe('By what the object was found'),
    message: z.string(),
    missing_since: Timestamp.nullable(),
    facts: z.record(z.string(), z.string()),
    first_seen_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SourceObject', columns: ['source', 'resource', 'key', 'name', 'state', 'action', 'message'] })
export type SourceObject = z.infer<typeof SourceObject>

export const Certificate = z.object({
  subject: z.string(),
  issuer: z.string(),
  sha256: z.string().describe('In capitals, with colons'),
  not_after: z.string(),
})
export type Certificate = z.infer<typeof Certificate>
