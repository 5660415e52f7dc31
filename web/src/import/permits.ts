/** The permissions of which a conversion needs one. */
import { RESOURCES } from '../export/fields.ts'

export const INVENTORY_CREATES: readonly string[] = RESOURCES.map((resource) => `${resource}:create`)
