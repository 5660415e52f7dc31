/** The devices contract. Browser-safe. */
import { z } from 'zod'
import { idOf, Page, SearchText } from '../../contract/fields/fields.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../kernel/bulk/bulk.ts'
import { operation } from '../../kernel/operation.ts'
import { DEFAULT_SPACE, parseIp, toIpKey } from '../../net/ip.ts'
import { getBlock } from '../../net/occupancy.ts'
import { nameNext } from '../../resource/custom/next-text.ts'
import { deviceFacts } from './resource.ts'
import { base, Device, ShownDevice } from './schema.ts'

export const { Draft: DeviceDraft, Patch: DevicePatch } = base
export type DeviceDraft = z.output<typeof DeviceDraft>
export type DevicePatch = z.output<typeof DevicePatch>

/** Returns the blocks and pools of the addresses, which a new device locks. The blocks of all spaces count as one. */
const buildLockKey = ({ addresses }: Pick<DeviceDraft, 'addresses'>): string | undefined => {
  if (addresses.length === 0) return undefined
  const places = addresses.flatMap(({ ip, pool_id }) => {
    const address = parseIp(ip)
    return [...(address ? [getBlock(toIpKey(address, DEFAULT_SPACE))] : []), ...(pool_id === null ? [] : [pool_id])]
  })
  return [...new Set(places)].sort().join(' ')
}

export const devices = {
  list: base.operations.list,
  search: operation({
    name: 'devices.search',
    summary: 'Find devices by name, host name, description, model, system, location, address, MAC, tag or domain',
    description: 'Every word must match somewhere. A CIDR finds the devices with an address inside it.',
    http: 'GET /api/devices/search',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    cli: { args: ['q'] },
    input: () => z.object({ q: SearchText, ...Page }),
    output: () => z.array(Device),
  }),
  create: { ...base.operations.create, serializeBy: (input: DeviceDraft) => buildLockKey(input) ?? nameNext(input) },
  get: operation({
    name: 'devices.get',
    summary: deviceFacts.summaries.get,
    http: 'GET /api/devices/{id}',
    supportsAsOf: true,
    access: 'devices:read',
    scope: 'checkPath',
    shows: ['networks'],
    mcp: 'listed',
    input: () =>
      z.object({
        id: idOf('devices'),
        include: z.array(z.enum(['networks'])).optional(),
      }),
    output: ShownDevice,
  }),
  update: base.operations.update,
  delete: base.operations.delete,
  bulk: operation({
    name: 'devices.bulk',
    summary: 'Create, update and delete up to 1,000 devices in one call',
    http: 'POST /api/devices/bulk',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: { anyOf: ['devices:create', 'devices:update', 'devices:delete'] },
    scope: 'checkWrite',
    maxBodyBytes: 16 * 1024 * 1024,
    input: () => createBulkInput({ device: BulkFields }),
    output: () => createBulkOutput({ device: Device.optional() }),
    bodyRules: () =>
      buildBulkRules('device', { create: DeviceDraft, update: DevicePatch, example: { name: 'web-fra1-01' } }),
    recorded: () => createBulkInput({ device: base.Partial() }),
  }),
}
