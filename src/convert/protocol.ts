/** The jobs of the process of a conversion, and the answer with a converted source. Browser-safe. */
import { z } from 'zod'
import { DocumentNames } from '../contract/fields/document-names.ts'
import { CONVERTED_RULES } from '../contract/fields/row-rules.ts'
import { INVENTORY, type Resource } from '../inventory/resources.ts'
import type { Format } from './formats.ts'

/** The column that holds each field of a file with columns; empty for a column that is left out. */
export type Mapping = {
  readonly resource: Resource
  readonly columns: Readonly<Record<string, string>>
  /** The kind of all rows, if they are objects of one kind. */
  readonly kind?: string
}

export type ConvertOptions = {
  /** The time by which leases have ended. */
  readonly now: Date
  /** The origin of the relative names of a zone file. */
  readonly origin?: string
  readonly mapping?: Partial<Mapping>
  /** The labels of the custom fields of the kind of the mapping, by their names. */
  readonly labels?: Readonly<Record<string, string>>
  /** False if the answer has no leftover, which then takes no memory. */
  readonly withLeftover?: boolean
  /** False if the document has no names, whose slugs and colors are then left over. */
  readonly withNames?: boolean
  /** True if the answer has the cells of a spreadsheet. Rows that cannot be read are then no error. */
  readonly withSheet?: boolean
  /** True if an empty cell of a spreadsheet clears its field. */
  readonly clearsEmpty?: boolean
}

export type ConvertJob = {
  /** By default the one of the content. */
  readonly format: Format | undefined
  readonly withLeftover: boolean
  readonly options: Omit<ConvertOptions, 'now' | 'withLeftover'> & { readonly nowMs: number }
}

/** The bytes are the pages of a NetBox, see `page-file.ts`. */
export type PullJob = { readonly pages: 'netbox'; readonly withLeftover: boolean }

const Rows = z.array(z.record(z.string(), z.unknown()))
const Packs = z.array(z.string()).optional().describe('The packs that the rows need')
// `Object.fromEntries` loses the keys.
const LISTS = Object.fromEntries(INVENTORY.map((resource) => [resource, Rows.optional()])) as Readonly<
  Record<Resource, z.ZodOptional<typeof Rows>>
>
const Counts = z.record(z.string(), z.int())

const Report = z
  .object({
    read: Counts.describe('The number of objects of each kind, as the source names it'),
    made: Counts.describe('The number of rows of each resource'),
    described: z
      .array(z.object({ field: z.string(), count: z.int() }))
      .describe('Fields that are lines of descriptions'),
    left: z
      .array(
        z.object({
          what: z.string(),
          count: z.int(),
          why: z.string(),
          example: z.string().optional().describe('The first of them, cut to its beginning; not of secrets'),
        }),
      )
      .describe('Objects and fields without a place in Plat, once for each kind and reason'),
    warnings: z.array(z.object({ message: z.string() })),
    mapping: z
      .object({
        resource: z.enum(INVENTORY),
        columns: z.record(z.string(), z.string()),
        kind: z.string().optional().describe('The kind of the objects'),
      })
      .optional()
      .describe('The field of each column of a spreadsheet'),
  })
  .meta({ id: 'ConversionReport' })

/** The result of a conversion with rows that an import can take. */
export const PulledEstate = z
  .object({
    format: z.string(),
    source: z.string().describe('The form of the source'),
    documents: z
      .object({ ...CONVERTED_RULES, packs: Packs, names: DocumentNames.optional(), ...LISTS })
      .describe('The document for an apply, which takes nothing away from objects that exist'),
    report: Report,
    leftover: z
      .record(z.string(), z.array(z.unknown()))
      .optional()
      .describe('The left objects and values by kind, with `leftover`'),
  })
  .meta({ id: 'PulledEstate' })
const Host = z.object({
  ip: z.string(),
  mac_address: z.string().optional(),
  hostname: z.string().optional(),
  vendor: z.string().optional(),
  os: z.string().optional(),
  open_ports: z.array(z.int()).optional(),
  services: z.array(z.object({ port: z.int(), protocol: z.enum(['tcp', 'udp']), name: z.string() })).optional(),
})

const Origin = z.union([z.int(), z.object({ rows: z.array(z.int()), addresses: z.array(z.int()) })])

/** The cells of a spreadsheet, and the row of the file that each converted row comes from. */
export const ConvertedCells = z
  .object({
    unit: z.enum(['line', 'row']).describe('The unit of the numbers: the lines of a text, or the rows of a workbook'),
    columns: z
      .array(z.object({ name: z.string(), field: z.string(), is_described: z.boolean() }))
      .describe('Each with its field, or else whether it becomes a line of the description'),
    numbers: z.array(z.int()).describe('The number of each row in the file'),
    rows: z.array(z.array(z.string())),
    origins: z.array(Origin).describe('The number of the row that each converted row was made of, or the numbers'),
    rejected: z.array(
      z.object({ number: z.int(), column: z.string().optional(), value: z.string().optional(), message: z.string() }),
    ),
  })
  .meta({ id: 'ConvertedCells' })
export type ConvertedCells = z.infer<typeof ConvertedCells>

/** The result of the conversion of a file. */
export const Converted = PulledEstate.extend({
  hosts: z.array(Host).describe('Of scans, leases, hosts files and zones: the machines, as `scans.record` takes them'),
  sheet: ConvertedCells.optional().describe('Of a spreadsheet, with `sheet`'),
}).meta({ id: 'ConvertedEstate' })

export type Converted = z.infer<typeof Converted>

export type PulledEstate = z.infer<typeof PulledEstate>
