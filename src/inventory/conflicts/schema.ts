/** The public form of conflicts. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { OUTSIDE } from '../../resource/scoped/outside.ts'
import { SpaceOf } from '../spaces/fields.ts'

export const ConflictType = z
  .enum(['duplicate_ip', 'overlapping_subnet'])
  .describe('duplicate_ip: several devices have the address; overlapping_subnet: several networks have the subnet')
export type ConflictType = z.infer<typeof ConflictType>

export const ConflictStatus = z
  .enum(['active', 'resolved', 'ignored'])
  .describe('ignored: intended, such as a shared or an anycast address')
export type ConflictStatus = z.infer<typeof ConflictStatus>

export const Conflict = z
  .object({
    id: z.string(),
    type: ConflictType,
    status: ConflictStatus,
    description: z.string(),
    ip_address: z.string().describe('Of a duplicate_ip; otherwise empty'),
    device_ids: z.array(z.string()).describe('The members of the conflict; at most 100 of them'),
    network_ids: z.array(z.string()).describe('As device_ids'),
    subnets: z.array(z.string()),
    detected_at: Timestamp,
    resolved_at: Timestamp.nullable(),
    resolved_by: z.string().describe('The user who resolved or ignored it; empty if its cause was removed'),
    notes: z.string(),
    space_id: SpaceOf,
  })
  .meta({ id: 'Conflict', columns: ['id', 'type', 'status', 'description', 'detected_at', 'resolved_at'] })
export type Conflict = z.infer<typeof Conflict>

/** Returns the conflict without the members that are not seen; undefined if none is. `createViews` of the scopes does the same in SQL. */
export const narrowConflict = (conflict: Conflict, isSeen: (id: string) => boolean): Conflict | undefined => {
  const { type, device_ids, network_ids, subnets, ip_address } = conflict
  const seen = { device_ids: device_ids.filter(isSeen), network_ids: network_ids.filter(isSeen) }
  const count = seen.device_ids.length + seen.network_ids.length
  if (count === 0) return undefined
  if (count === device_ids.length + network_ids.length) return conflict
  return { ...conflict, ...seen, description: `${OUTSIDE[type]}${ip_address || (subnets[0] ?? '')}` }
}
