/** Moves the discovered devices of a network, and its pinned host keys, to the address space that the network has moved to. */

import { pause } from '../base/runtime/pause.ts'
import { splitBatches } from '../database/query/batches.ts'
import type { SpaceChange } from '../inventory/networks/move-to-space.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { movePins } from './credential-store.ts'
import { findLinkedIds } from './devices/discovered-queries.ts'
import { moveToSpace } from './devices/discovered-store.ts'
import { reclassify } from './inbox/classify.ts'
import * as documented from './inbox/documented-store.ts'
import * as scanStore from './scans/scan-store.ts'
import { fail } from './scans/scans.ts'

/** Discovered devices that are compared together; between two of these the event loop turns. */
const COMPARED_AT_ONCE = 100

/** Ends the scan and the recording in progress: their next hosts have addresses of the space before. */
const endScans = async (ctx: Ctx, networkId: string): Promise<void> => {
  // Until commit, none begins with the space before.
  await scanStore.lockStarts(ctx)
  const running = await scanStore.findRunning(ctx, networkId)
  if (running) await fail(ctx, running, 'its network was moved to another address space')
  await scanStore.endRecordings(ctx, networkId)
}

/** Call after the documented addresses have moved. */
export const moveDiscovery = async (ctx: Ctx, { after: { id }, ...spaces }: SpaceChange): Promise<void> => {
  await endScans(ctx, id)
  const concerned = new Set(await moveToSpace(ctx, id, spaces))
  await movePins(ctx, id, spaces)
  // Links to and from other networks count no more, or again.
  for (const some of splitBatches([...concerned]))
    for (const other of await findLinkedIds(ctx, some)) concerned.add(other)
  for (const some of splitBatches(await documented.findDeviceIdsIn(ctx, id)))
    for (const other of await documented.findDiscovered(ctx, some)) concerned.add(other)
  for (const some of splitBatches([...concerned].sort(), COMPARED_AT_ONCE)) {
    await reclassify(ctx, some)
    await pause()
  }
}
