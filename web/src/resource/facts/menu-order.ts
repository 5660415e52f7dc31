/** The resources in the order of menus. */
import { RESOURCES } from '../../../../src/inventory/resources.ts'
import { sortByRank } from '../../../../src/resource/facts.ts'

type Facts = (typeof RESOURCES)[number]

/** In the order of the import page. */
export const IMPORTED: readonly Facts[] = sortByRank<Facts>(RESOURCES, 'menu')

/** The resources of objects with custom fields. Each kind has its own, and is none of them. */
export const WITH_CUSTOM: readonly Facts[] = IMPORTED.filter((facts) => 'custom' in facts && !('customBy' in facts))
