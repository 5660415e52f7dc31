/** The estate contract: imports a whole resource in one call and one transaction. Browser-safe. */
import { z } from 'zod'
import { NOTE_HEADER } from '../../contract/change-note.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { DocumentNames } from '../../contract/fields/document-names.ts'
import { ManagedBy, ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { idOf } from '../../contract/fields/fields.ts'
import {
  ChangeNote,
  IdempotencyKey,
  KEY_FIELDS,
  PROPOSAL_FIELDS,
  WRITE_FIELDS,
} from '../../contract/fields/history-fields.ts'
import { DOCUMENT_RULES, EMPTY_RULES, rowRuleFields, SOURCE_RULES } from '../../contract/fields/row-rules.ts'
import { KEY_HEADER } from '../../contract/idempotency-key.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { FORMATS } from '../../convert/formats.ts'
import { Converted, PulledEstate } from '../../convert/protocol.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import { operation, type Permission, rawRoute } from '../../kernel/operation.ts'
import { PACK_NAMES } from '../packs/names.ts'

const Resource = z.enum(INVENTORY)

/** The largest body of an import, in bytes. */
export const MAX_IMPORT_BYTES = 512 * 1024 * 1024
/** The number of bad rows that an answer names; the others are counted. */
export const MAX_ERRORS = 100

/** The number of unresolved names that an answer lists, and of candidates for each. */
export const MAX_UNRESOLVED = 100
export const MAX_CANDIDATES = 20

/** The largest body of an apply in bytes, and its number of rows: of ports and cables together, and of all others. */
export const MAX_APPLY_BYTES = 64 * 1024 * 1024
export const MAX_APPLY_ROWS = 100_000
export const MAX_APPLY_PORTS = 200_000
/** The number of packs that a document names. */
const MAX_PACKS = 100
/** The number of changes that the answer of an apply lists; it counts the others. */
export const MAX_SHOWN_CHANGES = 1000

export const ImportQuery = z.object({
  resource: Resource,
  dry_run: z.boolean().default(false).describe('Validates every row and changes nothing'),
  first_round: z
    .boolean()
    .default(false)
    .describe(
      'Leaves out, and counts as `deferred`, references to objects that are not there yet and the rules of new custom ' +
        'fields; the same rows sent again without it complete the import',
    ),
  own_ports: z
    .boolean()
    .default(false)
    .describe('Of devices: new ones get no ports of their types, because a later list has their ports'),
  ...rowRuleFields(SOURCE_RULES),
})

const RowError = z.object({
  row: z.int().describe('1 is the first'),
  id: z.string().optional(),
  code: z.enum(ERROR_CODES),
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
})

/** The largest file that a conversion reads, in bytes. */
export const MAX_CONVERT_BYTES = 256 * 1024 * 1024

export const ConvertQuery = z.object({
  format: z.enum(FORMATS).optional().describe('The format of the file; by default it is known by the content'),
  leftover: z.boolean().default(false).describe('Adds the objects and values without a place in Plat'),
  sheet: z
    .boolean()
    .default(false)
    .describe(
      'Of a spreadsheet: adds its columns and cells; rows that cannot be read are listed there, and are no error',
    ),
  empty: z
    .enum(EMPTY_RULES)
    .default('keep')
    .describe('Of a spreadsheet: an empty cell keeps the field of its object, or clears it'),
  origin: z.string().max(255).optional().describe('Of a zone file: the origin of its relative names'),
  resource: Resource.optional().describe('Of a spreadsheet: the resource of its rows'),
  kind: idOf('kinds').optional().describe('Of a spreadsheet: the kind of its objects'),
  mapping: z.string().max(65_536).optional().describe('Of a spreadsheet: {"columns":{"Host Name":"name"}}, as JSON'),
})

export const ExportQuery = z.object({
  managed_by: ManagedByFilter,
  resource: Resource.optional().describe('Only the objects of this resource'),
  format: z.enum(['json', 'yaml']).default('json'),
})

export const MappingInput = z.strictObject({
  resource: Resource.optional(),
  columns: z.record(z.string(), z.string()).optional(),
  kind: z.string().optional(),
})

export type ImportQuery = z.output<typeof ImportQuery>

export const ImportResult = z
  .object({
    resource: Resource,
    dry_run: z.boolean(),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    failed: z.int().describe('If any row is bad, nothing is changed'),
    errors: z.array(RowError).describe(`The first ${MAX_ERRORS}`),
    failed_rows: z.array(z.int()).optional().describe('All rows that failed; 1 is the first, absent without any'),
    deferred: z.int().optional().describe('With `first_round`: the rows that are not complete'),
    change_id: z.string().describe('The change in the history; empty if nothing has changed'),
  })
  .meta({ id: 'ImportResult' })
export type ImportResult = z.infer<typeof ImportResult>

/** Visible ASCII, as a header can carry it. */
const TOKEN = '[!-~]+'

const listPermissions = (...verbs: readonly string[]): Permission[] =>
  verbs.flatMap((verb) => INVENTORY.map((resource): Permission => `${resource}:${verb}`))

/** An apply needs at least one of these permissions; a dry run needs one to list. */
export const APPLY_WRITES = listPermissions('create', 'update')

const Rows = z.array(z.unknown()).meta({ examples: [[{ name: 'web-fra1-01' }]] })

const Counts = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
  failed: z.int(),
})

const FromTo = z.object({ from: z.unknown().meta({ examples: ['git'] }), to: z.unknown().meta({ examples: ['cmdb'] }) })

const Along = z.record(z.string(), z.record(z.string(), z.int()))

/** A misspelled list must not be passed over. Editors complete by `$schema`. */
const refuseUnknownLists = (document: object, check: z.core.$RefinementCtx): void => {
  for (const name of Object.keys(document).filter((one) => !KNOWN_FIELDS.has(one))) {
    const message = `is no list of an estate document${formatSuggestion(name, [...INVENTORY, 'packs', 'names'])}`
    check.addIssue({ code: 'custom', path: [name], message })
  }
}
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...[...INVENTORY, '$schema', 'packs', 'names', 'managed_by', 'prune', 'allow_empty', 'take_over', 'atomic', 'expect'],
  ...['lists', 'empty', ...Object.keys({ ...WRITE_FIELDS, ...KEY_FIELDS, ...PROPOSAL_FIELDS })],
])

const ApplyCounts = z.record(z.string(), Counts).describe('By resource: the lists of the document, and what was pruned')

export const ApplyResult = z
  .object({
    applied: z.boolean().describe('False for a dry run'),
    changed: z.boolean().describe('True if anything was changed, or would be'),
    summary: z.string(),
    counts: ApplyCounts,
    changes: z
      .array(
        z.object({
          action: z.enum(['create', 'update', 'delete']),
          resource: Resource,
          id: z.string().optional().describe('Absent for a create of a dry run'),
          name: z.string(),
          row: z.int().optional().describe('The place in its list; 0 is the first'),
          fields: z.record(z.string(), FromTo).optional(),
          managed_by: FromTo.optional().describe('A change of the owner'),
        }),
      )
      .describe(`The first ${MAX_SHOWN_CHANGES}: deletes, then updates, then creates`),
    changes_total: z.int(),
    errors: z
      .array(
        z.object({
          resource: Resource,
          row: z.int(),
          name: z.string(),
          code: z.enum(ERROR_CODES),
          error: z.string(),
          details: z.array(z.object({ field: z.string(), message: z.string() })),
        }),
      )
      .describe(`The first ${MAX_ERRORS} rows that failed, of a call that is not atomic`),
    failed_rows: z
      .record(z.string(), z.array(z.int()))
      .optional()
      .describe('By resource: the places of all rows that failed; absent without any'),
    unresolved: z
      .array(
        z.object({
          resource: Resource,
          field: z.string().describe('As in a row, without places in lists: `addresses[].network`'),
          to: Resource.describe('The resource of the objects that the name may mean'),
          text: z.string().describe('As the first row has it; rows with it in any case count'),
          rows: z.int(),
          candidates: z
            .array(z.object({ id: z.string(), name: z.string(), note: z.string() }))
            .describe(`Up to ${MAX_CANDIDATES} that the caller may list; none if there is no object of the name`),
        }),
      )
      .optional()
      .describe(
        `Of a call that is not atomic: up to ${MAX_UNRESOLVED} names that mean no object, or several, those of the most rows ` +
          'first; absent without any. A `name` is that of the row itself, which its `id` tells apart',
      ),
    extra: z
      .record(z.string(), z.int())
      .describe('By resource: objects of the same owner that the document does not have, and that are not pruned'),
    also: Along.nullable().describe('What goes along, by the type of change and noun; null if it is not known'),
    lacking: z
      .array(z.string())
      .optional()
      .describe('Of a dry run: permissions that an apply needs and the caller lacks'),
    new_names: z
      .int()
      .optional()
      .describe('Of a dry run with `names`: how many are not stored yet; absent without the permissions to make them'),
    fingerprint: z.string().describe('For `expect`'),
  })
  .meta({ id: 'ApplyResult' })
export type ApplyResult = z.infer<typeof ApplyResult>

const applyFields = () => ({
  ...(Object.fromEntries(
    INVENTORY.map((resource) => [resource, Rows.optional().describe(`Rows of ${resource}`)]),
  ) as Record<(typeof INVENTORY)[number], z.ZodOptional<typeof Rows>>),
  packs: z
    .array(z.enum(PACK_NAMES))
    .max(MAX_PACKS)
    .optional()
    .describe('Packs that the rows need: those that are not installed are installed first'),
  names: DocumentNames.optional(),
  managed_by: ManagedBy.prefault('').describe('The owner of the objects that the rows mean'),
  prune: z.boolean().default(false).describe('Deletes what the owner manages and the document does not have'),
  allow_empty: z.boolean().default(false).describe('Allows prune with a document without rows'),
  take_over: z.boolean().default(false).describe('Takes objects from another owner'),
  atomic: z.boolean().default(true).describe('All or nothing'),
  ...rowRuleFields(DOCUMENT_RULES),
  dry_run: WRITE_FIELDS.dry_run,
  expect: z
    .string()
    .max(64)
    .optional()
    .describe('The fingerprint of a dry run: 412 if the call would do anything else now'),
})

export const estate = {
  apply: operation({
    name: 'estate.apply',
    summary: 'Make the inventory look like a document, in one transaction',
    description:
      'Each list holds rows with the fields that a create takes, and names in place of ids: `datacenter`, `network`, `pool`, `parent`, ' +
      '`child`. An absent field is kept. The state after the call counts, so the order of the rows does not matter. A dry run needs only ' +
      'the permission to list what the document names.',
    http: 'POST /api/estate/apply',
    effect: 'action',
    hasHistory: true,
    handlesDryRun: true,
    reportsProgress: true,
    isBulk: true,
    isLong: true,
    errors: [412],
    maxBodyBytes: MAX_APPLY_BYTES,
    access: { anyOf: listPermissions('list', 'create', 'update') },
    scope: 'checkWrite',
    cli: { command: 'estate apply' },
    input: () => z.looseObject(applyFields()).superRefine(refuseUnknownLists),
    output: ApplyResult,
    recorded: () => z.object({ ...applyFields(), counts: ApplyCounts }),
    recordsOutput: ['counts'],
  }),

  pull: operation({
    name: 'estate.pull',
    summary: 'Read another inventory by its URL, and convert it; changes nothing',
    description:
      'Reads all objects of a NetBox by its API with the token, and answers with rows for Plat, with names and `refs` in place of ids. ' +
      'The report says where each object and field went.',
    http: 'POST /api/estate/pull',
    effect: 'action',
    hasOwnTransactions: true,
    isLong: true,
    reachesOut: true,
    errors: [502],
    access: 'devices:create',
    cli: { args: ['url'], ask: ['token'], preset: { format: 'netbox' } },
    // An AI client must not be given the token of another system.
    mcp: 'hidden',
    input: () =>
      z.object({
        format: z.enum(['netbox']),
        url: z.string().min(1).max(2048).describe('The address of the NetBox, with its path'),
        token: z
          .string()
          .max(255)
          .regex(new RegExp(`^${TOKEN}$`), 'must be visible ASCII characters')
          .meta({ examples: ['0123456789abcdef0123456789abcdef01234567'] })
          .describe('An API token that may read'),
        leftover: z.boolean().default(false).describe('Adds the objects and values without a place in Plat'),
      }),
    output: () => PulledEstate,
  }),
}

export const estateRoutes = {
  schema: rawRoute({
    name: 'estate.schema',
    summary: 'Return the JSON Schema of an estate document, for editors',
    http: 'GET /api/estate/schema',
    access: 'authenticated',
    produces: 'application/schema+json',
  }),
  export: rawRoute({
    name: 'estate.export',
    readsOnce: true,
    summary: 'Write the inventory as a document that an apply reads, with names in place of ids',
    description:
      'It holds what the caller may list. Fields that hold their default are left out. The same inventory has the same bytes, whatever its ids. An apply of the document ' +
      'changes nothing; on an empty server it makes the same inventory.',
    http: 'GET /api/estate/export',
    isLong: true,
    access: { anyOf: INVENTORY.map((resource): Permission => `${resource}:list`) },
    scope: 'filterEach',
    query: ExportQuery,
    output: z.object(Object.fromEntries(INVENTORY.map((resource) => [resource, z.array(z.unknown()).optional()]))),
    alsoProduces: 'application/yaml',
  }),
  convert: rawRoute({
    name: 'estate.convert',
    summary: 'Convert a file of another program to rows; changes nothing',
    description:
      'The body is the file as it is. The answer has rows for an apply, with names and `refs` in place of ids; the report says where ' +
      'each object and field went. A file of another format, or one that is cut off, is refused with its line or byte.',
    http: 'POST /api/estate/convert',
    isLong: true,
    access: {
      anyOf: INVENTORY.map((resource): Permission => `${resource}:create`),
    },
    scope: 'custom',
    query: ConvertQuery,
    consumes: 'application/octet-stream',
    output: Converted,
  }),
  import: rawRoute({
    name: 'estate.import',
    summary: 'Create and update a whole file of rows in one transaction',
    description:
      'The body is a JSON array of the objects that a create takes, or one such object a line. A row with the id of an object ' +
      'that exists updates it; without an id, the one object of the same name is meant. A row takes nothing away from an object that exists, ' +
      'unless `lists` or `empty` say so. The answer is JSON lines: ' +
      '`{"progress":{"done","total"}}` at intervals, and at the end `{"result":{...}}` or `{"error":{...}}`. A user can run one import ' +
      'at a time, the server two; a body slower than 16 KiB/s over 10 s ends with 408.',
    http: 'POST /api/estate/import',
    audit: { action: 'create', resource: 'estate' },
    isLong: true,
    access: {
      anyOf: INVENTORY.map((resource): Permission => `${resource}:create`),
    },
    scope: 'checkWrite',
    query: ImportQuery,
    requestHeaders: z.object({ [KEY_HEADER]: IdempotencyKey, [NOTE_HEADER]: ChangeNote }),
    output: ImportResult,
    produces: 'application/x-ndjson',
  }),
}
