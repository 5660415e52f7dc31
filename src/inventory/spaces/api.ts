/** The contract of address spaces: sets of addresses in which each means one thing, such as a VRF. Browser-safe. */
import type { z } from 'zod'
import { Name, NewId } from '../../contract/fields/fields.ts'
import { crud } from '../../resource/crud.ts'
import { DEFAULT, isDefault } from './fields.ts'
import { spaceFacts } from './resource.ts'

const isNotDefault = (value: string): boolean => !isDefault(value)
const NOT_DEFAULT = { error: `"${DEFAULT}" is the space of all networks and addresses without one` }

const base = crud(spaceFacts, {
  schemas: { name: { input: Name.refine(isNotDefault, NOT_DEFAULT) } },
  newId: NewId.refine(isNotDefault, NOT_DEFAULT),
  deleteErrors: [409],
})
export const Space = base.Item
export type Space = z.infer<typeof base.Item>

export const spaces = base.operations
