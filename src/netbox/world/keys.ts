/** The keys of stand-ins for objects that Plat has not. */
import { buildStandInKey } from '../numbers/keys.ts'

export const UNKNOWN = 'Unknown'

/** Returns the key of the type of devices that have a text in place of a type; of devices without either, the text is ''. */
export const buildTypeKey = (makeModel: string): string => buildStandInKey(makeModel || UNKNOWN)

/** The site of objects that have none, which NetBox demands. */
export const UNASSIGNED_KEY = buildStandInKey('unassigned')
export const UNASSIGNED = { name: 'Unassigned', slug: 'unassigned' } as const
