/** The options of a document. */
import { z } from 'zod'
import { FORMATS } from '../../../convert/formats.ts'
import { INVENTORY } from '../../../inventory/resources.ts'

export const ESTATE = 'estate'

/** The name of a header of a request, except the headers that the connection sets. */
const HEADER = /^(?!(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer)$)[A-Za-z0-9-]{1,64}$/i

export const DocumentOptions = z.strictObject({
  format: z
    .enum([ESTATE, ...FORMATS])
    .or(z.literal(''))
    .optional(),
  resource: z.enum(INVENTORY).or(z.literal('')).optional(),
  mapping: z.record(z.string().max(1000), z.string().max(255)).optional(),
  origin: z.string().max(255).optional(),
  key: z.string().max(255).optional(),
  hosts: z.enum(['evidence', 'devices']).optional(),
  header: z.string().regex(HEADER, 'must be the name of a header such as X-Api-Key').or(z.literal('')).optional(),
})
export type DocumentOptions = z.output<typeof DocumentOptions>

export const OPTION_SPECS = [
  {
    name: 'format',
    type: 'text',
    default: '',
    description: `The format: ${[ESTATE, ...FORMATS].join(', ')}; empty: known by the content`,
    required: false,
  },
  {
    name: 'resource',
    type: 'text',
    default: '',
    description: 'The resource of the rows of a spreadsheet or a list, such as devices',
    required: false,
  },
  {
    name: 'mapping',
    type: 'object',
    default: {},
    description: 'The field of each column of a spreadsheet; empty leaves the column out',
    required: false,
  },
  {
    name: 'origin',
    type: 'text',
    default: '',
    description: 'The origin of the relative names of a zone file',
    required: false,
  },
  {
    name: 'key',
    type: 'text',
    default: '',
    description: 'The column or field with the id of each row; empty: its ref, else its name',
    required: false,
  },
  {
    name: 'hosts',
    type: 'text',
    default: 'evidence',
    description: 'Scans, leases, hosts files and zones: evidence records what was seen, devices documents it',
    required: false,
  },
  {
    name: 'header',
    type: 'text',
    default: '',
    description: 'The header that gets the secret header_value, such as X-Api-Key',
    required: false,
  },
] as const
