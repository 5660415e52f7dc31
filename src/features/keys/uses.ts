/** Records when keys were last used. */
import type { Db } from '../../platform/db/database.ts'
import { createLastUsed, type LastUsed } from '../../platform/runtime/usage-tracker.ts'
import type { Tables } from '../tables.ts'
import { recordKeyUse } from './keys.ts'

export type KeyUses = LastUsed

export const createKeyUses = (db: Db<Tables>): KeyUses => createLastUsed(db, recordKeyUse)
