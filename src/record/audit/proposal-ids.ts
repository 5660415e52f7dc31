/** Finds the ids of proposals that a call names by their numbers, so that all entries of a proposal have one id. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AuditEvent } from '../../kernel/changes/audit.ts'

/** Numbers of the column are 32 bits. */
const MAX_NUMBER = 2 ** 31 - 1

const isNumber = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_NUMBER

/** Returns the event with the id of its proposal. A guest gets no query. */
export const withProposalId = async (db: Kysely<Tables>, event: AuditEvent): Promise<AuditEvent> => {
  const { resource, resourceId, isGuest } = event
  if (resource !== 'proposal' || isGuest || !isNumber(resourceId)) return event
  const query = db.selectFrom('proposals').select('id').where('number', '=', Number(resourceId))
  const found = await query.executeTakeFirst()
  return found ? { ...event, resourceId: found.id } : event
}
