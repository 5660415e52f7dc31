/** When keys were last used. */
import type { Db } from '../../platform/db/database.ts'
import { createUses, type Uses } from '../../platform/runtime/last-used.ts'
import type { Tables } from '../tables.ts'
import { recordKeyUse } from './keys.ts'

export type KeyUses = Uses

export const createKeyUses = (db: Db<Tables>): KeyUses => createUses(db, recordKeyUse)
