/** The handlers of free addresses. */
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listValues } from '../../kernel/list.ts'
import { withoutHidden } from '../pools/pools.ts'
import { allocateIp } from './allocate-ip.ts'
import { addresses, networkAddresses } from './api.ts'
import { listFree } from './free.ts'
import { buildNetworkHeatmap, findNextIp } from './network-space.ts'

export const feature: Feature = {
  operations: [
    ...implement(networkAddresses, {
      nextIp: (ctx, { id, count }) => findNextIp(ctx, id, count),
      heatmap: async (ctx: Ctx, { id, ...page }) => {
        const entries = await buildNetworkHeatmap(ctx, id)
        return listValues(ctx.unscoped === ctx ? entries : await withoutHidden(ctx, entries), page)
      },
      allocateIp,
    }),
    ...implement(addresses, { free: listFree }),
  ],
}
