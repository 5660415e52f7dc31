/** Finds networks that their makers could not create today, because they overlap address space outside of the scopes of these users. */

import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Warning } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { type Account, findAccounts, RIGHTS_TABLES } from '../users/account.ts'
import * as store from './overlap-warnings-store.ts'
import { findOverlapping } from './overlaps.ts'

const MAX_WARNINGS = 100
/** Networks that are checked together: neighbors share most of the networks around them. */
const NETWORKS_AT_ONCE = 100
/** Approximate size of a warning in bytes, for the bound of the cache. */
const WARNING_BYTES = 500

const CREATE: Permission = 'networks:create'

/** Their changes may change the warnings. */
const TABLES = [...RIGHTS_TABLES, 'scopes', 'areas', 'networks', 'devices', 'addresses', 'changes'] as const

const createWarning = ({ id, name, subnet }: Record<'id' | 'name' | 'subnet', string>, username: string): Warning => ({
  kind: 'network_overlaps_outside_scope',
  resource: 'networks',
  id,
  name,
  message:
    `The user "${username}" has created the network "${name}" (${subnet}) and could not do so today: it overlaps networks or addresses of ` +
    'devices outside of the scopes of that user. Check whether it is wanted; delete it, or leave it is.',
})

/** Loads the users who may create networks only in scopes. */
const loadLimitedUsers = async (ctx: Ctx): Promise<ReadonlyMap<string, Account>> => {
  const accounts = await findAccounts(ctx, await store.findLimitedUsers(ctx))
  return new Map([...accounts].filter(([, { scopedPermissions }]) => scopedPermissions?.has(CREATE)))
}

const collectWarnings = async (ctx: Ctx, users: ReadonlyMap<string, Account>): Promise<Warning[]> => {
  const warnings: Warning[] = []
  let after = ''
  for (;;) {
    const { networks, isLast, end } = await store.findMadeNetworks(ctx, after)
    for (const [userId, made] of Map.groupBy(networks, (one) => one.userId)) {
      const { scopedPermissions, username = '' } = (userId === null ? undefined : users.get(userId)) ?? {}
      const scopeSet = scopedPermissions?.get(CREATE)
      if (!scopeSet) continue
      for (const some of splitBatches(made, NETWORKS_AT_ONCE)) {
        const ids = some.map(({ id }) => id)
        for (const network of await findOverlapping(ctx, ids, scopeSet)) warnings.push(createWarning(network, username))
        if (warnings.length >= MAX_WARNINGS) return warnings.slice(0, MAX_WARNINGS)
        await pause()
      }
    }
    if (isLast) return warnings
    after = end
    await pause()
  }
}

/** Finds at most 100 such networks. They are found again only after a change of the objects or rights that decide. */
export const findOverlapWarnings = async (ctx: Ctx): Promise<readonly Warning[]> => {
  const group = ctx.store.cache.at<readonly Warning[]>('overlap warnings', await ctx.store.revision(TABLES))
  const known = group.get('')
  if (known) return known
  const users = await loadLimitedUsers(ctx)
  const warnings = users.size === 0 ? [] : await collectWarnings(ctx, users)
  group.set('', warnings, warnings.length * WARNING_BYTES)
  return warnings
}
