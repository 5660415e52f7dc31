/** The contract of field locks. Browser-safe. */
import { z } from 'zod'
import { idOf, Key, Page } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { FieldLock, LockableField } from '../schema.ts'

const OneLock = z.object({ device_id: idOf('devices'), field: LockableField })

export const discoveryLocks = {
  list: operation({
    name: 'discovery-locks.list',
    summary: 'List the fields of devices that discovery proposes nothing for',
    http: 'GET /api/discovery/locks',
    access: 'discovery:list',
    scope: 'filter',
    cli: { command: 'discovery lock list' },
    input: () => z.object({ device_id: idOf('devices').optional(), ...Page }),
    output: () => z.array(FieldLock),
  }),
  create: operation({
    name: 'discovery-locks.create',
    summary: 'Lock a field of a device: discovery never proposes anything for it again',
    http: 'POST /api/discovery/locks',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'discovery:update',
    scope: 'checkWrite',
    cli: { command: 'discovery lock create', args: ['device_id', 'field'] },
    input: OneLock,
    output: FieldLock,
  }),
  delete: operation({
    name: 'discovery-locks.delete',
    summary: 'Unlock a field of a device',
    http: 'DELETE /api/discovery/locks/{device_id}/{field}',
    hasHistory: true,
    access: 'discovery:update',
    scope: 'checkWrite',
    cli: { command: 'discovery lock delete' },
    input: () => z.object({ device_id: idOf('devices'), field: Key }),
    output: () => z.void(),
  }),
}
