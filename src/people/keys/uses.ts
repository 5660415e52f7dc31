/** Records when keys were last used. */
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { createLastUsed, type LastUsed } from '../../kernel/jobs/usage-tracker.ts'
import { recordKeyUse } from './keys.ts'

export type KeyUses = LastUsed

export const createKeyUses = (db: Db<Tables>): KeyUses => createLastUsed(db, recordKeyUse)
