/** The relationships contract: links, containment and dependencies between devices. Browser-safe. */
import { z } from 'zod'
import { ManagedBy, ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { idOf, Key, Page, patch, Timestamp, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { Device } from '../devices/schema.ts'

export const RelationshipType = z
  .enum(['contains', 'connected_to', 'depends_on'])
  .describe('contains: the parent contains the child; connected_to: a link; depends_on: the parent needs the child')
export type RelationshipType = z.infer<typeof RelationshipType>

export const Relationship = z
  .object({
    parent_id: z.string(),
    child_id: z.string(),
    type: RelationshipType,
    notes: z.string(),
    managed_by: z.string(),
    created_at: Timestamp,
    parent_name: z.string().optional().describe('With include=names'),
    child_name: z.string().optional().describe('With include=names'),
  })
  .meta({ id: 'Relationship', columns: ['parent_id', 'type', 'child_id', 'notes'] })
export type Relationship = z.infer<typeof Relationship>

export const RelationshipDraft = z.object({
  device_id: idOf('devices').describe('The parent'),
  child_id: idOf('devices').min(1),
  type: RelationshipType,
  notes: text(4096).prefault(null),
  managed_by: ManagedBy.optional(),
})
export type RelationshipDraft = z.output<typeof RelationshipDraft>

/** The fields of a relationship that change. */
export const RelationshipPatch = z.object(patch({ notes: text(4096), managed_by: ManagedBy }))

export const relationships = {
  all: operation({
    name: 'relationships.all',
    summary: 'List all relationships',
    http: 'GET /api/relationships',
    supportsAsOf: true,
    access: 'relationships:list',
    scope: 'filter',
    mcp: 'listed',
    cli: { command: 'relationship list' },
    input: () => z.object({ managed_by: ManagedByFilter, ...Page }),
    output: () => z.array(Relationship),
  }),
  list: operation({
    name: 'relationships.list',
    summary: 'List the relationships in which a device is parent or child',
    http: 'GET /api/devices/{device_id}/relationships',
    supportsAsOf: true,
    access: 'relationships:list',
    scope: 'filter',
    shows: ['devices'],
    cli: { command: 'device relationships' },
    input: () =>
      z.object({
        device_id: idOf('devices'),
        include: z.enum(['names']).optional().describe('Adds the names of its devices to each relationship'),
        ...Page,
      }),
    output: () => z.array(Relationship),
  }),
  create: operation({
    name: 'relationships.create',
    summary: 'Relate a device to another',
    http: 'POST /api/devices/{device_id}/relationships',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'relationships:create',
    scope: 'checkWrite',
    mcp: 'listed',
    cli: { args: ['device_id', 'type', 'child_id'] },
    input: RelationshipDraft,
    output: () => z.object({ status: z.literal('created') }),
  }),
  related: operation({
    name: 'relationships.related',
    summary: 'List the devices at the other end of the relationships of a device, once each',
    http: 'GET /api/devices/{device_id}/related',
    supportsAsOf: true,
    access: 'relationships:list',
    scope: 'filter',
    shows: ['devices'],
    cli: { command: 'device related' },
    input: () => z.object({ device_id: idOf('devices'), type: RelationshipType.optional(), ...Page }),
    output: () => z.array(Device),
  }),
  delete: operation({
    name: 'relationships.delete',
    summary: 'Delete a relationship',
    http: 'DELETE /api/devices/{device_id}/relationships/{child_id}/{type}',
    hasHistory: true,
    access: 'relationships:delete',
    scope: 'checkWrite',
    mcp: 'listed',
    cli: { args: ['device_id', 'type', 'child_id'] },
    input: () => z.object({ device_id: idOf('devices'), child_id: idOf('devices'), type: Key }),
    output: () => z.void(),
  }),
}
