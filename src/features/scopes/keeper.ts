/** What the kernel asks of the scopes. */
import type { AreaKeeper } from '../../platform/operation/area-keeper.ts'
import type { Tables } from '../tables.ts'
import { guarding } from './guard.ts'
import { reading } from './part.ts'
import { settling } from './settle.ts'

export const areaKeeper: AreaKeeper<Tables> = { ...settling, ...reading, ...guarding }
