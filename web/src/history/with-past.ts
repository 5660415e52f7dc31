/** The pages that can show the estate as of another moment, or with a proposal. */
import { RESOURCE_NAMES } from '../resource/facts/names.ts'

/** The first parts of the paths of the inventory, of its topology, and of its changes. */
const WITH_PAST: ReadonlySet<string> = new Set([...RESOURCE_NAMES, 'history', 'topology'])

export const hasPast = (path: string): boolean => WITH_PAST.has(path.split('/')[1] ?? '')
