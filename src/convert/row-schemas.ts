/** The rows of an estate document, as far as the columns of a spreadsheet need them. */
import type { z } from 'zod'
import type { Resource } from '../inventory/resources.ts'

export type RowSchema = {
  /** The singular noun. */
  readonly noun: string
  /** The schema of a row with ids in place of names. */
  readonly draft: z.ZodObject
  /** The fields that name an object in place of its id. */
  readonly level: { readonly references: readonly { readonly as: string }[] }
}

export type RowSchemas = {
  readonly getRules: (resource: Resource) => RowSchema
  /** The fields of an answer that a row may have, and that have no effect. */
  readonly READ_ONLY: ReadonlySet<string>
}
