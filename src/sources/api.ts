/** The contract of sources: systems that know machines, which Plat reads at intervals. Browser-safe. */
import { z } from 'zod'
import {
  draft,
  Filter,
  flagOr,
  idOf,
  Key,
  line,
  Name,
  named,
  numberOr,
  Page,
  patch,
  reference,
  text,
  trimmed,
} from '../contract/fields/fields.ts'
import { ApplyResult } from '../exchange/estate/api.ts'
import { INVENTORY } from '../inventory/resources.ts'
import { SpaceId } from '../inventory/spaces/fields.ts'
import { operation, rawRoute } from '../kernel/operation.ts'
import {
  Certificate,
  Kind,
  Mode,
  ObjectState,
  Source,
  SourceKindInfo,
  SourceObject,
  SourceRun,
  SourceRunWithLog,
  Status,
  WhenGone,
} from './schema.ts'

/** The largest snapshot of a push, in bytes. */
export const MAX_PUSH_BYTES = 256 * 1024 * 1024
export const MAX_URL = 2048
const MAX_SECRET = 32 * 1024
const MAX_PEM = 64 * 1024
const MAX_PATTERNS = 100
const MAX_PLACES = 50
const MAX_TAGS = 20
const MAX_CUSTOM = 20
const MAX_NAMED = 1000

const SOURCE_ID = /^(?!\.{1,2}$)(?!(?:kinds|objects)$)[A-Za-z0-9._-]{1,57}$/

const Pattern = trimmed(255)
const Patterns = z
  .array(Pattern)
  .max(MAX_PATTERNS)
  .nullable()
  .transform((patterns) => [...new Set(patterns ?? [])])

const PlaceRule = z.object({
  match: Pattern,
  datacenter_id: reference('datacenters').prefault(null),
  space_id: SpaceId.prefault(null),
})

const Ref = z
  .string()
  .regex(/^(?:[a-z0-9][a-z0-9_-]{0,31})?$/, 'must be 1-32 of a-z 0-9 _ -, beginning with a-z or 0-9')
  .nullable()
  .transform((ref) => ref || null)

const fields = {
  url: text(MAX_URL).describe(
    'http(s), or unix:/path; empty for the default address of the kind, or for pushed snapshots',
  ),
  options: z
    .record(z.string(), z.unknown())
    .nullable()
    .transform((options) => options ?? {})
    .describe('The options of the kind, replaced whole; `sources.kinds` lists them'),
  enabled: flagOr(true),
  mode: Mode.nullable()
    .transform((mode) => mode ?? ('review' as const))
    .describe('review: a run stops before it applies, and a person applies; auto: it applies'),
  interval_minutes: numberOr(60, { min: 0, max: 10_080 })
    .refine((minutes) => minutes === 0 || minutes >= 5, { error: 'must be 0, or 5-10080' })
    .describe('0: by hand only'),
  timeout_seconds: numberOr(600, { min: 10, max: 3600 }).describe('Limit of the whole fetch'),
  allow_private: flagOr(false).describe('Allows private addresses (RFC 1918 and similar)'),
  tls_ca: text(MAX_PEM).describe('Certificate authorities beside those of the system, as PEM'),
  tls_fingerprint: text(128).describe('The SHA-256 of the certificate; it is then compared, and nothing else'),
  include: Patterns.describe('Rows that match one of these are taken: by name, tag:, place: or type:; empty for all'),
  exclude: Patterns.describe('Rows that match one of these are left out'),
  datacenter_id: reference('datacenters').describe('Of rows that say none'),
  space_id: SpaceId.describe('Of rows that say none'),
  places: z
    .array(PlaceRule)
    .max(MAX_PLACES)
    .nullable()
    .transform((places) => places ?? [])
    .describe('The first whose pattern matches the place of a row wins over datacenter_id and space_id'),
  tags: z
    .array(named(128))
    .max(MAX_TAGS)
    .nullable()
    .transform((tags) => [...new Set(tags ?? [])])
    .describe('Added to its devices'),
  custom: z
    .record(z.string().max(32), line(64))
    .refine((custom) => Object.keys(custom).length <= MAX_CUSTOM, { error: `must have at most ${MAX_CUSTOM} facts` })
    .nullable()
    .transform((custom) => custom ?? {})
    .describe('The name of the custom field of devices for each fact'),
  ref: Ref.describe('The source of the refs of its objects; absent: the kind, and -2, -3 where another one has it'),
  when_gone: WhenGone.nullable().describe('What becomes of objects that are gone; absent: as the kind says'),
  gone_after_hours: z.int().min(0).max(8760).nullable().describe('Absent: as the kind says'),
  max_gone_percent: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .describe('More are not applied without force; absent: as the kind says'),
  description: text(4096),
}

const Secrets = z
  .record(z.string().max(64), z.string().max(MAX_SECRET).nullable())
  .optional()
  .describe('The secrets of the kind by name, never sent back; an absent one is kept, null or "" clears it')

const NewSourceId = z.string().regex(SOURCE_ID, 'must be 1-57 of A-Z a-z 0-9 . _ -, and neither "kinds" nor "objects"')

export const SourceDraft = z.object({
  id: NewSourceId.optional(),
  name: Name,
  kind: Kind,
  ...draft(fields),
  secrets: Secrets,
})
export type SourceDraft = z.output<typeof SourceDraft>

export const SourcePatch = z.object({
  id: idOf('sources'),
  ...patch({ name: Name, kind: Kind, ...fields }),
  secrets: Secrets,
})
export type SourcePatch = z.output<typeof SourcePatch>

const One = z.object({ id: idOf('sources') })
const Resource = z.enum(INVENTORY)
const ObjectKey = z.object({ resource: Resource, key: line(1024) })

const NEEDS =
  'Beside its own permission it needs those to create, update and delete devices, networks, ports and relationships ' +
  '(kinds document and netbox: of all resources of an estate), everywhere: a source hands them out.'

export const sources = {
  list: operation({
    name: 'sources.list',
    summary: 'List sources',
    http: 'GET /api/sources',
    access: 'sources:list',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        kind: Kind.optional(),
        status: Status.optional(),
        enabled: z.boolean().optional(),
        ...Page,
      }),
    output: () => z.array(Source),
  }),
  kinds: operation({
    name: 'sources.kinds',
    summary: 'List the kinds of sources, with their options and the rights that their accounts need',
    http: 'GET /api/sources/kinds',
    access: 'sources:list',
    input: () => z.object(Page),
    output: () => z.array(SourceKindInfo),
  }),
  create: operation({
    name: 'sources.create',
    summary: 'Add a system that Plat reads at intervals',
    description: `${NEEDS} With an interval it runs at once.`,
    http: 'POST /api/sources',
    status: 201,
    effect: 'create',
    access: 'sources:create',
    cli: { args: ['name', 'kind'] },
    // A secret that a model has read is no longer secret.
    mcp: 'hidden',
    input: SourceDraft,
    output: Source,
  }),
  get: operation({
    name: 'sources.get',
    summary: 'Show a source, without its secrets',
    http: 'GET /api/sources/{id}',
    access: 'sources:read',
    input: One,
    output: Source,
  }),
  update: operation({
    name: 'sources.update',
    summary: 'Change some fields of a source',
    description: `${NEEDS} A change that lets stored secrets reach another host needs each of them again. A running run ends when the url, options, ref, TLS settings or secrets change.`,
    http: 'PUT /api/sources/{id}',
    access: 'sources:update',
    // For the same reason as for create.
    mcp: 'hidden',
    input: SourcePatch,
    output: Source,
  }),
  delete: operation({
    name: 'sources.delete',
    summary: 'Delete a source; its objects stay, or are deleted along with it',
    http: 'DELETE /api/sources/{id}',
    hasHistory: true,
    proposes: false,
    access: 'sources:delete',
    errors: [409],
    input: z.object({
      id: idOf('sources'),
      objects: z
        .enum(['keep', 'delete'])
        .default('keep')
        .describe('keep: clears their managed_by; delete: deletes those that it made'),
    }),
    output: () => z.void(),
  }),
  test: operation({
    name: 'sources.test',
    summary: 'Send the first request of a source, and show its answer and certificate',
    http: 'POST /api/sources/{id}/test',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    access: 'sources:run',
    errors: [502],
    input: One,
    output: () => z.object({ latency_ms: z.int(), product: z.string(), certificate: Certificate.nullable() }),
  }),
  run: operation({
    name: 'sources.run',
    summary: 'Read a source now',
    http: 'POST /api/sources/{id}/run',
    status: 202,
    effect: 'action',
    reachesOut: true,
    access: 'sources:run',
    input: z.object({
      id: idOf('sources'),
      apply: z.boolean().default(true).describe('false: stops before it applies, also in mode auto'),
      force: z.boolean().default(false).describe('Applies although too many objects are gone'),
    }),
    output: SourceRun,
  }),
  runs: operation({
    name: 'sources.runs',
    summary: 'List the runs of a source, the newest first',
    http: 'GET /api/sources/{id}/runs',
    access: 'sources:read',
    input: () => z.object({ id: idOf('sources'), ...Page }),
    output: () => z.array(SourceRun),
  }),
  showRun: operation({
    name: 'sources.show-run',
    summary: 'Show a run of a source with its log',
    http: 'GET /api/sources/{id}/runs/{run_id}',
    access: 'sources:read',
    cli: { args: ['id', 'run_id'] },
    input: z.object({ id: idOf('sources'), run_id: Key }),
    output: SourceRunWithLog,
  }),
}

/** The objects that sources say. */
export const sourceObjects = {
  objects: operation({
    name: 'sources.objects',
    summary: 'List the objects that sources say, with the differences that are not applied',
    http: 'GET /api/sources/objects',
    access: 'sources:list',
    input: () =>
      z.object({
        source_id: idOf('sources').optional(),
        object_id: Key.optional().describe('Those linked to this object of the inventory'),
        resource: Resource.optional(),
        state: ObjectState.optional(),
        name: Filter.optional().describe('Part of the name, in any case'),
        ...Page,
      }),
    output: () => z.array(SourceObject),
  }),
  apply: operation({
    name: 'sources.apply',
    summary: 'Write what a source says into the inventory',
    description:
      'Without `objects` all that are changed, or gone and due. With a device go its ports and relationships. It needs the permissions of what it does. 409 SOURCE_HELD: too many are gone, and force is false.',
    http: 'POST /api/sources/{id}/apply',
    effect: 'action',
    hasHistory: true,
    handlesDryRun: true,
    isBulk: true,
    isLong: true,
    access: 'sources:run',
    errors: [409],
    input: z.object({
      id: idOf('sources'),
      objects: z.array(ObjectKey).min(1).max(MAX_NAMED).optional(),
      overwrite: z
        .boolean()
        .default(false)
        .describe('Also fields that a person changed, and objects that a person deleted'),
      force: z.boolean().default(false).describe('Although too many objects are gone'),
    }),
    output: () =>
      z.object({
        applied: z.boolean(),
        change_id: z.string(),
        counts: ApplyResult.shape.counts,
        changes: ApplyResult.shape.changes,
        failed: z.array(z.object({ resource: Resource, key: z.string(), message: z.string() })),
      }),
  }),
  link: operation({
    name: 'sources.link',
    summary: 'Say which objects of the inventory the objects of a source are',
    http: 'POST /api/sources/{id}/link',
    effect: 'action',
    access: 'sources:update',
    input: z.object({
      id: idOf('sources'),
      objects: z
        .array(
          z.object({
            resource: Resource,
            key: line(1024),
            object_id: line(255).nullable().describe('"": an object of its own; null: it is matched again'),
          }),
        )
        .min(1)
        .max(MAX_NAMED),
    }),
    output: () => z.object({ linked: z.int() }),
  }),
}

export const PushQuery = z.object({
  force: z
    .boolean()
    .default(false)
    .describe('Applies although too many objects are gone, or all of a type. Needs `sources:run` as well'),
})

export const sourceRoutes = {
  push: rawRoute({
    name: 'sources.push',
    summary: 'Send a snapshot of a source, which was fetched elsewhere',
    description:
      'The body is what `plat source collect` prints, {kind, snapshot}; of a document source the file itself. Another kind: 400 on `kind`; another shape: 400 on `snapshot`; a disabled source: 400 on `enabled`.',
    http: 'POST /api/sources/{id}/push',
    status: 202,
    query: PushQuery,
    isLong: true,
    access: 'sources:push',
    audit: { action: 'update', resource: 'source' },
    consumes: 'application/octet-stream',
    errors: [404],
    output: SourceRun,
  }),
}
