/** The fields by which other objects name an address space. Browser-safe. */
import { z } from 'zod'
import { idOf, reference } from '../../contract/fields/fields.ts'

/** The word for the default space, which has no object. */
export const DEFAULT = 'default'

/** True for an id or a name that means the default space. */
export const isDefault = (text: string): boolean => text.toLowerCase() === DEFAULT

/** The space of an object, in a create or an update; absent, `null`, `""` and `default` are the default space. */
export const SpaceId = reference('spaces')
  .transform((id) => (id !== null && isDefault(id) ? null : id))
  .describe('The address space')
  .meta({ word: DEFAULT })

/** Filters by space. */
export const SpaceFilter = idOf('spaces')
  .optional()
  .describe('Only those of this space, or `default`')
  .meta({ word: DEFAULT })

/** The space of an object in an answer, which has none of the default space. */
export const SpaceOf = z.string().optional().describe('The address space; absent in the default one')

/** Returns an object with its space, which is absent in the default one. */
export const withSpace = <T extends object>(
  object: T,
  space_id: string | null | undefined,
): T & { space_id?: string | undefined } => (space_id ? { ...object, space_id } : object)
