/** Slugs, colors and descriptions of roles, platforms, manufacturers and tags in an estate document, for the NetBox API. Browser-safe. */
import { z } from 'zod'
import { line, trimmed } from './fields.ts'

/** The kinds of names, by NetBox's names of its models. */
export const NAME_KINDS = ['dcim.devicerole', 'dcim.platform', 'dcim.manufacturer', 'extras.tag', 'ipam.role'] as const
export type NameKind = (typeof NAME_KINDS)[number]

/** The most names of a document. */
export const MAX_NAMES = 10_000

export const MAX_NAME = 255
export const MAX_NAME_DESCRIPTION = 200
export const NAME_SLUG = /^[-a-zA-Z0-9_]{1,100}$/
export const NAME_COLOR = /^[0-9a-f]{6}$/

const DocumentName = z.strictObject({
  kind: z.enum(NAME_KINDS).describe('As NetBox names its models'),
  name: trimmed(MAX_NAME).describe('As rows have it, in any case'),
  slug: z
    .string()
    .regex(NAME_SLUG, 'must be 1 to 100 letters, digits, - and _')
    .describe('The slug in place of the one that is made of the name')
    .meta({ examples: ['core-switch'] }),
  color: z
    .string()
    .regex(NAME_COLOR, 'must be six hexadecimal digits in small letters')
    .optional()
    .describe('Red, green and blue')
    .meta({ examples: ['2196f3'] }),
  description: line(MAX_NAME_DESCRIPTION).optional().describe('A text for people'),
  vm_role: z.boolean().optional().describe('Of a role: whether virtual machines may have it'),
})
export type DocumentName = z.infer<typeof DocumentName>

export const DocumentNames = z
  .array(DocumentName)
  .max(MAX_NAMES)
  .describe('Slugs, colors and descriptions of names in the NetBox API. A name that has them already keeps them')
