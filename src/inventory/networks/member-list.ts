/** Lists the devices with an address in a network, on request also in the networks inside it. */

import { orNotFound } from '../../contract/errors.ts'
import { getCachedCount } from '../../database/cache/query-cache.ts'
import { buildConditionalMembership, buildMembership, countMembers } from '../../database/query/ordered-filter.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { JsonList } from '../../kernel/handler-result.ts'
import { countRows, listRows } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import type { Device } from '../devices/schema.ts'
import type { networks } from './api.ts'
import { buildDeviceSubset, buildNestedSubset } from './membership.ts'
import { findRow } from './tree-store.ts'

const selectDevices = (ctx: Ctx) => ctx.db.selectFrom('devices').select('doc').orderBy('name_order').orderBy('id')

/** @throws AppError NOT_FOUND */
export const listDevices = async (
  ctx: Ctx,
  { id, nested, ...page }: ParsedInputOf<typeof networks.devices>,
): Promise<JsonList<Device>> => {
  const revision = await ctx.store.revision([
    'devices',
    'network_addresses',
    ...(nested ? (['networks'] as const) : []),
  ])
  const network = orNotFound(await findRow(ctx, id), 'network', id)
  if (!nested) {
    const { ordered } = await buildMembership(ctx, buildDeviceSubset(id))
    const total = () => countMembers(ctx, buildDeviceSubset(id))
    return listRows(ctx, { revision, query: selectDevices(ctx).where(ordered), page, total, row: ({ doc }) => doc })
  }
  const { ordered, counted } = await buildConditionalMembership(ctx, buildNestedSubset(network))
  const total = () =>
    getCachedCount(ctx, 'devices', `nested ${id} ${revision}`, () => countRows(selectDevices(ctx).where(counted)))
  return listRows(ctx, { revision, query: selectDevices(ctx).where(ordered), page, total, row: ({ doc }) => doc })
}
