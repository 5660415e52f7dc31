/** Conflicts as they are sent. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../platform/contract/fields.ts'

export const ConflictType = z
  .enum(['duplicate_ip', 'overlapping_subnet'])
  .describe('duplicate_ip: several devices have the address; overlapping_subnet: several networks have the subnet')
export type ConflictType = z.infer<typeof ConflictType>

export const ConflictStatus = z
  .enum(['active', 'resolved', 'ignored'])
  .describe('ignored: as it is meant to be, such as a shared or an anycast address')
export type ConflictStatus = z.infer<typeof ConflictStatus>

export const Conflict = z
  .object({
    id: z.string(),
    type: ConflictType,
    status: ConflictStatus,
    description: z.string(),
    ip_address: z.string().describe('Of a duplicate_ip; else empty'),
    device_ids: z.array(z.string()).describe('Those that it is about; 100 of them where there are more'),
    network_ids: z.array(z.string()).describe('As device_ids'),
    subnets: z.array(z.string()),
    detected_at: Timestamp,
    resolved_at: Timestamp.nullable(),
    resolved_by: z.string().describe('Who resolved or ignored it; empty where its cause went away'),
    notes: z.string(),
  })
  .meta({ id: 'Conflict', columns: ['id', 'type', 'status', 'description', 'detected_at', 'resolved_at'] })
export type Conflict = z.infer<typeof Conflict>
